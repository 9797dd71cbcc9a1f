"""Complex operators on real vectors, as real operators: what solvers that know real numbers only are given."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.errors import InputError
from tamis.operators.algebra import as_part
from tamis.operators.base import Linear, is_complex


class RealRows(Linear):
    """A complex operator on real vectors, as a real one.

    x ↦ (Re A x, Im A x) for real x: twice the rows, all real, with the same norms ‖A x‖.

    ``split(y)`` makes the same of measurements, so that A x = y becomes ``RealRows(A) @ x = split(y)``. The adjoint is
    (u, v) ↦ Re Aᴴ(u + iv), hence ``RealRows(B.H).H`` makes a real signal of the real and imaginary parts of a code.

    Parameters
    ----------
    A : Operator or array
        Complex, (m, n).

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.operators import DFT, RealRows, split
    >>> x = np.arange(4.0)
    >>> np.allclose(RealRows(DFT(4)) @ x, split(DFT(4) @ x))
    True
    """

    def __init__(self, A: Any) -> None:
        self.A = as_part(A)
        self.parts = (self.A,)
        self.shape = (2 * self.A.shape[0], self.A.shape[1])
        self.dtype = np.dtype(np.float64)

    def forward(self, x: np.ndarray) -> np.ndarray:
        return split(self.A @ x)

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray((self.A.H @ joined(r)).real)

    def columns(self, S: Any) -> np.ndarray:
        X = self.A.columns(S)
        return np.asfortranarray(split(X.toarray() if hasattr(X, "toarray") else X))


class RealPairs(Linear):
    """The rows of A that come in conjugate pairs, as √2 Re and √2 Im of one of each: real, and as many as A has.

    A real signal has conjugate coefficients at mirrored frequencies, so that one of each pair says all. Norms stay,
    ‖B x‖ = ‖A x‖ for real x: of a unitary A it is an orthonormal one, of a tight frame a tight frame.

    Parameters
    ----------
    A : Operator
        Complex, (k, n).
    mirror : array of int, (k,)
        The row whose entries are the conjugates of those of each row: itself where a row is real.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.operators import DFT, RealPairs, mirrored_frequencies
    >>> B = RealPairs(DFT(6), mirrored_frequencies(6))
    >>> np.allclose(B @ (B.T @ np.eye(6)), np.eye(6))
    True
    """

    def __init__(self, A: Any, mirror: Any) -> None:
        self.A = as_part(A)
        self.parts = (self.A,)
        mirror = _check_mirror(mirror, self.A.shape[0])
        here = np.arange(len(mirror))
        self.alone, self.first = np.flatnonzero(mirror == here), np.flatnonzero(mirror > here)
        self.second = mirror[self.first]
        self.shape = self.A.shape
        self.dtype = np.dtype(np.float64)

    def forward(self, x: np.ndarray) -> np.ndarray:
        return self._real(self.A @ x)

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        c = np.zeros(r.shape, np.complex128)
        c[self.alone] = r[self.alone]
        c[self.first] = np.sqrt(2.0) * (r[self.first] + 1j * r[self.second])
        return np.ascontiguousarray((self.A.H @ c).real)

    def columns(self, S: Any) -> np.ndarray:
        X = self.A.columns(S)
        return np.asfortranarray(self._real(X.toarray() if hasattr(X, "toarray") else X))

    def _real(self, c: np.ndarray) -> np.ndarray:
        """The real part of a pair stands at its first row, the imaginary part at its second."""
        out = c.real.copy()
        out[self.first] *= np.sqrt(2.0)
        out[self.second] = np.sqrt(2.0) * c.imag[self.first]
        return out


def split(y: Any) -> np.ndarray:
    """(Re y, Im y), one below the other."""
    y = np.asarray(y)
    return np.concatenate([y.real, y.imag]).astype(np.float64, copy=False)


def joined(r: np.ndarray) -> np.ndarray:
    """The complex numbers that ``split`` took apart."""
    half = len(r) // 2
    return r[:half] + 1j * r[half:]


def mirrored_frequencies(n: Any) -> np.ndarray:
    """The position of −k for each frequency k of ``DFT(n)``, row by row where n is a shape."""
    grid = tuple(n) if isinstance(n, (tuple, list)) else (int(n),)
    places = np.meshgrid(*[-np.arange(length) % length for length in grid], indexing="ij")
    return np.ravel_multi_index(tuple(place.ravel() for place in places), grid)


def mirrored_pieces(A: Any) -> np.ndarray:
    """The same for the coefficients of a ``Gabor`` frame: frequencies are mirrored within each piece."""
    pieces, M = A.coefficients_shape
    mirror: np.ndarray = (M * np.arange(pieces)[:, None] + (-np.arange(M) % M)).ravel()
    return mirror


def real_form(A: Any) -> Any:
    """A where it is real, else ``RealRows(A)``."""
    A = as_part(A)
    return RealRows(A) if is_complex(A) else A


def _check_mirror(mirror: Any, k: int) -> np.ndarray:
    mirror = np.asarray(mirror)
    fits = mirror.shape == (k,) and mirror.dtype.kind in "iu" and k > 0 and mirror.min() >= 0 and mirror.max() < k
    if not fits or not np.array_equal(mirror[mirror], np.arange(k)):
        raise InputError(f"mirror must give for each of the {k} rows the position of its conjugate, and back")
    return mirror.astype(np.intp)
