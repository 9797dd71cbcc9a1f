"""A sparse matrix plus one of low rank, neither written out."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.operators.base import Linear


class SparsePlusLowRank(Linear):
    """A sparse matrix plus one of low rank, kept as its factors.

    S + A Bᵀ with S (m, n) sparse, A (m, k) and B (n, k): memory is the entries of S and the factors.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> from tamis.operators import SparsePlusLowRank
    >>> A = SparsePlusLowRank(csr_array(np.eye(2)), np.ones((2, 1)), np.array([[1.0], [2.0]]))
    >>> A @ np.array([1.0, 0.0])
    array([2., 1.])
    """

    def __init__(self, S: Any, A: np.ndarray, B: np.ndarray) -> None:
        self.S, self.A, self.B = S, A, B
        self.shape = (S.shape[0], S.shape[1])
        self.dtype = np.dtype(np.float64)

    def forward(self, x: np.ndarray) -> np.ndarray:
        product: np.ndarray = self.S @ x + self.A @ (self.B.T @ x)
        return product

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        product: np.ndarray = self.S.T @ r + self.B @ (self.A.T @ r)
        return product

    def columns(self, S: Any) -> np.ndarray:
        S = np.asarray(S, dtype=np.intp)
        return np.asfortranarray(self.S[:, S].toarray() + self.A @ self.B[S].T)
