"""Convolution with a kernel that is known: blur, echo, filters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.fft
import scipy.ndimage

from tamis._core.checks import check_choice
from tamis._core.errors import InputError
from tamis._core.threads import thread_count
from tamis.operators.base import HasEntries, wide
from tamis.operators.grid import WORTH_THREADS, check_grid, to_grid, to_vectors

# Kernels of as many numbers cost about the same summed one after the other as by Fourier transforms.
SHORT, SMALL = 64, 25  # on a line, on a grid


class Convolution(HasEntries):
    """y_i = Σ_j h_j x_{i−j}, on each axis of a signal or an image.

    Parameters
    ----------
    kernel : array
        h, real or complex, with as many axes as the signals.
    n : int or tuple of int
        Length of the signals, or the shape of images, which are vectors row by row.
    mode : {"same", "full", "valid", "circular"}
        "full": every sum, n + len(h) − 1 of them, x being 0 outside; "same": the n in the middle of these, as SciPy's;
        "valid": those that need nothing from outside, n − len(h) + 1; "circular": n sums, x going round.
    n_jobs : int or None
        Threads for several signals or images.

    Notes
    -----
    Short kernels are summed as the formula says, longer ones by Fourier transforms.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.operators import Convolution
    >>> Convolution([1.0, -1.0], 4, mode="valid") @ np.array([1.0, 4.0, 9.0, 16.0])
    array([3., 5., 7.])
    """

    def __init__(self, kernel: Any, n: Any, mode: str = "same", *, n_jobs: int | None = None) -> None:
        self.grid = check_grid("n", n)
        self.kernel = _check_kernel(kernel, self.grid)
        self.mode = check_choice("mode", mode, ["same", "full", "valid", "circular"])
        _check_sizes(self.kernel.shape, self.grid, mode)
        self.out_grid, self.offset = _range(self.kernel.shape, self.grid, mode)
        self.axes = tuple(range(len(self.grid)))
        self.n_threads = thread_count(n_jobs)
        self.shape = (math.prod(self.out_grid), math.prod(self.grid))
        self.dtype = wide(self.kernel.dtype)
        self.direct = self.kernel.size <= (SHORT if len(self.grid) == 1 else SMALL)
        if not self.direct:
            self._prepare()

    def forward(self, x: np.ndarray) -> np.ndarray:
        X = to_grid(x, self.grid)
        Y = self._summed(X) if self.direct else self._filtered(X, self.response)[self._kept]
        return to_vectors(Y, len(self.grid))

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        R = to_grid(r, self.out_grid)
        X = self._summed_back(R) if self.direct else self._filtered_back(R)
        return to_vectors(X, len(self.grid))

    def entries(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """h at i + offset − j, 0 outside."""
        i, j = np.unravel_index(rows, self.out_grid), np.unravel_index(columns, self.grid)
        inside, places = np.ones((len(rows), len(columns)), bool), []
        for axis, length in enumerate(self.kernel.shape):
            lag = np.subtract.outer(i[axis] + self.offset[axis], j[axis])
            lag = lag % self.grid[axis] if self.mode == "circular" else lag
            inside &= (lag >= 0) & (lag < length)
            places.append(np.clip(lag, 0, length - 1))
        return np.where(inside, self.kernel[tuple(places)], 0.0)

    def _summed(self, X: np.ndarray) -> np.ndarray:
        sums = _all_sums(X, self.kernel)
        return _folded(sums, self.grid) if self.mode == "circular" else sums[self._kept]

    def _summed_back(self, R: np.ndarray) -> np.ndarray:
        """Σ_j h̄_j r_{i+j}: convolution with the conjugate kernel from its other end, which starts len(h) − 1 later."""
        late = [k - 1 for k in self.kernel.shape]
        sums = _all_sums(R, np.flip(self.kernel).conj())
        if self.mode == "circular":
            return np.roll(_folded(sums, self.grid), [-k for k in late], self.axes)
        return sums[tuple(slice(k - o, k - o + n) for k, o, n in zip(late, self.offset, self.grid, strict=True))]

    @property
    def _kept(self) -> tuple[slice, ...]:
        """The sums of this mode among all."""
        return tuple(slice(o, o + m) for o, m in zip(self.offset, self.out_grid, strict=True))

    def _prepare(self) -> None:
        real = self.dtype.kind == "f"
        extents = zip(self.grid, self.kernel.shape, strict=True)
        if self.mode in ("circular", "valid"):  # what goes round reaches no sum that is kept
            self.lengths = list(self.grid)
        else:
            self.lengths = [n + k - 1 for n, k in extents]
        if self.mode != "circular":
            self.lengths = [scipy.fft.next_fast_len(length, real) for length in self.lengths]
        self.go, self.back = (scipy.fft.rfftn, scipy.fft.irfftn) if real else (scipy.fft.fftn, scipy.fft.ifftn)
        self.response = self.go(self.kernel, self.lengths)

    def _filtered_back(self, R: np.ndarray) -> np.ndarray:
        padded = np.zeros((*self.lengths, *R.shape[len(self.grid) :]), R.dtype)
        padded[self._kept] = R
        return self._filtered(padded, self.response.conj())[tuple(slice(n) for n in self.grid)]

    def _filtered(self, X: np.ndarray, response: np.ndarray) -> np.ndarray:
        several = X.ndim > len(self.grid)
        factor = response[..., None] if several else response
        workers = self.n_threads if X.size >= WORTH_THREADS and (several or len(self.grid) > 1) else 1
        F = self.go(X, self.lengths, axes=self.axes, workers=workers)
        F *= factor
        Y: np.ndarray = self.back(F, self.lengths, axes=self.axes, workers=workers, overwrite_x=True)
        return Y


def _check_kernel(kernel: Any, grid: tuple[int, ...]) -> np.ndarray:
    h = np.asarray(kernel)
    if h.dtype.kind not in "fiubc" or h.size == 0 or not np.isfinite(h).all():
        raise InputError(f"kernel must hold finite numbers, got {h.dtype} of shape {h.shape}")
    if h.ndim != len(grid):
        raise InputError(f"kernel has {h.ndim} axes and the signals have {len(grid)}: both need as many")
    return h.astype(wide(h.dtype))


def _check_sizes(kernel: tuple[int, ...], grid: tuple[int, ...], mode: str) -> None:
    if mode in ("valid", "circular") and any(k > n for k, n in zip(kernel, grid, strict=True)):
        raise InputError(
            f"kernel of shape {kernel} is longer than the signals, {grid}: mode={mode!r} needs one that fits inside"
        )


def _range(kernel: tuple[int, ...], grid: tuple[int, ...], mode: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The shape of the result, and which of all sums is its first."""
    pairs = list(zip(kernel, grid, strict=True))
    if mode == "full":
        return tuple(n + k - 1 for k, n in pairs), (0,) * len(grid)
    if mode == "valid":
        return tuple(n - k + 1 for k, n in pairs), tuple(k - 1 for k in kernel)
    return grid, tuple((k - 1) // 2 if mode == "same" else 0 for k in kernel)


def _all_sums(X: np.ndarray, h: np.ndarray) -> np.ndarray:
    """Σ_j h_j x_{i−j} for every i that any x reaches, on the first axes of X."""
    if h.ndim > 1:
        several = X.ndim - h.ndim
        more = [(0, k - 1) for k in h.shape] + [(0, 0)] * several
        weights = np.flip(h).conj().reshape(*h.shape, *(1,) * several)  # SciPy's correlation conjugates them again
        longer = np.pad(X.astype(np.result_type(X, h), copy=False), more)
        origin = [(k - 1) // 2 for k in weights.shape]  # sums look back, not to both sides
        sums: np.ndarray = scipy.ndimage.correlate(longer, weights, mode="constant", origin=origin)
        return sums
    if X.ndim == 1:
        return np.convolve(X, h)
    out = np.empty((len(X) + len(h) - 1, X.shape[1]), np.result_type(X, h), order="F")
    for k in range(X.shape[1]):
        out[:, k] = np.convolve(X[:, k], h)
    return out


def _folded(sums: np.ndarray, grid: tuple[int, ...]) -> np.ndarray:
    """What goes beyond the end of an axis is added at its start."""
    for axis, n in enumerate(grid):
        sums = np.moveaxis(sums, axis, 0)
        beyond = sums[n:]
        sums = sums[:n].copy()
        sums[: len(beyond)] += beyond
        sums = np.moveaxis(sums, 0, axis)
    return sums
