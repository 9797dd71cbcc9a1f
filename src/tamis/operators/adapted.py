"""Operators of other libraries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tamis._core.errors import InputError
from tamis.operators.base import Linear, is_complex, wide

DTYPES = (np.float32, np.float64, np.complex64, np.complex128)


class Adapted(Linear):
    """A SciPy LinearOperator, a PyLops operator, or anything with their ``shape``, products and adjoint.

    A column costs a product, so moments cost p of them. Without a ``dtype`` it counts as float64, and complex
    products of an operator that is not declared complex are refused.
    """

    def __init__(self, A: Any) -> None:
        dtype = np.dtype(getattr(A, "dtype", None) or np.float64)
        self.A = A
        self.shape = (int(A.shape[0]), int(A.shape[1]))
        self.dtype = dtype if dtype in DTYPES else wide(dtype)
        self._forward, self._adjoint = _products(A)

    def forward(self, x: np.ndarray) -> np.ndarray:
        return self._by_vectors(self._forward, x, self.shape[0])

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        return self._by_vectors(self._adjoint, r, self.shape[1])

    def _by_vectors(self, product: Callable[..., Any], x: np.ndarray, length: int) -> np.ndarray:
        """Vector by vector: the one form every library's product takes."""
        x = x.astype(wide(self.dtype), copy=False)
        if x.ndim == 1:
            return self._one(product, x)
        out = np.empty((length, x.shape[1]), x.dtype, order="F")
        for k, v in enumerate(x.T):
            out[:, k] = self._one(product, np.ascontiguousarray(v))
        return out

    def _one(self, product: Callable[..., Any], x: np.ndarray) -> np.ndarray:
        out = np.asarray(product(x))
        if out.dtype.kind == "c" and not is_complex(self):
            raise InputError(f"X is declared {self.dtype}, but its products are {out.dtype}: give it a complex dtype")
        return out.astype(wide(self.dtype), copy=False).ravel()


def acts_as_operator(A: Any) -> bool:
    """Whether A has a shape, a product and an adjoint product."""
    return len(getattr(A, "shape", ())) == 2 and (
        (hasattr(A, "matvec") and hasattr(A, "rmatvec")) or (hasattr(A, "__matmul__") and _adjoint_of(A) is not None)
    )


def _products(A: Any) -> tuple[Callable[..., Any], Callable[..., Any]]:
    if hasattr(A, "matvec") and hasattr(A, "rmatvec"):
        return A.matvec, A.rmatvec
    adjoint = _adjoint_of(A).__matmul__
    if (
        np.dtype(getattr(A, "dtype", None) or np.float64).kind == "c" and getattr(A, "H", None) is None
    ):  # all it has is the transpose: Aᴴ r = conj(Aᵀ conj(r))
        return A.__matmul__, lambda r: np.conj(adjoint(np.conj(r)))
    return A.__matmul__, adjoint


def _adjoint_of(A: Any) -> Any:
    return getattr(A, "H", None) if getattr(A, "H", None) is not None else getattr(A, "T", None)
