"""Cutting columns into bins: quantile, supervised and equal-width cuts and distinct values as statistics, and the
codes they give.

A column with cuts t₁ < t₂ < … has the bins (−∞, t₁], (t₁, t₂], …: code(x) = #{k : t_k < x}. A missing value has a
code of its own, the last. Distinct values v₁ < v₂ < … are bins too, with the cuts v₁ … v_{m−1}.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from tamis._kernels import kernels
from tamis.sources.base import Block

NO_WEIGHT = np.empty(0)
SAMPLE_ROWS = 1 << 16
SAMPLE_BYTES = 1 << 27


def kernel_matrix(X: Any) -> np.ndarray:
    """X as the kernels take it: bool as bytes, integers of 32 or 64 bits, float32 or float64; no copy where none is
    needed.
    """
    X = X.toarray() if sp.issparse(X) else np.asarray(X)
    if X.dtype == np.bool_:
        return X.view(np.uint8)
    if X.dtype in (np.uint8, np.int32, np.int64, np.float32, np.float64):
        return X
    if X.dtype.kind in "iu" and X.dtype.itemsize < 8:
        return X.astype(np.int32 if X.dtype.itemsize < 4 else np.int64)
    return X.astype(np.float32 if X.dtype == np.float16 else np.float64)


def code_type(n_levels: int) -> type:
    """The smallest code type that holds the codes 0 … n_levels − 1."""
    return np.uint8 if n_levels <= 1 << 8 else np.uint16 if n_levels <= 1 << 16 else np.int32


@dataclass(frozen=True)
class Bins:
    """The cuts of every column, increasing."""

    cuts: tuple[np.ndarray, ...]

    @property
    def levels(self) -> np.ndarray:
        """Codes per column: one per bin and the last for missing values."""
        return np.array([len(c) + 2 for c in self.cuts], dtype=np.int32)

    def codes(self, X: Any, n_threads: int = 1) -> np.ndarray:
        """(p, n) codes of X, one contiguous row per column."""
        X = kernel_matrix(X)
        codes = np.empty(X.shape[::-1], dtype=code_type(int(self.levels.max(initial=1))))
        self.fill(X, np.arange(X.shape[1]), codes, n_threads)
        return codes

    def fill(self, X: np.ndarray, columns: np.ndarray, codes: np.ndarray, n_threads: int) -> None:
        """codes[columns[k]] = codes of column columns[k] of X by the k-th cuts."""
        starts = np.concatenate([[0], np.cumsum([len(c) for c in self.cuts])]).astype(np.int64)
        flat = np.concatenate([*self.cuts, NO_WEIGHT]).astype(np.float64)
        kernels.cut_codes(X, np.asarray(columns, dtype=np.int64), flat, starts, codes, n_threads)


def quantile_bins(
    X: Any, n_bins: int = 10, weight: np.ndarray | None = None, columns: Any = None, n_threads: int = 1
) -> Bins:
    """Bins of about equal weight: t_k is the smallest value with at least k/B of the weight at or below it (exact).

    Equal values share a bin, so a column with few values has fewer bins; one whose highest value has more than
    (B − 1)/B of the weight is cut just below that value, so only a constant column has a single bin. The cuts are
    values of the data: the codes do not change under an increasing transformation, and a weight of 2 counts as two
    equal rows.
    """
    X = kernel_matrix(X)
    if weight is not None and not weight.all():
        X, weight = X[weight > 0], weight[weight > 0]
    columns = np.arange(X.shape[1]) if columns is None else np.asarray(columns)
    cuts = np.empty((len(columns), n_bins - 1))
    kernels.quantile_cuts(X, columns.astype(np.int64), NO_WEIGHT if weight is None else weight, cuts, n_threads)
    if len(columns) < X.shape[1]:
        X = X[:, columns]
    low, high, _, _ = extents(X, n_threads)
    kept = [np.unique(c[c < h]) for c, h in zip(cuts, high, strict=True)]  # a cut at the highest cuts nothing off
    for j in np.flatnonzero((low < high) & [len(c) == 0 for c in kept]):
        x = X[:, j]
        kept[j] = np.array([x[x < high[j]].max()], dtype=np.float64)
    return Bins(tuple(kept))


def supervised_bins(
    X: Any,
    y: np.ndarray,
    n_classes: int,
    weight: np.ndarray | None = None,
    columns: Any = None,
    n_threads: int = 1,
) -> Bins:
    """Bins that separate the classes y (0 … n_classes − 1), by recursion: the cut that leaves the least entropy is
    made where that makes the description shorter,

    Gain > (log₂(N − 1) + log₂(3^k − 2) − (k Ent − k₁ Ent₁ − k₂ Ent₂)) / N,

    k, k₁, k₂ being the classes that occur in the rows and on both sides. A column that separates none has one bin.
    Missing values are left out. Cuts are values of the data, equal values share a bin, and a weight of 2 counts as
    two equal rows.

    References: Fayyad and Irani (1993).
    """
    X = kernel_matrix(X)
    columns = np.arange(X.shape[1]) if columns is None else np.asarray(columns)
    given = NO_WEIGHT if weight is None else weight
    return Bins(tuple(kernels.supervised_cuts(X, columns.astype(np.int64), y, n_classes, given, n_threads)))


@dataclass(frozen=True)
class RowSample:
    """A bounded uniform sample of streamed rows, for bins.

    It keeps the rows with the smallest values of a fixed hash of the row number, so that any split into blocks,
    merged in any order, gives the same sample. Up to ``size`` rows the bins are exact. Beyond, by the
    Dvoretzky–Kiefer–Wolfowitz inequality, the share of (equally weighted) rows below every quantile cut is off by at
    most √(ln(2/δ)/(2·size)) with probability 1 − δ: 0.006 for 65,536 rows and δ = 1 %.
    """

    size: int | None = None
    n_rows: int = 0
    priority: np.ndarray | None = None
    rows: np.ndarray | None = None
    y: np.ndarray | None = None
    weight: np.ndarray | None = None

    def of(self, block: Block) -> Self:
        n = len(block)
        priority = _hash(np.arange(block.start, block.start + n, dtype=np.uint64))
        size = self.size or sample_size(block.X.shape[1])
        keep = np.arange(n) if n <= size else np.argpartition(priority, size)[:size]
        rows = np.array(block.X[keep].toarray() if sp.issparse(block.X) else block.X[keep], dtype=np.float64)
        y = None if block.y is None else np.array(block.y[keep])
        weight = np.ones(len(keep)) if block.weight is None else block.weight[keep]
        return replace(self, size=size, n_rows=n, priority=priority[keep], rows=rows, y=y, weight=weight)

    def merge(self, other: Self) -> Self:
        if self.rows is None or other.rows is None:
            return other if self.rows is None else self
        priority = np.concatenate([self.priority, other.priority])
        keep = np.argsort(priority)[: self.size]
        rows = np.concatenate([self.rows, other.rows])[keep]
        y = None if self.y is None else np.concatenate([self.y, other.y])[keep]
        weight = np.concatenate([self.weight, other.weight])[keep]
        n = self.n_rows + other.n_rows
        return replace(self, n_rows=n, priority=priority[keep], rows=rows, y=y, weight=weight)

    @property
    def exact(self) -> bool:
        return self.rows is not None and self.n_rows == len(self.rows)

    def quantile_bins(self, n_bins: int) -> Bins:
        assert self.rows is not None, "no rows were seen"
        return quantile_bins(self.rows, n_bins, self.weight)

    def supervised_bins(self, classes: Bins) -> Bins:
        """``classes`` cut the target."""
        assert self.rows is not None, "no rows were seen"
        assert self.y is not None, "supervised bins need a target"
        y = classes.codes(self.y[:, None])[0].astype(np.int32)
        return supervised_bins(self.rows, y, len(classes.cuts[0]) + 1, self.weight)


def sample_size(p: int) -> int:
    """Rows kept for the quantiles of p columns: 65,536, or what 128 MB hold, but at least 4,096."""
    return max(1 << 12, min(SAMPLE_ROWS, SAMPLE_BYTES // (8 * max(1, p))))


@dataclass(frozen=True)
class Distinct:
    """The distinct values of the columns in a mask, in order, missing ones apart; None for one with more than
    ``most``, and outside.
    """

    most: int
    columns: np.ndarray
    values: tuple[np.ndarray | None, ...] | None = None

    def of(self, block: Block) -> Self:
        X = kernel_matrix(block.X if block.weight is None else block.X[block.weight > 0])
        values: list[np.ndarray | None] = [None] * X.shape[1]
        counted = np.flatnonzero(self.columns)
        for j, found in zip(counted, kernels.distinct_values(X, counted, self.most, 1), strict=True):
            values[j] = found
        return replace(self, values=tuple(values))

    def merge(self, other: Self) -> Self:
        if self.values is None or other.values is None:
            return other if self.values is None else self
        return replace(self, values=tuple(self._union(a, b) for a, b in zip(self.values, other.values, strict=True)))

    def _union(self, a: np.ndarray | None, b: np.ndarray | None) -> np.ndarray | None:
        if a is None or b is None:
            return None
        both = np.union1d(a, b)
        return both if len(both) <= self.most else None


def extents(X: np.ndarray, n_threads: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Per column: lowest and highest value (∞, −∞ without any), how many are missing, whether all are whole numbers."""
    p = X.shape[1]
    low, high, missing, whole = np.empty(p), np.empty(p), np.empty(p, np.int64), np.empty(p, np.uint8)
    if len(X) == 0:
        return np.full(p, np.inf), np.full(p, -np.inf), np.zeros(p, np.int64), np.ones(p, bool)
    kernels.extents(X, low, high, missing, whole, n_threads)
    return low, high, missing, whole.astype(bool)


def _hash(row: np.ndarray) -> np.ndarray:
    """A fixed scrambling of row numbers (the finaliser of splitmix64): a bijection, so there are no ties."""
    z = (row + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
