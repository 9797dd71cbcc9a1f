"""Which column of numbers a column with few values is cut from."""

from __future__ import annotations

from functools import cached_property
from math import log2

import numpy as np

from tamis.selection.redundancy.linear_dependency import CHANCE

NEVER = np.iinfo(np.int64).max


class ThresholdDependency:
    """Codes (q, n) of columns with few values beside the columns of numbers of X (n, p): along which of these, put in
    order, does a code change least often? Rows with equal numbers must have equal codes.
    """

    def __init__(self, columns: np.ndarray, codes: np.ndarray, numbers: np.ndarray, X: np.ndarray) -> None:
        self.columns = columns
        self.codes = codes
        self.numbers = numbers
        self.X = X
        self.place = {int(j): k for k, j in enumerate(columns)}

    def source(self, j: int, allowed: np.ndarray) -> tuple[int, int] | None:
        """The column of numbers that needs the fewest runs of equal codes, and how many."""
        t = self.place.get(j)
        there = np.array([bool(allowed[i]) and i != j for i in self.numbers], dtype=bool)
        if t is None or not there.any():
            return None
        runs = np.where(there, self._runs[:, t], NEVER)
        best = int(np.argmin(runs))
        return None if runs[best] == NEVER else (int(self.numbers[best]), int(runs[best]))

    def explained(self, j: int, i: int) -> float:
        """Share of wrong guesses saved: a row left out is guessed as the row with the nearest number is."""
        order = np.argsort(self.X[:, i], kind="stable")
        x, v = self.X[order, i], self.codes[self.place[j]][order]
        gap = np.diff(x, prepend=np.nan, append=np.nan)
        low, high = np.nan_to_num(gap[:-1], nan=np.inf), np.nan_to_num(gap[1:], nan=np.inf)
        at = np.arange(len(v))
        guess = v[np.clip(np.where(low < high, at - 1, at + 1), 0, len(v) - 1)]
        guess = np.where(np.isnan(x), v, guess)  # gaps agree with each other, or there would be no relation
        base = len(v) - np.bincount(v).max()
        return float(1 - (guess != v).sum() / base) if base else 0.0

    def is_chance(self, j: int, runs: int, bits: float, n_columns: int) -> bool:
        """Whether noise would have as few runs along one of all columns: of the orders of the values, 2^bits, no more
        have so many runs than there are ways to cut the rows and to name the runs.
        """
        n, values = len(self.X), max(2, len(np.unique(self.codes[self.place[j]])))
        cut = (runs - 1) * log2(n) + runs * log2(values)
        return bits - cut < log2(n_columns) + log2(len(self.numbers)) - log2(CHANCE)

    @cached_property
    def _runs(self) -> np.ndarray:
        """(numbers, codes) runs, NEVER where equal numbers have different codes."""
        out = np.empty((len(self.numbers), len(self.columns)), dtype=np.int64)
        for k, i in enumerate(self.numbers):
            order = np.argsort(self.X[:, i], kind="stable")
            x = self.X[order, i]
            tied = (x[1:] == x[:-1]) | (np.isnan(x[1:]) & np.isnan(x[:-1]))
            change = np.diff(self.codes[:, order].astype(np.int32), axis=1) != 0
            out[k] = np.where((change & tied).any(axis=1), NEVER, 1 + change.sum(axis=1))
        return out
