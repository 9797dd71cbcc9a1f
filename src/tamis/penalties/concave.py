"""Penalties that flatten out, so that large coefficients are not shrunk: MCP and SCAD. They are not convex."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.checks import check_number
from tamis.penalties.base import NonConvex
from tamis.penalties.columns import ColumnPenalty, largest_ratio


class ConcavePenalty(ColumnPenalty, NonConvex):
    """Σ Ω_a(|wⱼ|), a = α vⱼ, with slope a at 0 that falls to 0 at |wⱼ| = γa. α is the knot as well as the slope.

    A subclass gives Ω, its slope and the candidates for the minimum of its prox, all for t ≥ 0.
    """

    kernel: int  # its number in concave.cpp
    above: float  # what γ must exceed
    gamma: float

    def check(self) -> None:
        self.knot()

    def knot(self) -> float:
        """γ, checked."""
        return check_number("gamma", self.gamma, above=self.above)

    def value(self, w: np.ndarray, alpha: float) -> float:
        return float(self._value(np.abs(w), self.levels(w, alpha)).sum())

    def prox(self, v: np.ndarray, step: float, alpha: float) -> np.ndarray:
        """The candidate of the least cost: each piece's own minimum and its ends."""
        size, a = np.abs(v), self.levels(v, alpha)
        z = np.stack(self._candidates(size, step, a))
        best = ((z - size) ** 2 / (2 * step) + self._value(z, a)).argmin(axis=0)
        return np.sign(v) * np.take_along_axis(z, best[None], axis=0)[0]

    def slope(self, w: np.ndarray, alpha: float) -> np.ndarray:
        """Ω'(|w|) ≥ 0, at 0 the limit from the right."""
        return self._slope(np.abs(w), self.levels(w, alpha))

    def subdifferential_distance(self, w: np.ndarray, gradient: np.ndarray, alpha: float) -> np.ndarray:
        slope = self.slope(w, alpha)
        return np.where(w == 0, np.maximum(np.abs(gradient) - slope, 0.0), np.abs(gradient + np.sign(w) * slope))

    def alpha_max(self, gradient_at_null: np.ndarray) -> float:
        v = np.ones(len(gradient_at_null)) if self.weights is None else self.weights_of(len(gradient_at_null))
        return largest_ratio(gradient_at_null, v)

    def _value(self, t: np.ndarray, a: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def _slope(self, t: np.ndarray, a: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def _candidates(self, v: np.ndarray, step: float, a: np.ndarray) -> list[np.ndarray]:
        raise NotImplementedError


class MCP(ConcavePenalty):
    """Ω_a(t) = a t − t²/(2γ) up to t = γa, then γa²/2; a = α v (Zhang 2010, minimax concave penalty).

    prox_τ(v), τ < γ: 0 up to |v| = τa, then (|v| − τa)/(1 − τ/γ) up to |v| = γa, then v itself; for τ ≥ γ it is v where
    |v| > a√(γτ), else 0.

    Parameters
    ----------
    gamma : float > 1
        γ: where the penalty is flat, in units of α. Large values come near L1, small ones near L0. With columns of unit
        variance the objective has one minimum along every coordinate.
    weights : array of p numbers ≥ 0, or {column: number}
        v; 0 leaves a column unpenalised. None: all ones.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.penalties import MCP
    >>> MCP(gamma=3.0).prox(np.array([0.5, 2.0, 4.0]), step=1.0, alpha=1.0)
    array([0. , 1.5, 4. ])
    """

    kernel = 0
    above = 1.0

    def __init__(self, gamma: float = 3.0, weights: Any = None) -> None:
        self.gamma = gamma
        self.weights = weights

    def _value(self, t: np.ndarray, a: np.ndarray) -> np.ndarray:
        t = np.minimum(t, self.gamma * a)
        return a * t - t**2 / (2 * self.gamma)

    def _slope(self, t: np.ndarray, a: np.ndarray) -> np.ndarray:
        return np.maximum(a - t / self.gamma, 0.0)

    def _candidates(self, v: np.ndarray, step: float, a: np.ndarray) -> list[np.ndarray]:
        end, bent = self.gamma * a, 1 - step / self.gamma
        inner = np.clip((v - step * a) / bent, 0.0, end) if bent > 0 else 0 * v
        return [0 * v, inner, np.maximum(v, end)]


class SCAD(ConcavePenalty):
    """Ω_a' = a up to t = a, (γa − t)/(γ − 1) up to γa, then 0; a = α v (Fan and Li 2001, smoothly clipped absolute
    deviation).

    Parameters
    ----------
    gamma : float > 2
        γ: where the penalty is flat, in units of α.
    weights
        As in MCP.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.penalties import SCAD
    >>> SCAD(gamma=3.0).prox(np.array([1.5, 2.5, 4.0]), step=1.0, alpha=1.0)
    array([0.5, 2. , 4. ])
    """

    kernel = 1
    above = 2.0

    def __init__(self, gamma: float = 3.7, weights: Any = None) -> None:
        self.gamma = gamma
        self.weights = weights

    def _value(self, t: np.ndarray, a: np.ndarray) -> np.ndarray:
        t = np.minimum(t, self.gamma * a)
        return a * t - np.maximum(t - a, 0.0) ** 2 / (2 * (self.gamma - 1))

    def _slope(self, t: np.ndarray, a: np.ndarray) -> np.ndarray:
        return np.maximum(a - np.maximum(t - a, 0.0) / (self.gamma - 1), 0.0)

    def _candidates(self, v: np.ndarray, step: float, a: np.ndarray) -> list[np.ndarray]:
        g = self.gamma
        inner, outer, bent = np.clip(v - step * a, 0.0, a), np.maximum(v, g * a), g - 1 - step
        middle = np.clip(((g - 1) * v - g * step * a) / bent, a, g * a) if bent > 0 else inner
        return [0 * v, inner, middle, outer]
