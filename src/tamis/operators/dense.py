"""An array in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.threads import thread_count
from tamis.operators import products
from tamis.operators.base import Linear, row_shares


class Dense(Linear):
    """A float32 or float64 array with unit stride along one axis, kept as it is."""

    def __init__(self, X: np.ndarray, n_jobs: int | None = None) -> None:
        self.X = X
        self.n_threads = thread_count(n_jobs)
        self.shape = (X.shape[0], X.shape[1])
        self.dtype = X.dtype
        self.by_columns = X.strides[0] == X.itemsize and X.shape[1] > 1

    def forward(self, x: np.ndarray) -> np.ndarray:
        return products.multiply(self.X, x)

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        return products.correlate(self.X, r, self.n_threads)

    def adjoint_at(self, r: np.ndarray, S: np.ndarray) -> np.ndarray:
        return products.correlate(self.X, r, self.n_threads, S) if self.by_columns else super().adjoint_at(r, S)

    def columns(self, S: Any) -> np.ndarray:
        return np.asfortranarray(self.X[:, np.asarray(S, dtype=np.intp)])

    def moments(self, s: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        share = row_shares(self.shape[0], s)
        return (
            products.column_moments(self.X, share, self.n_threads)
            if self.by_columns
            else products.moments(self.X, share)
        )
