"""Operators of other libraries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tamis._core.errors import InputError
from tamis.operators.base import Linear


class Adapted(Linear):
    """A real SciPy LinearOperator, a PyLops operator, or anything with their ``shape``, products and adjoint.

    A column costs a product, so moments cost p of them.
    """

    def __init__(self, A: Any) -> None:
        dtype = np.dtype(getattr(A, "dtype", None) or np.float64)
        if dtype.kind == "c":
            raise InputError(f"X is a complex operator ({dtype}): split it into its real and imaginary rows")
        self.A = A
        self.shape = (int(A.shape[0]), int(A.shape[1]))
        self.dtype = dtype if dtype in (np.float32, np.float64) else np.dtype(np.float64)
        self._forward, self._adjoint = _products(A)

    def forward(self, x: np.ndarray) -> np.ndarray:
        return _by_columns(self._forward, x)

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        return _by_columns(self._adjoint, r)


def acts_as_operator(A: Any) -> bool:
    """Whether A has a shape, a product and an adjoint product."""
    return len(getattr(A, "shape", ())) == 2 and (
        (hasattr(A, "matvec") and hasattr(A, "rmatvec")) or (hasattr(A, "__matmul__") and _adjoint_of(A) is not None)
    )


def _products(A: Any) -> tuple[Callable[..., Any], Callable[..., Any]]:
    if hasattr(A, "matvec") and hasattr(A, "rmatvec"):
        return A.matvec, A.rmatvec
    return A.__matmul__, _adjoint_of(A).__matmul__


def _adjoint_of(A: Any) -> Any:
    return getattr(A, "H", None) if getattr(A, "H", None) is not None else getattr(A, "T", None)


def _by_columns(product: Callable[..., Any], x: np.ndarray) -> np.ndarray:
    """Vector by vector: the one form every library's product takes."""
    if x.ndim == 1:
        return np.asarray(product(x), dtype=np.float64).ravel()
    parts = [np.asarray(product(np.ascontiguousarray(v)), dtype=np.float64).ravel() for v in x.T]
    return np.column_stack(parts)
