"""Rows that come in blocks: every product is a pass over the source."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis._core.far_columns import FAR as FAR_SPARSE
from tamis._core.far_columns import beyond
from tamis._core.threads import thread_count
from tamis.operators.base import Linear
from tamis.operators.dense import FAR as FAR_DENSE
from tamis.operators.dense import Dense
from tamis.operators.products import zero_constant
from tamis.operators.sparse import Sparse
from tamis.sources import Source
from tamis.sources.base import one_after_the_other, reads_columns, workers_of


class Streamed(Linear):
    """The rows of a source, minus ``shift`` where it is given; memory holds one block at a time, and the columns that
    are gathered. Where the source has workers, each product is one task for each partition.
    """

    def __init__(self, source: Source, n_jobs: int | None = None, shift: Any = None, dtype: Any = None) -> None:
        self.source, self.shift = source, shift
        self.n_threads = thread_count(n_jobs)
        self.workers = workers_of(source)
        self.by_columns, self.streamed = reads_columns(source), True
        n = source.n_rows if source.n_rows is not None else sum(len(b) for b in source.blocks([]))
        self.shape = (n, source.n_features)
        self.dtype = self._read_dtype() if dtype is None else np.dtype(dtype)

    def _read_dtype(self) -> np.dtype:
        """That of the first block; what workers send is float64."""
        blocks = () if self.workers is not None else self.source.blocks()
        return next((b.X.dtype for b in blocks), np.dtype(np.float64))

    def _blocks(self, S: list[int] | None = None) -> Iterator[tuple[slice, Linear]]:
        """Every block of rows, of some columns or of all, as an operator."""
        shift = self.shift if self.shift is None or S is None else self.shift[S]
        for block in self.source.blocks(S):
            X: Any = block.X
            if shift is not None and not sp.issparse(X):
                X = X - shift
            A: Linear = Sparse(X, self.n_threads) if sp.issparse(X) else Dense(X, self.n_threads)
            if shift is not None and sp.issparse(X):
                A = A.minus(np.flatnonzero(shift), shift[shift != 0])
            start = block.start - self.source.first_row
            yield slice(start, start + len(block)), A

    def row_blocks(self) -> Iterator[tuple[slice, Linear]]:
        """Rows that are held at a time, and the operator of these."""
        return self._blocks()

    def _there(self, method: str, merge: Any, *given: Any, rows: Any = None) -> Any:
        """A method of the operators of the partitions, computed by the workers; ``rows`` has a number for each row."""
        assert self.workers is not None
        return self.workers.reduce(self.source.partitions(), OnRows(method, self.shift, given, rows), merge)

    def forward(self, x: np.ndarray) -> np.ndarray:
        if self.workers is not None:
            return self._there("forward", one_after_the_other, x)
        out = np.empty((self.shape[0], *x.shape[1:]))
        for rows, A in self._blocks():
            out[rows] = A.forward(x)
        return out

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        return self._correlate(r, None)

    def adjoint_at(self, r: np.ndarray, S: np.ndarray) -> np.ndarray:
        return self._correlate(r, [int(j) for j in S])

    def _correlate(self, r: np.ndarray | None, S: list[int] | None) -> np.ndarray:
        if self.workers is not None:
            return self._there("_correlate", np.add, S, rows=r)
        assert r is not None
        out = np.zeros((self.shape[1] if S is None else len(S), *r.shape[1:]))
        for rows, A in self._blocks(S):
            out += A.adjoint(r[rows])
        return out

    def columns(self, S: Any) -> Any:
        S = [int(j) for j in S]
        if self.workers is not None and S:
            return np.asfortranarray(self._there("columns", one_after_the_other, S), dtype=np.float64)
        parts = [A.columns(np.arange(len(S))) for _, A in self._blocks(S)] if S else []
        if any(sp.issparse(part) for part in parts):
            return sp.csc_array(sp.vstack(parts, format="csc"))
        out = np.empty((self.shape[0], len(S)), dtype=self.dtype if self.shift is None else np.float64, order="F")
        return np.concatenate(parts, out=out) if parts else out

    def far_columns(self, s: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Looked for on all rows where the first block has some; by workers, on all rows at once."""
        limit = FAR_DENSE
        if self.workers is None:
            _, first = next(self._blocks(), (None, None))
            if first is None or not len(first.far_columns()[0]):
                return super().far_columns()
            limit = FAR_DENSE if isinstance(first, Dense) else FAR_SPARSE
        mean, variance = self.moments(s)
        far = beyond(mean, variance, limit)
        same = np.flatnonzero(far & (variance == 0))
        low, high = self._extent([int(j) for j in same], s) if len(same) else (np.empty(0), np.empty(0))
        mean[same] = low  # of a constant: its mean rounds, and would leave a column
        far[same] = low == high
        return np.flatnonzero(far), mean[far]

    def _extent(self, S: list[int], s: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """The least and the largest value of some columns in rows of a weight above 0."""
        if self.workers is not None:
            found: tuple[np.ndarray, np.ndarray] = self._there("_extent", _wider, S, rows=s)
            return found
        low, high = np.full(len(S), np.inf), np.full(len(S), -np.inf)
        for rows, A in self._blocks(S):
            X: Any = A.columns(np.arange(len(S)))
            X = (X.toarray() if sp.issparse(X) else X)[slice(None) if s is None else s[rows] > 0]
            low, high = _wider((low, high), (X.min(axis=0, initial=np.inf), X.max(axis=0, initial=-np.inf)))
        return low, high

    def minus(self, S: np.ndarray, c: np.ndarray) -> Linear:
        shift = np.zeros(self.shape[1]) if self.shift is None else self.shift.copy()
        shift[S] += c
        return Streamed(self.source, self.n_threads, shift, self.dtype)

    def moments(self, s: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        total, mean, scatter = self._scatter(s)
        return zero_constant(mean, scatter / total)

    def _scatter(self, s: np.ndarray | None) -> Scatter:
        if self.workers is not None:
            found: Scatter = self._there("_scatter", _merged, rows=s)
            return found
        p = self.shape[1]
        sums: Scatter = 0.0, np.zeros(p), np.zeros(p)
        for rows, A in self._blocks():
            weights = np.ones(A.shape[0]) if s is None else s[rows]
            weight = float(weights.sum())
            if weight:
                mean, variance = A.moments(weights)
                sums = _merged(sums, (weight, mean, weight * variance))
        return sums


class OnRows:
    """The task of calling a method of the operator of a partition, with the numbers that belong to its rows."""

    def __init__(self, method: str, shift: np.ndarray | None, given: tuple[Any, ...], rows: np.ndarray | None) -> None:
        self.method, self.shift, self.given, self.rows = method, shift, given, rows

    def for_part(self, part: Source) -> OnRows:
        rows = None if self.rows is None else self.rows[part.first_row : part.first_row + (part.n_rows or 0)]
        return OnRows(self.method, self.shift, self.given, rows)

    def __call__(self, part: Source) -> Any:
        call = getattr(Streamed(part, 1, self.shift, np.float64), self.method)
        return call(*self.given) if self.method in ("forward", "columns") else self._with_rows(call)

    def _with_rows(self, call: Any) -> Any:
        if self.method == "_correlate":
            return call(self.rows, *self.given)
        return call(*self.given, self.rows)


Scatter = tuple[float, np.ndarray, np.ndarray]  # weight, means, Σ s (x − mean)²


def _merged(first: Scatter, second: Scatter) -> Scatter:
    """M = M₁ + M₂ + n₁n₂/(n₁ + n₂) δ² (Chan, Golub and LeVeque 1983)."""
    (n, mean, scatter), (m, other, others) = first, second
    if not m or not n:
        return second if m else first
    delta, share = other - mean, m / (n + m)
    return n + m, mean + share * delta, scatter + others + n * share * delta**2


def _wider(one: Any, other: Any) -> tuple[np.ndarray, np.ndarray]:
    return np.minimum(one[0], other[0]), np.maximum(one[1], other[1])
