"""Weights of features or groups as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tamis._core.checks import check_number, shorten, suggestion
from tamis._core.errors import InputError


def as_weights(weights: Any, n: int, what: str, names: list[str] | None = None) -> np.ndarray:
    """n finite numbers ≥ 0, one per ``what``; a mapping gives those it names and leaves 1 to the others."""
    if weights is None:
        return np.ones(n)
    if isinstance(weights, Mapping):
        return _by_name(weights, n, what, names)
    try:
        v = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"weights must be numbers, one per {what}, got {weights!r}") from None
    if v.shape != (n,):
        raise InputError(f"weights must hold one number for each of the {n} {what}s, got shape {v.shape}")
    bad = np.flatnonzero(~(np.isfinite(v) & (v >= 0)))
    if len(bad):
        raise InputError(f"weights must be finite and ≥ 0 (0: unpenalised), got {v[bad[0]]:g} for {what} {bad[0]}")
    return v


def adaptive_weights(w0: Any, gamma: float = 1.0, eps: float = 1e-3) -> np.ndarray:
    """1 / (|w₀| + eps)^γ: weights that shrink what a first fit w₀ found large less (Zou 2006).

    Parameters
    ----------
    w0 : array
        Coefficients of the first fit.
    gamma : float ≥ 0
        How strongly the first fit counts; 0 gives all ones.
    eps : float > 0
        Keeps the weight of a zero coefficient finite, so that it may still enter.

    Examples
    --------
    >>> from tamis.penalties import adaptive_weights
    >>> adaptive_weights([1.0, 0.0], eps=0.25)
    array([0.8, 4. ])
    """
    check_number("gamma", gamma, at_least=0)
    check_number("eps", eps, above=0)
    return (np.abs(np.asarray(w0, dtype=np.float64)) + eps) ** -gamma


def _by_name(weights: Mapping[Any, Any], n: int, what: str, names: list[str] | None) -> np.ndarray:
    valid = list(range(n)) if names is None else names
    unknown = [k for k in weights if k not in valid]
    if unknown:
        raise InputError(f"weights names {shorten(unknown)}, which no {what} is called{suggestion(unknown[0], valid)}")
    position = {name: k for k, name in enumerate(valid)}
    v = np.ones(n)
    for name, weight in weights.items():
        v[position[name]] = check_number(f"weights[{name!r}]", weight, at_least=0)
    return v
