"""The fused lasso: neighbours in the order of the columns have equal coefficients, but at a few jumps."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from tamis._core.checks import check_number
from tamis._kernels import kernels

ROUNDED = 1e-12  # relative: what sums along the chain may be off


class Fused(BaseEstimator):
    """Ω(w) = ρ‖w‖₁ + (1 − ρ) Σⱼ |wⱼ₊₁ − wⱼ| along the chain of columns (Tibshirani et al. 2005).

    prox_τ(w) = soft(chain(w, τ(1 − ρ)), τρ) (Friedman et al. 2007), chain(v, t) = argmin ½‖z − v‖² + t Σ|zⱼ₊₁ − zⱼ| by
    dynamic programming in one pass (Johnson 2013). Dual norm: the largest |Σ_I c| / (ρ|I| + (1 − ρ) ends(I)) over runs
    I of columns, ends(I) ≤ 2 of them having a neighbour outside. With several outputs it is the sum over them.

    Parameters
    ----------
    l1_ratio : float in (0, 1]
        ρ: 1 is L1; small values ask for few jumps above all.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.penalties import Fused
    >>> Fused(l1_ratio=0.5).prox(np.array([5.0, 4.0, 0.2, -0.1]), step=1.0, alpha=2.0)
    array([3., 3., 0., 0.])
    """

    def __init__(self, l1_ratio: float = 0.5) -> None:
        self.l1_ratio = l1_ratio

    def bound(self, p: int, names: list[str] | None = None, blocks: Any = None) -> Fused:
        """Itself, checked."""
        del p, names, blocks
        self._shares()
        return self

    def _shares(self) -> tuple[float, float]:
        rho = check_number("l1_ratio", self.l1_ratio, above=0, at_most=1)
        return rho, 1 - rho

    def value(self, w: np.ndarray, alpha: float) -> float:
        rho, rest = self._shares()
        return alpha * float(rho * np.abs(w).sum() + rest * np.abs(np.diff(w, axis=0)).sum())

    def prox(self, v: np.ndarray, step: float, alpha: float) -> np.ndarray:
        rho, rest = self._shares()
        z = _chain(v, np.full(max(len(v) - 1, 0), step * alpha * rest))
        return np.sign(z) * np.maximum(np.abs(z) - step * alpha * rho, 0.0)

    def subdifferential_distance(self, w: np.ndarray, gradient: np.ndarray, alpha: float) -> np.ndarray:
        """At a jump and at w ≠ 0 the slope is known; within a run of equal coefficients the chain's edges, and at 0 ℓ₁,
        may take any part of what is left.
        """
        rho, rest = self._shares()
        jumps = np.sign(np.diff(w, axis=0))
        pull = np.zeros(w.shape)
        pull[:-1] -= jumps
        pull[1:] += jumps
        left = -gradient - alpha * (rest * pull + rho * np.sign(w))
        z = _chain(left, np.where(jumps == 0, alpha * rest, 0.0))
        return np.where(w == 0, np.maximum(np.abs(z) - alpha * rho, 0.0), np.abs(z))

    def dual_norm(self, c: np.ndarray) -> float:
        """The α from which Ω_α*(c) is 0: for a trial α the chain shows the runs that break it, and the best of their
        ratios is the next trial, until none does (Dinkelbach 1967).
        """
        if c.ndim == 2:
            return max((self.dual_norm(column) for column in c.T), default=0.0)
        return max(self._largest_ratio(c), self._largest_ratio(-c)) if c.size else 0.0

    def _largest_ratio(self, c: np.ndarray) -> float:
        rho, rest = self._shares()
        alpha = max(0.0, float(c.max()) / (rho + rest * min(2, len(c) - 1)))
        while True:
            z = _chain(c, np.full(max(len(c) - 1, 0), alpha * rest))
            beyond = z > alpha * rho * (1 + ROUNDED)
            if not beyond.any():
                return alpha
            cost = rho * np.count_nonzero(beyond) + rest * np.count_nonzero(np.diff(beyond))
            ratio = float(c[beyond].sum()) / cost
            if ratio <= alpha * (1 + ROUNDED):
                return alpha
            alpha = ratio

    def conjugate(self, c: np.ndarray, alpha: float) -> float:
        return 0.0 if self.dual_norm(c) <= alpha * (1 + 4 * ROUNDED) else np.inf

    def alpha_max(self, gradient_at_null: np.ndarray) -> float:
        return self.dual_norm(gradient_at_null)


def _chain(v: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """argmin ½‖z − v‖² + Σ edgesⱼ |zⱼ₊₁ − zⱼ|, for each output."""
    if v.ndim == 2:
        each = edges if edges.ndim == 2 else np.broadcast_to(edges[:, None], (len(edges), v.shape[1]))
        return np.column_stack([_chain(v[:, k], each[:, k]) for k in range(v.shape[1])])
    out = np.empty(len(v))
    kernels.chain(np.ascontiguousarray(v, dtype=np.float64), np.ascontiguousarray(edges, dtype=np.float64), out)
    return out
