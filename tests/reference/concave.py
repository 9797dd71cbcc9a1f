"""What the kernel for MCP and SCAD ends at, in plain NumPy."""

import numpy as np


def coordinate_minima(H, q, penalty, alpha, w, sweeps=20_000, settled=1e-13):
    """Coordinate after coordinate to its global minimum, until nothing moves."""
    w = w.copy()
    for _ in range(sweeps):
        before = w.copy()
        for j in range(len(q)):
            step = 1 / H[j, j]
            at = w[j] + step * (q[j] - H[j] @ w)
            z = np.zeros(len(q))
            z[j] = at
            w[j] = penalty.prox(z, step, alpha)[j]
        if np.abs(w - before).max() <= settled:
            break
    return w
