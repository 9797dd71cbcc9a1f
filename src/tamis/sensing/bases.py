"""Bases x = Ψ s (11.20): in which a signal is few numbers.

``operator(shape)`` is Ψ (n, k) for signals of a length or images of a shape, its atoms in columns; ``analyse`` gives a
code of a signal and ``synthesise`` the signal of a code. Of complex transforms it is the real form, so that real
signals have real codes, unless signals are said to be complex.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.linalg
from sklearn.base import BaseEstimator

from tamis._core.checks import as_object, check_count, suggestion
from tamis._core.errors import InputError
from tamis._core.optional import need
from tamis.operators import DCT as CosineTransform
from tamis.operators import DFT, RealPairs, Restriction, as_operator, mirrored_frequencies, mirrored_pieces
from tamis.operators import Gabor as GaborTransform
from tamis.operators import Identity as IdentityOperator
from tamis.operators import Wavelet as WaveletTransform
from tamis.operators.grid import check_grid, to_grid, to_vectors


class Basis(BaseEstimator):
    """What all bases share. A subclass gives ``operator`` and, where the analysis is another than Ψᴴ, ``analyse``."""

    def operator(self, shape: Any, *, complex_signals: bool = False) -> Any:
        """Ψ, (n, k)."""
        raise NotImplementedError

    def orthonormal(self, shape: Any) -> bool:
        """Whether the columns of Ψ are an orthonormal basis of signals of this shape."""
        del shape
        return False

    def analyse(self, x: Any) -> np.ndarray:
        """A code s (k,) with Ψ s = x: the coefficients of the signal or image x."""
        x = np.asarray(x)
        return self.operator(x.shape, complex_signals=x.dtype.kind == "c").H @ x.ravel()

    def synthesise(self, code: Any, shape: Any) -> np.ndarray:
        """The signal or image Ψ s of this shape."""
        code = np.asarray(code)
        signal: np.ndarray = self.operator(shape, complex_signals=code.dtype.kind == "c") @ code
        return signal.reshape(check_grid("shape", shape))


class Identity(Basis):
    """Ψ = I: signals that are few spikes themselves."""

    def operator(self, shape: Any, *, complex_signals: bool = False) -> Any:
        del complex_signals
        return IdentityOperator(math.prod(check_grid("shape", shape)))

    def orthonormal(self, shape: Any) -> bool:
        return True


class Fourier(Basis):
    """Sines and cosines: the orthonormal Fourier basis.

    For real signals the code is real, a cosine and a sine for each pair of frequencies ±k; for complex ones the columns
    are those of the inverse DFT.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.sensing import Fourier
    >>> s = Fourier().analyse(np.cos(2 * np.pi * 3 * np.arange(32) / 32))
    >>> np.flatnonzero(np.abs(s) > 1e-12)
    array([3])
    """

    def operator(self, shape: Any, *, complex_signals: bool = False) -> Any:
        grid = check_grid("shape", shape)
        return DFT(grid).H if complex_signals else RealPairs(DFT(grid), mirrored_frequencies(grid)).H

    def orthonormal(self, shape: Any) -> bool:
        return True


class DCT(Basis):
    """Cosines: the orthonormal cosine basis, on each axis of an image."""

    def operator(self, shape: Any, *, complex_signals: bool = False) -> Any:
        del complex_signals
        return CosineTransform(check_grid("shape", shape)).H

    def orthonormal(self, shape: Any) -> bool:
        return True


class Wavelet(Basis):
    """A wavelet basis of signals or images, by PyWavelets (``pip install 'tamis[signal]'``).

    Parameters
    ----------
    name : str
        "haar", "db4", "sym8", "coif2", "bior4.4", …
    level : int or None
        How often the coarse part is halved; None: as long as it is not shorter than the wavelet's filter.

    Notes
    -----
    Lengths that are no multiples of 2^level are continued to one: Ψ then makes the longer signal and leaves out what is
    beyond, and ``analyse`` continues a signal by its mirror image. Orthonormal where the wavelet is orthogonal and
    nothing is continued.

    Examples
    --------
    >>> from tamis.sensing import Wavelet
    >>> Wavelet("db4").operator((64, 64)).shape, Wavelet("db4").operator(100).shape
    ((4096, 4096), (100, 104))
    """

    def __init__(self, name: str = "db4", level: int | None = None) -> None:
        self.name = name
        self.level = level

    def transform(self, shape: Any) -> WaveletTransform:
        """The wavelet transform of the signals, continued where they have to be."""
        grid = check_grid("shape", shape)
        WaveletTransform(self.name, 2)  # a name that is none is refused here
        level = self._level(grid) if self.level is None else check_count("level", self.level)
        return WaveletTransform(self.name, tuple(-(-length // 2**level) * 2**level for length in grid), level)

    def operator(self, shape: Any, *, complex_signals: bool = False) -> Any:
        del complex_signals
        grid = check_grid("shape", shape)
        W = self.transform(grid)
        return W.inverse if W.grid == grid else Restriction(W.shape[0], _inside(grid, W.grid)) @ W.inverse

    def orthonormal(self, shape: Any) -> bool:
        grid = check_grid("shape", shape)
        W = self.transform(grid)
        return W.orthogonal and W.grid == grid

    def analyse(self, x: Any) -> np.ndarray:
        x = np.asarray(x)
        W = self.transform(x.shape)
        longer = [(0, after - length) for length, after in zip(x.shape, W.grid, strict=True)]
        code: np.ndarray = W @ np.pad(x, longer, mode="symmetric").ravel()
        return code

    def coarse(self, shape: Any) -> np.ndarray:
        """Which entries of a code are the coarse part, averages and not details."""
        W = self.transform(shape)
        coarse = np.zeros(W.grid, bool)
        coarse[tuple(slice(length >> W.level) for length in W.grid)] = True
        return coarse.ravel()

    def _level(self, grid: tuple[int, ...]) -> int:
        pywt = need("pywt", extra="signal", purpose="a wavelet transform")
        return max(1, pywt.dwt_max_level(min(grid), pywt.Wavelet(self.name.lower()).dec_len))


class Gabor(Basis):
    """A tight Gabor frame: short waves of all frequencies at all times, for sounds and chirps.

    For real signals the code is real, a cosine and a sine of each wave.

    Parameters
    ----------
    window : int or array
        The window, or the length of a Gaussian one.
    hop : int or None
        Samples from one piece to the next; None: a quarter of the window.
    n_frequencies : int or None
        Frequencies of each piece; None: the window's length.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.sensing import Gabor
    >>> x = np.sin(0.01 * np.arange(200.0) ** 2)
    >>> basis = Gabor(window=32)
    >>> s = basis.analyse(x)
    >>> s.shape, np.allclose(basis.synthesise(s, 200), x)
    ((800,), True)
    """

    def __init__(self, window: Any = 64, hop: int | None = None, n_frequencies: int | None = None) -> None:
        self.window = window
        self.hop = hop
        self.n_frequencies = n_frequencies

    def transform(self, shape: Any) -> GaborTransform:
        """The Gabor transform of the signals; its coefficients lie as (pieces, frequencies)."""
        grid = check_grid("shape", shape)
        if len(grid) != 1:
            raise InputError(f"a Gabor frame is for signals on a line, got shape {grid}: take a wavelet basis",
                             argument="basis")  # fmt: skip
        return GaborTransform(grid[0], self.window, self.hop, self.n_frequencies)

    def operator(self, shape: Any, *, complex_signals: bool = False) -> Any:
        A = self.transform(shape)
        return A.H if complex_signals else RealPairs(A, mirrored_pieces(A)).H


class Dictionary(Basis):
    """Atoms that were learned or chosen: the columns of Ψ are the rows of a dictionary.

    Parameters
    ----------
    atoms : array (k, p)
        One atom in each row, of p numbers as the signals have.

    Notes
    -----
    ``analyse`` gives the code of least ℓ₂ norm, which is not sparse where there are more atoms than numbers; a sparse
    one is what recoveries find.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.sensing import Dictionary
    >>> Dictionary(np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])).synthesise([0.0, 0.0, 5.0], 2)
    array([3., 4.])
    """

    def __init__(self, atoms: Any) -> None:
        self.atoms = atoms

    def operator(self, shape: Any, *, complex_signals: bool = False) -> Any:
        del complex_signals
        D, n = self._checked(), math.prod(check_grid("shape", shape))
        if D.shape[1] != n:
            raise InputError(f"atoms have {D.shape[1]} numbers and the signals {n}: they must be as long",
                             argument="atoms")  # fmt: skip
        return as_operator(D.T, complex_ok=True)

    def orthonormal(self, shape: Any) -> bool:
        D = self._checked()
        return D.shape[0] == D.shape[1] and bool(np.allclose(D @ D.conj().T, np.eye(len(D)), rtol=0, atol=1e-9))

    def analyse(self, x: Any) -> np.ndarray:
        x = np.asarray(x)
        self.operator(x.shape)
        code: np.ndarray = scipy.linalg.lstsq(self._checked().T, x.ravel())[0]
        return code

    def _checked(self) -> np.ndarray:
        D = np.asarray(self.atoms)
        if D.ndim != 2 or D.dtype.kind not in "fiubc" or not D.size or not np.isfinite(D).all():
            raise InputError(f"atoms must be finite numbers with an atom in each row, (k, p), got {D.dtype} of shape "
                             f"{D.shape}", argument="atoms")  # fmt: skip
        return D


BASES: dict[str, type[Basis]] = {
    "identity": Identity,
    "fourier": Fourier,
    "dct": DCT,
    "wavelet": Wavelet,
    "gabor": Gabor,
}


def as_basis(given: Any) -> Basis:
    """The basis that a short name or a wavelet's name stands for; an array holds atoms in its rows, None is I."""
    if given is None:
        return Identity()
    if isinstance(given, str):
        return BASES[given]() if given in BASES else _wavelet(given)
    if isinstance(given, np.ndarray):
        return Dictionary(given)
    return as_object("basis", given, BASES, Basis)


def _wavelet(name: str) -> Wavelet:
    try:
        WaveletTransform(name, 2)
    except InputError as error:
        if "pip install" in str(error):
            raise
        names = ", ".join(repr(k) for k in BASES)
        raise InputError(
            f"basis must be one of {names}, a wavelet such as 'haar', 'db4' or 'sym8', or a Basis object; got {name!r}"
            f"{suggestion(name, BASES)}",
            argument="basis",
        ) from None
    return Wavelet(name)


def _inside(grid: tuple[int, ...], longer: tuple[int, ...]) -> np.ndarray:
    """Where the signal lies in the longer one."""
    positions = to_grid(np.arange(math.prod(longer)), longer)[tuple(slice(length) for length in grid)]
    return to_vectors(positions, len(grid))
