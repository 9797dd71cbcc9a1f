"""Losses that outliers hardly move."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator

from tamis._core.checks import check_number
from tamis.datafits.base import PiecewiseQuadratic, shares
from tamis.datafits.compiled import ROUNDED, CompiledLoss, per_share


class Huber(CompiledLoss, PiecewiseQuadratic, BaseEstimator):
    """ℓ(y, z) = ½r² up to |r| = δ, then δ|r| − ½δ², r = z − y (Huber 1964);  ℓ*(θ) = θy + ½θ² on |θ| ≤ δ.

    Parameters
    ----------
    delta : float > 0
        δ, in units of y: residuals beyond it count by their size, not by its square.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.datafits import Huber
    >>> Huber(delta=1.0).value(np.array([0.0, 0.0]), np.array([1.0, 11.0]))
    5.5
    """

    kernel = 4
    lipschitz = 1.0

    def __init__(self, delta: float = 1.35) -> None:
        self.delta = delta

    @property
    def parameter(self) -> float:
        return check_number("delta", self.delta, above=0)

    def value(self, y: np.ndarray, Z: np.ndarray, s: np.ndarray | None = None) -> float:
        r = np.abs(Z - y)
        inside = np.minimum(r, self.parameter)
        return float((shares(y, s) * inside * (r - 0.5 * inside)).sum())

    def gradient(self, y: np.ndarray, Z: np.ndarray, s: np.ndarray | None = None) -> np.ndarray:
        return shares(y, s) * np.clip(Z - y, -self.parameter, self.parameter)

    def hessian(self, y: np.ndarray, Z: np.ndarray, s: np.ndarray | None = None) -> np.ndarray:
        return shares(y, s) * (np.abs(Z - y) <= self.parameter)

    def conjugate(self, y: np.ndarray, theta: np.ndarray, s: np.ndarray | None = None) -> float:
        share = shares(y, s)
        v = per_share(theta, share)
        if not (np.abs(v) <= (1 + ROUNDED) * self.parameter).all():
            return np.inf
        return float((share * (v * y + 0.5 * v**2)).sum())

    def null_prediction(self, y: np.ndarray, s: np.ndarray | None = None) -> np.ndarray:
        """Where Σ sᵢ clip(b − yᵢ, −δ, δ), which rises with b in straight pieces, is 0."""
        if y.ndim > 1:
            return np.array([self.null_prediction(column, s) for column in y.T])
        share, delta = shares(y, s), self.parameter
        y, share = y[share > 0], share[share > 0]
        low, high = float(y.min()) - delta, float(y.max()) + delta
        for _ in range(200):
            middle = 0.5 * (low + high)
            if not low < middle < high:
                break
            rises = float((share * np.clip(middle - y, -delta, delta)).sum())
            low, high = (low, middle) if rises > 0 else (middle, high)
        return np.asarray(0.5 * (low + high))

    def check_target(self, y: np.ndarray, s: np.ndarray | None = None) -> None:
        del y, s  # any number will do
        self.parameter  # noqa: B018 - is checked
