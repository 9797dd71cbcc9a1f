"""Complex arrays in memory, dense and sparse."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis.operators.base import Linear, moments_of, row_shares
from tamis.operators.products import slabs
from tamis.operators.sparse import Sparse


class ComplexDense(Linear):
    """A complex64 or complex128 array, kept as it is."""

    def __init__(self, X: np.ndarray) -> None:
        self.X = X
        self.shape = (X.shape[0], X.shape[1])
        self.dtype = X.dtype

    def forward(self, x: np.ndarray) -> np.ndarray:
        return _multiply(self.X, x)

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        return _multiply(self.X.T, r.conj()).conj()  # conjugating the vector spares a copy of X

    def columns(self, S: Any) -> np.ndarray:
        return np.asfortranarray(self.X[:, np.asarray(S, dtype=np.intp)])

    def moments(self, s: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        return moments_of(self.X, row_shares(self.shape[0], s))


class ComplexSparse(Linear):
    """A complex csr_array or csc_array without duplicate entries, kept as it is and never densified."""

    def __init__(self, X: Any) -> None:
        self.X = X
        self.shape = (X.shape[0], X.shape[1])
        self.dtype = X.dtype

    def forward(self, x: np.ndarray) -> np.ndarray:
        product: np.ndarray = self.X @ x.astype(np.complex128, copy=False)
        return product

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        product: np.ndarray = self.X.T @ r.conj().astype(np.complex128, copy=False)
        return product.conj()

    def columns(self, S: Any) -> sp.csc_array:
        return self.X[:, np.asarray(S, dtype=np.intp)].tocsc()

    def moments(self, s: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        (mean, variance), (mean_imag, variance_imag) = (
            self._part(x).moments(s) for x in (self.X.data.real, self.X.data.imag)
        )
        return mean + 1j * mean_imag, variance + variance_imag

    def _part(self, data: np.ndarray) -> Sparse:
        """The real or the imaginary parts, which lie apart in memory, as an operator."""
        return Sparse(type(self.X)((np.ascontiguousarray(data), self.X.indices, self.X.indptr), shape=self.shape))


def _multiply(X: np.ndarray, x: np.ndarray) -> np.ndarray:
    """X x in complex128, X converted slab by slab where it is complex64."""
    if X.dtype == np.complex128:
        product: np.ndarray = X @ x
        return product
    out = np.zeros((X.shape[0], *x.shape[1:]), np.complex128)
    for rows, columns in slabs(X):
        out[rows] += X[rows, columns].astype(np.complex128) @ x[columns]
    return out
