"""Losses that outliers hardly move."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.base import BaseEstimator

from tamis._core.checks import check_number
from tamis._core.errors import InputError
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
        delta = self.parameter
        return _root(y, shares(y, s), lambda r: np.clip(r, -delta, delta))

    def check_target(self, y: np.ndarray, s: np.ndarray | None = None) -> None:
        del y, s  # any number will do
        self.parameter  # noqa: B018 - is checked


class Quantile(PiecewiseQuadratic, BaseEstimator):
    """ℓ(y, z) = max(τr, (τ − 1)r), r = y − z, the pinball loss of the τ quantile (Koenker and Bassett 1978), rounded
    off where it bends: ℓ(y, z) = ur − ½δu² with u = clip(r/δ, τ − 1, τ);  ℓ*(θ) = θy + ½δθ² on −τ ≤ θ ≤ 1 − τ.

    It lies below the pinball loss by ½δ max(τ, 1 − τ)² at most.

    Parameters
    ----------
    quantile : float in (0, 1)
        τ.
    smoothing : float > 0 or None
        δ, in units of y. None: estimators take 1e-5 times the median distance of y from its median; without an
        estimator it is 1e-5.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.datafits import Quantile
    >>> round(Quantile(0.9).value(np.array([1.0, -1.0]), np.zeros(2)), 4)  # (0.9 + 0.1) / 2
    0.5
    """

    def __init__(self, quantile: float = 0.5, smoothing: float | None = None) -> None:
        self.quantile = quantile
        self.smoothing = smoothing

    @property
    def tau(self) -> float:
        tau = check_number("quantile", self.quantile, above=0)
        if tau >= 1:
            raise InputError(f"quantile must be below 1, got {self.quantile!r}: 0.5 is the median", argument="quantile")
        return tau

    @property
    def delta(self) -> float:
        return SMOOTHING if self.smoothing is None else check_number("smoothing", self.smoothing, above=0)

    @property
    def lipschitz(self) -> float:
        return 1.0 / self.delta

    def for_target(self, y: np.ndarray, s: np.ndarray | None = None) -> Quantile:
        """With a smoothing that suits the spread of y."""
        tau = self.tau
        if self.smoothing is not None:
            return Quantile(tau, self.delta)
        y = y if s is None else y[s > 0]
        away = np.abs(y - np.median(y, axis=0))
        spread = float(np.median(away)) or float(away.mean()) or 1.0  # the median, for an outlier would move the mean
        return Quantile(tau, SMOOTHING * spread)

    def smoother(self, factor: float) -> Quantile:
        """With so many times the smoothing."""
        return Quantile(self.tau, factor * self.delta)

    def _slope(self, r: np.ndarray) -> np.ndarray:
        return np.clip(r / self.delta, self.tau - 1, self.tau)

    def value(self, y: np.ndarray, Z: np.ndarray, s: np.ndarray | None = None) -> float:
        u = self._slope(y - Z)
        return float((shares(y, s) * u * (y - Z - 0.5 * self.delta * u)).sum())

    def gradient(self, y: np.ndarray, Z: np.ndarray, s: np.ndarray | None = None) -> np.ndarray:
        return -shares(y, s) * self._slope(y - Z)

    def hessian(self, y: np.ndarray, Z: np.ndarray, s: np.ndarray | None = None) -> np.ndarray:
        u = (y - Z) / self.delta
        return shares(y, s) * ((u >= self.tau - 1) & (u <= self.tau)) / self.delta

    def local(self, y: np.ndarray, Z: np.ndarray, s: np.ndarray | None = None) -> tuple[float, np.ndarray, np.ndarray]:
        """Value, gradient and hessian; where the loss is straight, half a per cent of that of the parabola above it."""
        r, share = y - Z, shares(y, s)
        u = self._slope(r)
        straight = np.abs(r) > np.abs(self.delta * u) * (1 + ROUNDED)
        bend = np.where(straight, KEPT * np.abs(u) / np.where(straight, np.abs(r), 1.0), 1.0 / self.delta)
        return float((share * u * (r - 0.5 * self.delta * u)).sum()), -share * u, share * bend

    def conjugate(self, y: np.ndarray, theta: np.ndarray, s: np.ndarray | None = None) -> float:
        share = shares(y, s)
        v = per_share(theta, share)
        if not ((v >= -self.tau - ROUNDED) & (v <= 1 - self.tau + ROUNDED)).all():
            return np.inf
        return float((share * (v * y + 0.5 * self.delta * v**2)).sum())

    def null_prediction(self, y: np.ndarray, s: np.ndarray | None = None) -> np.ndarray:
        if y.ndim > 1:
            return np.array([self.null_prediction(column, s) for column in y.T])
        return _root(y, shares(y, s), lambda r: -self._slope(-r))

    def check_target(self, y: np.ndarray, s: np.ndarray | None = None) -> None:
        del y, s  # any number will do
        self.tau, self.delta  # noqa: B018 - are checked


SMOOTHING = 1e-5
KEPT = 0.005


def _root(y: np.ndarray, share: np.ndarray, slope: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """b with Σ shareᵢ slope(b − yᵢ) = 0, slope being a function that rises."""
    y, share = y[share > 0], share[share > 0]
    low, high = float(y.min()), float(y.max())
    for _ in range(200):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        low, high = (low, middle) if float((share * slope(middle - y)).sum()) > 0 else (middle, high)
    return np.asarray(0.5 * (low + high))
