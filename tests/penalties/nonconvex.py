"""Penalties that are not convex, as a user would write them."""

import numpy as np
from sklearn.base import BaseEstimator


class MCP(BaseEstimator):
    """Ω_α(t) = α|t| − t²/(2γ) up to |t| = γα, then γα²/2 (Zhang 2010)."""

    def __init__(self, gamma=3.0):
        self.gamma = gamma

    def value(self, w, alpha):
        t = np.minimum(np.abs(w), self.gamma * alpha)
        return float((alpha * t - t**2 / (2 * self.gamma)).sum())

    def prox(self, v, step, alpha):
        size, gamma = np.abs(v), self.gamma
        if step >= gamma:  # nothing between 0 and v is a minimum
            return np.where(size > alpha * np.sqrt(gamma * step), v, 0.0)
        shrunk = np.sign(v) * np.maximum(size - step * alpha, 0.0) / (1 - step / gamma)
        return np.where(size > gamma * alpha, v, shrunk)

    def subdifferential_distance(self, w, gradient, alpha):
        slope = np.sign(w) * np.maximum(alpha - np.abs(w) / self.gamma, 0.0)
        return np.where(w == 0, np.maximum(np.abs(gradient) - alpha, 0.0), np.abs(gradient + slope))

    def alpha_max(self, gradient_at_null):
        return float(np.abs(gradient_at_null).max(initial=0.0))


class SCAD(BaseEstimator):
    """Ω_α' = α up to |t| = α, (γα − |t|)/(γ − 1) up to γα, then 0 (Fan and Li 2001); γ > 2."""

    def __init__(self, gamma=3.7):
        self.gamma = gamma

    def value(self, w, alpha):
        return float(self._each(np.abs(w), alpha).sum())

    def _each(self, t, alpha):
        t, bend = np.minimum(t, self.gamma * alpha), np.maximum(np.minimum(t, self.gamma * alpha) - alpha, 0.0)
        return alpha * t - bend**2 / (2 * (self.gamma - 1))

    def prox(self, v, step, alpha):
        size, g = np.abs(v), self.gamma
        knots = [0 * size, 0 * size + alpha, 0 * size + g * alpha]
        inner, outer = np.clip(size - step * alpha, 0.0, alpha), np.maximum(size, g * alpha)
        bent = g - 1 - step  # the curvature left between the knots
        middle = np.clip(((g - 1) * size - g * step * alpha) / bent, alpha, g * alpha) if bent > 0 else knots[1]
        z = np.stack([*knots, inner, middle, outer])  # the minimum is one of them
        best = ((z - size) ** 2 / (2 * step) + self._each(z, alpha)).argmin(axis=0)
        return np.sign(v) * np.take_along_axis(z, best[None], axis=0)[0]

    def subdifferential_distance(self, w, gradient, alpha):
        bend = np.maximum(np.abs(w) - alpha, 0.0) / (self.gamma - 1)
        slope = np.sign(w) * np.maximum(alpha - bend, 0.0)
        return np.where(w == 0, np.maximum(np.abs(gradient) - alpha, 0.0), np.abs(gradient + slope))

    def alpha_max(self, gradient_at_null):
        return float(np.abs(gradient_at_null).max(initial=0.0))


class L0(BaseEstimator):
    """Ω_α(w) = α‖w‖₀;  prox(v) = v·1[|v| > √(2 α step)]. Zero is stationary at any α > 0."""

    def value(self, w, alpha):
        return alpha * float(np.count_nonzero(w))

    def prox(self, v, step, alpha):
        return np.where(np.abs(v) > np.sqrt(2 * alpha * step), v, 0.0)

    def subdifferential_distance(self, w, gradient, alpha):
        return np.where(w == 0, 0.0, np.abs(gradient))

    def alpha_max(self, gradient_at_null):
        return 0.0
