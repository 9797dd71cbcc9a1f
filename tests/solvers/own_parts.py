"""Datafits and penalties as a user would write them, with and without a conjugate."""

import numpy as np
from scipy.special import xlogy
from sklearn.base import BaseEstimator


def share_of(y, s):
    return np.full(len(y), 1 / len(y)) if s is None else s / s.sum()


class LogCosh(BaseEstimator):
    """ℓ(y, z) = log cosh(z − y);  ℓ*(u) = uy + ½(1 + u) log(1 + u) + ½(1 − u) log(1 − u) on [−1, 1]."""

    lipschitz = 1.0

    def value(self, y, Z, s=None):
        r = np.abs(Z - y)
        return float(share_of(y, s) @ (r + np.log1p(np.exp(-2 * r)) - np.log(2)))

    def gradient(self, y, Z, s=None):
        return share_of(y, s) * np.tanh(Z - y)

    def hessian(self, y, Z, s=None):
        return share_of(y, s) * (1 - np.tanh(Z - y) ** 2)

    def conjugate(self, y, theta, s=None):
        u = theta / share_of(y, s)
        if (np.abs(u) > 1).any():
            return np.inf
        return float(share_of(y, s) @ (u * y + 0.5 * (xlogy(1 + u, 1 + u) + xlogy(1 - u, 1 - u))))


class LogCoshWithoutCurvature(BaseEstimator):
    """The same with nothing but a conjugate."""

    value, gradient, conjugate = LogCosh.value, LogCosh.gradient, LogCosh.conjugate


class NewtonLogCosh(LogCosh):
    """The same with all that working sets ask for."""

    def local(self, y, Z, s=None):
        return self.value(y, Z, s), self.gradient(y, Z, s), self.hessian(y, Z, s)

    def null_prediction(self, y, s=None):
        b = 0.0
        for _ in range(100):
            Z = np.full(len(y), b)
            b -= self.gradient(y, Z, s).sum() / self.hessian(y, Z, s).sum()
        return np.asarray(b)


class Poisson(BaseEstimator):
    """ℓ(y, z) = e^z − yz, which may be negative;  ℓ*(u) = v log v − v with v = u + y ≥ 0."""

    def value(self, y, Z, s=None):
        return float(share_of(y, s) @ (np.exp(Z) - y * Z))

    def gradient(self, y, Z, s=None):
        return share_of(y, s) * (np.exp(Z) - y)

    def conjugate(self, y, theta, s=None):
        v = theta / share_of(y, s) + y
        return np.inf if (v < 0).any() else float(share_of(y, s) @ (xlogy(v, v) - v))


class OwnL1(BaseEstimator):
    """α‖w‖₁ once more;  its conjugate is 0 where every |cⱼ| ≤ α, infinite elsewhere."""

    def value(self, w, alpha):
        return alpha * float(np.abs(w).sum())

    def prox(self, v, step, alpha):
        return np.sign(v) * np.maximum(np.abs(v) - step * alpha, 0.0)

    def subdifferential_distance(self, w, gradient, alpha):
        return np.where(w == 0, np.maximum(np.abs(gradient) - alpha, 0.0), np.abs(gradient + alpha * np.sign(w)))

    def alpha_max(self, gradient_at_null):
        return float(np.abs(gradient_at_null).max(initial=0.0))

    def conjugate(self, c, alpha):
        return 0.0 if (np.abs(c) <= alpha).all() else np.inf


class CappedL1(OwnL1):
    """α‖w‖₁ where every |wⱼ| ≤ c, infinite elsewhere;  its conjugate c Σ max(|cⱼ| − α, 0) is finite everywhere."""

    def __init__(self, c=1.0):
        self.c = c

    def value(self, w, alpha):
        return super().value(w, alpha) if (np.abs(w) <= self.c).all() else np.inf

    def prox(self, v, step, alpha):
        return np.clip(super().prox(v, step, alpha), -self.c, self.c)

    def subdifferential_distance(self, w, gradient, alpha):
        at_cap = np.maximum(gradient * np.sign(w) + alpha, 0.0)
        return np.where(np.abs(w) < self.c, super().subdifferential_distance(w, gradient, alpha), at_cap)

    def conjugate(self, c, alpha):
        return self.c * float(np.maximum(np.abs(c) - alpha, 0.0).sum())
