"""Losses for classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit, softmax, xlogy
from sklearn.base import BaseEstimator

from tamis._kernels import kernels
from tamis.datafits.base import ForClasses, shares
from tamis.datafits.compiled import CompiledLoss, as_row, per_share

RARE = np.finfo(float).eps  # a class of no weight gets this probability, so that null predictions stay finite


class Logistic(CompiledLoss, ForClasses, BaseEstimator):
    """ℓ(y, z) = log(1 + e^(−yz)), y = ±1;  ℓ*(θ) = v log v + (1 − v) log(1 − v) with v = −θy in [0, 1].

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.datafits import Logistic
    >>> Logistic().gradient(np.array([1.0, -1.0]), np.zeros(2))
    array([-0.25,  0.25])
    """

    kernel = 0
    lipschitz = 0.25
    vanishes_at_infinity = True

    def for_classes(self, n_classes: int) -> Any:
        return self if n_classes == 2 else Multinomial()

    def value(self, y: np.ndarray, Z: np.ndarray, s: np.ndarray | None = None) -> float:
        return float((shares(y, s) * np.logaddexp(0.0, -y * Z)).sum())

    def gradient(self, y: np.ndarray, Z: np.ndarray, s: np.ndarray | None = None) -> np.ndarray:
        return -shares(y, s) * y * expit(-y * Z)

    def hessian(self, y: np.ndarray, Z: np.ndarray, s: np.ndarray | None = None) -> np.ndarray:
        return shares(y, s) * expit(Z) * expit(-Z)

    def conjugate(self, y: np.ndarray, theta: np.ndarray, s: np.ndarray | None = None) -> float:
        share = np.full(1, 1 / len(y)) if s is None else s / s.sum()
        conjugate: float = kernels.logistic_conjugate(as_row(y), as_row(theta), share)
        return conjugate if np.isfinite(conjugate) else self._nearly_inside(y, theta, share)

    def _nearly_inside(self, y: np.ndarray, theta: np.ndarray, share: np.ndarray) -> float:
        """The conjugate where v leaves [0, 1] by rounding only, as v of a row that is certain may."""
        v = per_share(-theta * y, share)
        if (v < -SIMPLEX).any() or (v > 1 + SIMPLEX).any():
            return np.inf
        v = np.clip(v, 0.0, 1.0)
        return float((share * (xlogy(v, v) + xlogy(1 - v, 1 - v))).sum())

    def null_prediction(self, y: np.ndarray, s: np.ndarray | None = None) -> np.ndarray:
        up = np.clip((shares(y, s) * (y > 0)).sum(), RARE, 1 - RARE)
        return np.asarray(np.log(up) - np.log1p(-up))


class Multinomial(ForClasses, BaseEstimator):
    """ℓ(y, z) = log Σ_k e^(z_k) − ⟨y, z⟩, y one-hot;  ℓ*(θ) = Σ_k q_k log q_k with q = θ + y in the simplex.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.datafits import Multinomial
    >>> Multinomial().value(np.array([[1.0, 0.0]]), np.zeros((1, 2)))  # log 2
    0.693...
    """

    lipschitz = 0.5
    vanishes_at_infinity = True

    def for_classes(self, n_classes: int) -> Any:
        return Logistic() if n_classes == 2 else self

    def value(self, y: np.ndarray, Z: np.ndarray, s: np.ndarray | None = None) -> float:
        away = Z - (y * Z).sum(axis=1, keepdims=True)  # log Σ e of these is the loss, to all digits where it is small
        top = away.max(axis=1, keepdims=True)
        e = np.exp(away - top)
        np.put_along_axis(e, away.argmax(axis=1, keepdims=True), 0.0, axis=1)
        return float((shares(y, s) * (top + np.log1p(e.sum(axis=1, keepdims=True)))).sum())

    def gradient(self, y: np.ndarray, Z: np.ndarray, s: np.ndarray | None = None) -> np.ndarray:
        wrong = softmax(Z, axis=1) * (1 - y)
        return shares(y, s) * (wrong - y * wrong.sum(axis=1, keepdims=True))  # q − y cancels where q is near 1

    def hessian(self, y: np.ndarray, Z: np.ndarray, s: np.ndarray | None = None) -> np.ndarray:
        q = softmax(Z, axis=1)
        return shares(y, s) * q * (1 - q)

    def curve(self, y: np.ndarray, Z: np.ndarray, V: np.ndarray, s: np.ndarray | None = None) -> np.ndarray:
        """Row by row (diag(q) − q qᵀ) v, q the probabilities."""
        q = softmax(Z, axis=1)
        return shares(y, s) * q * (V - (q * V).sum(axis=1, keepdims=True))

    def conjugate(self, y: np.ndarray, theta: np.ndarray, s: np.ndarray | None = None) -> float:
        share = shares(y, s)
        q = per_share(theta, share) + y
        q[np.abs(q) <= SIMPLEX] = 0.0  # θ + y of a class that is certain leaves rounding, of either sign
        if not ((q >= 0).all() and (np.abs(q.sum(axis=1) - 1) <= SIMPLEX * q.shape[1]).all()):
            return np.inf
        return float((share * xlogy(q, q)).sum())

    def null_prediction(self, y: np.ndarray, s: np.ndarray | None = None) -> np.ndarray:
        """Centred over the classes, for adding a number to all changes nothing."""
        logs = np.log(np.maximum((shares(y, s) * y).sum(axis=0), RARE))
        return logs - logs.mean()


SIMPLEX = 64 * np.finfo(float).eps  # what rounding leaves of 0 ≤ q ≤ 1 and Σ q = 1
