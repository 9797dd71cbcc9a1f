"""The losses once more, as certificates are verified with. Nothing here is shared with the datafits but their names.

Outputs are a second axis: Z and u are (n, K).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import xlogy

from tamis.datafits import Gamma, Huber, LeastSquares, Logistic, Multinomial, Poisson, Quantile, SquaredHinge

ROUNDED = 64 * np.finfo(float).eps  # relative to what θ is a difference of: what rounding may leave of it


class _Loss:
    """ℓ row by row; sums over rows follow from it."""

    def value(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def conjugate(self, y: np.ndarray, u: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def curvature(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def root_curvature(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """L with L Lᵀ = ℓ'' row by row, where the outputs do not meet."""
        return np.sqrt(self.curvature(y, Z))

    def total(self, s: np.ndarray, y: np.ndarray, Z: np.ndarray) -> float:
        return float(s @ self.value(y, Z))

    def total_conjugate(self, s: np.ndarray, y: np.ndarray, u: np.ndarray) -> float:
        return float(s @ self.conjugate(y, u))


class _Squares(_Loss):
    """ℓ = ½‖y − z‖², ℓ*(u) = ⟨u, y⟩ + ½‖u‖²."""

    def value(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return 0.5 * ((y - Z) ** 2).sum(axis=1)

    def slope(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return Z - y

    def terms(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """The size of the numbers whose difference the slope is."""
        return np.abs(y) + np.abs(Z)

    def curve(self, y: np.ndarray, Z: np.ndarray, V: np.ndarray) -> np.ndarray:
        return V

    def curvature(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """(n, 1, 1) where the outputs do not meet, (n, K, K) where they do."""
        return np.ones((len(Z), 1, 1))

    def conjugate(self, y: np.ndarray, u: np.ndarray) -> np.ndarray:
        return (u * y + 0.5 * u**2).sum(axis=1)


class _Logistic(_Loss):
    """ℓ = log(1 + e^(−yz)); with v = −uy the conjugate is v log v + (1 − v) log(1 − v) on [0, 1]."""

    def value(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        m = -y * Z
        return (np.maximum(m, 0) + np.log1p(np.exp(-np.abs(m)))).sum(axis=1)

    def slope(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return -y * _sigmoid(-y * Z)

    def terms(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return np.ones(Z.shape)

    def curve(self, y: np.ndarray, Z: np.ndarray, V: np.ndarray) -> np.ndarray:
        return _sigmoid(Z) * _sigmoid(-Z) * V

    def curvature(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return (_sigmoid(Z) * _sigmoid(-Z))[:, :, None]

    def conjugate(self, y: np.ndarray, u: np.ndarray) -> np.ndarray:
        v = -u * y
        inside = (v >= -ROUNDED) & (v <= 1 + ROUNDED)
        v = np.clip(v, 0, 1)
        return np.where(inside, xlogy(v, v) + xlogy(1 - v, 1 - v), np.inf).sum(axis=1)


class _Multinomial(_Loss):
    """ℓ = log Σ e^z − ⟨y, z⟩; with q = u + y the conjugate is Σ q log q on the simplex."""

    def value(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        away = Z - (y * Z).sum(axis=1, keepdims=True)  # from the row's own class, of which log Σ e is then the loss
        top = away.max(axis=1, keepdims=True)
        others = np.where(np.arange(Z.shape[1]) == away.argmax(axis=1)[:, None], 0.0, np.exp(away - top))
        return top[:, 0] + np.log1p(others.sum(axis=1))

    def slope(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return _shares(Z) - y

    def terms(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return np.ones(Z.shape)

    def curve(self, y: np.ndarray, Z: np.ndarray, V: np.ndarray) -> np.ndarray:
        q = _shares(Z)
        return q * (V - (q * V).sum(axis=1, keepdims=True))

    def curvature(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        q = _shares(Z)
        return q[:, :, None] * (np.eye(Z.shape[1]) - q[:, None, :])

    def root_curvature(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """diag(√q) − q √qᵀ, of which every column sums to 0 to the last digit, as those of ℓ'' do."""
        q = _shares(Z)
        root = np.sqrt(q)
        return root[:, :, None] * np.eye(Z.shape[1]) - q[:, :, None] * root[:, None, :]

    def conjugate(self, y: np.ndarray, u: np.ndarray) -> np.ndarray:
        q = u + y
        inside = (q >= -ROUNDED).all(axis=1) & (np.abs(q.sum(axis=1) - 1) <= ROUNDED * q.shape[1])
        q = np.maximum(q, 0)
        return np.where(inside, xlogy(q, q).sum(axis=1), np.inf)


class _SquaredHinge(_Loss):
    """ℓ = max(0, 1 − yz)²; with v = −uy the conjugate is v²/4 − v on v ≥ 0."""

    def value(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return np.where(y * Z < 1, (1 - y * Z) ** 2, 0.0).sum(axis=1)

    def slope(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return np.where(y * Z < 1, 2 * (Z - y), 0.0)

    def terms(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return 1 + np.abs(Z)

    def curve(self, y: np.ndarray, Z: np.ndarray, V: np.ndarray) -> np.ndarray:
        return np.where(y * Z < 1, 2 * V, 0.0)

    def curvature(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return np.where(y * Z < 1, 2.0, 0.0)[:, :, None]

    def conjugate(self, y: np.ndarray, u: np.ndarray) -> np.ndarray:
        v = -u * y
        return np.where(v >= -ROUNDED, 0.25 * v**2 - np.maximum(v, 0), np.inf).sum(axis=1)


class _Poisson(_Loss):
    """ℓ = e^z − yz; with v = u + y the conjugate is v log v − v on v ≥ 0."""

    def value(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return (np.exp(Z) - y * Z).sum(axis=1)

    def slope(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return np.exp(Z) - y

    def terms(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return np.exp(Z) * (1 + np.abs(Z)) + y

    def curve(self, y: np.ndarray, Z: np.ndarray, V: np.ndarray) -> np.ndarray:
        return np.exp(Z) * V

    def curvature(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return np.exp(Z)[:, :, None]

    def conjugate(self, y: np.ndarray, u: np.ndarray) -> np.ndarray:
        v = u + y
        inside = v >= -ROUNDED * y
        v = np.maximum(v, 0)
        return np.where(inside, xlogy(v, v) - v, np.inf).sum(axis=1)


class _Gamma(_Loss):
    """ℓ = y e^(−z) + z; with v = 1 − u the conjugate is v (log(v/y) − 1) on v ≥ 0."""

    def value(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return (y / np.exp(Z) + Z).sum(axis=1)

    def slope(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return 1 - y / np.exp(Z)

    def terms(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return y / np.exp(Z) * (1 + np.abs(Z)) + 1

    def curve(self, y: np.ndarray, Z: np.ndarray, V: np.ndarray) -> np.ndarray:
        return y / np.exp(Z) * V

    def curvature(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return (y / np.exp(Z))[:, :, None]

    def conjugate(self, y: np.ndarray, u: np.ndarray) -> np.ndarray:
        v = 1 - u
        inside = v >= -ROUNDED
        v = np.maximum(v, 0)
        return np.where(inside, xlogy(v, v / y) - v, np.inf).sum(axis=1)


class _Huber(_Squares):
    """ℓ = min over e of ½(y − z − e)² + δ|e|; the conjugate is that of squares on |u| ≤ δ."""

    def __init__(self, delta: float) -> None:
        self.delta = delta

    def value(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        r = np.abs(y - Z)
        outlier = np.maximum(r - self.delta, 0)
        return (0.5 * (r - outlier) ** 2 + self.delta * outlier).sum(axis=1)

    def slope(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return np.maximum(-self.delta, np.minimum(self.delta, Z - y))

    def curve(self, y: np.ndarray, Z: np.ndarray, V: np.ndarray) -> np.ndarray:
        return np.where(np.abs(y - Z) <= self.delta, V, 0.0)

    def curvature(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return np.where(np.abs(y - Z) <= self.delta, 1.0, 0.0)[:, :, None]

    def conjugate(self, y: np.ndarray, u: np.ndarray) -> np.ndarray:
        inside = (np.abs(u) <= (1 + ROUNDED) * self.delta).all(axis=1)
        return np.where(inside, super().conjugate(y, u), np.inf)


class _Quantile(_Squares):
    """ℓ = min over e of (r − e)²/(2δ) + max(τe, (τ − 1)e), r = y − z; the conjugate is uy + ½δu² on −τ ≤ u ≤ 1 − τ."""

    def __init__(self, tau: float, delta: float) -> None:
        self.tau, self.delta = tau, delta

    def _rest(self, r: np.ndarray) -> np.ndarray:
        """e: what is left of r beyond the bend."""
        return np.maximum(r - self.tau * self.delta, 0) + np.minimum(r + (1 - self.tau) * self.delta, 0)

    def value(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        r = y - Z
        e = self._rest(r)
        return ((r - e) ** 2 / (2 * self.delta) + np.maximum(self.tau * e, (self.tau - 1) * e)).sum(axis=1)

    def slope(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        r = y - Z
        inside = np.where(r > 0, np.minimum(r / self.delta, self.tau), np.maximum(r / self.delta, self.tau - 1))
        return -inside

    def curve(self, y: np.ndarray, Z: np.ndarray, V: np.ndarray) -> np.ndarray:
        return np.where(self._rest(y - Z) == 0, V / self.delta, 0.0)

    def curvature(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return np.where(self._rest(y - Z) == 0, 1 / self.delta, 0.0)[:, :, None]

    def conjugate(self, y: np.ndarray, u: np.ndarray) -> np.ndarray:
        inside = ((u >= -self.tau - ROUNDED) & (u <= 1 - self.tau + ROUNDED)).all(axis=1)
        return np.where(inside, (u * y + 0.5 * self.delta * u**2).sum(axis=1), np.inf)


LOSSES: dict[str, Any] = {
    "squared": _Squares,
    "logistic": _Logistic,
    "multinomial": _Multinomial,
    "squared_hinge": _SquaredHinge,
    "poisson": _Poisson,
    "gamma": _Gamma,
    "huber": _Huber,
    "quantile": _Quantile,
}
NAMES: dict[Any, str] = {
    Logistic: "logistic",
    Multinomial: "multinomial",
    SquaredHinge: "squared_hinge",
    Poisson: "poisson",
    Gamma: "gamma",
    Huber: "huber",
    Quantile: "quantile",
}


def verified_loss(datafit: Any) -> Any:
    """What a certificate keeps: the name of a loss that is written out here and its parameters, or the datafit itself,
    where it is the user's own.
    """
    if isinstance(datafit, LeastSquares):
        return ("squared",)
    if isinstance(datafit, Quantile):
        return ("quantile", datafit.tau, datafit.delta)
    name = NAMES.get(type(datafit))
    return datafit if name is None else (name, *datafit.get_params().values())


def written_out(loss: tuple[Any, ...]) -> Any:
    """The loss of a name and parameters."""
    return LOSSES[loss[0]](*loss[1:])


def _sigmoid(x: np.ndarray) -> np.ndarray:
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + e), e / (1 + e))


def _shares(Z: np.ndarray) -> np.ndarray:
    e = np.exp(Z - Z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)
