"""Rows as Relief compares them: every difference between 0 and 1, gaps by what is expected of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis._core.memory import require_memory
from tamis._kernels import kernels
from tamis.sources.arrays import ArraySource
from tamis.sources.base import Source
from tamis.stats.binning import Bins, extents, kernel_matrix
from tamis.stats.coded import column_groups, discrete_columns
from tamis.stats.coding import refuse_infinite, whole_and_few

BYTE = 256  # codes of a discrete column that is compared byte by byte


@dataclass(frozen=True)
class Compared:
    """Columns in three parts: continuous ones scaled to [0, 1], discrete ones as codes, and those with gaps.

    ``order`` says which column of the table each is, the parts one after the other. ``single[j, i, c]`` is what a
    gap in a row of class c is expected to differ by from row i, ``both[j, c, d]`` from another gap in class d.
    """

    x: np.ndarray  # (n, p₁)
    codes: np.ndarray  # (n, p₂) bytes
    y: np.ndarray  # (n,) classes
    n_classes: int
    values: np.ndarray  # (p₃, n), NaN in the gaps
    discrete: np.ndarray  # (p₃,) which of these are
    single: np.ndarray
    both: np.ndarray
    squared: bool
    order: np.ndarray

    @property
    def arguments(self) -> tuple[Any, ...]:
        """As the kernels take them."""
        return (
            self.x, self.codes, self.y, self.n_classes, self.values, self.discrete, self.single.ravel(),
            self.both.ravel(), self.squared,
        )  # fmt: skip

    def nearest(self, queries: np.ndarray | None, k: int, n_threads: int) -> tuple[np.ndarray, np.ndarray]:
        """(m, K, k) the nearest rows of each class to the rows asked for (None: all), −1 where there are no more, and
        their distances."""
        m = len(self.y) if queries is None else len(queries)
        size = (m, self.n_classes, k)
        require_memory(12 * m * self.n_classes * k, f"{k} neighbours of {m:,} rows in each class", "sample fewer rows")
        rows, distances = np.empty(size, np.int32), np.empty(size)
        asked = np.empty(0, np.int64) if queries is None else np.asarray(queries, dtype=np.int64)
        kernels.nearest_rows(*self.arguments, asked, k, rows.reshape(-1), distances.reshape(-1), n_threads)
        return rows, distances

    def means(
        self, queries: np.ndarray, neighbours: np.ndarray, shares: np.ndarray, n_threads: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Means over the rows i of r_ij and of r_ij², r_ij = Σ_t share_it diff_j(row i, its neighbour t), by column."""
        sums = np.empty((2, len(self.order)))
        weight = np.full(len(queries), 1 / len(queries))
        kernels.relief_sums(*self.arguments, queries, weight, neighbours, shares, sums[0], sums[1], n_threads)
        out = np.empty_like(sums)
        out[:, self.order] = sums
        return out[0], out[1]


def compare_rows(source: Source, y: np.ndarray, n_classes: int, *, squared: bool, n_threads: int) -> Compared:
    """The rows of a source with their classes y; columns are read a few at a time."""
    parts = [_Part.of(X, first, source, n_threads) for first, X in column_groups(source)]
    order = [np.concatenate([getattr(part, kind) for part in parts]) for kind in ("plain", "coded", "other")]
    n, sizes = len(y), [len(columns) for columns in order]
    dtype = np.float32 if all(part.x.dtype == np.float32 for part in parts) else np.float64
    require_memory(
        n * (np.dtype(dtype).itemsize * sizes[0] + sizes[1] + 8 * n_classes * sizes[2]),
        f"comparing {n:,} rows of {sum(sizes):,} columns",
        "select fewer columns first",
    )
    x, codes = np.empty((n, sizes[0]), dtype), np.empty((n, sizes[1]), np.uint8)
    np.concatenate([part.x for part in parts], axis=1, out=x)
    np.concatenate([part.codes for part in parts], axis=1, out=codes)
    values = np.concatenate([part.values for part in parts])
    discrete = np.concatenate([part.discrete for part in parts])
    single, both = expected(values, discrete, y, n_classes, squared)
    return Compared(
        x, codes, y, n_classes, values, discrete.astype(np.uint8), single, both, squared, np.concatenate(order)
    )


@dataclass(frozen=True)
class _Part:
    """Some columns: which are plain, coded or other, and their values as they are compared."""

    plain: np.ndarray
    coded: np.ndarray
    other: np.ndarray
    x: np.ndarray
    codes: np.ndarray
    values: np.ndarray
    discrete: np.ndarray

    @classmethod
    def of(cls, given: np.ndarray, first: int, source: Source, n_threads: int) -> _Part:
        X = kernel_matrix(given)
        p = X.shape[1]
        low, high, missing, whole = extents(X, n_threads)
        refuse_infinite(source.names[first : first + p], low, high)
        told = source.discrete.mask if isinstance(source, ArraySource) else discrete_columns(source)
        width = np.where(low > high, 0, high - low)
        discrete = whole_and_few(X, whole, width, n_threads) if told is None else told[first : first + p]
        full = np.flatnonzero(discrete & (missing == 0))
        found = kernels.distinct_values(X, full, BYTE, n_threads)
        coded = np.array([j for j, v in zip(full, found, strict=True) if v is not None], dtype=np.int64)
        plain = np.flatnonzero(~discrete & (missing == 0))
        other = np.setdiff1d(np.arange(p), np.concatenate([plain, coded]))
        codes = np.empty((p, len(X)), np.uint8)
        Bins(tuple(v[:-1] for v in found if v is not None)).fill(X, coded, codes, n_threads)
        return cls(
            first + plain, first + coded, first + other, _scaled(X[:, plain], low[plain], high[plain]),
            codes[coded].T, _others(X[:, other], low[other], high[other], discrete[other]), discrete[other],
        )  # fmt: skip


def _scaled(X: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """(x − low) / (high − low), 0 for constant columns; float32 where X is."""
    dtype = np.float32 if X.dtype == np.float32 else np.float64
    width = np.where(high > low, high - low, 1.0)
    return ((X - low) / width).astype(dtype)


def _others(X: np.ndarray, low: np.ndarray, high: np.ndarray, discrete: np.ndarray) -> np.ndarray:
    """(p, n) values with gaps, discrete ones as they are."""
    known = np.where(high > low, high - low, 1.0)
    return np.where(discrete, X, (X - np.where(low > high, 0.0, low)) / known).T.astype(np.float64)


def expected(
    values: np.ndarray, discrete: np.ndarray, y: np.ndarray, n_classes: int, squared: bool
) -> tuple[np.ndarray, np.ndarray]:
    """What a gap is expected to differ by from a row, and from another gap, by the class of its row.

    The values of its class stand for it, or where there are none those of all classes: of a discrete column
    1 − P(v | c), of a continuous one the mean of |x − v|^power over them. Between two gaps it is the mean of the
    first over the values of the other's class.
    """
    p, n = values.shape
    single, both = np.zeros((p, n, n_classes)), np.zeros((p, n_classes, n_classes))
    for j in range(p):
        v = values[j]
        seen = ~np.isnan(v)
        if seen.all() or not seen.any():
            continue
        members = [seen & (y == c) if (seen & (y == c)).any() else seen for c in range(n_classes)]
        for c, of_class in enumerate(members):
            single[j, seen, c] = _apart(v[seen], v[of_class], bool(discrete[j]), squared)
        both[j] = [single[j, of_class].mean(axis=0) for of_class in members]
    return single, both


def _apart(x: np.ndarray, v: np.ndarray, discrete: bool, squared: bool) -> np.ndarray:
    """The mean difference of each x from all v."""
    if discrete:
        known, counts = np.unique(v, return_counts=True)
        at = np.minimum(np.searchsorted(known, x), len(known) - 1)
        return 1 - np.where(known[at] == x, counts[at], 0) / len(v)
    if squared:
        return v.var() + (x - v.mean()) ** 2
    ranked = np.sort(v)
    total = np.concatenate([[0.0], np.cumsum(ranked)])
    below = np.searchsorted(ranked, x)
    return (x * (2 * below - len(v)) + total[-1] - 2 * total[below]) / len(v)
