"""How alike the choices on different rows are: Nogueira, Sechidis and Brown (2018)."""

from __future__ import annotations

import numpy as np
from scipy.stats import norm

from tamis.selection.comparison.scores import Estimate


def stability_index(chosen: np.ndarray, level: float = 0.95) -> Estimate:
    """Φ = 1 − mean_f s²_f / (k̄/d (1 − k̄/d)) of M choices among d columns (M, d) with its asymptotic interval.

    s²_f = M/(M − 1) p̂_f (1 − p̂_f) is the variance of the choice of column f, k̄ the mean number chosen. 1: the same
    columns each time; 0: as if drawn at random. Not a number where none or all are chosen each time, or M < 2.
    """
    Z = np.asarray(chosen, dtype=np.float64)
    M, d = Z.shape
    share = Z.mean(axis=0)
    k = share.sum() / d  # k̄/d
    if M < 2 or not 0 < k < 1:
        return Estimate(np.nan, np.nan, np.nan)
    expected = k * (1 - k)
    value = 1 - (M / (M - 1) * share * (1 - share)).mean() / expected
    # Theorem 7: the influence of each choice, and the variance of their mean
    own = Z.sum(axis=1) / d
    influence = ((Z * share).mean(axis=1) - own * k + value / 2 * (2 * k * own - own - k + 1)) / expected
    spread = 2 * np.sqrt(((influence - influence.mean()) ** 2).sum()) / M
    z = norm.ppf(0.5 + level / 2)
    return Estimate(float(value), float(value - z * spread), float(min(1.0, value + z * spread)))
