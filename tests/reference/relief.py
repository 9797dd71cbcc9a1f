"""Relief said slowly: its specification."""

import numpy as np


def differences(X, discrete, y, power):
    """(n, n, p) diff^power of every two rows."""
    n, p = X.shape
    out = np.zeros((n, n, p))
    for j in range(p):
        v = X[:, j]
        seen = ~np.isnan(v)
        if not seen.any():
            continue
        width = (v[seen].max() - v[seen].min()) or 1.0

        def apart(a, b, j=j, width=width):
            return float(a != b) if discrete[j] else (abs(a - b) / width) ** power

        def of_class(c, v=v, seen=seen):
            own = v[seen & (y == c)]
            return own if len(own) else v[seen]

        for i in range(n):
            for q in range(n):
                here = [v[i]] if seen[i] else of_class(y[i])
                there = [v[q]] if seen[q] else of_class(y[q])
                out[i, q, j] = np.mean([[apart(a, b) for b in there] for a in here])
    return out


def distances(diff):
    """Σ diff, told apart to 2⁻³²."""
    return np.rint(diff.sum(axis=2) * 2.0**32) / 2.0**32


def nearest(D, i, members, k):
    """The k nearest of the members to row i, of equally near ones the lowest."""
    return sorted((q for q in members if q != i), key=lambda q: (D[i, q], q))[:k]


def relief(X, discrete, y, power=2):
    diff = differences(X, discrete, y, power)
    D = distances(diff)
    total = np.zeros(X.shape[1])
    for i in range(len(y)):
        for q in nearest(D, i, np.flatnonzero(y == y[i]), 1):
            total -= diff[i, q]
        for q in nearest(D, i, np.flatnonzero(y != y[i]), 1):
            total += diff[i, q]
    return total / len(y)


def relief_f(X, discrete, y, k=10, power=1, conditional=True):
    diff = differences(X, discrete, y, power)
    D = distances(diff)
    share = {c: (y == c).mean() for c in set(y.tolist())}
    rows = np.zeros(X.shape)
    for i in range(len(y)):
        for c, p_c in share.items():
            near = nearest(D, i, np.flatnonzero(y == c), k)
            w = -1.0 if c == y[i] else p_c / (1 - share[y[i]]) if conditional else p_c
            if near:
                rows[i] += w * diff[i, near].mean(axis=0)
    return rows.mean(axis=0)
