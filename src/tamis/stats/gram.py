"""Second moments of the rows (x, y): all that least squares and its penalised forms need to know of the data.

With weights s, z = (x, y) and m their mean, one pass leaves the scatter Σ sᵢ (zᵢ − m)(zᵢ − m)ᵀ. Two sets of rows merge
by M = M₁ + M₂ + n₁n₂/(n₁ + n₂) δδᵀ, δ = m₂ − m₁ (Chan, Golub and LeVeque 1983), and a part can be taken out again.
Means are kept as centre + offset, so that a mean 10⁸ times the spread costs no digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.linalg.blas import dger

from tamis._core.errors import InputError
from tamis._core.far_columns import columns_minus, far_columns
from tamis._core.memory import require_memory
from tamis._core.threads import thread_count
from tamis._kernels import kernels
from tamis._kernels.workspace import square
from tamis.sources.base import Block, Source
from tamis.sources.learnable import require_finite_squares, require_squares
from tamis.sources.views import as_run

TINY = 1e-290  # mean squares below are made of numbers that floating point keeps with few digits, or none


class Gram:
    """Weight, mean and scatter of rows (x, y); without a target, of x alone."""

    def __init__(self, *, n_jobs: int | None = None) -> None:
        self.n_jobs = n_jobs
        self.n_rows = 0
        self.weight = 0.0
        self.n_features = 0
        self.centre = np.zeros(0)
        self.offset = np.zeros(0)
        self.scatter = np.zeros((0, 0))

    def of(self, block: Block) -> Self:
        return self._of_rows(block, None)

    def merge(self, other: Self) -> Self:
        if other.n_rows == 0:
            return self
        if self.n_rows == 0:
            return other
        self._combine(other, sign=1.0)
        return self

    def without(self, part: Gram) -> Gram:
        """The statistic of the rows that are not in ``part``: a training set is the total without its fold."""
        rest = self.copy()
        rest._combine(part, sign=-1.0)
        return rest

    def copy(self) -> Self:
        copy = self._empty_copy()
        copy.n_rows, copy.weight, copy.n_features = self.n_rows, self.weight, self.n_features
        copy.centre, copy.offset, copy.scatter = self.centre, self.offset, self.scatter.copy()
        return copy

    @property
    def mean(self) -> np.ndarray:
        """Mean of the columns of X."""
        return (self.centre + self.offset)[: self.n_features]

    @property
    def y_mean(self) -> float:
        return float(self.centre[-1] + self.offset[-1])

    def normalised(self, columns: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray, float]:
        """Centred G = XᵀX/n, q = Xᵀy/n and yy = yᵀy/n, of some columns or of all."""
        if columns is None:
            M = np.divide(self.scatter, self.weight, out=square(len(self.scatter)))
        else:
            kept = np.append(columns, self.n_features)
            M = self.scatter[np.ix_(kept, kept)] / self.weight
        return M[:-1, :-1], np.ascontiguousarray(M[:-1, -1]), float(M[-1, -1])

    def mean_minus(self, other: Gram) -> np.ndarray:
        """Mean of (x, y) here minus there, to the precision of the spread."""
        return (self.centre - other.centre) + (self.offset - other.offset)

    def _combine(self, other: Gram, sign: float) -> None:
        # sign +1 adds the rows of other, −1 takes them out: the same formula with n₂ negative.
        total = self.weight + sign * other.weight
        self.n_rows += int(sign) * other.n_rows
        if total > 0 and other.weight > 0:
            delta = other.mean_minus(self)
            share = sign * other.weight / total
            (np.add if sign > 0 else np.subtract)(self.scatter, other.scatter, out=self.scatter)
            dger(self.weight * share, delta, delta, a=self.scatter.T, overwrite_a=True)
            self.offset = self.offset + share * delta
        self.weight = total

    def _empty_copy(self) -> Self:
        copy = object.__new__(type(self))
        copy.n_jobs = self.n_jobs
        return copy

    def _of_rows(self, block: Block, picked: np.ndarray | None) -> Self:
        """Statistic of the picked rows of a block (positions, ascending), or of all."""
        out = self._empty_copy()
        m, out.n_features = block.X.shape
        if out.n_features == 0:
            raise InputError("X has no columns: give at least one")
        out.n_rows = m if picked is None else len(picked)
        width = out.n_features + (block.y is not None)
        out.centre, out.offset, out.scatter = np.zeros(width), np.zeros(width), square(width)
        if sp.issparse(block.X):
            with np.errstate(over="ignore", invalid="ignore"):  # who reads the statistic names the infinite columns
                out.weight = _sparse_moments(block, picked, out.centre, out.offset, out.scatter)
        else:
            X, y, weight, picked = _plain_arguments(block, picked)
            n_threads = thread_count(self.n_jobs)
            out.weight = kernels.moments(X, y, weight, picked, out.centre, out.offset, out.scatter, n_threads)
        return out


class GramOfSets:
    """One Gram for each of several sets of rows, in the same pass: the folds of a cross-validation.

    ``sets`` holds row numbers of the whole table, in any order; a row counts as often as it is listed, and may be in
    several sets or in none.
    """

    def __init__(self, sets: Sequence[np.ndarray], *, n_jobs: int | None = None) -> None:
        self.sets = [np.sort(np.asarray(s, dtype=np.int64)) for s in sets]
        self.grams = [Gram(n_jobs=n_jobs) for _ in sets]

    def for_rows(self, first: int, last: int) -> Self:
        """The same for the rows first … last − 1 only, for a worker that sees no others."""
        out = self._with(self.grams)
        out.sets = [s[np.searchsorted(s, first) : np.searchsorted(s, last)] for s in self.sets]
        return out

    def of(self, block: Block) -> Self:
        last = block.start + len(block)
        parts = [s[np.searchsorted(s, block.start) : np.searchsorted(s, last)] - block.start for s in self.sets]
        out = self._with([g._of_rows(block, p) for g, p in zip(self.grams, parts, strict=True)])
        out.sets = []  # what was seen needs them no more
        return out

    def merge(self, other: Self) -> Self:
        return self._with([a.merge(b) for a, b in zip(self.grams, other.grams, strict=True)])

    def _with(self, grams: list[Gram]) -> Self:
        out = object.__new__(type(self))
        out.sets, out.grams = self.sets, grams
        return out


def check_room(p: int, copies: int) -> None:
    """An InputError where so many Gram matrices of p columns do not fit into memory."""
    require_memory(
        8.0 * p * p * copies,
        f"the Gram matrix of {p:,} columns, {copies} times,",
        "select columns first, for example with SubsetSelector(search='ranking')",
    )


def checked(gram: Gram, source: Source) -> Gram:
    """The statistic itself when it can be worked with."""
    if gram.n_rows == 0:
        raise InputError("the table has no rows (0 sample(s)): a minimum of 1 is required.")
    require_finite_squares(source, gram.scatter.diagonal(), what="X or y")
    if gram.scatter[-1, -1] < TINY * gram.weight:
        _require_constant(source)
    if not gram.weight > 0:
        raise InputError("sample_weight is zero for every row: at least one must be positive")
    return gram


def _require_constant(source: Source) -> None:
    """A target whose squares are next to nothing must be constant: else they are not precise."""
    y = source.schema.target
    if y is not None and y.low is not None and y.high is not None and y.low < y.high:
        require_squares(np.array([y.low, y.high]))


def _plain_arguments(block: Block, picked: np.ndarray | None) -> tuple[Any, ...]:
    """Arrays as the kernel wants them; consecutive picked rows become a slice, which costs no gathering."""
    X, y, weight = block.X, block.y, block.weight
    if X.strides[0] != X.itemsize and X.strides[1] != X.itemsize:
        X = np.ascontiguousarray(X)
    rows = None if picked is None else as_run(picked)
    if rows is not None:
        X, y, weight = X[rows], None if y is None else y[rows], None if weight is None else weight[rows]
        picked = None
    y = None if y is None else np.ascontiguousarray(y, dtype=np.float64)
    weight = None if weight is None else np.ascontiguousarray(weight, dtype=np.float64)
    return X, y, weight, picked


def _sparse_moments(
    block: Block, picked: np.ndarray | None, centre: np.ndarray, offset: np.ndarray, scatter: np.ndarray
) -> float:
    """Σ s z zᵀ − n m mᵀ, which loses nothing where means are small against the spread; columns where they are not are
    held dense and about their means."""
    X, y, weight = block.X, block.y, block.weight
    if picked is not None:
        X, y, weight = X[picked], None if y is None else y[picked], None if weight is None else weight[picked]
    s = np.ones(X.shape[0]) if weight is None else weight
    total = float(s.sum())
    if total == 0:
        scatter[:] = 0
        return 0.0
    X, p = sp.csr_array(X, dtype=np.float64), X.shape[1]
    S, c = far_columns(X, s / total)
    near = np.delete(np.arange(p), S)
    D = columns_minus(X, S, c)
    centre[S], offset[S] = c, s @ D / total
    D -= offset[S]
    if y is not None:
        centre[p] = s @ y / total
        S, D = np.append(S, p), np.column_stack([D, y - centre[p]])
    X = X[:, near] if len(near) < p else X
    weighted = X.multiply(s[:, None]).tocsr()
    mean = centre[near] = np.asarray(weighted.sum(axis=0)).ravel() / total
    M, k = scatter if len(near) == p else square(len(scatter)), len(near)
    M[:k, :k] = (weighted.T @ X).toarray() - total * np.multiply.outer(mean, mean)
    M[k:, k:] = D.T @ (s[:, None] * D)
    M[:k, k:] = weighted.T @ D
    M[k:, :k] = M[:k, k:].T
    if len(near) < p:
        order = np.argsort(np.append(near, S))
        scatter[:] = M[np.ix_(order, order)]
    return total
