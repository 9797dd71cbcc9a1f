"""L1 with bounds on the coefficients."""

from __future__ import annotations

from copy import copy
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from tamis._core.errors import InputError

EDGE = 2.0**-22  # relative: coefficients in single precision may be off a bound by their rounding


class Box(BaseEstimator):
    """Ω(w) = ‖w‖₁ where lower ≤ w ≤ upper, infinite elsewhere;  prox_τ(w) = clip(soft(w, τ), lower, upper);
    (αΩ)*(c) = Σ uⱼ max(cⱼ − α, 0) − lⱼ max(−cⱼ − α, 0). With alpha = 0 the bounds alone count.

    Parameters
    ----------
    lower, upper : number, or array of p of them
        Bounds, lower ≤ 0 ≤ upper; infinite: none. On standardised columns they are bounds of w times the column's
        standard deviation.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.penalties import Box
    >>> Box(lower=0.0, upper=1.0).prox(np.array([-2.0, 1.5, 9.0]), step=1.0, alpha=1.0)
    array([0. , 0.5, 1. ])
    """

    def __init__(self, lower: Any = -1.0, upper: Any = 1.0) -> None:
        self.lower = lower
        self.upper = upper

    def bound(self, p: int, names: list[str] | None = None, blocks: Any = None) -> Self:
        """The same penalty with bounds as arrays that fit p columns."""
        del names, blocks
        other = copy(self)
        other.lower, other.upper = self._bounds(p)
        return other

    def at_columns(self, S: np.ndarray, scale: np.ndarray) -> Box:
        """The bounds of w on some columns, where those here are of w times ``scale``."""
        low, high = self._bounds(len(scale))
        return Box((low / scale)[S], (high / scale)[S])

    def _bounds(self, p: int) -> tuple[np.ndarray, np.ndarray]:
        low, high = _numbers("lower", self.lower, p), _numbers("upper", self.upper, p)
        if not (low <= 0).all():
            raise InputError(f"lower must be ≤ 0, for coefficients may be zero; got {low.max():g}", argument="lower")
        if not (high >= 0).all():
            raise InputError(f"upper must be ≥ 0, for coefficients may be zero; got {high.min():g}", argument="upper")
        return low, high

    def _bounds_of(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        low, high = self._bounds(len(w))
        return (low, high) if w.ndim == 1 else (low[:, None], high[:, None])

    def value(self, w: np.ndarray, alpha: float) -> float:
        low, high = self._bounds_of(w)
        inside = ((w >= low * (1 + EDGE)) & (w <= high * (1 + EDGE))).all()
        return alpha * float(np.abs(w).sum()) if inside else np.inf

    def prox(self, v: np.ndarray, step: float, alpha: float) -> np.ndarray:
        return np.clip(np.sign(v) * np.maximum(np.abs(v) - step * alpha, 0.0), *self._bounds_of(v))

    def subdifferential_distance(self, w: np.ndarray, gradient: np.ndarray, alpha: float) -> np.ndarray:
        """∂Ω_α is [α sign, ∞) at an upper bound, (−∞, α sign] at a lower one, around 0 [−α, α]."""
        low, high = self._bounds_of(w)
        most = np.where(w >= high, np.inf, np.where(w >= 0, alpha, -alpha))
        least = np.where(w <= low, -np.inf, np.where(w <= 0, -alpha, alpha))
        return np.maximum(np.maximum(-gradient - most, least + gradient), 0.0)

    def conjugate(self, c: np.ndarray, alpha: float) -> float:
        low, high = self._bounds_of(c)
        above, below = np.maximum(c - alpha, 0.0), np.maximum(-c - alpha, 0.0)
        with np.errstate(invalid="ignore"):
            return float((np.where(above > 0, high * above, 0.0) - np.where(below > 0, low * below, 0.0)).sum())

    def alpha_max(self, gradient_at_null: np.ndarray) -> float:
        low, high = self._bounds_of(gradient_at_null)
        up, down = np.where(high > 0, -gradient_at_null, 0.0), np.where(low < 0, gradient_at_null, 0.0)
        return float(np.maximum(up, down).max(initial=0.0))


def _numbers(name: str, given: Any, p: int) -> np.ndarray:
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.array([np.nan])
    if values.shape not in ((), (p,)) or np.isnan(values).any():
        raise InputError(f"{name} must be a number, or one for each of the {p} columns, got {given!r}", argument=name)
    return np.broadcast_to(values, (p,))
