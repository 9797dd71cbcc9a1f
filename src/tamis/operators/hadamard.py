"""The Walsh–Hadamard transform."""

from __future__ import annotations

import numpy as np

from tamis._core.checks import check_count
from tamis._core.errors import InputError
from tamis._core.threads import thread_count
from tamis._kernels import kernels
from tamis.operators.base import HasEntries
from tamis.operators.grid import WORTH_THREADS


class Hadamard(HasEntries):
    """The orthonormal Walsh–Hadamard transform, in Sylvester's order: entries (−1)^{bits of i & j} / √n.

    Symmetric and its own inverse. Of images of shape (h, w) as vectors row by row it is the two-dimensional one:
    H_{hw} = H_h ⊗ H_w.

    Parameters
    ----------
    n : int
        Length of the signals, a power of two.
    n_jobs : int or None
        Threads.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.operators import Hadamard
    >>> Hadamard(4) @ np.array([1.0, 0.0, 0.0, 1.0])
    array([1., 0., 0., 1.])
    """

    def __init__(self, n: int, *, n_jobs: int | None = None) -> None:
        n = check_count("n", n)
        if n & (n - 1):
            above = 1 << n.bit_length()
            raise InputError(f"n must be a power of two, got {n}: pad the signals to {above}, or take DCT({n})")
        self.n_threads = thread_count(n_jobs)
        self.shape = (n, n)
        self.dtype = np.dtype(np.float64)

    @property
    def H(self) -> Hadamard:
        return self

    def forward(self, x: np.ndarray) -> np.ndarray:
        n = self.shape[0]
        X = np.ascontiguousarray(x.reshape(n, -1 if x.size else 0).T)
        out = np.empty_like(X)
        kernels.fwht(X, out, n**-0.5, self.n_threads if X.size >= WORTH_THREADS else 1)
        return out[0] if x.ndim == 1 else out.T

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        return self.forward(r)

    def entries(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        odd = np.bitwise_count(np.bitwise_and.outer(rows, columns)) & 1
        return (1.0 - 2.0 * odd) * self.shape[0] ** -0.5
