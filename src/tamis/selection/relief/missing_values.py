"""Columns with missing values: what a missing value is expected to differ by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tamis._kernels import kernels


@dataclass(frozen=True)
class IncompleteColumns:
    """(p, n) values of the columns with missing values, NaN there; continuous ones are scaled to [0, 1], discrete ones
    as they are."""

    values: np.ndarray
    discrete: np.ndarray

    def take(self, columns: np.ndarray) -> IncompleteColumns:
        return IncompleteColumns(self.values[columns], self.discrete[columns])

    def shuffled(self, columns: np.ndarray, order: np.ndarray) -> IncompleteColumns:
        """The rows of these columns in another order."""
        values = self.values.copy()
        values[columns] = self.values[np.ix_(columns, order)]
        return replace(self, values=values)

    def expected(self, y: np.ndarray, n_classes: int, weight: np.ndarray, squared: bool) -> ExpectedDifferences:
        """What a missing value is expected to differ by from a row and from another one, by its row's class.

        The values of its class stand for it, or where there are none those of all classes: of a discrete column
        1 − P(v | c), of a continuous one the mean of |x − v|^power over them. Between two missing values it is the mean
        of the first over the values of the other's class.
        """
        p, n = self.values.shape
        weight = weight if len(weight) else np.ones(n)
        single, both = np.zeros((p, n, n_classes)), np.zeros((p, n_classes, n_classes))
        for j, v in enumerate(self.values):
            seen = ~np.isnan(v)
            if seen.all() or not seen.any():
                continue
            members = [seen & (y == c) if (seen & (y == c)).any() else seen for c in range(n_classes)]
            for c, own in enumerate(members):
                single[j, seen, c] = _mean_difference(v[seen], v[own], weight[own], bool(self.discrete[j]), squared)
            both[j] = [np.average(single[j, own], axis=0, weights=weight[own]) for own in members]
        return ExpectedDifferences(self, y, n_classes, squared, single, both)


@dataclass(frozen=True)
class ExpectedDifferences:
    """What missing values are expected to differ by: in a row of class c ``single[j, i, c]`` from row i,
    ``both[j, c, d]`` from another missing value in class d."""

    columns: IncompleteColumns
    y: np.ndarray
    n_classes: int
    squared: bool
    single: np.ndarray
    both: np.ndarray

    def kernel(self, rows: slice | Sequence[int] | np.ndarray = slice(None)) -> Any:
        """Some rows, as the kernels take them."""
        y = np.ascontiguousarray(self.y[rows], dtype=np.int32)
        return kernels.Gaps(
            np.ascontiguousarray(self.columns.values[:, rows]),
            np.ascontiguousarray(self.single[:, rows]).ravel(),
            self.both.ravel(),
            self.columns.discrete.astype(np.uint8),
            y,
            self.n_classes,
            self.squared,
        )


def _mean_difference(x: np.ndarray, v: np.ndarray, w: np.ndarray, discrete: bool, squared: bool) -> np.ndarray:
    """The mean difference of each x from all v, weighted by w."""
    total = w.sum()
    if discrete:
        values, at = np.unique(v, return_inverse=True)
        counts = np.bincount(at, weights=w)
        place = np.minimum(np.searchsorted(values, x), len(values) - 1)
        return 1 - np.where(values[place] == x, counts[place], 0) / total
    if squared:
        mean = w @ v / total
        return w @ (v - mean) ** 2 / total + (x - mean) ** 2
    order = np.argsort(v, kind="stable")
    mass = np.concatenate([[0.0], np.cumsum(w[order])])
    moment = np.concatenate([[0.0], np.cumsum((w * v)[order])])
    below = np.searchsorted(v[order], x)
    return (x * (2 * mass[below] - total) + moment[-1] - 2 * moment[below]) / total
