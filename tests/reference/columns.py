"""What the kernels over all columns compute, in plain NumPy."""

import numpy as np
from scipy.special import xlog1py, xlogy


def survey(c, l1, inside, positive, alpha, slack):
    """The largest dual norm of a penalised column, and the columns outside that violate."""
    size = c if positive else np.abs(c)
    norms = [s / w for s, w in zip(size, l1, strict=True) if w > 0]
    return max([0.0, *norms]), np.flatnonzero((size > alpha * l1 + slack) & ~inside)


def logistic(y, z, share):
    """Σ share log(1 + e^(−yz)), and its first two derivatives."""
    q = np.exp(-np.logaddexp(0.0, y * z))  # 1/(1 + e^(yz))
    return (share * np.logaddexp(0.0, -y * z)).sum(), -share * y * q, share * q * np.exp(-np.logaddexp(0.0, -y * z))


def squared_hinge(y, z, share, _):
    short = np.maximum(1 - y * z, 0.0)
    return (share * short**2).sum(), -2 * share * y * short, 2.0 * share * (y * z < 1)


def poisson(y, z, share, _):
    return (share * (np.exp(z) - y * z)).sum(), share * (np.exp(z) - y), share * np.exp(z)


def gamma(y, z, share, _):
    return (share * (y * np.exp(-z) + z)).sum(), share * (1 - y * np.exp(-z)), share * y * np.exp(-z)


def huber(y, z, share, delta):
    """Beyond δ a tenth of the curvature of the parabola above the loss."""
    r = np.abs(z - y)
    loss = np.where(r <= delta, r**2 / 2, delta * r - delta**2 / 2)
    bend = np.where(r <= delta, 1.0, 0.1 * delta / np.maximum(r, delta))
    return (share * loss).sum(), share * np.clip(z - y, -delta, delta), share * bend


LOSSES = {1: squared_hinge, 2: poisson, 3: gamma, 4: huber}  # by their number in the kernel


def logistic_step(X, d, shift, y, share, z, g, curvature, ratio):
    """From z by u = Xᵀd + shift: what a Newton step leaves, for the columns in the rows of X."""
    u = d @ X + shift
    loss, slope, bend = logistic(y, z + u, share)
    return z + u, slope, bend, g + ratio * curvature * u, X @ slope, (loss, slope.sum(), bend.sum())


def logistic_conjugate(y, theta, share):
    """Σ share (v log v + (1 − v) log(1 − v)), v = −yθ/share; infinite outside [0, 1]."""
    v = -y * theta / share
    return (share * (xlogy(v, v) + xlog1py(1 - v, -v))).sum() if ((v >= 0) & (v <= 1)).all() else np.inf
