"""What the path kernel computes: plain cyclic coordinate descent, run until nothing moves."""

import numpy as np


def lasso(G, q, alpha, w=None, sweeps=100_000):
    """argmin ½ wᵀGw − qᵀw + α‖w‖₁."""
    w = np.zeros(len(q)) if w is None else w.copy()
    for _ in range(sweeps):
        before = w.copy()
        for j in np.flatnonzero(np.diag(G) > 0):
            z = q[j] - G[j] @ w + G[j, j] * w[j]
            w[j] = np.sign(z) * max(abs(z) - alpha, 0.0) / G[j, j]
        if np.abs(w - before).max(initial=0.0) <= 1e-15 * np.abs(w).max(initial=1e-300):
            break
    return w
