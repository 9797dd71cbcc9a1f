"""What the path kernel computes: plain cyclic coordinate descent, run until nothing moves."""

import numpy as np


def lasso(G, q, alpha, l1=1.0, l2=0.0, positive=False, w=None, sweeps=100_000):
    """argmin ½ wᵀGw − qᵀw + α Σ (l1ⱼ|wⱼ| + l2ⱼwⱼ²/2), over w ≥ 0 when positive."""
    l1, l2 = np.broadcast_to(l1, len(q)), np.broadcast_to(l2, len(q))
    w = np.zeros(len(q)) if w is None else w.copy()
    for _ in range(sweeps):
        before = w.copy()
        for j in np.flatnonzero(np.diag(G) + alpha * l2 > 0):
            z = q[j] - G[j] @ w + G[j, j] * w[j]
            shrunk = np.sign(z) * max(abs(z) - alpha * l1[j], 0.0)
            w[j] = (max(shrunk, 0.0) if positive else shrunk) / (G[j, j] + alpha * l2[j])
        if np.abs(w - before).max(initial=0.0) <= 1e-15 * np.abs(w).max(initial=1e-300):
            break
    return w
