"""What evaluations that count share: a coded table, and the partition of its rows by the last subset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from sklearn.base import clone

from tamis._core.checks import check_choice, check_count
from tamis._core.progress import Steps, silent
from tamis._core.threads import thread_count
from tamis._kernels import kernels
from tamis.selection.description import ScoreDescription
from tamis.selection.evaluation.base import N_SHUFFLES, Evaluation
from tamis.selection.evaluation.shuffled_target import (
    ValueOrder,
    drawn_rows,
    shuffled_sums,
    shuffles_within,
    value_order,
)
from tamis.selection.search.base import Index
from tamis.sources import InMemory, SomeRows
from tamis.sources.base import Source, row_values
from tamis.stats.coded import CodedTable, code_source

XLOGX = 1 << 16  # whole counts below this have their x log₂ x in a table
IMPURITY = 1  # Σ N·Ent: pure cells are left out of the partitions
EPS = float(np.finfo(np.float64).eps)
SUMS = 5  # Σ N log₂ N, Σ c log₂ c, Σ N², Σ c², Σ max c over cells of weight N with classes of weight c


@dataclass
class PartitionSums:
    """Sums over the cells of partitions: ``width`` says which.

    Cell c of the last partition holds ``rows[starts[c] : starts[c + 1]]``: rows that agree on the whole subset.
    """

    table: CodedTable
    n_threads: int
    width: int
    source: Source | None = None  # what the table was coded from, for bins that follow a shuffled target
    xlogx: np.ndarray = field(default_factory=lambda: np.zeros(1))
    classes: np.ndarray = field(default_factory=lambda: np.zeros(SUMS))  # the sums of all rows as one cell
    subset: frozenset[int] = frozenset()
    rows: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int32))
    starts: np.ndarray = field(default_factory=lambda: np.zeros(1, np.int32))

    def __post_init__(self) -> None:
        n = len(self.table.y)
        x = np.arange(min(n + 1, XLOGX), dtype=np.float64)
        self.xlogx = x * np.log2(np.maximum(x, 1.0))
        kernels.class_sums(*self.target, self.classes)
        self.rows, self.starts = self.whole

    @property
    def entropy(self) -> float:
        """Of the class, in bits."""
        return (self.classes[0] - self.classes[1]) / self.table.total

    @property
    def rounding(self) -> float:
        """By what share of itself a sum over rows may be off: whole counts add up exactly, weights are rounded each."""
        return len(self.table.y) * EPS if len(self.table.weight) else 0.0

    @property
    def least_gain(self) -> float:
        """Bits that rounding alone may leave: entropies are sums of up to n terms of log₂ n in all, each rounded up or
        down, so that √n of the roundings remain."""
        n = len(self.table.y)
        return max(self.rounding, np.sqrt(n) * EPS) * (1 + np.log2(n) + abs(np.log2(self.table.total)))

    def entropies(self, sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """H(A) and H(A, y), log₂ n − Σ N log₂ N / n over the cells; H(A) is exactly 0 where there is one cell, which
        Σ N² = n² tells without a logarithm."""
        n = self.table.total
        H, joint = (np.maximum(np.log2(n) - sums[:, k] / n, 0.0) for k in (0, 1))
        return np.where(sums[:, 2] >= n * n * (1 - 2 * self.rounding), 0.0, H), joint

    def resolved(self, gain: np.ndarray, *entropies: Any) -> np.ndarray:
        """A gain of bits: 0 where it is no more than rounding, and at most each of the entropies."""
        out = np.where(gain > self.least_gain, gain, 0.0)
        for entropy in entropies:
            out = np.minimum(out, entropy)
        return out

    @property
    def empty(self) -> np.ndarray:
        """(1, width) sums of the partition by no column."""
        return self.classes[None] if self.width == SUMS else np.array([[self.classes[0] - self.classes[1]]])

    @property
    def whole(self) -> tuple[np.ndarray, np.ndarray]:
        """All rows in one cell."""
        n = len(self.table.y)
        return np.arange(n, dtype=np.int32), np.array([0, n], dtype=np.int32)

    @property
    def target(self) -> tuple[Any, ...]:
        t = self.table
        return t.y, t.n_classes, t.weight, t.total, self.xlogx

    def partition(self, subset: Index) -> tuple[np.ndarray, np.ndarray]:
        """The partition by a subset, refined from the last one where that is part of it."""
        members = frozenset(subset)
        if not self.subset <= members:
            self.subset = frozenset()
            self.rows, self.starts = self.whole
        columns = [j for j in subset if j not in self.subset]
        if columns:
            self.rows, self.starts = kernels.refine(
                *self._coded, self.rows, self.starts, as_columns(columns), self.table.y, self.width == IMPURITY
            )
            self.subset = members
        return self.rows, self.starts

    def with_each(self, subset: Index, candidates: Sequence[int]) -> np.ndarray:
        """(n_candidates, width) sums of the partition by the subset and each candidate."""
        n_columns = len(self.table.levels)
        if not subset and len(candidates) == n_columns:
            everything = np.empty((n_columns, self.width))
            kernels.column_sums(*self._coded, *self.target, everything, self.n_threads)
            return everything[as_columns(candidates)]
        out = np.empty((len(candidates), self.width))
        partition = self.partition(subset)
        kernels.refined_sums(*self._coded, *partition, as_columns(candidates), *self.target, out, self.n_threads)
        return out

    def without_each(self, subset: Index, candidates: Sequence[int]) -> np.ndarray:
        """(n_candidates, width) sums of the partition by the subset without each candidate.

        By halving: the partition by all other columns is refined by one half of the candidates to go on with the
        other half, so a candidate costs log₂ |A| refinements instead of |A|.
        """
        out = np.empty((len(candidates), self.width))
        going = set(candidates)
        partition = self.partition(tuple(j for j in subset if j not in going))
        kernels.leave_out_sums(*self._coded, *partition, as_columns(candidates), *self.target, out, self.n_threads)
        return out

    def shuffled(self, subset: Index, candidates: Sequence[int], taken: np.ndarray) -> np.ndarray:
        """(n_shuffles, n_candidates, width) sums of the partition by the subset and each candidate where row i has
        the target of row ``taken[b, i]``."""
        return shuffled_sums(self, self._values, subset, candidates, taken)

    @cached_property
    def _values(self) -> ValueOrder:
        assert self.source is not None, "columns are cut anew from their source"
        return value_order(self.source, self.table)

    @property
    def _coded(self) -> tuple[np.ndarray, np.ndarray]:
        return self.table.codes, self.table.levels


class CountingEvaluation(Evaluation):
    """An evaluation of counts of coded columns and classes."""

    def __init__(self, n_bins: int = 10, task: str = "auto", bins: str = "auto") -> None:
        self.n_bins = n_bins
        self.task = task
        self.bins = bins

    def coded(
        self, source: Source, n_jobs: int | None, steps: Steps = silent, weighted_bins: bool = True
    ) -> CodedTable:
        n_bins = check_count("n_bins", self.n_bins, at_least=2, at_most=254)
        task = check_choice("task", self.task, ("auto", "classification", "regression"))
        bins = check_choice("bins", self.bins, ("auto", "mdl", "quantile"))
        return code_source(
            source, task=task, n_bins=n_bins, bins=bins, weighted_bins=weighted_bins, n_jobs=n_jobs, steps=steps
        )


class PartitionEvaluation(CountingEvaluation):
    """An evaluation of the partition of the rows by the subset beside their partition by the class."""

    width = SUMS

    def prepare(self, source: Source, *, n_jobs: int | None = None, steps: Steps = silent) -> PartitionSums:
        return PartitionSums(self.coded(source, n_jobs, steps), thread_count(n_jobs), self.width, source)

    def tested(self, state: PartitionSums) -> PartitionSums:
        """The state of the rows that are shuffled: all of them, or of a large table some, as many of each class as it
        has of them.

        The weights are shuffled with the target, so quantiles of columns leave them aside: bins cut by the weights
        would be of equal weight in the true table alone.
        """
        t, source, rows = state.table, state.source, self.tested_rows(state)
        assert source is not None, "rows are drawn from their source"
        by_weight = bool(len(t.weight)) and len(t.by_target) == 0
        if len(rows) == len(t.y) and source.in_memory and not by_weight:
            return state
        evaluation = clone(self).set_params(task="regression" if t.values is None else "classification")
        part: Any = InMemory(SomeRows(source, rows))
        table = evaluation.coded(part, state.n_threads, weighted_bins=False)
        return PartitionSums(table, state.n_threads, self.width, part)

    @staticmethod
    def tested_rows(state: PartitionSums) -> np.ndarray:
        """The numbers of these rows in the source."""
        t, source = state.table, state.source
        assert source is not None, "rows are drawn from their source"
        weight = row_values(source)[1] if len(t.weight) else None
        used = np.arange(len(t.y)) if weight is None else np.flatnonzero(weight)
        drawn = drawn_rows(t.y, len(t.levels))
        return used if drawn is None else used[drawn]

    def null_gains(
        self,
        state: PartitionSums,
        subset: Index,
        candidates: Sequence[int],
        rng: np.random.Generator,
        n_shuffles: int = N_SHUFFLES,
    ) -> np.ndarray:
        """y, with its weights, is shuffled within the cells of the subset, which leaves what the subset tells about
        it; bins that follow the target are fitted again to each."""
        taken = shuffles_within(*state.partition(subset), len(state.table.y), n_shuffles, rng)
        sums = state.shuffled(subset, candidates, taken)
        return self.compare(state, sums.reshape(-1, state.width)).reshape(sums.shape[:2])

    def classes(self, state: PartitionSums) -> np.ndarray | None:
        return state.table.values

    @staticmethod
    def partition_words(
        name: str, is_: str, unit: str = "", *, most: float | Literal["target"] | None = None
    ) -> ScoreDescription:
        """A description of what is computed from counts, over the cells of all columns together."""
        return ScoreDescription(name, is_, unit, most, counts=True, cells=True)

    def compare(self, state: PartitionSums, sums: np.ndarray) -> np.ndarray:
        """Scores of partitions whose sums are the rows of ``sums``."""
        raise NotImplementedError(f"{type(self).__name__} does not say how it compares")

    def score(self, state: PartitionSums, subset: Index) -> float:
        if not subset:
            return float(self.compare(state, state.empty)[0])
        return float(self.gains(state, subset[:-1], subset[-1:])[0])

    def gains(self, state: PartitionSums, subset: Index, candidates: Sequence[int]) -> np.ndarray:
        return self.compare(state, state.with_each(subset, candidates))

    def losses(self, state: PartitionSums, subset: Index, candidates: Sequence[int]) -> np.ndarray:
        return self.compare(state, state.without_each(subset, candidates))


def as_columns(columns: Sequence[int]) -> np.ndarray:
    return np.asarray(columns, dtype=np.int64)
