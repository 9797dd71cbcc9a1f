"""Which two columns a column is the product of, whatever their signs."""

from __future__ import annotations

from functools import cached_property
from math import comb, log

import numpy as np

from tamis.selection.redundancy.linear_dependency import FOLDS, order_r2, r2_by_chance

FEW_ROWS = 500  # for a first look at all pairs
CLOSER = 8  # pairs of each column that are looked at again on all rows
SLACK = 0.05  # of R²: what the first look may miss
MOST = 400  # columns: their pairs grow with the square


class ProductDependency:
    """Columns Z (n, q), in an order of chance, and the pairs whose product comes closest to each of them."""

    def __init__(self, columns: np.ndarray, Z: np.ndarray, weight: np.ndarray, threshold: float) -> None:
        self.columns = columns
        self.unit = np.abs(Z).max(axis=0, initial=0.0)
        self.Z = Z / self.unit
        self.weight = weight
        self.threshold = threshold
        self.place = {int(j): k for k, j in enumerate(columns)}

    def pairs(self, j: int, allowed: np.ndarray) -> list[tuple[int, ...]]:
        """The best single column, as a square, and the best pair; those that cannot do are left out."""
        t = self.place.get(j)
        if t is None or not 1 < len(self.columns) <= MOST:
            return []
        there = [pair for pair in self._near[t] if all(allowed[self.columns[k]] for k in pair)]
        scored = [(self._explained(t, pair), pair) for pair in there]
        best = [max((s for s in scored if len(s[1]) == size), default=None, key=lambda s: s[0]) for size in (1, 2)]
        return [tuple(int(self.columns[k]) for k in one[1]) for one in best if one and one[0] >= self.threshold]

    def explained(self, j: int, sources: tuple[int, ...]) -> float:
        """R² on rows left out."""
        t, pair = self.place[j], tuple(self.place[s] for s in sources)
        folds = np.arange(len(self.Z)) % FOLDS
        x, P = self.Z[:, t], self._product(pair)
        error = spread = 0.0
        for f in range(FOLDS):
            train, test = self.weight * (folds != f), self.weight * (folds == f)
            if not train.any() or not test.any():
                continue
            b = (train * P) @ x / max((train * P) @ P, np.finfo(float).tiny)
            error += test @ (x - b * P) ** 2
            spread += test @ (x - train @ x / train.sum()) ** 2
        return float(1 - error / spread) if spread > 0 else 0.0

    def fitted(self, j: int, sources: tuple[int, ...]) -> tuple[float, float]:
        """Factor, and what is left as a share of the spread."""
        t, pair = self.place[j], tuple(self.place[s] for s in sources)
        x, P = self.Z[:, t], self._product(pair)
        b = (self.weight * P) @ x / ((self.weight * P) @ P)
        left = 1 - self._explained(t, pair)
        exponent = 2 if len(pair) == 1 else 1
        return float(b * self.unit[t] / np.prod(self.unit[list(pair)] ** exponent)), float(np.sqrt(max(left, 0.0)))

    def is_chance(self, j: int, sources: tuple[int, ...], n_columns: int) -> bool:
        """Whether noise would do as well by one of all pairs, for one of all columns."""
        t, pair = self.place[j], tuple(self.place[s] for s in sources)
        n = self.weight.sum() ** 2 / (self.weight**2).sum()
        tried = log(n_columns) + log(comb(len(self.columns) + 1, 2))
        fits = self._explained(t, pair), order_r2(self.Z[:, t], self._product(pair))
        return any(r2_by_chance(r2, 1, n, tried) for r2 in fits)

    def _product(self, pair: tuple[int, ...]) -> np.ndarray:
        return self.Z[:, pair[0]] * self.Z[:, pair[-1]]

    def _explained(self, t: int, pair: tuple[int, ...]) -> float:
        x, P, w = self.Z[:, t], self._product(pair), self.weight
        b = (w * P) @ x / max((w * P) @ P, np.finfo(float).tiny)
        spread = w @ (x - w @ x / w.sum()) ** 2
        return float(1 - w @ (x - b * P) ** 2 / spread) if spread > 0 else 0.0

    @cached_property
    def _near(self) -> list[list[tuple[int, ...]]]:
        """Of each column the pairs that explain the most on a few rows, one being a pair with itself."""
        Z, w = self.Z[:FEW_ROWS], self.weight[:FEW_ROWS]
        q = Z.shape[1]
        V = (Z * w[:, None]).T
        square = np.einsum("ji,ij->j", V, Z)
        spread = np.maximum(square - (w @ Z) ** 2 / w.sum(), np.finfo(float).tiny)
        found: list[list[tuple[float, tuple[int, ...]]]] = [[] for _ in range(q)]
        for a in range(q):
            P = Z[:, a:] * Z[:, [a]]
            size = np.maximum(w @ P**2, np.finfo(float).tiny)
            r2 = 1 - (square[:, None] - (V @ P) ** 2 / size) / spread[:, None]
            r2[a] = -1.0
            r2[np.arange(a, q), np.arange(q - a)] = -1.0  # a column is no source of its own
            for t, k in np.argwhere(r2 >= self.threshold - SLACK):
                found[t].append((-float(r2[t, k]), (a,) if k == 0 else (a, a + int(k))))
        return [[pair for _, pair in sorted(one)[:CLOSER]] for one in found]
