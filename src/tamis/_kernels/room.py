"""Square matrices that grow, in memory that is used again: fresh pages cost more than what is written on them."""

from __future__ import annotations

import numpy as np

from tamis._kernels import kernels


def square(side: int, dtype: type = np.float64) -> np.ndarray:
    """side × side, uninitialised."""
    size = side * side
    words = kernels.workspace(size if dtype is np.float64 else (size + 1) // 2)
    return words.view(dtype)[:size].reshape(side, side)


def larger(matrix: np.ndarray, used: int, side: int) -> np.ndarray:
    """The first ``used`` rows and columns in a matrix with room for ``side``, and for half as many again."""
    wider = square(side + side // 2)
    wider[:used, :used] = matrix[:used, :used]
    return wider
