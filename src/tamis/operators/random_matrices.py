"""Random matrices that are made anew, block by block, whenever they are multiplied."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tamis._core.checks import check_count
from tamis._core.random import as_rng
from tamis._core.threads import thread_count
from tamis._kernels import kernels
from tamis.operators.base import HasEntries
from tamis.operators.grid import WORTH_THREADS
from tamis.operators.products import SLAB_BYTES


class Bernoulli(HasEntries):
    """m × n independent signs, 1 or −1 with equal chances, never stored: a product holds one block of rows at a time.

    ``Bernoulli(m, n, 0) / np.sqrt(m)`` has columns of length 1.

    Parameters
    ----------
    m, n : int
        Rows and columns.
    random_state : None, int, Generator or RandomState
        The same state gives the same matrix; None draws one, which this operator keeps.
    n_jobs : int or None
        Threads that make the blocks.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.operators import Bernoulli
    >>> A = Bernoulli(3, 5, random_state=0)
    >>> np.abs(A.columns([0, 4]))
    array([[1., 1.],
           [1., 1.],
           [1., 1.]])
    """

    def __init__(self, m: int, n: int, random_state: Any = None, *, n_jobs: int | None = None) -> None:
        self.shape = (check_count("m", m), check_count("n", n))
        self.dtype = np.dtype(np.float64)
        self.key = int(as_rng(random_state).integers(0, 2**64, dtype=np.uint64))
        self.n_threads = thread_count(n_jobs)

    def forward(self, x: np.ndarray) -> np.ndarray:
        out = np.empty((self.shape[0], *x.shape[1:]))
        for rows, X in self._blocks():
            out[rows] = X @ x
        return out

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        out = np.zeros((self.shape[1], *r.shape[1:]))
        for rows, X in self._blocks():
            out += X.T @ r[rows]
        return out

    def entries(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        out = np.empty((len(rows), len(columns)))
        I, J = (np.ascontiguousarray(S, dtype=np.int64) for S in (rows, columns))
        kernels.sign_entries(self.key, self.shape[1], I, J, out, self.n_threads)
        return out

    def _blocks(self) -> Iterator[tuple[slice, np.ndarray]]:
        m, n = self.shape
        height = max(1, min(m, SLAB_BYTES // (8 * n)))
        block = np.empty((height, n))
        for start in range(0, m, height):
            X = block[: min(height, m - start)]
            kernels.sign_rows(self.key, start, X, self.n_threads if X.size >= WORTH_THREADS else 1)
            yield slice(start, start + len(X)), X
