"""Views of a source: some of its columns, some of its rows, one class of its target against the others, and all of it
read once and kept. ``Encoded`` (encode.py) and ``Recoded`` (codebook.py) are views too.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from tamis.sources.arrays import as_slice
from tamis.sources.base import (
    Array,
    Block,
    Column,
    HasMatrix,
    HasTarget,
    Kind,
    Partitioned,
    RowValues,
    Schema,
    Source,
    gather,
    is_weighted,
    known_row_values,
    matrix_of,
    origin_of,
    original_of,
    pending_of,
    reads_columns,
    target_column,
    with_rows,
    workers_of,
)
from tamis.sources.profile import NumberProfile


class View(Partitioned):
    """Another source, passed through unchanged with its abilities; what a subclass overrides is what differs."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.names = list(source.names)
        self.in_memory = source.in_memory

    @property
    def n_rows(self) -> int | None:
        return self.source.n_rows

    @n_rows.setter
    def n_rows(self, counted: int | None) -> None:
        self.source.n_rows = counted

    @property
    def n_features(self) -> int:
        return len(self.names)

    @property
    def first_row(self) -> int:
        return self.source.first_row

    def _make_schema(self) -> Schema:
        return self.source.schema

    @property
    def labels(self) -> list[str]:
        return self.source.labels

    @property
    def matrix(self) -> Array | None:
        return matrix_of(self.source)

    @property
    def discrete_mask(self) -> np.ndarray | None:
        return self.source.discrete_mask if isinstance(self.source, HasMatrix) else None

    @property
    def weighted(self) -> bool:
        return is_weighted(self.source)

    @property
    def origin(self) -> list[str] | None:
        return origin_of(self.source)

    @property
    def by_columns(self) -> bool:
        return reads_columns(self.source)

    @property
    def workers(self) -> Any:
        return workers_of(self.source)

    @property
    def pending(self) -> tuple[Any, ...]:
        return pending_of(self.source)

    def with_rows(self, values: tuple[Any, ...] | None) -> Self:
        view = self._for_another_process() if values is None else copy.copy(self)
        view.source = with_rows(self.source, values)
        return view

    def target_column(self) -> Column | None:
        return self.source.target_column() if isinstance(self.source, HasTarget) else None

    def row_values(self) -> RowValues:
        return known_row_values(self.source)

    def original(self) -> Any | None:
        return original_of(self.source)

    def blocks(self, columns: Sequence[int] | None = None) -> Iterator[Block]:
        return self.source.blocks(columns)

    def partitions(self) -> Sequence[Source]:
        parts = self.source.partitions()
        return [self] if len(parts) == 1 else [self._over(part) for part in parts]

    def _over(self, part: Source) -> Self:
        """The view of a partition of its source."""
        view = self._copy()
        view.source = part
        return view


class Columns(View):
    """The columns at ``positions``, in that order."""

    def __init__(self, source: Source, positions: Sequence[int]) -> None:
        super().__init__(source)
        self.positions = [int(j) for j in positions]
        self.names = [source.names[j] for j in self.positions]

    def _make_schema(self) -> Schema:
        whole = self.source.schema
        return Schema(tuple(whole.columns[j] for j in self.positions), whole.target)

    @property
    def labels(self) -> list[str]:
        removed = set(self.source.names) - set(self.names)
        return [name for name in self.source.labels if name not in removed]

    @property
    def matrix(self) -> Array | None:
        """Of a dense array, where the columns are a run: a view of it."""
        X, run = super().matrix, as_slice(self.positions)
        return X[:, run] if isinstance(X, np.ndarray) and isinstance(run, slice) else None

    @property
    def discrete_mask(self) -> np.ndarray | None:
        mask = super().discrete_mask
        return None if mask is None else mask[self.positions]

    @property
    def origin(self) -> list[str] | None:
        origin = super().origin
        return None if origin is None else [origin[j] for j in self.positions]

    def original(self) -> Any | None:
        original = super().original()
        return None if original is None else pick(original, columns=self.positions)

    def blocks(self, columns: Sequence[int] | None = None) -> Iterator[Block]:
        return self.source.blocks(self._of_source(columns))

    def whole(self, columns: Sequence[int] | None = None) -> Block:
        return gather(self.source, self._of_source(columns))

    def _of_source(self, columns: Sequence[int] | None) -> list[int]:
        return self.positions if columns is None else [self.positions[j] for j in columns]


class Indicator(View):
    """The same rows with the target 1 where it equals ``value`` and 0 elsewhere."""

    def __init__(self, source: Source, value: float) -> None:
        super().__init__(source)
        self.value = value

    def _make_schema(self) -> Schema:
        return Schema(self.source.schema.columns, self.target_column())

    @property
    def labels(self) -> list[str]:
        features = set(self.names)
        return [name for name in self.source.labels if name in features]  # the target is a number now

    def target_column(self) -> Column:
        whole = target_column(self.source)
        return Column(whole.name if whole else "y", Kind.BOOLEAN, n_distinct=2)

    def row_values(self) -> RowValues:
        y, weight = super().row_values()
        return None if y is None else self._of_class(y), weight

    def blocks(self, columns: Sequence[int] | None = None) -> Iterator[Block]:
        for block in self.source.blocks(columns):
            yield self._of_block(block)

    def whole(self, columns: Sequence[int] | None = None) -> Block:
        return self._of_block(gather(self.source, columns))

    def _of_block(self, block: Block) -> Block:
        assert block.y is not None
        return Block(block.X, self._of_class(block.y), block.weight, block.start)

    def _of_class(self, y: np.ndarray) -> np.ndarray:
        return (y == self.value).astype(np.float64)


class SomeRows(View):
    """The rows with the numbers ``rows``, or where the mask ``rows`` is true, in the order of the table.

    Positions of labels stay those of the whole table; counts, means and ranges are of these rows, and a column that is
    constant in them is constant. What a column holds that cannot be read is not looked at again.
    """

    def __init__(self, source: Source, rows: Any) -> None:
        super().__init__(source)
        rows = np.asarray(rows)
        self.rows = np.flatnonzero(rows) if rows.dtype == bool else np.unique(rows.astype(np.int64))
        self._first_row = 0

    @property
    def first_row(self) -> int:
        return self._first_row

    @property
    def n_rows(self) -> int | None:
        return len(self.rows)

    @n_rows.setter
    def n_rows(self, counted: int | None) -> None:
        """Known."""

    @property
    def matrix(self) -> None:
        """Rows are picked block by block."""

    def target_column(self) -> None:
        """Its counts are of these rows: the schema says."""

    def row_values(self) -> RowValues:
        y, weight = super().row_values()
        at = self.rows - self.source.first_row
        return None if y is None else y[at], None if weight is None else weight[at]

    def original(self) -> Any | None:
        original = super().original()
        return None if original is None else pick(original, rows=self.rows - self.source.first_row)

    def _make_schema(self) -> Schema:
        whole = self.source.schema
        readable = [j for j, column in enumerate(whole.columns) if column.readable]
        profile, target = NumberProfile(len(readable)), NumberProfile(1)
        for block in self.blocks(readable):
            profile.add(block.X)
            if block.y is not None:
                target.add(block.y[:, None])
        columns = list(whole.columns)
        for k, j in enumerate(readable):
            columns[j] = _counted_again(columns[j], profile, k)
        return Schema(tuple(columns), None if whole.target is None else _counted_again(whole.target, target, 0))

    def blocks(self, columns: Sequence[int] | None = None) -> Iterator[Block]:
        for block in self.source.blocks(columns):
            first, last = np.searchsorted(self.rows, (block.start, block.start + len(block)))
            if first < last:
                picked = self.rows[first:last] - block.start
                run = as_run(picked)
                at = picked if run is None else run
                y, weight = (None if values is None else values[at] for values in (block.y, block.weight))
                yield Block(block.X[at], y, weight, self.first_row + int(first))

    def partitions(self) -> Sequence[Source]:
        parts = super().partitions()
        return [part for part in parts if part.n_rows] or [self]

    def _over(self, part: Source) -> Self:
        view = super()._over(part)
        first, last = np.searchsorted(self.rows, (part.first_row, part.first_row + (part.n_rows or 0)))
        view.rows, view._first_row = self.rows[first:last], self.first_row + int(first)
        return view


class InMemory(View):
    """The rows of a source, read once and kept."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.in_memory = True
        self.rows = gather(source)

    @property
    def n_rows(self) -> int | None:
        return len(self.rows)

    @n_rows.setter
    def n_rows(self, counted: int | None) -> None:
        """Known."""

    @property
    def matrix(self) -> Array:
        return self.rows.X

    @property
    def discrete_mask(self) -> np.ndarray:
        """By the schema, for labels are numbers here."""
        return self.schema.discrete

    @property
    def workers(self) -> None:
        """The rows are here."""

    @property
    def weighted(self) -> bool:
        return self.rows.weight is not None

    def row_values(self) -> RowValues:
        return self.rows.y, self.rows.weight

    def blocks(self, columns: Sequence[int] | None = None) -> Iterator[Block]:
        yield self.whole(columns)

    def partitions(self) -> Sequence[Source]:
        return [self]

    def whole(self, columns: Sequence[int] | None = None) -> Block:
        X, y, weight, start = self.rows
        return Block(X if columns is None else X[:, as_slice(columns)], y, weight, start)


def pick(original: Any, *, rows: np.ndarray | None = None, columns: list[int] | None = None) -> Any:
    """Some rows or columns of an array, dense or sparse, or of a frame of any library."""
    if isinstance(original, np.ndarray) or sp.issparse(original):
        return original[rows] if columns is None else original[:, columns]
    import narwhals.stable.v2 as nw

    frame = nw.from_native(original)
    return (frame[rows] if columns is None else frame[:, columns]).to_native()


def as_run(rows: np.ndarray) -> slice | None:
    """The slice that consecutive, ascending row numbers are, which copies nothing; None where they are not."""
    if not len(rows) or rows[-1] - rows[0] + 1 != len(rows) or not (np.diff(rows) == 1).all():
        return None
    return slice(int(rows[0]), int(rows[-1]) + 1)


def _counted_again(column: Column, profile: NumberProfile, k: int) -> Column:
    """A column of the whole table with the counts, mean and range of column k of a profile of some rows."""
    seen = profile.column(k, column.name)
    constant = Kind.CONSTANT if seen.kind is Kind.CONSTANT else column.kind
    if column.levels is None:
        return replace(seen, kind=constant, stored_as_date=column.stored_as_date)
    counts = np.zeros(len(column.levels), dtype=np.int64)
    tally = profile.value_counts[k]
    assert tally.values is not None, "a column with levels has few of them"
    counts[tally.values.astype(int)] = tally.counts
    return replace(
        column, kind=constant, missing=seen.missing, n_distinct=seen.n_distinct, counts=tuple(counts.tolist())
    )
