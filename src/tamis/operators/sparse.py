"""A sparse array in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis._core.far_columns import columns_minus, far_columns, nearly_full_moments
from tamis._core.threads import thread_count
from tamis._kernels import kernels
from tamis.operators.base import Linear, row_shares
from tamis.operators.dense import Dense
from tamis.operators.products import zero_constant

RUN = 1 << 17  # entries summed at a time, or as many as there are columns


class Sparse(Linear):
    """A csr_array or csc_array without duplicate entries, kept as it is and never densified."""

    def __init__(self, X: Any, n_jobs: int | None = None) -> None:
        self.X = X
        self.n_threads = thread_count(n_jobs)
        self.shape = (X.shape[0], X.shape[1])
        self.dtype = X.dtype
        self.by_columns = X.format == "csc"
        self.stored = int(X.nnz)

    def forward(self, x: np.ndarray) -> np.ndarray:
        return self._product(x, self.shape[0], kernels.spread_sparse if self.by_columns else kernels.correlate_sparse)

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        return self._product(r, self.shape[1], kernels.correlate_sparse if self.by_columns else kernels.spread_sparse)

    def _product(self, v: np.ndarray, length: int, kernel: Any) -> np.ndarray:
        """Within the slices that are stored together (``correlate_sparse``), or across them (``spread_sparse``)."""
        V = np.ascontiguousarray(np.atleast_2d(v.T))
        out = np.empty((len(V), length))
        kernel(self.X.data, self.X.indices, self.X.indptr, V, out, self.n_threads)
        return out[0] if v.ndim == 1 else out.T

    def adjoint_at(self, r: np.ndarray, S: np.ndarray) -> np.ndarray:
        if not self.by_columns:
            return super().adjoint_at(r, S)
        R = np.ascontiguousarray(np.atleast_2d(r.T))
        out = np.empty((len(R), len(S)))
        kernels.correlate_sparse_some(self.X.data, self.X.indices, self.X.indptr, S, R, out, self.n_threads)
        return out[0] if r.ndim == 1 else out.T

    def columns(self, S: Any) -> sp.csc_array:
        return self.X[:, np.asarray(S, dtype=np.intp)].tocsc()

    def moments(self, s: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Sums about a first mean m: over the entries there are, and of −m for the weight of those there are not."""
        share = row_shares(self.shape[0], s)
        mean, variance = self._column_moments(share) if self.by_columns else self._row_moments(share)
        for S, of_S, spread in nearly_full_moments(self.X, share):  # the weight of few absent entries is all rounding
            mean[S], variance[S] = of_S, spread
        return zero_constant(mean, variance)

    def _column_moments(self, share: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        X, mean, variance = self.X, np.empty(self.shape[1]), np.empty(self.shape[1])
        kernels.column_moments_sparse(X.data, X.indices, X.indptr, share, mean, variance, self.n_threads)
        return mean, variance

    def _row_moments(self, share: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        n, p = self.shape
        first, weight, count, shift, squares = np.zeros((5, p))
        for columns, x, h in self._runs(share):
            first += np.bincount(columns, weights=h * x, minlength=p)
            weight += np.bincount(columns, weights=h, minlength=p)
            count += np.bincount(columns, minlength=p)
        for columns, x, h in self._runs(share):
            d = x - first[columns]
            shift += np.bincount(columns, weights=h * d, minlength=p)
            squares += np.bincount(columns, weights=h * d**2, minlength=p)
        absent = np.where(count < n, np.maximum(1.0 - weight, 0.0), 0.0)  # no rounding of shares in a full column
        shift -= absent * first
        squares += absent * first**2
        return first + shift, squares - shift**2

    def far_columns(self, s: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Sums about zero are what sparse columns are centred by, so few standard deviations are far."""
        return far_columns(self.X, row_shares(self.shape[0], s))

    def minus(self, S: np.ndarray, c: np.ndarray) -> Linear:
        if len(S) < self.shape[1]:
            return super().minus(S, c)
        return Dense(columns_minus(self.X, S, c), self.n_threads)

    def _runs(self, share: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Entries row by row, many at a time: their columns, values and the shares of their rows."""
        X, (n, p) = self.X, self.shape
        begin = 0
        while begin < n:
            most = X.indptr[begin] + max(RUN, p)
            end = max(begin + 1, int(np.searchsorted(X.indptr, most, side="right")) - 1)
            entries = slice(X.indptr[begin], X.indptr[end])
            x = X.data[entries].astype(np.float64, copy=False)
            yield X.indices[entries], x, np.repeat(share[begin:end], np.diff(X.indptr[begin : end + 1]))
            begin = end


class SparseBothWays(Sparse):
    """The same with a second copy that is compressed along the other axis: for many products with many columns each."""

    def __init__(self, X: Any, n_jobs: int | None = None) -> None:
        super().__init__(X, n_jobs)
        self.rows, self.turned = sp.csr_array(X), sp.csr_array(X.T)

    def forward(self, x: np.ndarray) -> np.ndarray:
        return sparse_times(self.rows, x, self.n_threads) if x.ndim == 2 else super().forward(x)

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        return sparse_times(self.turned, r, self.n_threads) if r.ndim == 2 else super().adjoint(r)


def sparse_times(X: sp.csr_array, V: np.ndarray, n_threads: int) -> np.ndarray:
    """X V in float64, for V (p, m)."""
    out = np.empty((X.shape[0], V.shape[1]))
    kernels.sparse_times(X.data, X.indices, X.indptr, np.ascontiguousarray(V, dtype=np.float64), out, n_threads)
    return out
