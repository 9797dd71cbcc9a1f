"""The table of a comparison: rows in memory, and those to learn from and to predict, as methods and learners take them.

What depends on the values of other rows (the labels of a column that there are, the mean that fills a gap) is learned
from the training rows alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as Positions
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis.selection.candidates import Candidates
from tamis.sources import Block, Source, as_source, gather
from tamis.sources.base import RowValues, row_values
from tamis.sources.views import InMemory, SomeRows, View, pick


@dataclass(frozen=True)
class ComparisonTable:
    """Rows in memory. ``X`` holds the positions of labels where ``levels`` of its column are not None; ``y`` is the
    target as learners take it, ``codes`` the positions of its classes (None for numbers).
    """

    source: Source
    X: Any
    levels: tuple[tuple[Any, ...] | None, ...]
    discrete: np.ndarray
    y: np.ndarray
    classes: np.ndarray | None
    codes: np.ndarray | None
    weight: np.ndarray | None
    candidates: Candidates
    names: list[Any]
    original: Any = None

    @property
    def n(self) -> int:
        return len(self.y)

    @property
    def p(self) -> int:
        return int(self.X.shape[1])

    @property
    def task(self) -> str:
        return "regression" if self.classes is None else "classification"

    @property
    def target(self) -> np.ndarray:
        """Numbers, or positions of the classes."""
        return self.y if self.codes is None else self.codes

    def with_target(self, order: np.ndarray) -> ComparisonTable:
        """The same columns and weights, the target in another order of the rows."""
        codes = None if self.codes is None else self.codes[order]
        target, weight = row_values(self.source)
        assert target is not None
        source = WithRowValues(self.source, target[order], weight)
        return replace(self, source=source, y=self.y[order], codes=codes)

    def rows(self, at: np.ndarray) -> TrainingRows:
        """Some rows, to learn from; those of weight 0 are left out, where others are there."""
        if self.weight is not None and (self.weight[at] > 0).any():
            at = at[self.weight[at] > 0]
        return TrainingRows(self, at)


class WithRowValues(View):
    """The rows of a source in memory, with another target and other weights."""

    def __init__(self, source: Source, y: np.ndarray, weight: np.ndarray | None) -> None:
        super().__init__(source)
        self.y, self.weight = y, weight

    def row_values(self) -> RowValues:
        return self.y, self.weight

    def whole(self, columns: Positions[int] | None = None) -> Block:
        block = gather(self.source, columns)
        return Block(block.X, self.y, self.weight, block.start)

    def blocks(self, columns: Positions[int] | None = None) -> Iterator[Block]:
        yield self.whole(columns)

    def partitions(self) -> Positions[Source]:
        return [self]


@dataclass(frozen=True)
class TrainingRows:
    """Some rows of a table, to learn from."""

    table: ComparisonTable
    at: np.ndarray

    @cached_property
    def y(self) -> np.ndarray:
        return self.table.y[self.at]

    @cached_property
    def target(self) -> np.ndarray:
        return self.table.target[self.at]

    @cached_property
    def weight(self) -> np.ndarray | None:
        return None if self.table.weight is None else self.table.weight[self.at]

    @property
    def constant(self) -> bool:
        """Whether there is nothing to learn: one value of the target in all rows that count."""
        return not (self.target != self.target[0]).any()

    @cached_property
    def values(self) -> Any:
        """X of these rows, labels as positions."""
        return self.table.X[self.at]

    @cached_property
    def source(self) -> Source:
        """Without names; labels are discrete whole numbers."""
        target = self.target.astype(np.float64)
        X = self.values
        mask = None if sp.issparse(X) else self.table.discrete
        discrete = "auto" if mask is None else mask
        return as_source(X, target, sample_weight=self.weight, discrete=discrete)

    @cached_property
    def named_source(self) -> Source:
        """With the names and labels that the user gave."""
        return InMemory(SomeRows(self.table.source, self.at))

    @cached_property
    def numbers(self) -> Numbers:
        """All columns as numbers without gaps."""
        return self.encoding(range(self.table.p), fill=True)

    def encoding(self, columns: Any, fill: bool) -> Numbers:
        """Some columns as numbers, in the order given; gaps filled where ``fill``."""
        return Numbers.learn(self.table, self.at, [int(j) for j in columns], fill)

    def original(self, columns: list[int]) -> Any:
        return pick(pick(self.table.original, rows=self.at), columns=columns)


@dataclass(frozen=True)
class Numbers:
    """Columns as numbers, the way the training rows said: an indicator for each label there, the mean in a gap.

    ``origin`` is the column of the table each comes from, ``level`` its label (−1: a number), ``fill`` the mean.
    """

    X: Any
    columns: list[int]
    place: np.ndarray  # in ``columns``
    level: np.ndarray
    fill: np.ndarray | None

    @classmethod
    def learn(cls, table: ComparisonTable, at: np.ndarray, columns: list[int], fill: bool) -> Numbers:
        part = _cells(table.X, at, columns)
        pairs: list[tuple[int, int]] = []
        for k, j in enumerate(columns):
            if table.levels[j] is None:
                pairs.append((k, -1))
            else:
                pairs += [(k, int(v)) for v in np.unique(part[:, k][~np.isnan(part[:, k])])]
        place, level = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
        made = cls(None, columns, place, level, _means(part)[place] if fill else None)
        return replace(made, X=made._of(part))

    @property
    def origin(self) -> np.ndarray:
        return np.asarray(self.columns, dtype=np.intp)[self.place]

    def of(self, table: ComparisonTable, at: np.ndarray) -> Any:
        """Other rows of the table."""
        return self._of(_cells(table.X, at, self.columns))

    def _of(self, part: Any) -> Any:
        if sp.issparse(part):
            return _filled_sparse(part, self.fill)
        plain = (self.level < 0).all() and len(self.place) == part.shape[1]
        out = part if plain else part[:, self.place]
        if not plain:
            labels = np.flatnonzero(self.level >= 0)
            out = np.array(out, dtype=np.float64)
            out[:, labels] = out[:, labels] == self.level[labels]
        if self.fill is None:
            return out
        gaps = np.isnan(out)
        return np.where(gaps, self.fill, out) if gaps.any() else out


def _cells(X: Any, at: np.ndarray, columns: list[int]) -> Any:
    every = columns == list(range(X.shape[1]))
    if sp.issparse(X) or every:
        return X[at] if every else X[at][:, columns]
    return X[np.ix_(at, np.asarray(columns, dtype=np.intp))]


def _means(part: Any) -> np.ndarray:
    """Of the numbers that are there; 0 where there are none."""
    if sp.issparse(part):
        columns = part.tocsc(copy=True)
        gaps = np.isnan(columns.data)
        columns.data[gaps] = 0.0
        missing = np.bincount(
            np.repeat(np.arange(columns.shape[1]), np.diff(columns.indptr))[gaps], minlength=columns.shape[1]
        )
        return np.asarray(columns.sum(axis=0)).ravel() / np.maximum(1, columns.shape[0] - missing)
    there = ~np.isnan(part)
    return np.where(there, part, 0.0).sum(axis=0) / np.maximum(1, there.sum(axis=0))


def _filled_sparse(X: Any, fill: np.ndarray | None) -> Any:
    X = X.tocsr()
    gaps = np.isnan(X.data)
    if fill is None or not gaps.any():
        return X
    X = X.copy()
    X.data[gaps] = fill[X.indices[gaps]]
    return X
