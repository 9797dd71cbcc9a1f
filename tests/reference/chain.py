"""The chain's prox in plain NumPy: its dual, by projected gradient on the edges until nothing moves."""

import numpy as np


def chain(v, edges, sweeps=20_000):
    """argmin ½‖z − v‖² + Σ edgesⱼ |zⱼ₊₁ − zⱼ|: z = v − Dᵀu with |uⱼ| ≤ edgesⱼ, coordinate after coordinate."""
    u = np.zeros(len(edges))
    for _ in range(sweeps):
        before = u.copy()
        for j in range(len(u)):
            left = u[j - 1] if j else 0.0
            right = u[j + 1] if j + 1 < len(u) else 0.0
            u[j] = np.clip(0.5 * (v[j + 1] - v[j] + left + right), -edges[j], edges[j])
        if np.abs(u - before).max(initial=0.0) <= 1e-14:
            break
    z = np.array(v, dtype=float)
    z[:-1] += u
    z[1:] -= u
    return z
