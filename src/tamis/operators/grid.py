"""Signals on a line or a grid: vectors hold them row by row, so an image of shape (h, w) is a vector of h·w numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tamis._core.checks import check_count
from tamis._core.errors import InputError
from tamis._core.threads import thread_count
from tamis.operators.base import HasEntries

WORTH_THREADS = 1 << 15  # numbers in all, below which waking threads costs more than it saves


def check_grid(name: str, n: Any) -> tuple[int, ...]:
    """The lengths of the axes: n is a length or a shape."""
    if isinstance(n, (tuple, list)):
        if not n:
            raise InputError(f"{name} must be a length or a shape such as (h, w), got {n!r}")
        return tuple(check_count(name, length) for length in n)
    return (check_count(name, n),)


def to_grid(x: np.ndarray, grid: tuple[int, ...]) -> np.ndarray:
    """(N,) or (N, k) as an array with the axes of the grid first."""
    return x.reshape(*grid, *x.shape[1:])


def to_vectors(X: np.ndarray, n_axes: int) -> np.ndarray:
    """Back to (N,) or (N, k)."""
    return X.reshape(math.prod(X.shape[:n_axes]), *X.shape[n_axes:])


class GridTransform(HasEntries):
    """A square transform of signals on a grid, the same on every axis: A = A₁ ⊗ A₂ ⊗ …

    A subclass gives ``forward``, ``adjoint`` and ``axis_entries``, the entries of the one-dimensional transform.
    """

    def __init__(self, n: Any, n_jobs: int | None) -> None:
        self.grid = check_grid("n", n)
        self.axes = tuple(range(len(self.grid)))
        self.n_threads = thread_count(n_jobs)
        size = math.prod(self.grid)
        self.shape = (size, size)

    def axis_entries(self, length: int, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def entries(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        out: Any = 1.0
        places = zip(self.grid, np.unravel_index(rows, self.grid), np.unravel_index(columns, self.grid), strict=True)
        for length, i, j in places:
            out = out * self.axis_entries(length, i, j)
        entries: np.ndarray = out
        return entries

    def workers(self, x: np.ndarray) -> int:
        """Threads for this product: one transform on one axis cannot be shared out."""
        single = len(self.grid) == 1 and (x.ndim == 1 or x.shape[1] == 1)
        return 1 if single or x.size < WORTH_THREADS else self.n_threads


class SciPyTransform(GridTransform):
    """An orthonormal transform that ``scipy.fft`` has on a line and on a grid."""

    def transform(self, on_line: Any, on_grid: Any, x: np.ndarray) -> np.ndarray:
        if len(self.grid) == 1:
            out: np.ndarray = on_line(x, axis=0, norm="ortho", workers=self.workers(x))
            return out
        X = on_grid(to_grid(x, self.grid), axes=self.axes, norm="ortho", workers=self.workers(x))
        return to_vectors(X, len(self.grid))
