"""Columns and Gram matrices of operators, written out as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.memory import require_memory
from tamis.operators import as_operator
from tamis.operators.base import wide

COLUMNS_AT_ONCE = 256


def dense_columns(A: Any, S: Any) -> np.ndarray:
    """The columns S of an operator as a float64 or complex128 array."""
    X = _columns(A, np.asarray(S, dtype=np.intp))
    return np.asarray(X, dtype=wide(X.dtype))


def _columns(A: Any, S: np.ndarray) -> np.ndarray:
    X = A.columns(S)
    columns: np.ndarray = X.toarray() if hasattr(X, "toarray") else X
    return columns


def written_out(A: Any) -> Any:
    """Arrays and lists as they are; anything else that ``as_operator`` takes as an array of its entries."""
    if isinstance(A, (np.ndarray, list, tuple)):
        return A
    A = as_operator(A)
    m, p = A.shape
    require_memory(8.0 * m * p, f"the {m:,} × {p:,} entries of the operator", "give fewer rows or columns")
    return _columns(A, np.arange(p))


def gram_matrix(A: Any) -> np.ndarray:
    """AᵀA (p, p), some columns at a time."""
    p = A.shape[1]
    require_memory(8.0 * p * p, f"the Gram matrix of {p:,} columns", "give fewer columns")
    G = np.empty((p, p))
    for start in range(0, p, COLUMNS_AT_ONCE):
        S = np.arange(start, min(p, start + COLUMNS_AT_ONCE))
        G[:, S] = A.T @ dense_columns(A, S)
    return 0.5 * (G + G.T)
