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


def newton_model(X, g, h, w, ratio, alpha, l1, l2, positive, centred):
    """The minimum of gᵀ(Xd + β) + ratio/2 (Xd + β)ᵀ diag(h) (Xd + β) + α Ω(w + d): w + d, β, Ω(w + d), gᵀ(Xd + β)."""
    middle = h @ X / h.sum() if centred else np.zeros(X.shape[1])
    Z = X - middle  # β takes off the h-weighted mean of Xd and of g
    G = ratio * Z.T @ (h[:, None] * Z)
    pull = Z.T @ g
    at = lasso(G, G @ w - pull, alpha, l1, l2, positive, w)
    d = at - w
    shift = -(g.sum() / ratio + h @ X @ d) / h.sum() if centred else 0.0
    omega = l1 @ np.abs(at) + l2 @ at**2 / 2
    return at, shift, omega, g @ (X @ d + shift)
