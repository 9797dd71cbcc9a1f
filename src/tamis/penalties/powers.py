"""Powers of the coefficients: L0 counts them, Lq with q < 1 is between L0 and L1, Bridge with 1 < q < 2 between L1 and
L2. L0 and Lq are not convex.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.checks import check_count, check_number
from tamis._core.errors import InputError
from tamis.penalties.base import NonConvex
from tamis.penalties.columns import ColumnPenalty, largest_ratio

NEWTON_STEPS = 200  # a bound only: convergence is quadratic in the end
EPS = np.finfo(float).eps
ROUNDED = 1e-12  # relative: a threshold and what is held against it are sums of their own


class ThresholdPenalty(ColumnPenalty, NonConvex):
    """Ω_a(t) = a t^q with 0 ≤ q < 1, t⁰ being 1[t > 0]. Its slope at 0 is infinite, so that 0 is stationary at every
    α; what says more is whether a coordinate leaves 0 for its minimum:

    ½h t² − b t + a t^q is least at t > 0 where b > a^r h^(1 − r) (2 − q) (2(1 − q))^(r − 1), r = 1/(2 − q).
    """

    kernel = 2  # its number in concave.cpp
    caps = False  # whether the number of coefficients has a bound, which coordinates cannot see

    @property
    def power(self) -> float:
        """q."""
        raise NotImplementedError

    def knot(self) -> float:
        """q, checked."""
        return self.power

    @property
    def root(self) -> float:
        """r: thresholds grow as α^r."""
        return 1 / (2 - self.power)

    def thresholds(self, curvature: np.ndarray) -> np.ndarray:
        """(p,) the b above which a coefficient of curvature h leaves 0, at α = 1; 0 for unpenalised columns."""
        q, r, h = self.power, self.root, np.asarray(curvature, dtype=np.float64)
        v = np.ones(len(h)) if self.weights is None else self.weights_of(len(h))
        return v**r * h ** (1 - r) * (2 - q) * (2 * (1 - q)) ** (r - 1)

    def entry_weights(self, curvature: np.ndarray) -> np.ndarray:
        """Thresholds; a column that does not bend never leaves 0."""
        return self.thresholds(np.where(curvature > 0, curvature, 1.0))

    def entry_alpha(self, gradient: np.ndarray, curvature: np.ndarray) -> float:
        """The smallest α at which no coefficient leaves 0 by itself."""
        return (1 + ROUNDED) * largest_ratio(gradient, self.entry_weights(curvature)) ** (1 / self.root)

    def value(self, w: np.ndarray, alpha: float) -> float:
        size, a = np.abs(w), self.levels(w, alpha)
        return float((a * (size > 0 if self.power == 0 else size**self.power)).sum())

    def prox(self, v: np.ndarray, step: float, alpha: float) -> np.ndarray:
        """v itself less what the slope takes, where |v| is above the threshold; else 0."""
        size, a = np.abs(v), self.levels(v, alpha)
        least = self._threshold(step * a)
        return np.sign(v) * np.where(size > least, _larger_root(size, step * a, self.power), 0.0)

    def _threshold(self, level: np.ndarray) -> np.ndarray:
        q, r = self.power, self.root
        return level**r * (2 - q) * (2 * (1 - q)) ** (r - 1)

    def slope(self, w: np.ndarray, alpha: float) -> np.ndarray:
        """Ω'(|w|) where w ≠ 0; infinite at 0 where there is a penalty."""
        size, a, q = np.abs(w), self.levels(w, alpha), self.power
        at = np.where(size > 0, size, 1.0)
        return np.where(size > 0, a * q * at ** (q - 1), np.where(a > 0, np.inf, 0.0))

    def subdifferential_distance(self, w: np.ndarray, gradient: np.ndarray, alpha: float) -> np.ndarray:
        slope = self.slope(w, alpha)
        there = np.abs(gradient + np.sign(w) * np.where(w == 0, 0.0, slope))
        return np.where(np.isinf(slope), 0.0, there)

    def alpha_max(self, gradient_at_null: np.ndarray) -> float:
        """0: the null model is stationary at every α > 0. ``entry_alpha`` says where a step would leave it."""
        del gradient_at_null
        return 0.0


class L0(ThresholdPenalty):
    """Ω(w) = Σ vⱼ 1[wⱼ ≠ 0] = ‖w‖₀;  prox_τ(w) = w · 1[|w| > √(2τv)], τ = step · α. With ``n_nonzero`` = K also
    ‖w‖₀ ≤ K: of what is left the K entries of the largest |w|² − 2τv stay (hard thresholding).

    Parameters
    ----------
    weights : array of p numbers ≥ 0, or {column: number}
        v; 0 leaves a column unpenalised. None: all ones.
    n_nonzero : int or None
        K, the most coefficients that are not zero, in each output. With alpha = 0 nothing else is asked: K-sparse
        regression by iterative hard thresholding. For a proof of how good the columns are: ``BestSubset``.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.penalties import L0
    >>> L0().prox(np.array([1.0, 1.5, -3.0]), step=1.0, alpha=1.0)  # √2 is the threshold
    array([ 0. ,  1.5, -3. ])
    >>> L0(n_nonzero=1).prox(np.array([1.0, 1.5, -3.0]), step=1.0, alpha=0.0)
    array([ 0.,  0., -3.])
    """

    power = 0.0

    def __init__(self, weights: Any = None, n_nonzero: int | None = None) -> None:
        self.weights = weights
        self.n_nonzero = n_nonzero

    @property
    def caps(self) -> bool:  # type: ignore[override]
        return self.n_nonzero is not None

    def check(self) -> None:
        if self.n_nonzero is not None:
            check_count("n_nonzero", self.n_nonzero, at_least=0)
            if self.weights is not None and not (self.weights_of(len(self.weights)) > 0).all():
                raise InputError(
                    "n_nonzero counts every column: give weights > 0, or leave n_nonzero out", argument="weights"
                )

    def value(self, w: np.ndarray, alpha: float) -> float:
        if self.n_nonzero is not None and np.any(np.count_nonzero(w, axis=0) > self.n_nonzero):
            return np.inf
        return super().value(w, alpha)

    def prox(self, v: np.ndarray, step: float, alpha: float) -> np.ndarray:
        z = super().prox(v, step, alpha)
        if self.n_nonzero is None or self.n_nonzero >= len(v):
            return z
        decrease = np.where(z != 0, z**2 - 2 * step * self.levels(v, alpha), -np.inf)
        out = np.argsort(-decrease, axis=0, kind="stable")[self.n_nonzero :]  # ties: the first columns stay
        np.put_along_axis(z, out, 0.0, axis=0)
        return z


class Lq(ThresholdPenalty):
    """Ω(w) = Σ vⱼ|wⱼ|^q, 0 < q < 1: large coefficients are shrunk less than by L1, small ones are zero.

    prox_τ(w) is 0 up to |w| = (2 − q)/(2(1 − q)) · (2τv(1 − q))^(1/(2 − q)), then the larger root z of
    z + τvq z^(q − 1) = |w|, with the sign of w; for q = 1/2 and 2/3 it has closed forms (Xu et al. 2012, Cao et al.
    2013), which this is equal to.

    Parameters
    ----------
    q : float in (0, 1)
    weights
        As in L0.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.penalties import Lq
    >>> Lq(0.5).prox(np.array([1.4, 4.25]), step=1.0, alpha=1.0)  # 4 + ½/√4
    array([0., 4.])
    """

    def __init__(self, q: float = 0.5, weights: Any = None) -> None:
        self.q = q
        self.weights = weights

    @property
    def power(self) -> float:
        return _between("q", self.q, 0.0, 1.0, "L0 is q = 0, L1 is q = 1, Bridge is for 1 < q < 2")

    def check(self) -> None:
        self.power  # noqa: B018 - is checked


class Bridge(ColumnPenalty):
    """Ω(w) = Σ vⱼ|wⱼ|^q, 1 < q < 2 (Frank and Friedman 1993): convex and without a kink, so that no coefficient is
    zero; small ones are shrunk more than by L2, large ones less.  prox_τ(w) is the root z of z + τvq z^(q − 1) = |w|
    with the sign of w;  Ω*(c) = Σ (q − 1) v (|c|/(qv))^(q/(q − 1)).

    Parameters
    ----------
    q : float in (1, 2)
    weights
        As in L0. There is no α beyond which the null model is optimal: ``alpha_max`` is infinite.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.penalties import Bridge
    >>> Bridge(1.5).prox(np.array([-2.5, 10.0]), step=1.0, alpha=1.0)  # 1 + 1.5 √1 and 6.25 + 1.5 √6.25
    array([-1.  ,  6.25])
    """

    def __init__(self, q: float = 1.5, weights: Any = None) -> None:
        self.q = q
        self.weights = weights

    @property
    def power(self) -> float:
        return _between("q", self.q, 1.0, 2.0, "L1 is q = 1, L2 is half of q = 2, Lq is for q < 1")

    def check(self) -> None:
        self.power  # noqa: B018 - is checked

    def value(self, w: np.ndarray, alpha: float) -> float:
        return float((self.levels(w, alpha) * np.abs(w) ** self.power).sum())

    def prox(self, v: np.ndarray, step: float, alpha: float) -> np.ndarray:
        return np.sign(v) * _only_root(np.abs(v), step * self.levels(v, alpha), self.power)

    def subdifferential_distance(self, w: np.ndarray, gradient: np.ndarray, alpha: float) -> np.ndarray:
        q = self.power
        return np.abs(gradient + np.sign(w) * self.levels(w, alpha) * q * np.abs(w) ** (q - 1))

    def conjugate(self, c: np.ndarray, alpha: float) -> float:
        """Unpenalised columns do not count: their c is 0."""
        q, a = self.power, self.levels(c, alpha)
        at = np.divide(np.abs(c), q * a, out=np.zeros(c.shape), where=a > 0)
        with np.errstate(over="ignore"):
            return float(((q - 1) * a * at ** (q / (q - 1))).sum())

    def alpha_max(self, gradient_at_null: np.ndarray) -> float:
        penalised = self.levels(gradient_at_null, 1.0) > 0
        return np.inf if np.any(gradient_at_null[penalised]) else 0.0


def _between(name: str, given: Any, low: float, high: float, advice: str) -> float:
    value = check_number(name, given)
    if not low < value < high:
        raise InputError(f"{name} must be between {low:g} and {high:g}, got {given!r}: {advice}", argument=name)
    return value


def _larger_root(v: np.ndarray, level: np.ndarray, q: float) -> np.ndarray:
    """The larger z with z + level q z^(q − 1) = v, q < 1, for v above the threshold: Newton from v, where the left side
    is convex and not below v, comes down to it.
    """
    if q == 0:
        return v
    least = (2 * (1 - q) * level) ** (1 / (2 - q))  # the root at the threshold; below there is none to find
    z = np.maximum(v, least)
    z = np.where(z > 0, z, 1.0)
    for _ in range(NEWTON_STEPS):
        pull = level * q * z ** (q - 1)
        new = np.maximum(z - (z + pull - v) / (1 - (1 - q) * pull / z), least)
        done = np.abs(new - z) <= 4 * EPS * z
        z = np.where(new > 0, new, z)
        if done.all():
            break
    return z


def _only_root(v: np.ndarray, level: np.ndarray, q: float) -> np.ndarray:
    """z ≥ 0 with z + level q z^(q − 1) = v, 1 < q < 2. In u = z^(q − 1) the left side is convex: Newton from a point
    where it is not below v comes down to the root.
    """
    m, k = 1 / (q - 1), q * level
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        u = np.where(k > 0, np.minimum(v ** (q - 1), v / np.where(k > 0, k, 1.0)), v ** (q - 1))
        for _ in range(NEWTON_STEPS):
            z = u**m
            slope = m * z / np.where(u > 0, u, 1.0) + k
            step = np.where(slope > 0, (z + k * u - v) / np.where(slope > 0, slope, 1.0), 0.0)
            new = np.maximum(u - step, 0.0)
            done = np.abs(new - u) <= 2 * EPS * u
            u = new
            if done.all():
                break
    return np.where(k > 0, np.minimum(u**m, v), v)
