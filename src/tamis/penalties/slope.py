"""SLOPE: the largest coefficients are penalised most, so that correlated columns get equal ones."""

from __future__ import annotations

from copy import copy
from typing import Any, Self

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.special import ndtri
from sklearn.base import BaseEstimator

from tamis._core.checks import check_number
from tamis._core.errors import InputError

ROUNDED = 1e-12  # relative: what a cumulative sum may be off


class SLOPE(BaseEstimator):
    """Ω(w) = Σₖ λₖ|w|₍ₖ₎, |w|₍₁₎ ≥ |w|₍₂₎ ≥ … the sorted sizes and λ₁ ≥ λ₂ ≥ … ≥ 0 (Bogdan et al. 2015).

    prox_τ(w): of the sorted sizes less τλ the nearest decreasing sequence, by pooling neighbours, and no less than 0.
    Dual norm: maxₖ Σ_{i ≤ k} |c|₍ᵢ₎ / Σ_{i ≤ k} λᵢ. With several outputs it is the sum over them.

    Parameters
    ----------
    weights : array of p numbers ≥ 0 that do not grow, the first above 0
        λ. None: Φ⁻¹(1 − fdr·k/(2p)), divided by that of k = 1, so that the largest coefficient is penalised as by L1.
    fdr : float in (0, 1)
        With orthonormal columns, the share of false ones among those kept that λ aims at. Counts where weights are
        None.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.penalties import SLOPE
    >>> SLOPE(weights=[3.0, 1.0]).prox(np.array([4.0, -5.0]), step=1.0, alpha=1.0)  # 5 − 3 < 4 − 1: they meet
    array([ 2.5, -2.5])
    """

    def __init__(self, weights: Any = None, fdr: float = 0.1) -> None:
        self.weights = weights
        self.fdr = fdr

    def bound(self, p: int, names: list[str] | None = None, blocks: Any = None) -> Self:
        """The same penalty with weights as an array of p numbers."""
        del names, blocks
        other = copy(self)
        other.weights = self.sequence(p)
        return other

    def sequence(self, p: int) -> np.ndarray:
        """(p,) λ, checked."""
        if self.weights is None:
            fdr = check_number("fdr", self.fdr, above=0)
            if fdr >= 1:
                raise InputError(f"fdr must be below 1, got {self.fdr!r}", argument="fdr")
            quantiles = ndtri(1 - fdr * np.arange(1, p + 1) / (2 * p))
            return quantiles / quantiles[:1]
        try:
            given = np.asarray(self.weights, dtype=np.float64)
        except (TypeError, ValueError):
            given = np.zeros(0)
        fine = given.shape == (p,) and np.isfinite(given).all() and (np.diff(given) <= 0).all()
        if not fine or (p and not (given[-1] >= 0 and given[0] > 0)):
            raise InputError(
                f"weights of SLOPE must be {p} numbers ≥ 0 that do not grow, the first above 0; got {self.weights!r}",
                argument="weights",
            )
        return given

    def value(self, w: np.ndarray, alpha: float) -> float:
        sizes = -np.sort(-np.abs(w), axis=0)
        return alpha * float(np.sum(self.sequence(len(w)) @ sizes))

    def prox(self, v: np.ndarray, step: float, alpha: float) -> np.ndarray:
        level = step * alpha * self.sequence(len(v))
        return np.sign(v) * _by_output(lambda size: _nearest(size, level), np.abs(v))

    def subdifferential_distance(self, w: np.ndarray, gradient: np.ndarray, alpha: float) -> np.ndarray:
        """Coefficients of one size share the λ of their ranks in any order; what is left of −gradient beside that."""
        level = alpha * self.sequence(len(w))
        signed = np.where(w < 0, gradient, -gradient)
        c = np.where(w == 0, np.abs(gradient), signed)
        if w.ndim == 1:
            return _left(np.abs(w), c, level)
        return np.column_stack([_left(np.abs(w[:, k]), c[:, k], level) for k in range(w.shape[1])])

    def dual_norm(self, c: np.ndarray) -> float:
        """The α from which Ω_α*(c) is 0."""
        if not c.size:
            return 0.0
        sums = np.cumsum(-np.sort(-np.abs(c), axis=0), axis=0)
        per = np.cumsum(self.sequence(len(c)))
        return float((sums / (per if c.ndim == 1 else per[:, None])).max())

    def conjugate(self, c: np.ndarray, alpha: float) -> float:
        return 0.0 if self.dual_norm(c) <= alpha * (1 + ROUNDED) else np.inf

    def alpha_max(self, gradient_at_null: np.ndarray) -> float:
        return self.dual_norm(gradient_at_null)


def _by_output(of: Any, v: np.ndarray) -> np.ndarray:
    return of(v) if v.ndim == 1 else np.column_stack([of(column) for column in v.T])


def _nearest(size: np.ndarray, level: np.ndarray) -> np.ndarray:
    order = np.argsort(-size, kind="stable")
    out = np.zeros(len(size))
    out[order] = np.maximum(_decreasing(size[order] - level), 0.0)
    return out


def _decreasing(v: np.ndarray) -> np.ndarray:
    """The nearest sequence that does not grow."""
    return isotonic_regression(v, increasing=False).x if len(v) else v


def _left(size: np.ndarray, c: np.ndarray, level: np.ndarray) -> np.ndarray:
    """|c − nearest point of the set| for each run of equal sizes."""
    order = np.lexsort((-c, -size))
    out, at = np.empty(len(c)), 0
    ends = np.append(np.flatnonzero(np.diff(size[order])) + 1, len(c))
    for end in ends.tolist():
        run = order[at:end]
        nearest = _decreasing(c[run] - level[at:end])
        out[run] = np.abs(nearest) if size[run[0]] > 0 else np.maximum(nearest, 0.0)
        at = end
    return out
