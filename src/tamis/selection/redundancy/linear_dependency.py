"""Which few columns a column is a sum of, found from correlations and checked on rows left out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import comb, log

import numpy as np
from scipy.stats import beta, rankdata

from tamis.sources.base import Block
from tamis.stats.gram import Gram, GramOfSets

FOLDS = 5
BEAM = 8  # subsets of each size that are tried with one more column
SINGULAR = 1e-10  # of a column's variance: what is left beside those it depends on
CHANCE = 0.01  # of a relation in a table of noise
DIGITS = 9  # of R²: equal ones differ by rounding


@dataclass
class LinearDependency:
    """Columns Z (n, q) of one kind, with weights: their correlations R, and the Gram matrix of every fold."""

    columns: np.ndarray  # which columns of the table they are
    Z: np.ndarray
    weight: np.ndarray

    def __post_init__(self) -> None:
        n = len(self.Z)
        self.place = {int(j): k for k, j in enumerate(self.columns)}
        self.n = self.weight.sum() ** 2 / (self.weight**2).sum() if n else 0.0  # rows that count, by Kish
        if not self.Z.size:
            return
        self.unit = np.abs(self.Z).max(axis=0)  # squares of numbers up to 1 do not overflow
        self.Z = np.ascontiguousarray(self.Z / self.unit)
        self.total = Gram().of(self._block)
        self.spread = np.sqrt(self.total.scatter.diagonal() / self.total.weight)
        self.R = self.total.scatter / np.multiply.outer(self.spread, self.spread) / self.total.weight

    @property
    def _block(self) -> Block:
        return Block(self.Z, None, np.ascontiguousarray(self.weight), 0)

    @cached_property
    def folds(self) -> list[tuple[Gram, Gram]]:
        """(trained on, left out): every fifth row, for they come in an order of chance."""
        sets = [np.arange(f, len(self.Z), FOLDS) for f in range(min(FOLDS, len(self.Z)))]
        parts = GramOfSets(sets).of(self._block).grams
        return [(self.total.without(part), part) for part in parts]

    @cached_property
    def bound(self) -> np.ndarray:
        """(q,) what all other columns together explain of each, on these rows: no few of them explain more."""
        if len(self.columns) > self.n / 2:
            return np.ones(len(self.columns))
        values, vectors = np.linalg.eigh(self.R)
        null = values < SINGULAR * values[-1]
        depends = np.square(vectors[:, null]).sum(axis=1) > SINGULAR
        inverse = np.sum(np.square(vectors[:, ~null]) / values[~null], axis=1)
        return np.where(depends, 1.0, 1 - 1 / inverse) + 1e-6

    def subsets(self, j: int, allowed: np.ndarray, most: int, least: float) -> list[tuple[int, ...]]:
        """The best subset of each size up to ``most`` that explains at least ``least`` of column j on these rows.

        Singles and pairs are all looked at; larger ones are grown from the best few. ``allowed`` masks the columns of
        the table.
        """
        target = self.place.get(j)
        if target is None:
            return []
        free = np.array([k for k, c in enumerate(self.columns) if allowed[c] and c != j], dtype=np.int64)
        if not len(free) or self.bound[target] < least:
            return []
        found: list[tuple[int, ...]] = []
        beam: list[tuple[int, ...]] = [()]
        for size in range(1, min(most, len(free)) + 1):
            scored = self._pairs(target, free) if size == 2 else self._grown(target, free, beam)
            if not scored:
                break
            beam = [subset for _, subset in scored]
            if scored[0][0] >= least:
                found.append(tuple(int(self.columns[k]) for k in beam[0]))
        return found

    def exact_sum(self, j: int, allowed: np.ndarray, most: int) -> tuple[int, ...] | None:
        """Columns, more than a few, that add up to column j exactly: the best one joins until nothing is left."""
        t = self.place.get(j)
        free = np.array([k for k, c in enumerate(self.columns) if allowed[c] and c != j], dtype=np.int64)
        if t is None or not len(free) or len(self.columns) > self.n / 2 or self.bound[t] < 1.0:
            return None
        S: tuple[int, ...] = ()
        while len(S) < min(most, len(free)):
            scored = self._grown(t, free, [S])
            if not scored:
                return None
            S = scored[0][1]
            if scored[0][0] >= 1 - 10.0**-DIGITS:
                found = tuple(int(self.columns[k]) for k in S)
                weights = self.fitted(j, found)[3]
                return tuple(c for c, w in zip(found, weights, strict=True) if w > 1e-6 * weights.max())
        return None

    def is_chance(self, j: int, sources: tuple[int, ...], n_columns: int) -> bool:
        """Whether noise would explain as much by one of all subsets as large, of one of all columns."""
        k, n = len(sources), self.n
        t, S = self.place[j], [self.place[s] for s in sources]
        tried = log(n_columns) + log(comb(len(self.columns) - 1, k))
        if r2_by_chance(self._r2(t, np.array(S)), k, n, tried):
            return True
        c = self.fitted(j, sources)[0] * self.unit[S] / self.unit[t]
        return r2_by_chance(order_r2(self.Z[:, t], self.Z[:, S] @ c), k, n, tried)

    def explained(self, j: int, sources: tuple[int, ...]) -> float:
        """R² on rows left out, fold by fold."""
        t, S = self.place[j], [self.place[s] for s in sources]
        error = spread = 0.0
        for train, fold in self.folds:
            if not train.weight > 0 or not fold.weight > 0:
                continue
            shift = fold.mean_minus(train)
            T = fold.scatter + fold.weight * np.multiply.outer(shift, shift)
            size = np.sqrt(np.maximum(train.scatter.diagonal(), 1e-300))
            A = train.scatter[np.ix_(S, S)] / np.multiply.outer(size[S], size[S])
            w = np.linalg.pinv(A, rcond=SINGULAR, hermitian=True) @ (train.scatter[S, t] / size[S]) / size[S]
            error += T[t, t] - 2 * w @ T[S, t] + w @ T[np.ix_(S, S)] @ w
            spread += T[t, t]
        return float(1 - max(error, 0.0) / spread) if spread > 0 else 0.0

    def fitted(self, j: int, sources: tuple[int, ...]) -> tuple[np.ndarray, float, float, np.ndarray]:
        """Coefficients, intercept, what is left as a share of the spread, and |coefficients| in spreads."""
        t, S = self.place[j], [self.place[s] for s in sources]
        s = np.sqrt(self.weight / self.weight.sum())
        mean = self.total.mean
        D = (self.Z[:, S] - mean[S]) / self.spread[S] * s[:, None]
        d = (self.Z[:, t] - mean[t]) / self.spread[t] * s
        w = np.linalg.lstsq(D, d)[0]
        c = w / self.spread[S] * self.spread[t]
        b = float(mean[t] - c @ mean[S]) * self.unit[t]
        return c / self.unit[S] * self.unit[t], b, float(np.linalg.norm(d - D @ w)), np.abs(w)

    def _r2(self, t: int, S: np.ndarray) -> float:
        if not len(S):
            return 0.0
        q = self.R[S, t]
        return float(q @ np.linalg.pinv(self.R[np.ix_(S, S)], rcond=SINGULAR, hermitian=True) @ q)

    def _pairs(self, t: int, free: np.ndarray) -> list[tuple[float, tuple[int, ...]]]:
        """(qₐ² + q_b² − 2 qₐ q_b R_ab) / (1 − R_ab²) of every pair; the best."""
        q, R = self.R[free, t], self.R[np.ix_(free, free)]
        room = 1 - R**2
        top = np.add.outer(q**2, q**2) - 2 * np.multiply.outer(q, q) * R
        r2 = np.divide(top, room, out=np.zeros_like(top), where=room > SINGULAR)
        r2 = np.round(np.where(np.tri(len(free), dtype=bool), -1.0, r2), DIGITS).ravel()
        best = np.argsort(-r2, kind="stable")[:BEAM]
        pairs = [np.unravel_index(b, R.shape) for b in best if r2[b] >= 0]
        return [
            (float(r2[b]), (int(free[i]), int(free[k]))) for b, (i, k) in zip(best, pairs, strict=False) if r2[b] >= 0
        ]

    def _grown(self, t: int, free: np.ndarray, beam: list[tuple[int, ...]]) -> list[tuple[float, tuple[int, ...]]]:
        """Every subset of the beam with every column more; the best."""
        scored: dict[tuple[int, ...], float] = {}
        for subset in beam:
            S = np.array(subset, dtype=np.int64)
            M = np.linalg.pinv(self.R[np.ix_(S, S)], rcond=SINGULAR, hermitian=True)
            V = self.R[np.ix_(free, S)] @ M
            left = 1 - np.einsum("is,is->i", V, self.R[np.ix_(free, S)])
            r = self.R[free, t] - V @ self.R[S, t]
            gain = np.divide(r**2, left, out=np.full(len(free), -1.0), where=left > SINGULAR)
            r2 = np.round(self._r2(t, S) + gain, DIGITS)
            for i in np.argsort(-r2, kind="stable")[:BEAM]:
                if gain[i] >= 0 and free[i] not in subset:
                    scored[tuple(sorted([*subset, int(free[i])]))] = float(r2[i])
        return [(r2, subset) for subset, r2 in sorted(scored.items(), key=lambda one: (-one[1], one[0]))][:BEAM]


def r2_by_chance(r2: float, k: int, n: float, tried: float) -> bool:
    """Whether an R² of k of n numbers may be chance, when the logarithm of the number of trials is ``tried``."""
    if n - k - 1 <= 0:
        return True
    return bool(beta.logsf(min(r2, 1 - 1e-15), k / 2, (n - k - 1) / 2) + tried > log(CHANCE))


def order_r2(x: np.ndarray, fit: np.ndarray) -> float:
    """R² of ranks, which no few rows far out can make."""
    ranks = rankdata(np.round(np.column_stack([x, fit]), DIGITS), axis=0)
    ranks -= ranks.mean(axis=0)
    size = np.linalg.norm(ranks, axis=0)
    return float((ranks[:, 0] @ ranks[:, 1] / (size[0] * size[1])) ** 2) if size.all() else 0.0
