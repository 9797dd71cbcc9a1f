"""Which few columns a column with few values is a function of, found from counts."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, log2

import numpy as np

from tamis.selection.evaluation.counting import IMPURITY, PartitionSums
from tamis.selection.redundancy.linear_dependency import CHANCE
from tamis.stats.binning import NO_WEIGHT
from tamis.stats.coded import CodedTable

BEAM = 4
NEAR = 0.1  # of a column's entropy: what may be left of it for a closer look
ALL_PAIRS = 3e9  # cells looked at, beyond which pairs are grown from the best few columns


@dataclass
class FunctionalDependency:
    """Codes (q, n) of columns with few values."""

    columns: np.ndarray
    codes: np.ndarray
    levels: np.ndarray
    weight: np.ndarray
    n_threads: int

    def __post_init__(self) -> None:
        self.place = {int(j): k for k, j in enumerate(self.columns)}
        self.plain = bool((self.weight == 1).all())

    def subsets(self, j: int, allowed: np.ndarray, most: int) -> list[tuple[int, ...]]:
        """The best subset of each size up to ``most`` that leaves little of the entropy of column j."""
        t = self.place.get(j)
        if t is None:
            return []
        free = [k for k, c in enumerate(self.columns) if allowed[c] and c != j]
        y = self.codes[t].astype(np.int32)
        weight = NO_WEIGHT if self.plain else np.ascontiguousarray(self.weight)
        counts = PartitionSums(
            CodedTable(self.codes, self.levels, y, int(self.levels[t]), weight, None), self.n_threads, IMPURITY
        )
        entropy = float(counts.empty[0, 0])
        found: list[tuple[int, ...]] = []
        beam: list[tuple[int, ...]] = [()]
        price = log2(len(np.unique(y)))
        for size in range(1, min(most, len(free)) + 1):
            if size == 2 and len(free) ** 2 * len(self.columns) * len(y) <= ALL_PAIRS:
                beam = [(k,) for k in free]
            left = self._grown(counts, free, beam, price)
            if not left:
                break
            beam = [subset for _, _, subset in left[:BEAM]]
            if left[0][1] <= NEAR * entropy:
                found.append(tuple(int(self.columns[k]) for k in beam[0]))
        return found

    def _grown(
        self, counts: PartitionSums, free: list[int], beam: list[tuple[int, ...]], price: float
    ) -> list[tuple[float, float, tuple[int, ...]]]:
        """(bits left and bits of the table, bits left, subset), the shortest first; a cell of the table costs the
        price, and there are no more cells than rows.
        """
        n, size = len(self.weight), self.levels.astype(np.float64)
        found: dict[tuple[int, ...], tuple[float, float]] = {}
        for subset in beam:
            more = np.array([k for k in free if k not in subset], dtype=np.int64)
            if not len(more):
                continue
            left = counts.with_each(subset, more.tolist())[:, 0]
            cost = np.round(left + price * np.minimum(n, np.prod(size[list(subset)]) * size[more]), 6)
            for i in np.argsort(cost, kind="stable")[:BEAM]:
                found[tuple(sorted((*subset, int(more[i]))))] = float(cost[i]), float(left[i])
        return sorted((cost, left, subset) for subset, (cost, left) in found.items())

    def evaluate(self, j: int, sources: tuple[int, ...]) -> tuple[float, float, int]:
        """Share of wrong guesses saved in rows left out one at a time, share of rows contradicted, and cells.

        A row left out is guessed as most of the other rows of its cell are, or as most of all where it was alone.
        """
        t = self.place[j]
        cells = self._cells(sources)
        T = np.zeros((int(cells.max()) + 1, int(self.levels[t])))
        v = self.codes[t].astype(np.int64)
        np.add.at(T, (cells, v), self.weight)
        whole = T.sum(axis=0)
        mode = int(np.argmax(whole))
        best = np.argmax(T, axis=1)
        top = T[np.arange(len(T)), best]
        beside = T.copy()
        beside[np.arange(len(T)), best] = -1.0
        rival = np.where(best[cells] == v, beside.max(axis=1)[cells], top[cells])
        own = T[cells, v] - self.weight
        alone = T.sum(axis=1)[cells] - self.weight <= 1e-9 * self.weight
        right = np.where(alone, v == mode, own > rival)
        total = self.weight.sum()
        base = total - whole[mode]
        wrong = float(self.weight @ ~right)
        return 1 - wrong / base if base > 0 else 0.0, float(1 - top.sum() / total), len(T)

    def is_chance(self, j: int, size: int, cells: int, contradicted: float, bits: float, n_columns: int) -> bool:
        """Whether noise would be as good a function of one of all subsets as large, for one of all columns.

        Of all ways to order the values of the column, 2^bits, no more agree with a table of so many cells and so many
        exceptions than there are such tables.
        """
        n, values = len(self.weight), len(np.unique(self.codes[self.place[j]]))
        exceptions = contradicted * n
        table = cells * log2(values) + exceptions * (log2(n) + log2(values))
        tried = log2(n_columns) + log2(max(1, comb(len(self.columns) - 1, size)))
        return bits - table < tried - log2(CHANCE)

    def same(self, j: int, i: int) -> bool:
        """Whether two columns split the rows alike."""
        a, b = (self.codes[self.place[c]].astype(np.int64) for c in (j, i))
        pairs = len(np.unique(a * (int(b.max()) + 1) + b))
        return pairs == len(np.unique(a)) == len(np.unique(b))

    def _cells(self, sources: tuple[int, ...]) -> np.ndarray:
        cells = np.zeros(self.codes.shape[1], dtype=np.int64)
        for s in sources:
            codes = self.codes[self.place[s]].astype(np.int64)
            cells = np.unique(cells * (int(codes.max()) + 1) + codes, return_inverse=True)[1]
        return cells
