"""What each column follows from: every kind of relation is sought, the smallest that holds is taken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb, log2
from typing import Any

import numpy as np

from tamis.selection.redundancy.functional_dependency import FunctionalDependency
from tamis.selection.redundancy.linear_dependency import CHANCE, LinearDependency
from tamis.selection.redundancy.products import ProductDependency
from tamis.selection.redundancy.relation import Relation
from tamis.selection.redundancy.table import SampledRows
from tamis.selection.redundancy.thresholds import ThresholdDependency

ORDER = ("copy", "linear", "product", "function", "steps", "monotone")  # which is told where several hold
MOST_SUMMANDS = 50  # of an exact sum of more than a few columns


@dataclass
class DependencyFinder:
    """Looks for what a column follows from among the columns that are allowed."""

    table: SampledRows
    names: Sequence[Any]
    threshold: float
    most: int
    n_threads: int

    def __post_init__(self) -> None:
        weight = self.table.row_weight
        views = {"linear": self.table.plain, "product": self.table.logs, "monotone": self.table.ranks}
        self.correlated = {kind: LinearDependency(*view, weight) for kind, view in views.items()}
        self.counted = FunctionalDependency(*self.table.codes, self.table.weight, self.n_threads)
        columns, codes, _ = self.table.codes
        numbers = np.flatnonzero(~self.table.is_label)
        self.stepped = ThresholdDependency(columns, codes, numbers, self.table.X)
        self.crossed = ProductDependency(*self.table.plain, weight, self.threshold)
        twins: dict[bytes, list[int]] = {}
        for j, x in enumerate(self.table.X.T):
            twins.setdefault(np.where(np.isnan(x), np.nan, x + 0.0).tobytes(), []).append(j)
        self.twins = {j: group for group in twins.values() for j in group if len(group) > 1}

    def follow(self, j: int, allowed: np.ndarray) -> Relation | None:
        """The smallest exact relation, else the smallest that explains enough; None where there is none."""
        if self._constant(j):
            return Relation(self.names[j], (), "constant", 1.0, 0.0)
        found = sorted(self._held(j, allowed), key=_preference)
        exact = next((one for one in found if one.exact), None)
        if exact is not None:
            return exact
        long = self._long_sum(j, allowed)
        return long if long is not None else next(iter(found), None)

    def _constant(self, j: int) -> bool:
        x = self.table.X[:, j]
        return bool(np.isnan(x).all() or (x == x[0]).all())

    def _held(self, j: int, allowed: np.ndarray) -> Iterator[Relation]:
        twin = next((i for i in self.twins.get(j, ()) if i != j and allowed[i]), None)
        if twin is not None:
            yield Relation(self.names[j], (self.names[twin],), "copy", 1.0, 0.0, weights=(1.0,))
            return
        for kind, view in self.correlated.items():
            for sources in view.subsets(j, allowed, 1 if kind == "monotone" else self.most, self.threshold):
                relation = self._fitted(kind, view, j, sources)
                if relation is not None:
                    yield relation
        others = [self._crossed(j, s) for s in self.crossed.pairs(j, allowed) if len(s) <= self.most]
        others += [self._function(j, s) for s in self.counted.subsets(j, allowed, self.most)]
        others.append(self._steps(j, allowed))
        yield from (relation for relation in others if relation is not None)

    def _fitted(self, kind: str, view: LinearDependency, j: int, sources: tuple[int, ...]) -> Relation | None:
        """None where it does not hold on rows left out, or noise could do as well."""
        explained = view.explained(j, sources)
        if explained < self.threshold or view.chance(j, sources, len(self.names)) or self._few_bits(view, j, sources):
            return None
        c, b, residual, weights = view.fitted(j, sources)
        if kind == "monotone":
            c, b = np.sign(c), 0.0
        elif kind == "product":
            b = float(np.sign(self.table.plain[1][0, list(self.table.plain[0]).index(j)]) * np.exp(b))
        return Relation(
            self.names[j],
            tuple(self.names[s] for s in sources),
            kind,
            explained,
            residual,
            tuple(c.tolist()),
            b,
            tuple((weights / weights.max()).tolist()),
        )

    def _crossed(self, j: int, sources: tuple[int, ...]) -> Relation | None:
        view = self.crossed
        explained = view.explained(j, sources)
        few = self._few_bits(self.correlated["linear"], j, sources)
        if explained < self.threshold or few or view.chance(j, sources, len(self.names)):
            return None
        factor, residual = view.fitted(j, sources)
        powers, ones = ((2.0,), (1.0,)) if len(sources) == 1 else ((1.0, 1.0), (1.0, 1.0))
        told = self.names[j], tuple(self.names[s] for s in sources)
        return Relation(*told, "product", explained, residual, powers, factor, ones)

    def _steps(self, j: int, allowed: np.ndarray) -> Relation | None:
        found = self.stepped.source(j, allowed)
        if found is None or self.stepped.chance(j, found[1], self.table.bits(j), len(self.names)):
            return None
        explained = self.stepped.explained(j, found[0])
        return Relation(self.names[j], (self.names[found[0]],), "steps", explained, 0.0, weights=(1.0,))

    def _few_bits(self, view: LinearDependency, j: int, sources: tuple[int, ...]) -> bool:
        """Whether the column has so few different rows that coefficients could fit it by chance."""
        n, k = len(view.Z), len(sources)
        tried = log2(len(self.names)) + log2(comb(len(view.columns) - 1, k))
        return self.table.bits(j) * (n - k - 1) / n < tried - log2(CHANCE)

    def _function(self, j: int, sources: tuple[int, ...]) -> Relation | None:
        explained, contradicted, cells = self.counted.judged(j, sources)
        ones = (1.0,) * len(sources)
        told = self.names[j], tuple(self.names[s] for s in sources)
        if len(sources) == 1 and self.counted.same(j, sources[0]):
            return Relation(*told, "copy", 1.0, 0.0, weights=ones)
        bits = self.table.bits(j)
        if explained < self.threshold or self.counted.chance(
            j, len(sources), cells, contradicted, bits, len(self.names)
        ):
            return None
        return Relation(*told, "function", explained, contradicted, weights=ones)

    def _long_sum(self, j: int, allowed: np.ndarray) -> Relation | None:
        view = self.correlated["linear"]
        sources = view.dependence(j, allowed, MOST_SUMMANDS)
        relation = None if sources is None else self._fitted("linear", view, j, sources)
        return relation if relation is not None and relation.exact else None


def _preference(relation: Relation) -> tuple[Any, ...]:
    return len(relation.sources), not relation.exact, ORDER.index(relation.kind)
