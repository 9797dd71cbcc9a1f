"""What the block kernel computes: plain proximal gradient steps, taken until nothing moves."""

import numpy as np


def grouped_quadratic(H, Q, terms, alpha, steps=300_000):
    """argmin ½ tr WᵀHW − tr QᵀW + α Ω(W), W of Q's shape: (k,), or (K, k) with a shared H."""
    step = 1 / max(np.linalg.eigvalsh(H)[-1], 1e-300)
    W = np.zeros_like(Q)
    for _ in range(steps):
        after = terms.prox((W - step * (W @ H - Q)).T, step * alpha).T
        if np.abs(after - W).max(initial=0.0) <= 1e-15 * np.abs(W).max(initial=1e-300):
            break
        W = after
    return W
