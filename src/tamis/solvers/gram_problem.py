"""Penalised least squares known by its statistics alone.

F(w) = ½(yy − 2 qᵀw + wᵀGw) + α Ω(w) with G = XᵀX/n, q = Xᵀy/n, yy = yᵀy/n, which is 1/(2n)‖y − Xw‖² + α Ω(w).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tamis.penalties import L1, Penalty
from tamis.solvers.certificates import DualityGap


@dataclass(frozen=True)
class GramProblem:
    """Statistics, penalty and α. ``n`` is the sum of the rows' weights."""

    G: np.ndarray
    q: np.ndarray
    yy: float
    n: float
    penalty: Penalty
    alpha: float

    def at(self, alpha: float) -> GramProblem:
        """The same data with another α."""
        return replace(self, alpha=alpha)

    def value(self, w: np.ndarray) -> float:
        fit = self.yy - w @ self.q + w @ self.gradient(w)
        return 0.5 * max(0.0, float(fit)) + self.alpha * self.penalty.value(w)

    def gradient(self, w: np.ndarray, S: np.ndarray | None = None) -> np.ndarray:
        """Of the datafit, on the coordinates S: G_S w − q_S."""
        return self.G @ w - self.q if S is None else self.G[S] @ w - self.q[S]

    def gram(self, S: np.ndarray, T: np.ndarray) -> np.ndarray:
        return self.G[np.ix_(S, T)]

    def alpha_max(self) -> float:
        """Beyond it every coefficient is zero."""
        return self.penalty.alpha_max(self.gradient(np.zeros_like(self.q)))

    def gap(self, w: np.ndarray) -> DualityGap:
        """The certificate of w for an ℓ₁ penalty; the dual point is the best feasible multiple of the residual."""
        if not isinstance(self.penalty, L1):
            raise TypeError(f"no duality gap is known for {self.penalty!r}")
        r = -self.gradient(w)
        yr = float(self.yy - w @ self.q)
        rr = max(0.0, float(yr - w @ r))
        largest = float(np.abs(r).max(initial=0.0))
        most = self.alpha / largest if largest > 0 else np.inf
        scale = float(np.clip(yr / rr, -most, most)) if rr > 0 else 0.0
        primal = 0.5 * rr + self.alpha * self.penalty.value(w)
        return DualityGap(primal, scale * yr - 0.5 * scale**2 * rr, self.alpha, w, 0.0, True)
