"""Denoising by thresholds on the coefficients of a basis, and the level of the noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis._core.checks import check_choice, check_number
from tamis._core.errors import InputError
from tamis.sensing.approximation import as_signal
from tamis.sensing.bases import Wavelet, as_basis
from tamis.solvers.thresholds import hard_threshold, soft_threshold

NORMAL_MAD = 0.6744897501960817  # the median of |z| for a standard normal z
RULES = {"soft": soft_threshold, "hard": hard_threshold}


@dataclass(frozen=True)
class Denoised:
    """The signal whose coefficients were thresholded, with the noise level and the threshold that were used."""

    signal: np.ndarray
    code: np.ndarray
    sigma: float
    threshold: float
    n_kept: int


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
    x, basis = as_signal(x), as_basis(basis)
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
    x = as_signal(x)
    if min(x.shape) < 2:
        raise InputError(f"x must have at least two numbers on each axis to show its noise, got shape {x.shape}")
    basis = Wavelet(wavelet, level=1)
    W = basis.transform(x.shape)
    finest = basis.analyse(x).reshape(W.grid)[tuple(slice(length // 2, None) for length in W.grid)]
    return float(np.median(np.abs(finest)) / NORMAL_MAD)
