"""A source over a table of columns: what data frames, object arrays and files have in common."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np

from tamis._core.errors import InputError
from tamis.sources.base import (
    Block,
    Column,
    Kind,
    Partitioned,
    RowValues,
    Schema,
    Workers,
    pending_of,
    with_rows,
)
from tamis.sources.kinds import as_discrete
from tamis.sources.parts import Coded, Family, Part, n_rows_of, positions_in
from tamis.sources.profile import LabelProfile, NumberProfile
from tamis.sources.target import Target, check_weights


class Retyped(Exception):
    """A column turned out to be of another family than it began with."""


class Table(Protocol):
    """Named columns of known families, read in chunks of rows.

    A table whose families show only in reading (CSV) may raise ``Retyped`` from a pass: families have changed, begin
    again. After ``confirm_types`` a pass over these columns goes through.
    """

    names: list[str]
    families: list[Family]
    n_rows: int | None
    in_memory: bool
    by_columns: bool  # whether few columns are read at about their share of the cost of all

    def confirm_types(self, columns: Sequence[int]) -> None: ...

    def chunks(self, columns: Sequence[int], n_bytes: int) -> Iterator[list[Part]]:
        """A new pass: these columns of the next rows, about n_bytes at a time as float64."""
        ...

    def partitions(self, columns: Sequence[int]) -> Sequence[Table]:
        """Tables of the rows that follow each other, none empty, whose types of these columns are confirmed."""
        ...


class TableSource(Partitioned):
    """Chosen columns of a table as features, with a target and weights that are columns too, or arrays."""

    def __init__(
        self,
        table: Table,
        features: Sequence[int],
        *,
        target: int | Target | None = None,
        weight: int | np.ndarray | None = None,
        discrete: object = "auto",
    ) -> None:
        self.table = table
        self.features = list(features)
        self.target = target
        self.weight = weight
        self.names = [table.names[i] for i in self.features]
        self.discrete = as_discrete(discrete, self.names)
        self.in_memory = table.in_memory
        self.by_columns = table.by_columns
        self.first_row = 0
        self.n_rows = table.n_rows
        self.block_bytes = 1 << 26 if table.in_memory else 1 << 23
        self.workers: Workers | None = None
        self.given: Any = None  # the narwhals frame, or the array of objects, that the table was made of

    @property
    def n_features(self) -> int:
        return len(self.features)

    @property
    def labels(self) -> list[str]:
        columns = self.features + ([self.target] if isinstance(self.target, int) else [])
        self.table.confirm_types(columns)
        given = [self.target.name] if isinstance(self.target, Target) and self.target.is_label else []
        return [self.table.names[i] for i in columns if not self.table.families[i].is_number] + given

    def original(self) -> Any | None:
        """The features as the user gave them."""
        if self.given is None or isinstance(self.given, np.ndarray):
            return self.given
        whole = self.features == list(range(len(self.table.names)))
        return (self.given if whole else self.given[:, self.features]).to_native()

    def _make_schema(self) -> Schema:
        profiled = self.features + ([self.target] if isinstance(self.target, int) else [])
        columns = self._profiled(profiled)
        last = columns.pop() if isinstance(self.target, int) else None
        target = self.target.column if isinstance(self.target, Target) else last
        return Schema(self.discrete.applied(columns), target)

    def _profiled(self, positions: list[int]) -> list[Column]:
        profile = self._profile_here(positions) if self.workers is None else self._profile_there(positions)
        self.n_rows = profile.n
        return profile.columns([self.table.names[i] for i in positions])

    def _profile_here(self, positions: list[int]) -> TableProfile:
        while True:
            try:
                return Profiling(positions, self.block_bytes)(self.table)
            except Retyped:
                continue

    def _profile_there(self, positions: list[int]) -> TableProfile:
        assert self.workers is not None
        task = Profiling(positions, self.block_bytes)
        profile: TableProfile = self.workers.reduce(self.table.partitions(positions), task, TableProfile.merge)
        return profile

    @property
    def pending(self) -> tuple[Any, ...]:
        return pending_of(self.table)

    def with_rows(self, values: tuple[Any, ...] | None) -> Self:
        part = self._for_another_process() if values is None else copy.copy(self)
        part.table, part.workers = with_rows(self.table, values), None
        return part

    @property
    def weighted(self) -> bool:
        return self.weight is not None

    def target_column(self) -> Column | None:
        return self.target.column if isinstance(self.target, Target) else None

    def row_values(self) -> RowValues:
        given = (self.target.values if isinstance(self.target, Target) else None, self.weight)
        y, weight = (v if isinstance(v, np.ndarray) and len(v) == self.table.n_rows else None for v in given)
        return y, weight

    def blocks(self, columns: Sequence[int] | None = None) -> Iterator[Block]:
        chosen = list(range(self.n_features)) if columns is None else [int(j) for j in columns]
        extra = [i for i in (self.target, self.weight) if isinstance(i, int)]
        read = [self.features[j] for j in chosen] + extra
        if not all(self.table.families[i].is_number for i in read):
            _ = self.schema  # its levels are needed, and its pass confirms the types too
        read = read or [self._cheapest]
        self.table.confirm_types(read)
        self._refuse_dates(extra)
        levels = [self._levels(j) for j in chosen]
        start = self.first_row
        for chunk in self.table.chunks(read, self.block_bytes):
            block = self._block(chunk, levels, start)
            start += len(block)
            yield block
        self._count(start - self.first_row)

    def partitions(self) -> Sequence[TableSource]:
        """Of Parquet files their runs of row groups, of CSV files each file, of a frame the frame."""
        read = self.features + [i for i in (self.target, self.weight) if isinstance(i, int)]
        tables = self.table.partitions(read)
        if len(tables) == 1 and self.workers is None:
            return [self]
        if not all(self.table.families[i].is_number for i in read):
            _ = self.schema  # the partitions need its levels
        if len(tables) == 1:
            return [self]
        ends = np.cumsum([table.n_rows for table in tables])
        self._count(int(ends[-1]))
        return [self._partition(table, int(end)) for table, end in zip(tables, ends, strict=True)]

    def _partition(self, table: Table, end: int) -> TableSource:
        part = self._copy()
        part.given = None  # of all rows
        part.table, part.n_rows, part.first_row = table, table.n_rows, end - (table.n_rows or 0)
        rows = slice(part.first_row, end)
        part.target = self.target.rows(rows) if isinstance(self.target, Target) else self.target
        part.weight = self.weight[rows] if isinstance(self.weight, np.ndarray) else self.weight
        return part

    def _refuse_dates(self, columns: list[int]) -> None:
        """Dates are numbers of days among the features, but neither targets nor weights."""
        for i in columns:
            if self.table.families[i] is Family.DATE:
                what = f"{'target' if i == self.target else 'weight column'} {self.table.names[i]!r}"
                raise InputError(f"the {what} holds dates: turn them into numbers, such as days since a start")

    def _block(self, chunk: list[Part], levels: list[tuple | None], start: int) -> Block:
        p = len(levels)
        n = n_rows_of(chunk)
        X: np.ndarray = np.empty((n, p), dtype=self._dtype, order="F")
        for j, part in enumerate(chunk[:p]):
            X[:, j] = part if levels[j] is None else positions_in(levels[j] or (), part)  # type: ignore[arg-type]
        extra = iter(chunk[p:])
        y = self._target_of(next(extra)) if isinstance(self.target, int) else self._cut_target(start, n)
        return Block(X, y, self._weights_of(extra, start, n), start)

    @cached_property
    def _dtype(self) -> type:
        """float32 only where every feature is: decided once, so a projection agrees with the whole."""
        families = {self.table.families[i] for i in self.features}
        return np.float32 if families == {Family.SINGLE} else np.float64

    @property
    def _cheapest(self) -> int:
        """A column to count the rows by."""
        return next((i for i in self.features if self.table.families[i].is_number), self.features[0])

    def _levels(self, j: int) -> tuple | None:
        family = self.table.families[self.features[j]]
        if family.is_number:
            return None
        column = self.schema.columns[j]
        if column.levels is None:
            raise InputError(
                f"column {column.name!r} holds {column.kind} that cannot be coded as numbers: leave it out"
            )
        return column.levels

    def _target_of(self, part: Part) -> np.ndarray:
        if not isinstance(part, Coded):
            return np.asarray(part, dtype=np.float64)
        column = self.schema.target
        if column is None or column.levels is None:
            raise InputError(
                f"the target {column.name if column else ''!r} has too many different labels to be learned as classes"
            )
        return positions_in(column.levels, part)

    def _cut_target(self, start: int, n: int) -> np.ndarray | None:
        if not isinstance(self.target, Target):
            return None
        return _rows(self.target.values, start - self.first_row, n, self.target.name)

    def _weights_of(self, extra: Iterator[Part], start: int, n: int) -> np.ndarray | None:
        if self.weight is None:
            return None
        if isinstance(self.weight, np.ndarray):
            return _rows(self.weight, start - self.first_row, n, "sample_weight")
        name = self.table.names[self.weight]
        part = next(extra)
        if isinstance(part, Coded):
            raise InputError(f"the weight column {name!r} must be numbers, it holds labels")
        weights = np.asarray(part, dtype=np.float64)
        check_weights(weights, start, f"the weight column {name!r}")
        return weights

    def _count(self, n: int) -> None:
        """A pass has seen n rows: y and weights given as arrays must have as many."""
        self.n_rows = n
        given = self.target.values if isinstance(self.target, Target) else None
        for values, name in (
            (given, "y"),
            (self.weight if isinstance(self.weight, np.ndarray) else None, "sample_weight"),
        ):
            if values is not None and len(values) != n:
                raise InputError(
                    f"X and {name} must have the same number of rows: X has {n:,}, {name} has {len(values):,}"
                )


class Profiling:
    """The task of profiling some columns of a table."""

    def __init__(self, positions: list[int], n_bytes: int) -> None:
        self.positions = positions
        self.n_bytes = n_bytes

    def __call__(self, table: Table) -> TableProfile:
        profile = TableProfile([table.families[i] for i in self.positions])
        for chunk in table.chunks(self.positions, self.n_bytes):
            profile.add(chunk)
        return profile


class TableProfile:
    """The columns of a table, chunk after chunk: numbers together, labels one by one."""

    def __init__(self, families: list[Family]) -> None:
        self.families = families
        self.n = 0
        self.numbers = NumberProfile(sum(f.is_number for f in families))
        self.labels = [LabelProfile() for f in families if not f.is_number]

    def add(self, chunk: list[Part]) -> None:
        self.n += n_rows_of(chunk)
        numbers = [part for part in chunk if not isinstance(part, Coded)]
        if numbers:
            self.numbers.add(np.stack(numbers, axis=1))
        for profile, part in zip(self.labels, (p for p in chunk if isinstance(p, Coded)), strict=True):
            profile.add(part)

    def merge(self, other: TableProfile) -> TableProfile:
        """With the rows that follow."""
        self.n += other.n
        self.numbers.merge(other.numbers)
        for mine, others in zip(self.labels, other.labels, strict=True):
            mine.merge(others)
        return self

    def columns(self, names: list[str]) -> list[Column]:
        labels = iter(self.labels)
        columns, j = [], 0
        for name, family in zip(names, self.families, strict=True):
            if family.is_number:
                columns.append(self.numbers.column(j, name, date=family is Family.DATE))
                j += 1
            elif family is Family.OTHER:
                cells = next(labels)
                holds = next(iter(cells.counts or ()), "nothing that is known")  # they are coded as their type
                columns.append(Column(name, Kind.TEXT, missing=cells.missing, readable=False, holds=str(holds)))
            else:
                columns.append(next(labels).column(name))
        return columns


def _rows(values: np.ndarray, start: int, n: int, name: str) -> np.ndarray:
    if start + n > len(values):
        raise InputError(
            f"X and {name} must have the same number of rows: X has at least {start + n:,}, {name} has {len(values):,}"
        )
    return values[start : start + n]
