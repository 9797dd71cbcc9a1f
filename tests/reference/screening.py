"""Which columns can be left unread, in plain NumPy."""

import numpy as np


def column_moments(X, share):
    mean = share @ X
    return mean, share @ (X - mean) ** 2


def estimate_correlations(C, A, away, norms, l1, alphas, slack, positive):
    """Correlations of the combinations A of vectors with correlations C, and the columns that may be out of bounds."""
    estimates = A @ C
    size = estimates if positive else np.abs(estimates)
    return estimates, ~(size + np.outer(away, norms) <= np.outer(alphas, l1) - slack[:, None])


def proved_zero_columns(c, t, radius, norms, l1, alpha, slack, positive):
    """Columns that no point of the ball around the dual point with correlations t·c takes to their bound."""
    return t * (c if positive else np.abs(c)) + radius * norms < alpha * l1 - slack


def groups_beyond_reach(c, radius, norms, l1, group, labels, alpha):
    """The same for groups: the worst point of the ball, group by group, by its coordinates."""
    worst = np.maximum(np.abs(c) + radius * norms - alpha * l1, 0.0)
    return np.array([np.sqrt((worst[labels == g] ** 2).sum()) < alpha * group[g] for g in range(len(group))])
