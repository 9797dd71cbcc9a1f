"""Rows in the order of time: blocks of neighbouring rows that stay together, and splits that predict from earlier ones.

Resamples of blocks say how far scores vary where neighbouring rows are alike (Künsch 1989). The length of a block is
that of Politis and White (2004, corrected 2009) for the autocorrelation of the target.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tamis._core.errors import InputError

BLOCKS = 24  # at least so many where there are so many times: an interval needs resamples of some


@dataclass(frozen=True)
class TimeOrder:
    """``block`` (n,) counts from the earliest; ``length`` is how many times are in each, and ``wanted`` how many there
    would be if the table were long enough."""

    block: np.ndarray
    length: int
    wanted: int

    @classmethod
    def of(cls, values: np.ndarray, target: np.ndarray, classes: bool) -> TimeOrder:
        """Rows of one time are in one block."""
        times, place, counts = np.unique(values, return_inverse=True, return_counts=True)
        series = [target == label for label in np.unique(target)] if classes else [target]
        means = [np.bincount(place, one) / counts for one in series]
        wanted = max(block_length(one) for one in means)
        length = min(wanted, max(1, len(times) // BLOCKS))
        return cls(place // length, length, wanted)

    def splits(self, n_splits: int, rows: np.ndarray | None = None) -> list[tuple[np.ndarray, np.ndarray]]:
        """Each predicts a stretch of blocks from all earlier ones; ``rows``: where only some of them are there."""
        block = np.unique(self.block if rows is None else self.block[rows], return_inverse=True)[1]
        n_blocks = int(block.max()) + 1
        folds = min(n_splits, n_blocks - 1)
        if folds < 2:
            raise InputError(
                f"--time-order has {n_blocks} different times: give at least 3, to predict from earlier ones twice",
                argument="time_order",
            )
        edges = np.rint(np.linspace(n_blocks / (folds + 1), n_blocks, folds + 1))
        return [
            (np.flatnonzero(block < begin), np.flatnonzero((block >= begin) & (block < end)))
            for begin, end in pairwise(edges)
        ]

    @property
    def together(self) -> np.ndarray | None:
        """The block of each row; None where every row is one by itself."""
        return self.block if len(self.block) > int(self.block.max()) + 1 else None

    def note(self, name: str) -> str:
        """What was done, and where intervals are still too narrow."""
        done = f"rows are in the order of {name!r}: each part is predicted from earlier rows only"
        if self.wanted == 1:
            return f"{done}; its neighbours are not alike in the target, and intervals take them to be independent"
        n_blocks = int(self.block.max()) + 1
        together = f"{done}; intervals resample, and shuffles stay within, {n_blocks} blocks of neighbouring rows"
        if self.wanted > self.length:
            return f"{together}, which are too short for how alike neighbouring rows are: intervals are too narrow"
        return together


def block_length(series: np.ndarray) -> int:
    """How many neighbours to resample together so that the mean of the series varies as it would in a new sample.

    (2 g²/d)^(1/3) n^(1/3) with g = Σ λ(k/m) |k| r(k) and d = 4/3 (Σ λ(k/m) r(k))²: r are the autocorrelations, λ is 1
    up to ½ and falls to 0 at 1, and m twice the lag after which r stays within chance.
    """
    x = np.asarray(series, dtype=np.float64) - np.mean(series)
    n = len(x)
    if n < 8 or not x.any():
        return 1
    size = 1 << (2 * n - 1).bit_length()
    spectrum = np.abs(np.fft.rfft(x, size)) ** 2
    r = np.fft.irfft(spectrum, size)[: n // 2 + 1]
    r /= r[0]
    run, chance = max(5, int(np.sqrt(np.log10(n)))), 2 * np.sqrt(np.log10(n) / n)
    large = np.flatnonzero(np.abs(r[1:]) > chance) + 1
    gaps = np.diff(np.r_[0, large, len(r) + run])
    last = int(np.r_[0, large][np.argmax(gaps > run)])  # after it so many in a row are within chance
    if last == 0:
        return 1
    k = np.arange(-min(2 * last, len(r) - 1), min(2 * last, len(r) - 1) + 1)
    weight = np.clip(2 * (1 - np.abs(k) / (2 * last)), 0, 1)
    rho = weight * r[np.abs(k)]
    g, d = float((np.abs(k) * rho).sum()), 4 / 3 * float(rho.sum()) ** 2
    if not d > 0:
        return int(np.ceil(np.sqrt(n)))
    return int(np.clip(np.ceil((2 * g**2 / d) ** (1 / 3) * n ** (1 / 3)), 1, np.ceil(3 * np.sqrt(n))))
