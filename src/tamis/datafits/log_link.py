"""Losses for counts and for amounts above 0, whose mean is e^z."""

from __future__ import annotations

import numpy as np
from scipy.special import xlogy
from sklearn.base import BaseEstimator

from tamis._core.errors import InputError
from tamis.datafits.base import shares
from tamis.datafits.compiled import ROUNDED, CompiledLoss, per_share, weighted_sum

LEAST = np.finfo(float).eps  # of a mean: that of zeros alone, so that null predictions stay finite


class _LogLink(CompiledLoss):
    lipschitz = np.inf  # e^z grows without bound

    def mean(self, Z: np.ndarray) -> np.ndarray:
        """E[y | x] = e^z."""
        return np.exp(Z)

    def null_prediction(self, y: np.ndarray, s: np.ndarray | None = None) -> np.ndarray:
        """log of the mean."""
        return np.asarray(np.log(np.maximum((shares(y, s) * y).sum(axis=0), LEAST)))


class Poisson(_LogLink, BaseEstimator):
    """ℓ(y, z) = e^z − yz for counts or rates y ≥ 0;  ℓ*(θ) = v log v − v with v = θ + y ≥ 0.

    An offset o, log of the exposure, makes it e^(z + o) − yz = e^o (e^z − y e^(−o) z): rates y e^(−o) with weights e^o.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.datafits import Poisson
    >>> Poisson().gradient(np.array([2.0, 0.0]), np.zeros(2))
    array([-0.5,  0.5])
    """

    kernel = 2

    def value(self, y: np.ndarray, Z: np.ndarray, s: np.ndarray | None = None) -> float:
        with np.errstate(over="ignore"):
            return weighted_sum(shares(y, s), np.exp(Z) - y * Z)

    def gradient(self, y: np.ndarray, Z: np.ndarray, s: np.ndarray | None = None) -> np.ndarray:
        with np.errstate(over="ignore"):
            return shares(y, s) * (np.exp(Z) - y)

    def hessian(self, y: np.ndarray, Z: np.ndarray, s: np.ndarray | None = None) -> np.ndarray:
        with np.errstate(over="ignore"):
            return shares(y, s) * np.exp(Z)

    def conjugate(self, y: np.ndarray, theta: np.ndarray, s: np.ndarray | None = None) -> float:
        share = shares(y, s)
        v = per_share(theta, share) + y
        if (v < -ROUNDED * y).any() or not np.isfinite(v).all():
            return np.inf
        v = np.maximum(v, 0.0)
        return float((share * (xlogy(v, v) - v)).sum())

    def check_target(self, y: np.ndarray, s: np.ndarray | None = None) -> None:
        bad = np.flatnonzero((y < 0).reshape(len(y), -1).any(axis=1))
        if len(bad):
            raise InputError(
                f"the Poisson loss is for counts ≥ 0, got {np.min(y):g} in {len(bad):,} rows such as row {bad[0]}: "
                "drop these rows, or use datafit='squared'",
                argument="y",
            )
        if not (y if s is None else y[s > 0]).any():
            raise InputError(
                "every count in y is 0, so that no finite intercept is best: give rows with events", argument="y"
            )

    def with_offset(
        self, y: np.ndarray, s: np.ndarray | None, offset: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        exposure = np.exp(offset)
        return (y.T / exposure).T, exposure if s is None else s * exposure


class Gamma(_LogLink, BaseEstimator):
    """ℓ(y, z) = y e^(−z) + z for amounts y > 0;  ℓ*(θ) = v (log v − log y − 1) with v = 1 − θ ≥ 0.

    An offset o makes it y e^(−o) e^(−z) + z + o: amounts y e^(−o).

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.datafits import Gamma
    >>> Gamma().gradient(np.array([2.0, 1.0]), np.zeros(2))
    array([-0.5,  0. ])
    """

    kernel = 3

    def value(self, y: np.ndarray, Z: np.ndarray, s: np.ndarray | None = None) -> float:
        with np.errstate(over="ignore"):
            return weighted_sum(shares(y, s), y * np.exp(-Z) + Z)

    def gradient(self, y: np.ndarray, Z: np.ndarray, s: np.ndarray | None = None) -> np.ndarray:
        with np.errstate(over="ignore"):
            return shares(y, s) * (1 - y * np.exp(-Z))

    def hessian(self, y: np.ndarray, Z: np.ndarray, s: np.ndarray | None = None) -> np.ndarray:
        with np.errstate(over="ignore"):
            return shares(y, s) * y * np.exp(-Z)

    def conjugate(self, y: np.ndarray, theta: np.ndarray, s: np.ndarray | None = None) -> float:
        share = shares(y, s)
        v = 1 - per_share(theta, share)
        if (v < -ROUNDED).any() or not np.isfinite(v).all():
            return np.inf
        v = np.maximum(v, 0.0)
        return float((share * (xlogy(v, v) - v * (np.log(y) + 1))).sum())

    def check_target(self, y: np.ndarray, s: np.ndarray | None = None) -> None:
        bad = np.flatnonzero((y <= 0).reshape(len(y), -1).any(axis=1))
        if len(bad):
            raise InputError(
                f"the gamma loss is for amounts > 0, got {np.min(y):g} in {len(bad):,} rows such as row {bad[0]}: drop "
                "these rows, or use datafit='poisson', which takes zeros",
                argument="y",
            )

    def with_offset(
        self, y: np.ndarray, s: np.ndarray | None, offset: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        return (y.T / np.exp(offset)).T, s
