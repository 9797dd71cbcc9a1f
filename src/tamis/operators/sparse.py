"""A sparse array in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis._core.threads import thread_count
from tamis._kernels import kernels
from tamis.operators.base import Linear, row_shares
from tamis.operators.products import settled


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
        V = np.ascontiguousarray(v.reshape(len(v), -1).T)
        out = np.empty((len(V), length))
        kernel(self.X.data, self.X.indices, self.X.indptr, V, out, self.n_threads)
        return out[0] if v.ndim == 1 else out.T

    def adjoint_at(self, r: np.ndarray, S: np.ndarray) -> np.ndarray:
        if not self.by_columns:
            return super().adjoint_at(r, S)
        R = np.ascontiguousarray(r.reshape(len(r), -1).T)
        out = np.empty((len(R), len(S)))
        kernels.correlate_sparse_some(self.X.data, self.X.indices, self.X.indptr, S, R, out, self.n_threads)
        return out[0] if r.ndim == 1 else out.T

    def columns(self, S: Any) -> sp.csc_array:
        return self.X[:, np.asarray(S, dtype=np.intp)].tocsc()

    def moments(self, s: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Sums about a first mean m: over the entries there are, and of −m for the weight of those there are not."""
        n, p = self.shape
        if self.by_columns:
            X, mean, variance = self.X, np.empty(p), np.empty(p)
            share = row_shares(n, s)
            kernels.column_moments_sparse(X.data, X.indices, X.indptr, share, mean, variance, self.n_threads)
            return settled(mean, variance)
        rows, columns = np.repeat(np.arange(n), np.diff(self.X.indptr)), self.X.indices
        share = row_shares(n, s)[rows]
        x = self.X.data.astype(np.float64, copy=False)
        first = np.bincount(columns, weights=share * x, minlength=p)
        absent = np.maximum(1.0 - np.bincount(columns, weights=share, minlength=p), 0.0)
        absent[np.bincount(columns, minlength=p) == n] = 0.0  # a full column, whatever the shares' rounding
        d = x - first[columns]
        shift = np.bincount(columns, weights=share * d, minlength=p) - absent * first
        squares = np.bincount(columns, weights=share * d**2, minlength=p) + absent * first**2
        return settled(first + shift, squares - shift**2)
