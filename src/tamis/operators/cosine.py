"""The discrete cosine transform."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.fft

from tamis.operators.grid import SciPyTransform


class DCT(SciPyTransform):
    """The orthonormal cosine transform (type II): c_k = √(2/n) Σ_t x_t cos(π k (2t + 1) / 2n), c₀ over √2.

    ``A.T`` is its inverse (type III), whose columns are the cosine basis.

    Parameters
    ----------
    n : int or tuple of int
        Length of the signals, or the shape of images, which are vectors row by row; they are transformed on each axis.
    n_jobs : int or None
        Threads for several signals, or the rows and columns of images.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.operators import DCT
    >>> A = DCT(4)
    >>> A @ np.ones(4)
    array([2., 0., 0., 0.])
    >>> np.allclose(A.T @ (A @ np.arange(4.0)), np.arange(4.0))
    True
    """

    def __init__(self, n: Any, *, n_jobs: int | None = None) -> None:
        super().__init__(n, n_jobs)
        self.dtype = np.dtype(np.float64)

    def forward(self, x: np.ndarray) -> np.ndarray:
        return self.transform(scipy.fft.dct, scipy.fft.dctn, x)

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        return self.transform(scipy.fft.idct, scipy.fft.idctn, r)

    def axis_entries(self, length: int, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        table = np.sqrt(2.0 / length) * np.cos(np.pi / (2 * length) * np.arange(4 * length))  # one turn
        scale = np.where(rows == 0, np.sqrt(0.5), 1.0)
        return scale[:, None] * table[np.multiply.outer(rows, 2 * columns + 1) % (4 * length)]
