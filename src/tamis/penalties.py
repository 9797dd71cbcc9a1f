"""What is asked of the coefficients. A penalty Ω is multiplied by α in the objective; it knows nothing of the data."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from sklearn.base import BaseEstimator


class Penalty(Protocol):
    """The contract every penalty keeps."""

    def value(self, w: np.ndarray) -> float: ...

    def prox(self, v: np.ndarray, step: float) -> np.ndarray:
        """argmin_z ‖z − v‖²/2 + step · Ω(z)."""
        ...

    def subdifferential_distance(self, w: np.ndarray, gradient: np.ndarray, alpha: float) -> np.ndarray:
        """Distance of −gradient to α ∂Ω(w), for each coordinate."""
        ...

    def alpha_max(self, gradient_at_null: np.ndarray) -> float:
        """The smallest α at which the null model is optimal."""
        ...


class L1(BaseEstimator):
    """Ω(w) = ‖w‖₁;  prox_τ(v) = sign(v) · max(|v| − τ, 0), which is (11.14) with τ = λ/L."""

    def value(self, w: np.ndarray) -> float:
        return float(np.abs(w).sum())

    def prox(self, v: np.ndarray, step: float) -> np.ndarray:
        return np.sign(v) * np.maximum(np.abs(v) - step, 0.0)

    def subdifferential_distance(self, w: np.ndarray, gradient: np.ndarray, alpha: float) -> np.ndarray:
        at_zero = np.maximum(np.abs(gradient) - alpha, 0.0)  # distance of −g to [−α, α] = α ∂|·| at 0
        return np.where(w == 0, at_zero, np.abs(gradient + alpha * np.sign(w)))

    def alpha_max(self, gradient_at_null: np.ndarray) -> float:
        return float(np.abs(gradient_at_null).max(initial=0.0))
