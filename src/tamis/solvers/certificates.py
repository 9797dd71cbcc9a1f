"""The duality gap: how far a point can be from the optimum at most.

For P(w, b) = 1/(2n) Σ sᵢ (yᵢ − xᵢᵀw − b)² + α Σⱼ vⱼ|wⱼ| with n = Σ sᵢ, every θ with Σ sᵢθᵢ = 0 and |Σ sᵢ xᵢⱼ θᵢ|/n ≤
α vⱼ gives the lower bound D(θ) = 1/n Σ sᵢ θᵢ yᵢ − 1/(2n) Σ sᵢ θᵢ² ≤ min P. Our θ is a multiple of the residual.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tamis._core.evidence import Certificate
from tamis.sources import as_source


@dataclass(frozen=True)
class DualityGap(Certificate):
    """P(w, b) − D(θ) ≥ P(w, b) − min P.

    The dual point is kept as the (w, b) whose scaled residual it is: p numbers, not n.
    """

    primal: float
    dual: float
    alpha: float
    w: np.ndarray
    intercept: float
    fit_intercept: bool
    penalty_weights: np.ndarray | None = None

    @property
    def gap(self) -> float:
        return max(0.0, self.primal - self.dual)

    def verify(self, X: Any, y: Any = None, sample_weight: Any = None) -> DualityGap:
        """The same bound recomputed from the rows in plain NumPy: two passes, no Gram matrix, nothing of the solver."""
        source = as_source(X, y, sample_weight=sample_weight)
        n = shift = sum_yr = 0.0
        for s, r, _, _ in self._residuals(source):
            n += s.sum()
            shift += s @ r
        shift = shift / n if self.fit_intercept else 0.0
        squares = raw_squares = 0.0
        correlation = np.zeros(len(self.w))
        for s, r, y_rows, X_rows in self._residuals(source):
            raw_squares += s @ r**2
            theta = r - shift
            squares += s @ theta**2
            sum_yr += s @ (theta * y_rows)
            correlation += np.asarray(X_rows.T @ (s * theta)).ravel()
        limits = self.alpha * self._weights()
        scale = _best_scale(sum_yr / n, squares / n, np.abs(correlation) / n, limits)
        primal = raw_squares / (2 * n) + float(limits @ np.abs(self.w))
        return replace(self, primal=primal, dual=scale * sum_yr / n - scale**2 * squares / (2 * n))

    def _weights(self) -> np.ndarray:
        return np.ones(len(self.w)) if self.penalty_weights is None else self.penalty_weights

    def _residuals(self, source: Any) -> Any:
        for block in source.blocks():
            s = np.ones(len(block)) if block.weight is None else block.weight
            r = block.y - np.asarray(block.X @ self.w).ravel() - self.intercept
            yield s, r, block.y, block.X


def _best_scale(yr: float, rr: float, correlation: np.ndarray, limits: np.ndarray) -> float:
    """The t that makes D(t r) = t·yr − t²/2·rr largest among those with t · correlation ≤ limits."""
    if rr == 0:
        return 0.0
    bound = correlation > 0
    most = float(np.min(limits[bound] / correlation[bound], initial=np.inf))
    return float(np.clip(yr / rr, -most, most))
