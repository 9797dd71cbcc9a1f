"""What the kernels over all columns compute, in plain NumPy."""

import numpy as np


def survey(c, l1, inside, positive, alpha, slack):
    """The largest dual norm of a penalised column, and the columns outside that violate."""
    size = c if positive else np.abs(c)
    norms = [s / w for s, w in zip(size, l1, strict=True) if w > 0]
    return max([0.0, *norms]), np.flatnonzero((size > alpha * l1 + slack) & ~inside)


def logistic(y, z, share):
    """Σ share log(1 + e^(−yz)), and its first two derivatives."""
    q = np.exp(-np.logaddexp(0.0, y * z))  # 1/(1 + e^(yz))
    return (share * np.logaddexp(0.0, -y * z)).sum(), -share * y * q, share * q * np.exp(-np.logaddexp(0.0, -y * z))
