"""What batch OMP computes: one signal at a time, every step solved anew."""

import numpy as np

DEPENDENT = 1e-10  # of an atom's square, outside the span of those chosen


def omp(G, q, yy, n_nonzero=None, limit=0.0):
    """(z, ‖r‖²): the atom with the largest |q − Gz|ⱼ/√Gⱼⱼ joins, z is refitted; until ‖r‖² ≤ limit or none is left."""
    chosen, z, rest = [], np.zeros(len(q)), yy
    norms = np.sqrt(np.diag(G))
    while rest > limit and len(chosen) < (n_nonzero or len(q)):
        free = [j for j in range(len(q)) if norms[j] > 0 and outside(G, chosen, j) > DEPENDENT * G[j, j]]
        score = [abs(q[j] - G[j] @ z) / norms[j] for j in free]
        if not free or max(score) <= 1e-12 * np.sqrt(yy):
            break
        chosen.append(free[int(np.argmax(score))])
        z = np.zeros(len(q))
        z[chosen] = np.linalg.solve(G[np.ix_(chosen, chosen)], q[chosen])
        rest = yy - q @ z
    return z, max(0.0, rest)


def outside(G, chosen, j):
    """The squared length of atom j outside the span of the chosen."""
    if not chosen:
        return G[j, j]
    return G[j, j] - G[j, chosen] @ np.linalg.solve(G[np.ix_(chosen, chosen)], G[chosen, j])
