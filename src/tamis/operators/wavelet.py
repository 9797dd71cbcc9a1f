"""Wavelet transforms, by PyWavelets."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tamis._core.checks import check_count, suggestion
from tamis._core.errors import InputError
from tamis._core.optional import need
from tamis.operators.base import Linear
from tamis.operators.grid import check_grid, to_grid, to_vectors


class Wavelet(Linear):
    """The periodised discrete wavelet transform of signals and images: as many coefficients as there are samples.

    For an orthogonal wavelet it is orthonormal, and ``A.T`` is its inverse, whose columns are the wavelet basis. For a
    biorthogonal one ``A.T`` is the transpose and not the inverse; ``A.inverse`` is the inverse for both.

    Parameters
    ----------
    name : str
        One of PyWavelets' discrete wavelets: "haar", "db4", "sym8", "coif2", "bior4.4", …
    n : int or tuple of int
        Length of the signals, or the shape of images, which are vectors row by row. Each length must be a multiple of
        2^level: others cannot be halved so often without samples that are made up.
    level : int or None
        How often the coarse part is halved; None: as often as the lengths allow and the coarse part is not shorter than
        the wavelet's filter.

    Notes
    -----
    Coefficients of a signal are ordered from coarse to fine. Those of an image lie as an image, the coarse part in the
    corner at (0, 0), and are a vector row by row.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.operators import Wavelet
    >>> A = Wavelet("haar", 4)
    >>> A @ np.array([1.0, 1.0, 1.0, 1.0])
    array([2., 0., 0., 0.])
    """

    def __init__(self, name: str, n: Any, level: int | None = None) -> None:
        self.grid = check_grid("n", n)
        self.wavelet = _discrete(name)
        self.level = _check_level(self.grid, self.wavelet, level)
        self.orthogonal = bool(self.wavelet.orthogonal)
        self._set(self.wavelet.dec_lo, self.wavelet.dec_hi)

    def _set(self, low: list[float], high: list[float]) -> None:
        """Analysis by these filters; the transpose of a filter and every second number is the filter reversed."""
        pywt, size = _pywt(), math.prod(self.grid)
        self._filters = pywt.Wavelet("analysis", filter_bank=[low, high, low[::-1], high[::-1]])
        self.shape = (size, size)
        self.dtype = np.dtype(np.float64)

    @property
    def inverse(self) -> Any:
        """The operator that makes signals of coefficients."""
        if self.orthogonal:
            return self.H
        dual = Wavelet.__new__(Wavelet)
        dual.grid, dual.wavelet, dual.level, dual.orthogonal = self.grid, self.wavelet, self.level, False
        dual._set(self.wavelet.rec_lo[::-1], self.wavelet.rec_hi[::-1])
        return dual.H

    def forward(self, x: np.ndarray) -> np.ndarray:
        X = to_grid(x, self.grid).copy()
        for corner in self._corners():
            for axis in range(len(self.grid)):
                halves = _pywt().dwt(X[corner], self._filters, mode="periodization", axis=axis)
                X[corner] = np.concatenate(halves, axis=axis)
        return to_vectors(X, len(self.grid))

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        X = to_grid(r, self.grid).copy()
        for corner in reversed(self._corners()):
            for axis in reversed(range(len(self.grid))):
                low, high = np.split(X[corner], 2, axis=axis)
                X[corner] = _pywt().idwt(low, high, self._filters, mode="periodization", axis=axis)
        return to_vectors(X, len(self.grid))

    def _corners(self) -> list[tuple[slice, ...]]:
        """What each level halves, from all to coarse."""
        return [tuple(slice(length >> k) for length in self.grid) for k in range(self.level)]


def _pywt() -> Any:
    return need("pywt", extra="signal", purpose="a wavelet transform")


def _discrete(name: Any) -> Any:
    known = _pywt().wavelist(kind="discrete")
    if not isinstance(name, str) or name.lower() not in known:
        raise InputError(
            f"name must be a discrete wavelet of PyWavelets, such as 'haar', 'db4', 'sym8' or 'bior4.4'; got {name!r}"
            f"{suggestion(name, known)}"
        )
    return _pywt().Wavelet(name.lower())


def _check_level(grid: tuple[int, ...], wavelet: Any, level: int | None) -> int:
    most = min((length & -length).bit_length() - 1 for length in grid)  # how often 2 divides every length
    lengths = f"length {grid[0]}" if len(grid) == 1 else f"shape {grid}"
    if level is not None:
        level = check_count("level", level)
        if level > most:
            raise InputError(f"level={level} needs lengths that are multiples of {2**level}, got {lengths}: pad them")
        return level
    if most == 0:
        raise InputError(f"a wavelet transform halves the signals: n must be even, got {lengths}: pad them")
    return max(1, min(most, _pywt().dwt_max_level(min(grid), wavelet.dec_len)))
