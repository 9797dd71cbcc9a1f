"""Few coefficients in place of many numbers: K-term approximation, and denoising by thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis._core.checks import check_choice, check_count, check_number
from tamis._core.errors import InputError
from tamis.sensing.bases import Wavelet, as_basis
from tamis.solvers.thresholds import hard_threshold, keep_largest, soft_threshold

NORMAL_MAD = 0.6744897501960817  # the median of |z| for a standard normal z


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


@dataclass(frozen=True)
class Denoised:
    """The signal whose coefficients were thresholded, with the noise level and the threshold that were used."""

    signal: np.ndarray
    code: np.ndarray
    sigma: float
    threshold: float
    n_kept: int


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
    x, basis = _signal(x), as_basis(basis)
    c = basis.analyse(x)
    K = _terms(c, n_terms, share, energy)
    code = keep_largest(c, K)
    signal = basis.synthesise(code, x.shape)
    orthonormal = basis.orthonormal(x.shape)
    error = float(np.linalg.norm(c - code) if orthonormal else np.linalg.norm(x - signal))
    size = float(np.linalg.norm(x))
    return Approximation(signal, code, K, error, 1.0 - (error / size) ** 2 if size > 0 else 1.0)


def threshold_denoise(
    x: Any, basis: Any = "sym8", *, rule: str = "soft", threshold: float | None = None, sigma: float | None = None
) -> Denoised:
    """Take noise off a signal or an image: coefficients below a threshold go, for they are noise more often than not.

    Parameters
    ----------
    x : array
        A signal (n,) or an image (h, w), with independent noise of one level.
    basis : str, Basis or array
        As for `k_term`. The coarse part of a wavelet basis is left as it is.
    rule : {"soft", "hard"}
        "hard" keeps what exceeds the threshold as it is, "soft" brings it nearer to zero by the threshold.
    threshold : float or None
        None: σ √(2 ln n), the universal threshold, which pure noise of n coefficients hardly ever exceeds
        [donoho1994]_.
    sigma : float or None
        The noise level σ; None: `noise_level` of x.

    Returns
    -------
    denoised : Denoised

    References
    ----------
    .. [donoho1994] Donoho & Johnstone, Ideal spatial adaptation by wavelet shrinkage, Biometrika 81, 1994.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.sensing import threshold_denoise
    >>> rng = np.random.default_rng(0)
    >>> clean = np.repeat([0.0, 4.0, 1.0, 3.0], 64)
    >>> noisy = clean + 0.3 * rng.standard_normal(256)
    >>> found = threshold_denoise(noisy, "haar", rule="hard")
    >>> bool(np.linalg.norm(found.signal - clean) < 0.3 * np.linalg.norm(noisy - clean))
    True
    """
    x, basis = _signal(x), as_basis(basis)
    shrink = RULES[check_choice("rule", rule, list(RULES))]
    if threshold is not None:
        threshold = check_number("threshold", threshold, at_least=0.0)
    sigma = noise_level(x) if sigma is None and threshold is None else sigma
    sigma = float("nan") if sigma is None else check_number("sigma", sigma, at_least=0.0)
    c = basis.analyse(x)
    level = sigma * np.sqrt(2.0 * np.log(c.size)) if threshold is None else threshold
    code = shrink(c, level)
    if isinstance(basis, Wavelet):
        coarse = basis.coarse(x.shape)
        code[coarse] = c[coarse]
    return Denoised(basis.synthesise(code, x.shape), code, sigma, float(level), int(np.count_nonzero(code)))


def noise_level(x: Any, wavelet: str = "db4") -> float:
    """σ of independent noise, from the finest wavelet coefficients: their median size over 0.6745.

    Few of these coefficients hold anything but noise, and the median does not mind the few. Of an image they are the
    diagonal ones.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.sensing import noise_level
    >>> t = np.linspace(0, 1, 4096)
    >>> round(noise_level(np.sin(9 * t) + 0.1 * np.random.default_rng(0).standard_normal(4096)), 2)
    0.1
    """
    x = _signal(x)
    if min(x.shape) < 2:
        raise InputError(f"x must have at least two numbers on each axis to show its noise, got shape {x.shape}")
    basis = Wavelet(wavelet, level=1)
    W = basis.transform(x.shape)
    finest = basis.analyse(x).reshape(W.grid)[tuple(slice(length // 2, None) for length in W.grid)]
    return float(np.median(np.abs(finest)) / NORMAL_MAD)


RULES = {"soft": soft_threshold, "hard": hard_threshold}


def _signal(x: Any) -> np.ndarray:
    x = np.asarray(x)
    if x.dtype.kind not in "fiubc" or x.ndim == 0 or x.size == 0:
        raise InputError(f"x must be a signal or an image of numbers, got {x.dtype} of shape {x.shape}", argument="x")
    if not np.isfinite(x).all():
        raise InputError("x holds NaN or infinite values: replace them first", argument="x")
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
