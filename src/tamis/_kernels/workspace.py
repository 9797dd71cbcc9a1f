"""Matrices that grow, in memory that is used again: fresh pages cost more than what is written on them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._kernels import kernels


def matrix(n_rows: int, n_columns: int, dtype: Any = np.float64) -> np.ndarray:
    """n_rows × n_columns, float64 or float32, uninitialised."""
    size = n_rows * n_columns
    words = kernels.workspace((size * np.dtype(dtype).itemsize + 7) // 8)
    return words.view(dtype)[:size].reshape(n_rows, n_columns)


def square(side: int, dtype: Any = np.float64) -> np.ndarray:
    return matrix(side, side, dtype)


def larger(given: np.ndarray, used: int, side: int) -> np.ndarray:
    """The first ``used`` rows and columns in a matrix with room for ``side``, and for half as many again."""
    wider = square(side + side // 2)
    wider[:used, :used] = given[:used, :used]
    return wider
