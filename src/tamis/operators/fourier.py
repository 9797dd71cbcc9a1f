"""The discrete Fourier transform."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.fft

from tamis.operators.grid import SciPyTransform


class DFT(SciPyTransform):
    """The unitary Fourier transform: c_k = 1/√n Σ_t x_t exp(−2πi k t / n), complex128.

    ``A.H`` is its inverse, whose columns are the Fourier basis.

    Parameters
    ----------
    n : int or tuple of int
        Length of the signals, or the shape of images, which are vectors row by row; they are transformed on each axis.
    n_jobs : int or None
        Threads for several signals, or the rows and columns of images.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.operators import DFT
    >>> A = DFT(4)
    >>> np.abs(A @ np.ones(4))
    array([2., 0., 0., 0.])
    >>> np.allclose(A.H @ (A @ np.arange(4.0)), np.arange(4.0))
    True
    """

    def __init__(self, n: Any, *, n_jobs: int | None = None) -> None:
        super().__init__(n, n_jobs)
        self.dtype = np.dtype(np.complex128)

    def forward(self, x: np.ndarray) -> np.ndarray:
        return self.transform(scipy.fft.fft, scipy.fft.fftn, x)

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        return self.transform(scipy.fft.ifft, scipy.fft.ifftn, r)

    def axis_entries(self, length: int, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        table = np.exp(-2j * np.pi / length * np.arange(length)) / np.sqrt(length)  # one turn
        return table[np.multiply.outer(rows, columns) % length]
