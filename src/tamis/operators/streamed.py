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
from tamis.sources.base import reads_columns


class Streamed(Linear):
    """The rows of a source, minus ``shift`` where it is given; memory holds one block at a time, and the columns that
    are gathered."""

    def __init__(self, source: Source, n_jobs: int | None = None, shift: np.ndarray | None = None) -> None:
        self.source, self.shift = source, shift
        self.n_threads = thread_count(n_jobs)
        self.by_columns, self.streamed = reads_columns(source), True
        n = source.n_rows if source.n_rows is not None else sum(len(b) for b in source.blocks([]))
        self.shape = (n, source.n_features)
        self.dtype = next((b.X.dtype for b in source.blocks()), np.dtype(np.float64))

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
            yield slice(block.start, block.start + len(block)), A

    def forward(self, x: np.ndarray) -> np.ndarray:
        out = np.empty((self.shape[0], *x.shape[1:]))
        for rows, A in self._blocks():
            out[rows] = A.forward(x)
        return out

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        return self._correlate(r, None)

    def adjoint_at(self, r: np.ndarray, S: np.ndarray) -> np.ndarray:
        return self._correlate(r, [int(j) for j in S])

    def _correlate(self, r: np.ndarray, S: list[int] | None) -> np.ndarray:
        out = np.zeros((self.shape[1] if S is None else len(S), *r.shape[1:]))
        for rows, A in self._blocks(S):
            out += A.adjoint(r[rows])
        return out

    def columns(self, S: Any) -> Any:
        S = [int(j) for j in S]
        parts = [A.columns(np.arange(len(S))) for _, A in self._blocks(S)] if S else []
        if any(sp.issparse(part) for part in parts):
            return sp.csc_array(sp.vstack(parts, format="csc"))
        out = np.empty((self.shape[0], len(S)), dtype=self.dtype if self.shift is None else np.float64, order="F")
        return np.concatenate(parts, out=out) if parts else out

    def far_columns(self, s: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Looked for on all rows where the first block has some."""
        _, first = next(self._blocks(), (None, None))
        if first is None or not len(first.far_columns()[0]):
            return super().far_columns()
        mean, variance = self.moments(s)
        far = beyond(mean, variance, FAR_DENSE if isinstance(first, Dense) else FAR_SPARSE)
        same = np.flatnonzero(far & (variance == 0))
        low, high = self._extent(same, s)
        mean[same] = low  # of a constant: its mean rounds, and would leave a column
        far[same] = low == high
        return np.flatnonzero(far), mean[far]

    def _extent(self, S: np.ndarray, s: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """The least and the largest value of some columns in rows of a weight above 0."""
        low, high = np.full(len(S), np.inf), np.full(len(S), -np.inf)
        for rows, A in self._blocks([int(j) for j in S]) if len(S) else ():
            X: Any = A.columns(np.arange(len(S)))
            X = (X.toarray() if sp.issparse(X) else X)[slice(None) if s is None else s[rows] > 0]
            low, high = np.minimum(low, X.min(axis=0, initial=np.inf)), np.maximum(high, X.max(axis=0, initial=-np.inf))
        return low, high

    def minus(self, S: np.ndarray, c: np.ndarray) -> Linear:
        shift = np.zeros(self.shape[1]) if self.shift is None else self.shift.copy()
        shift[S] += c
        return Streamed(self.source, self.n_threads, shift)

    def moments(self, s: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Blocks merge by M = M₁ + M₂ + n₁n₂/(n₁ + n₂) δ² (Chan, Golub and LeVeque 1983)."""
        p = self.shape[1]
        total, mean, scatter = 0.0, np.zeros(p), np.zeros(p)
        for rows, A in self._blocks():
            weights = np.ones(A.shape[0]) if s is None else s[rows]
            weight = float(weights.sum())
            if weight == 0:
                continue
            block_mean, variance = A.moments(weights)
            delta, share = block_mean - mean, weight / (total + weight)
            scatter += weight * variance + total * share * delta**2
            mean += share * delta
            total += weight
        return zero_constant(mean, scatter / total)
