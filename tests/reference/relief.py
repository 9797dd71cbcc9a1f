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


class Pairs:
    """(row, neighbour, share), shares of hits below 0: what Relief adds up."""

    def __init__(self, X, discrete, y, power):
        self.diff = differences(X, discrete, y, power)
        self.of_classes = True
        self.distances = distances(self.diff)
        self.rows, self.shares = [], []
        self.margin = np.inf  # how near a distance comes to the radius that decides on it

    def add(self, i, q, share):
        self.rows.append((i, q))
        self.shares.append(share)

    def add_class(self, i, near, weight):
        for q in near:
            self.add(i, q, weight / len(near))

    def each(self):
        i, q = np.array(self.rows, dtype=int).reshape(-1, 2).T
        return self.diff[i, q], np.array(self.shares, dtype=float)

    @property
    def relevance(self):
        each, share = self.each()
        return share @ each / len(self.diff)

    @property
    def standard_error(self):
        """One variance about the mean of the hits and about that of the misses, as in STIR, pairs by their shares;
        without classes, of the mean of what the rows say, but for how far all pairs differ."""
        each, share = self.each()
        if not self.of_classes:
            rows, apart = np.zeros(self.diff.shape[1:]), np.abs(share) @ each / np.abs(share).sum()
            for (i, _), d, s in zip(self.rows, each, share, strict=True):
                rows[i] += s * (d - apart)
            return rows.std(axis=0, ddof=1) / np.sqrt(len(rows))
        within = np.zeros(each.shape[1])
        for group in (share < 0, share > 0):
            if group.any():
                w = np.abs(share[group])
                within += w @ (each[group] - w @ each[group] / w.sum()) ** 2
        total, squares = np.abs(share).sum(), (share**2).sum()
        count = total**2 / squares if squares else 0.0
        if count <= 2 + 1e-9:
            return np.full(len(within), np.nan)
        return np.sqrt(within / total * count / (count - 2) * squares) / len(self.diff)


def relief(X, discrete, y, power=2):
    found = Pairs(X, discrete, y, power)
    for i in range(len(y)):
        found.add_class(i, nearest(found.distances, i, np.flatnonzero(y == y[i]), 1), -1.0)
        found.add_class(i, nearest(found.distances, i, np.flatnonzero(y != y[i]), 1), 1.0)
    return found


def class_weights(y, kind):
    """What the neighbours of each class count together to a row of class k: {k: {l: w}}."""
    share = {c: 1 / len(set(y.tolist())) if kind == "equal" else (y == c).mean() for c in set(y.tolist())}
    misses = {k: {c: p / (1 - share[k] if kind != "prior" else 1) for c, p in share.items()} for k in share}
    return {k: {**of, k: -1.0} for k, of in misses.items()}


def relief_f(X, discrete, y, k=10, power=1, kind="conditional"):
    found = Pairs(X, discrete, y, power)
    for i in range(len(y)):
        for c, w in class_weights(y, kind)[y[i]].items():
            found.add_class(i, nearest(found.distances, i, np.flatnonzero(y == c), k), w)
    return found


def multi_surf(X, discrete, y, power=1, kind="conditional"):
    found = Pairs(X, discrete, y, power)
    for i in range(len(y)):
        others = np.array([q for q in range(len(y)) if q != i])
        D = found.distances[i, others]
        radius = D.mean() - D.std() / 2
        found.margin = min(found.margin, np.abs(radius - D).min())
        near = others[radius > D]
        for c, w in class_weights(y, kind)[y[i]].items():
            found.add_class(i, near[y[near] == c], w)
    return found


def r_relief_f(X, discrete, y, k=70, sigma=20.0, power=1):
    """As the pseudo-code of Robnik-Šikonja and Kononenko (1997) has it, each pair's part in N_dC&dA / N_dC −
    (N_dA − N_dC&dA) / (m − N_dC) as its share."""
    n = len(y)
    found, pairs = Pairs(X, discrete, np.zeros(n), power), []
    found.of_classes = False
    width = y.max() - y.min()
    for i in range(n):
        near = nearest(found.distances, i, range(n), k)
        influence = np.exp(-((np.arange(1, len(near) + 1) / sigma) ** 2))
        pairs += [(i, q, d, abs(y[i] - y[q]) / width) for d, q in zip(influence / influence.sum(), near, strict=True)]
    n_dc = sum(d * apart for *_, d, apart in pairs)
    for i, q, d, apart in pairs:
        share = (d * apart / n_dc if n_dc else 0.0) - (d * (1 - apart) / (n - n_dc) if n > n_dc else 0.0)
        found.add(i, q, share * n)
    return found
