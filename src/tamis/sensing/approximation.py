"""Few coefficients in place of many numbers: K-term approximation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis._core.checks import check_count, check_finite, check_number
from tamis._core.errors import InputError
from tamis.sensing.bases import as_basis
from tamis.solvers.thresholds import keep_largest


@dataclass(frozen=True)
class Approximation:
    """The signal x̂ = Ψ ŝ that few coefficients make.

    Attributes
    ----------
    signal : array
        x̂, in the shape of x.
    code : (k,)
        ŝ: the largest coefficients of x, zeros elsewhere.
    n_terms : int
        K, the coefficients kept.
    error : float
        ‖x − x̂‖₂. In an orthonormal basis it is √(Σ |cⱼ|²) over the coefficients left out (Parseval), the least that K
        terms can have; elsewhere it is measured.
    kept_energy : float
        1 − error²/‖x‖².
    """

    signal: np.ndarray
    code: np.ndarray
    n_terms: int
    error: float
    kept_energy: float


def k_term(
    x: Any,
    basis: Any = "wavelet",
    *,
    n_terms: int | None = None,
    share: float | None = None,
    energy: float | None = None,
) -> Approximation:
    """Keep the K largest coefficients of a signal or an image: x̂ = Σ_{j ∈ I} cⱼ ψⱼ.

    In an orthonormal basis this is the best of all combinations of K columns, and ‖x − x̂‖² = Σ_{j ∉ I} |cⱼ|². Which
    coefficients are kept depends on x: a sum of two signals of K terms may need 2K.

    Parameters
    ----------
    x : array
        A signal (n,) or an image (h, w), real or complex.
    basis : str, Basis or array
        "wavelet", "dct", "fourier", "identity", a wavelet's name such as "sym8", a `Basis`, or atoms in rows.
    n_terms : int
        K; or one of the next two.
    share : float
        K as a share of the number of coefficients.
    energy : float
        The fewest terms whose squares are at least this share of all of them.

    Returns
    -------
    approximation : Approximation

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.sensing import k_term
    >>> x = np.cos(2 * np.pi * np.arange(64) / 64) + 0.1 * np.cos(2 * np.pi * 9 * np.arange(64) / 64)
    >>> found = k_term(x, "fourier", n_terms=1)
    >>> round(found.error, 6), round(float(np.linalg.norm(x - found.signal)), 6)
    (0.565685, 0.565685)
    """
    x, basis = as_signal(x), as_basis(basis)
    c = basis.analyse(x)
    K = _terms(c, n_terms, share, energy)
    code = keep_largest(c, K)
    signal = basis.synthesise(code, x.shape)
    orthonormal = basis.orthonormal(x.shape)
    error = float(np.linalg.norm(c - code) if orthonormal else np.linalg.norm(x - signal))
    size = float(np.linalg.norm(x))
    return Approximation(signal, code, K, error, 1.0 - (error / size) ** 2 if size > 0 else 1.0)


def as_signal(x: Any) -> np.ndarray:
    """A signal or an image of numbers, float64 or complex128."""
    x = np.asarray(x)
    if x.dtype.kind not in "fiubc" or x.ndim == 0 or x.size == 0:
        raise InputError(f"x must be a signal or an image of numbers, got {x.dtype} of shape {x.shape}", argument="x")
    check_finite("x", x)
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


def _terms(c: np.ndarray, n_terms: int | None, share: float | None, energy: float | None) -> int:
    if sum(given is not None for given in (n_terms, share, energy)) != 1:
        raise InputError("give one of n_terms, share and energy: how much is kept", argument="n_terms")
    if n_terms is not None:
        return check_count("n_terms", n_terms, at_least=0, at_most=c.size)
    if share is not None:
        return round(check_number("share", share, at_least=0.0, at_most=1.0) * c.size)
    kept = check_number("energy", energy, at_least=0.0, at_most=1.0)
    squares = np.sort(np.abs(c) ** 2)[::-1]
    left = np.append(np.cumsum(squares[::-1])[::-1], 0.0)  # from the smallest: what K terms leave out
    return int(np.argmax(left <= (1.0 - kept) * squares.sum() * (1.0 + 1e-12)))
