"""The squared hinge, the loss of support vector machines that is smooth."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from tamis._core.errors import InputError
from tamis.datafits.base import ForClasses, PiecewiseQuadratic, shares
from tamis.datafits.compiled import ROUNDED, CompiledLoss, per_share


class SquaredHinge(CompiledLoss, ForClasses, PiecewiseQuadratic, BaseEstimator):
    """ℓ(y, z) = max(0, 1 − yz)², y = ±1;  ℓ*(θ) = v²/4 − v with v = −θy ≥ 0. For two classes.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.datafits import SquaredHinge
    >>> SquaredHinge().value(np.array([1.0, -1.0]), np.array([0.5, -3.0]))
    0.125
    """

    kernel = 1
    lipschitz = 2.0

    def for_classes(self, n_classes: int) -> Any:
        if n_classes > 2:
            raise InputError(
                f"Only binary classification is supported. The squared hinge is for two classes, y holds {n_classes}: "
                "use datafit='logistic', or scikit-learn's OneVsRestClassifier around the model",
                argument="datafit",
            )
        return self

    def value(self, y: np.ndarray, Z: np.ndarray, s: np.ndarray | None = None) -> float:
        return float((shares(y, s) * np.maximum(0.0, 1 - y * Z) ** 2).sum())

    def gradient(self, y: np.ndarray, Z: np.ndarray, s: np.ndarray | None = None) -> np.ndarray:
        return -2 * shares(y, s) * y * np.maximum(0.0, 1 - y * Z)

    def hessian(self, y: np.ndarray, Z: np.ndarray, s: np.ndarray | None = None) -> np.ndarray:
        return 2 * shares(y, s) * (y * Z < 1)

    def conjugate(self, y: np.ndarray, theta: np.ndarray, s: np.ndarray | None = None) -> float:
        share = shares(y, s)
        v = per_share(-theta * y, share)
        if (v < -ROUNDED).any() or not np.isfinite(v).all():
            return np.inf
        v = np.maximum(v, 0.0)
        return float((share * (0.25 * v**2 - v)).sum())

    def null_prediction(self, y: np.ndarray, s: np.ndarray | None = None) -> np.ndarray:
        """The difference of the classes' shares."""
        return np.asarray((shares(y, s) * y).sum())
