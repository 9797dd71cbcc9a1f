"""An array in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.far_columns import beyond, dense_moments
from tamis._core.threads import thread_count
from tamis._kernels import kernels
from tamis.operators import products
from tamis.operators.base import Linear, row_shares

FAR = 1e2  # standard deviations: products with a column that is as far keep 13 digits of its spread
SAMPLE = 64  # rows that tell which columns may be far


class Dense(Linear):
    """A float32 or float64 array with unit stride along one axis, kept as it is."""

    def __init__(self, X: np.ndarray, n_jobs: int | None = None) -> None:
        self.X = X
        self.n_threads = thread_count(n_jobs)
        self.shape = (X.shape[0], X.shape[1])
        self.dtype = X.dtype
        self._squares: np.ndarray | None = None
        self.by_columns = X.strides[0] == X.itemsize and X.shape[1] > 1

    def forward(self, x: np.ndarray) -> np.ndarray:
        return products.multiply(self.X, x)

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        return products.correlate(self.X, r, self.n_threads)

    def adjoint_at(self, r: np.ndarray, S: np.ndarray) -> np.ndarray:
        return products.correlate(self.X, r, self.n_threads, S) if self.by_columns else super().adjoint_at(r, S)

    def column_squares(self) -> np.ndarray:
        """‖aⱼ‖², kept once computed."""
        if self._squares is None:
            self._squares = np.empty(self.shape[1])
            kernels.column_squares(self.X, self._squares, self.n_threads)
        return self._squares

    def columns(self, S: Any) -> np.ndarray:
        return np.asfortranarray(self.X[:, np.asarray(S, dtype=np.intp)])

    def moments(self, s: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        share = row_shares(self.shape[0], s)
        return (
            products.column_moments(self.X, share, self.n_threads)
            if self.by_columns
            else products.moments(self.X, share)
        )

    def far_columns(self, s: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Beyond FAR standard deviations, constants but 0 among them, which are moved to 0 exactly.

        A sample of the rows says which columns are measured on all of them.
        """
        n = self.shape[0]
        used = np.arange(n) if s is None else np.flatnonzero(s)
        rows = used[np.unique(np.linspace(0, len(used) - 1, SAMPLE).astype(np.intp))] if len(used) else used
        mean, variance = dense_moments(np.asarray(self.X[rows], dtype=np.float64), np.full(len(rows), 1 / len(rows)))
        S = np.flatnonzero(beyond(mean, variance, FAR / 4))
        if not len(S):
            return S, mean[S]
        X = self.columns(S)
        mean, variance = Dense(X, self.n_threads).moments(s)
        value = np.asarray(X[used[0]], dtype=np.float64)
        constant = (variance == 0) & (X[used] == X[used[0]]).all(axis=0)
        far = beyond(mean, variance, FAR) & (constant | (variance > 0))
        return S[far], np.where(constant, value, mean)[far]  # the mean of a constant rounds, and would leave a column

    def minus(self, S: np.ndarray, c: np.ndarray) -> Linear:
        if len(S) < self.shape[1]:
            return super().minus(S, c)
        return Dense(np.subtract(self.X, c, dtype=np.float64), self.n_threads)
