"""The counting and coding kernels said slowly, in plain Python and NumPy: their specification."""

import math
from collections import defaultdict

import numpy as np


def entropy(labels, weight=None):
    """−Σ p log₂ p of the weighted labels, in bits."""
    weight = np.ones(len(labels)) if weight is None else weight
    mass = defaultdict(float)
    for label, w in zip(labels, weight, strict=True):
        mass[label] += w
    total = math.fsum(mass.values())
    return -math.fsum(m / total * math.log2(m / total) for m in mass.values() if m > 0)


def gain(columns, y, weight=None):
    """Ent(D) − Σ_v |D^v|/|D| Ent(D^v): rows agree when they agree on all the columns (an (n, k) array)."""
    weight = np.ones(len(y)) if weight is None else weight
    cells = defaultdict(list)
    for i, row in enumerate(np.asarray(columns).reshape(len(y), -1).tolist()):
        cells[tuple("missing" if v != v else v for v in row)].append(i)
    total = weight.sum()
    rest = math.fsum(weight[rows].sum() / total * entropy(y[rows], weight[rows]) for rows in cells.values())
    return entropy(y, weight) - rest


def partition(columns, y, pure_too=False):
    """The set of cells (of the impure ones unless told), each the set of its rows."""
    cells = cells_of(columns, len(y))
    return {frozenset(rows) for rows in cells if pure_too or len(set(y[rows].tolist())) > 1}


def cells_of(columns, n):
    """Lists of rows that agree on all the columns, an (n, k) array."""
    cells = defaultdict(list)
    for i, row in enumerate(np.asarray(columns).reshape(n, -1).tolist()):
        cells[tuple(row)].append(i)
    return list(cells.values())


def sums(columns, y, weight=None):
    """Σ N log₂ N, Σ c log₂ c, Σ N², Σ c², Σ max c over cells of weight N with classes of weight c."""
    weight = np.ones(len(y)) if weight is None else weight
    out = np.zeros(5)
    for rows in cells_of(columns, len(y)):
        N = weight[rows].sum()
        c = np.array([weight[rows][y[rows] == k].sum() for k in np.unique(y[rows])])
        out += [N * math.log2(N), (c * np.log2(c)).sum(), N**2, (c**2).sum(), c.max()]
    return out


def joint_counts(codes, levels, y, n_classes, weight=None):
    """(levels, classes) table of one column."""
    table = np.zeros((levels, n_classes))
    for i, (v, c) in enumerate(zip(codes, y, strict=True)):
        table[v, c] += 1.0 if weight is None else weight[i]
    return table


def quantile_cuts(x, n_bins, weight=None):
    """t_k = the smallest value with at least k/B of the weight at or below it, none at the highest value; the value
    before the highest where that leaves none."""
    weight = np.ones(len(x)) if weight is None else weight
    x, weight = x[(x == x) & (weight > 0)], weight[(x == x) & (weight > 0)]
    values = np.unique(x)
    below = [weight[x <= v].sum() for v in values]
    cuts = {
        next(v for v, b in zip(values, below, strict=True) if n_bins * b >= k * weight.sum()) for k in range(1, n_bins)
    }
    return np.array(sorted(c for c in cuts if c < values[-1]) or values[-2:-1])


def cut_codes(x, cuts):
    """#{k : t_k < x}, missing values after the last bin."""
    return np.array([len(cuts) + 1 if v != v else int(np.sum(np.asarray(cuts) < v)) for v in x])


def supervised_cuts(x, y, weight=None):
    """Fayyad and Irani's recursion; of cuts that are equal to 1e-9 bits per row the lowest."""
    weight = np.ones(len(x)) if weight is None else weight
    used = (x == x) & (weight > 0)
    return np.array(sorted(_supervised(x[used], y[used], weight[used])))


def _supervised(x, y, w):
    N, k = w.sum(), len(set(y.tolist()))
    best = None
    for t in np.unique(x)[:-1]:
        left = x <= t
        rest = sum(w[side].sum() * entropy(y[side], w[side]) for side in (left, ~left))
        if best is None or rest < best[0] - 1e-9 * N:
            best = rest, t
    if best is None or k < 2 or N <= 1:
        return []
    rest, t = best
    left = x <= t
    whole = entropy(y, w)
    spared = k * whole - sum(len(set(y[side].tolist())) * entropy(y[side], w[side]) for side in (left, ~left))
    if N * whole - rest <= math.log2(N - 1) + math.log2(3**k - 2) - spared:
        return []
    return [t, *_supervised(x[left], y[left], w[left]), *_supervised(x[~left], y[~left], w[~left])]
