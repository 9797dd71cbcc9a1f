"""Least squares."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator

from tamis.datafits.base import LeastSquares, shares


class Squared(LeastSquares, BaseEstimator):
    """ℓ(y, z) = ½‖y − z‖² for one target or several;  ℓ*(θ) = ⟨θ, y⟩ + ½‖θ‖².

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.datafits import Squared
    >>> Squared().value(np.array([1.0, 3.0]), np.array([0.0, 1.0]))
    1.25
    """

    lipschitz = 1.0

    def value(self, y: np.ndarray, Z: np.ndarray, s: np.ndarray | None = None) -> float:
        return 0.5 * float((shares(y, s) * (y - Z) ** 2).sum())

    def gradient(self, y: np.ndarray, Z: np.ndarray, s: np.ndarray | None = None) -> np.ndarray:
        return shares(y, s) * (Z - y)

    def hessian(self, y: np.ndarray, Z: np.ndarray, s: np.ndarray | None = None) -> np.ndarray:
        return np.broadcast_to(shares(y, s), Z.shape).copy()

    def conjugate(self, y: np.ndarray, theta: np.ndarray, s: np.ndarray | None = None) -> float:
        share = np.broadcast_to(shares(y, s), y.shape)
        if theta[share == 0].any():
            return np.inf
        squares = np.divide(theta**2, share, out=np.zeros(y.shape), where=share > 0)
        return float((theta * y).sum() + 0.5 * squares.sum())

    def null_prediction(self, y: np.ndarray, s: np.ndarray | None = None) -> np.ndarray:
        """The mean, and of equal numbers that number itself: then F(null) is 0 and not what rounding leaves."""
        share = shares(y, s)
        mean = (share * y).sum(axis=0)
        return np.asarray(mean + (share * (y - mean)).sum(axis=0))
