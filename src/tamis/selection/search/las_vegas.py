"""Searches that draw."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy.special import gammaln

from tamis._core.checks import check_count
from tamis.selection.description import SearchDescription
from tamis.selection.search.base import (
    Best,
    Index,
    RandomSubset,
    Run,
    Search,
    Stop,
    SubsetBatch,
    Subsets,
    unpack_subset,
)


class LasVegas(Search):
    """Random subsets; one that scores higher, or as high with fewer columns, becomes the best.

    Each column is drawn with probability ½, all of them again where none was. With ``n_features`` every subset of the
    sizes asked for is as likely as any other. A subset that is drawn again is a draw in vain and is not evaluated
    again; one that cannot be evaluated is a draw in vain, too. Of subsets with equal score and size the first stays.

    Parameters
    ----------
    patience : int
        How many draws in a row may bring nothing better before it ends.
    trials : int or None
        Instead of ``patience``: all columns are evaluated first (where ``n_features`` allows as many), then exactly so
        many subsets are drawn.

    References: Liu and Setiono (1996); Zhou, Machine Learning, algorithm 11.1.
    """

    def __init__(self, patience: int = 100, trials: int | None = None) -> None:
        self.patience = patience
        self.trials = trials

    def describe(self) -> SearchDescription:
        return SearchDescription(
            "las vegas",
            "Subsets are drawn at random; one that scores higher, or as high with fewer columns, becomes the best.",
            "It ended after many draws in a row without anything better.",
            ordered=False,
        )

    def best(self, low: int, high: int) -> Best:
        return Best(low, high, first=True)

    def run(self, p: int, stop: Stop, rng: np.random.Generator) -> Run:
        low, high = stop.bounds(p)
        best = self.best(low, high)
        draws = DistinctDraws(_subset_sampler(p, low, high, rng), p, *self._limits())
        if self.trials is not None and high == p:
            whole = Subsets([tuple(range(p))])
            _improves(best, whole, float((yield whole)[0]), "all columns")
            draws.seen(np.ones(p, dtype=bool))
        t = 0  # draws in vain since the last success
        last: Index = ()
        for i, (bits, again) in enumerate(draws):
            t += again
            if t >= draws.patience:
                break
            batch = RandomSubset(bits, p, draws.after(i))
            last = batch[0]
            score = float((yield batch)[0])
            t = 0 if _improves(best, batch, score, "best so far") else t + 1
        return last if best.subset is None else best.subset  # one that failed, where all did: it is no solution

    def _limits(self) -> tuple[float, float]:
        """Draws in a row that may be in vain, and draws in all."""
        if self.trials is None:
            return check_count("patience", self.patience), np.inf
        return np.inf, check_count("trials", self.trials)


def _improves(best: Best, batch: SubsetBatch, score: float, reason: str) -> bool:
    """E′ < E, or E′ = E and d′ < d; a subset that could not be evaluated (−∞) never does."""
    before = best.subset
    if score > -np.inf:
        best.offer(batch[0], score)
    if best.subset is before:
        return False
    batch.keep(0, reason)
    return True


class DistinctDraws:
    """Subsets never drawn before, as bits, each with the number of draws in vain since the last one.

    They are drawn when somebody first asks for them and stay: who looks ahead changes nothing. The sequence ends where
    so many draws in a row were known that the search ends whatever the last new one scores, or with the last draw
    allowed.
    """

    def __init__(self, draw: Callable[[], np.ndarray], p: int, patience: float, trials: float) -> None:
        self.patience = patience
        self._draw, self._p, self._left = draw, p, trials
        self._new: list[tuple[bytes, int]] = []
        self._drawn: set[bytes] = set()

    def seen(self, member: np.ndarray) -> None:
        """This one counts as drawn."""
        self._drawn.add(np.packbits(member).tobytes())

    def __iter__(self) -> Iterator[tuple[bytes, int]]:
        return self._from(0)

    def after(self, i: int) -> Iterator[Index]:
        """The subsets that follow the i-th."""
        return (unpack_subset(bits, self._p) for bits, _ in self._from(i + 1))

    def _from(self, i: int) -> Iterator[tuple[bytes, int]]:
        while len(self._new) > i or self._find():
            yield self._new[i]
            i += 1

    def _find(self) -> bool:
        """Draw until there is a new one; False where the sequence ends."""
        again = 0
        while again < self.patience and self._left > 0:
            self._left -= 1
            bits = np.packbits(self._draw()).tobytes()
            if bits not in self._drawn:
                self._drawn.add(bits)
                self._new.append((bits, again))
                return True
            again += 1
        self._left = 0
        return False


def _subset_sampler(p: int, low: int, high: int, rng: np.random.Generator) -> Callable[[], np.ndarray]:
    """A function that draws which columns are in; each subset of the sizes asked for with the same probability."""
    if low <= 1 and high == p:

        def halves() -> np.ndarray:
            while True:
                member = rng.integers(0, 2, p, dtype=np.uint8)
                if low == 0 or member.any():
                    return member

        return halves
    sizes = np.arange(low, high + 1)
    logs = -gammaln(sizes + 1) - gammaln(p - sizes + 1)  # of the binomial coefficients, but for a constant
    shares = np.exp(logs - logs.max())
    shares /= shares.sum()

    def of_size() -> np.ndarray:
        member = np.zeros(p, dtype=np.uint8)
        member[rng.choice(p, int(rng.choice(sizes, p=shares)), replace=False)] = 1
        return member

    return of_size
