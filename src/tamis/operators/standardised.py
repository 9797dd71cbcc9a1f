"""Centring and scaling as a view."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis.operators.base import Linear, Operator, is_complex, row_blocks


class Standardised(Linear):
    """A matrix with its columns centred and scaled, as a view.

    (A − 1 meanᵀ) diag(1/scale), of which only gathered columns are ever copied.

    Columns gathered from sparse storage stay sparse where their mean is 0.
    """

    def __init__(self, A: Operator, mean: np.ndarray, scale: np.ndarray) -> None:
        self.A = A
        self.mean = mean
        self.scale = scale
        self.shape = A.shape
        self.dtype = np.dtype(np.complex128) if np.iscomplexobj(mean) and not is_complex(A) else A.dtype
        self.by_columns = getattr(A, "by_columns", False)

    def forward(self, x: np.ndarray) -> np.ndarray:
        z = (x.T / self.scale).T
        return self.A @ z - self.mean @ z

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        c = (self.A.H @ r).T - np.multiply.outer(r.sum(axis=0), self.mean.conj())
        return (c / self.scale).T

    def row_blocks(self) -> Iterator[tuple[slice, Linear]]:
        """Rows that are held at a time, and the operator of these."""
        for rows, A in row_blocks(self.A):
            yield rows, Standardised(A, self.mean, self.scale)

    def adjoint_at(self, r: np.ndarray, S: np.ndarray) -> np.ndarray:
        if not isinstance(self.A, Linear) or is_complex(self) != is_complex(self.A):
            return super().adjoint_at(r, S)
        c = self.A.adjoint_at(r, S).T - np.multiply.outer(r.sum(axis=0), self.mean[S].conj())
        return (c / self.scale[S]).T

    def columns(self, S: Any) -> Any:
        S = np.asarray(S, dtype=np.intp)
        X, mean, scale = self.A.columns(S), self.mean[S], self.scale[S]
        if sp.issparse(X):
            if not mean.any():
                return sp.csc_array(X @ sp.diags_array(1.0 / scale))
            X = X.toarray(order="F")
        return np.asfortranarray((X - mean) / scale, dtype=self.dtype)

    def moments(self, s: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        mean, variance = self.A.moments(s)
        return (mean - self.mean) / self.scale, variance / self.scale**2
