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

        if seen.all():
            a, b = v[:, None], v[None, :]
            out[:, :, j] = a != b if discrete[j] else (np.abs(a - b) / width) ** power
            continue
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


def shares(y, kind):
    """What the misses of each class count together to a row of class k: {k: {l: w}}."""
    share = {c: 1 / len(set(y.tolist())) if kind == "equal" else (y == c).mean() for c in set(y.tolist())}
    return {k: {c: p / (1 - share[k] if kind != "prior" else 1) for c, p in share.items()} for k in share}


def relief_f(X, discrete, y, k=10, power=1, kind="conditional"):
    diff = differences(X, discrete, y, power)
    D = distances(diff)
    rows = np.zeros(X.shape)
    for i in range(len(y)):
        for c, w in shares(y, kind)[y[i]].items():
            near = nearest(D, i, np.flatnonzero(y == c), k)
            if near:
                rows[i] += (-1.0 if c == y[i] else w) * diff[i, near].mean(axis=0)
    return rows.mean(axis=0)


def multi_surf(X, discrete, y, power=1, kind="conditional"):
    diff = differences(X, discrete, y, power)
    D = distances(diff)
    rows = np.zeros(X.shape)
    for i in range(len(y)):
        others = np.array([q for q in range(len(y)) if q != i])
        limit = D[i, others].mean() - D[i, others].std() / 2
        for c, w in shares(y, kind)[y[i]].items():
            near = [q for q in others if y[q] == c and D[i, q] < limit]
            if near:
                rows[i] += (-1.0 if c == y[i] else w) * diff[i, near].mean(axis=0)
    return rows.mean(axis=0)


def r_relief_f(X, discrete, y, k=70, sigma=20.0, power=1):
    """As the pseudo-code of Robnik-Šikonja and Kononenko (1997) has it."""
    n, p = X.shape
    diff = differences(X, discrete, np.zeros(n), power)
    D = distances(diff)
    width = y.max() - y.min()
    n_dc, n_da, n_dcda = 0.0, np.zeros(p), np.zeros(p)
    for i in range(n):
        near = nearest(D, i, range(n), k)
        influence = np.exp(-((np.arange(1, len(near) + 1) / sigma) ** 2))
        for d, q in zip(influence / influence.sum(), near, strict=True):
            apart = abs(y[i] - y[q]) / width
            n_dc += d * apart
            n_da += d * diff[i, q]
            n_dcda += d * apart * diff[i, q]
    near_by = n - n_dc
    return (n_dcda / n_dc if n_dc else 0.0) - ((n_da - n_dcda) / near_by if near_by else 0.0)
