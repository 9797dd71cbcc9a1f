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

ORDER = ("copy", "linear", "product", "function", "steps", "monotone")  # which is reported where several hold
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
        self.linear = {kind: LinearDependency(*view, weight) for kind, view in views.items()}
        self.functional = FunctionalDependency(*self.table.codes, self.table.weight, self.n_threads)
        columns, codes, _ = self.table.codes
        numbers = np.flatnonzero(~self.table.is_label)
        self.thresholds = ThresholdDependency(columns, codes, numbers, self.table.X)
        self.products = ProductDependency(*self.table.plain, weight, self.threshold)
        copies: dict[bytes, list[int]] = {}
        for j, x in enumerate(self.table.X.T):
            copies.setdefault(np.where(np.isnan(x), np.nan, x + 0.0).tobytes(), []).append(j)
        self.copies = {j: group for group in copies.values() for j in group if len(group) > 1}

    def find(self, j: int, allowed: np.ndarray) -> Relation | None:
        """The smallest exact relation, else the smallest that explains enough; None where there is none."""
        if self._constant(j):
            return Relation(self.names[j], (), "constant", 1.0, 0.0)
        found = sorted(self._candidates(j, allowed), key=_preference)
        exact = next((one for one in found if one.exact), None)
        if exact is not None:
            return exact
        long = self._long_sum(j, allowed)
        return long if long is not None else next(iter(found), None)

    def _constant(self, j: int) -> bool:
        x = self.table.X[:, j]
        return bool(np.isnan(x).all() or (x == x[0]).all())

    def _candidates(self, j: int, allowed: np.ndarray) -> Iterator[Relation]:
        copy = next((i for i in self.copies.get(j, ()) if i != j and allowed[i]), None)
        if copy is not None:
            yield Relation(self.names[j], (self.names[copy],), "copy", 1.0, 0.0, weights=(1.0,))
            return
        for kind, view in self.linear.items():
            for sources in view.subsets(j, allowed, 1 if kind == "monotone" else self.most, self.threshold):
                relation = self._linear(kind, view, j, sources)
                if relation is not None:
                    yield relation
        others = [self._product(j, s) for s in self.products.pairs(j, allowed) if len(s) <= self.most]
        others += [self._function(j, s) for s in self.functional.subsets(j, allowed, self.most)]
        others.append(self._thresholds(j, allowed))
        yield from (relation for relation in others if relation is not None)

    def _linear(self, kind: str, view: LinearDependency, j: int, sources: tuple[int, ...]) -> Relation | None:
        """None where it does not hold on rows left out, or noise could do as well."""
        explained = view.explained(j, sources)
        if (
            explained < self.threshold
            or view.is_chance(j, sources, len(self.names))
            or self._few_bits(view, j, sources)
        ):
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

    def _product(self, j: int, sources: tuple[int, ...]) -> Relation | None:
        view = self.products
        explained = view.explained(j, sources)
        few = self._few_bits(self.linear["linear"], j, sources)
        if explained < self.threshold or few or view.is_chance(j, sources, len(self.names)):
            return None
        factor, residual = view.fitted(j, sources)
        powers, ones = ((2.0,), (1.0,)) if len(sources) == 1 else ((1.0, 1.0), (1.0, 1.0))
        column_and_sources = self.names[j], tuple(self.names[s] for s in sources)
        return Relation(*column_and_sources, "product", explained, residual, powers, factor, ones)

    def _thresholds(self, j: int, allowed: np.ndarray) -> Relation | None:
        found = self.thresholds.source(j, allowed)
        if found is None or self.thresholds.is_chance(j, found[1], self.table.bits(j), len(self.names)):
            return None
        explained = self.thresholds.explained(j, found[0])
        return Relation(self.names[j], (self.names[found[0]],), "steps", explained, 0.0, weights=(1.0,))

    def _few_bits(self, view: LinearDependency, j: int, sources: tuple[int, ...]) -> bool:
        """Whether the column has so few different rows that coefficients could fit it by chance."""
        n, k = len(view.Z), len(sources)
        tried = log2(len(self.names)) + log2(comb(len(view.columns) - 1, k))
        return self.table.bits(j) * (n - k - 1) / n < tried - log2(CHANCE)

    def _function(self, j: int, sources: tuple[int, ...]) -> Relation | None:
        explained, contradicted, cells = self.functional.evaluate(j, sources)
        ones = (1.0,) * len(sources)
        column_and_sources = self.names[j], tuple(self.names[s] for s in sources)
        if len(sources) == 1 and self.functional.same(j, sources[0]):
            return Relation(*column_and_sources, "copy", 1.0, 0.0, weights=ones)
        bits = self.table.bits(j)
        if explained < self.threshold or self.functional.is_chance(
            j, len(sources), cells, contradicted, bits, len(self.names)
        ):
            return None
        return Relation(*column_and_sources, "function", explained, contradicted, weights=ones)

    def _long_sum(self, j: int, allowed: np.ndarray) -> Relation | None:
        view = self.linear["linear"]
        sources = view.exact_sum(j, allowed, MOST_SUMMANDS)
        relation = None if sources is None else self._linear("linear", view, j, sources)
        return relation if relation is not None and relation.exact else None


def _preference(relation: Relation) -> tuple[Any, ...]:
    return len(relation.sources), not relation.exact, ORDER.index(relation.kind)
