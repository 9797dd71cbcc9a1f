"""Dask arrays and frames as tables. Rows are computed where a task runs; a pass on this machine computes one partition
after another.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from tamis._core.errors import InputError
from tamis.sources.dask_workers import DaskWorkers, compute
from tamis.sources.frames import MemoryTable, PartColumn, as_frame, coded_numbers, frame_table, unique_names
from tamis.sources.parts import Coded, Family, Part, cut
from tamis.sources.target import column_part


def is_dask(X: Any) -> bool:
    """Whether X is an array, a frame or a series of Dask."""
    return type(X).__module__.partition(".")[0] == "dask" and hasattr(X, "__dask_graph__")


def is_dask_frame(X: Any) -> bool:
    return is_dask(X) and hasattr(X, "columns") and X.ndim == 2


class DaskTable:
    """Partitions of delayed rows: a frame or an array each, and perhaps the target and the weights beside it.

    ``counts`` are the rows of the partitions, ``called`` what to call each of them; none is empty.
    """

    in_memory = False
    by_columns = False

    def __init__(
        self, names: list[str], families: list[Family], pieces: list[tuple[Any, ...]], counts: list[int]
    ) -> None:
        self.names, self.families = names, families
        kept = [k for k, n in enumerate(counts) if n]
        self.pieces, self.counts = [pieces[k] for k in kept], [counts[k] for k in kept]
        self.called = [f"partition {k + 1} of {len(pieces)}" for k in kept]
        self.n_rows: int | None = sum(self.counts)

    def confirm_types(self, columns: Sequence[int]) -> None:
        """Each partition is compared with what the whole declares when it is computed."""

    def chunks(self, columns: Sequence[int], n_bytes: int) -> Iterator[list[Part]]:
        rows = max(1, n_bytes // (8 * max(1, len(columns))))
        for k, n in enumerate(self.counts):
            parts = _WORKERS.reduce([self._only(k)], Chosen(columns), _never)
            for start in range(0, n, rows):
                yield [cut(part, slice(start, min(n, start + rows))) for part in parts]

    def partitions(self, columns: Sequence[int]) -> list[DaskTable]:
        del columns
        return [self] if len(self.pieces) == 1 else [self._only(k) for k in range(len(self.pieces))]

    def _only(self, k: int) -> DaskTable:
        part = copy.copy(self)
        part.pieces, part.counts, part.called = [self.pieces[k]], [self.counts[k]], [self.called[k]]
        part.n_rows = self.counts[k]
        return part

    @property
    def pending(self) -> tuple[Any, ...]:
        return self.pieces[0] if len(self.pieces) == 1 else ()

    def with_rows(self, values: tuple[Any, ...] | None) -> Any:
        """The partition in memory; with None, one that can be sent."""
        if values is None:
            part = copy.copy(self)
            part.pieces = [()]
            return part
        table = _table_of(values[0], self.names)
        extra = zip(values[1:], self.names[len(table.columns) :], strict=True)
        columns = [*table.columns, *(_column(v, name) for v, name in extra)]
        for name, family, column in zip(self.names, self.families, columns, strict=True):
            self._check(name, family, column.family)
        self._check_length([table.n_rows, *(len(v) for v in values[1:])])
        found = MemoryTable(
            self.names, [_as(c, f) for c, f in zip(columns, self.families, strict=True)], self.counts[0]
        )
        found.families = self.families
        return found

    def _check(self, name: str, declared: Family, found: Family) -> None:
        if declared.is_number != found.is_number and found is not Family.NUMBER:
            raise InputError(
                f"column {name!r} holds {found.value}s in {self.called[0]}, but the whole declares {declared.value}s: "
                "give it one type, for example with astype",
                argument="X",
            )

    def _check_length(self, counted: list[int | None]) -> None:
        if set(counted) != {self.counts[0]}:
            raise InputError(
                f"{self.called[0]} has {counted[0]:,} rows of X and {', '.join(f'{n:,}' for n in counted[1:])} of the "
                f"target and weights, where {self.counts[0]:,} were counted: partition them alike",
                argument="X",
            )


class Chosen:
    """The task of reading some columns of a partition, for a pass that is made here."""

    def __init__(self, columns: Sequence[int]) -> None:
        self.columns = list(columns)

    def __call__(self, table: MemoryTable) -> list[Part]:
        return [table.columns[i].part(slice(0, table.n_rows or 0)) for i in self.columns]


_WORKERS = DaskWorkers()


def _never(first: Any, second: Any) -> Any:
    raise AssertionError("one partition has nothing to merge")


class Pieces(NamedTuple):
    """What a table is made of: names and families of columns, delayed rows and their counts by partition."""

    names: list[str]
    families: list[Family]
    rows: list[tuple[Any, ...]]
    counts: list[int]


def dask_table(X: Any, beside: Sequence[tuple[str, Any]] = ()) -> DaskTable:
    """The table of a Dask frame or array; ``beside`` are named series or 1-d arrays of the same rows."""
    made = _frame_pieces(X) if is_dask_frame(X) else _array_pieces(X)
    for name, values in beside:
        made = _with_column(made, name, values)
    if not sum(made.counts):
        raise InputError("Found array with 0 sample(s): the Dask table has no rows while a minimum of 1 is required.")
    return DaskTable(*made)


def _frame_pieces(X: Any) -> Pieces:
    names = unique_names([str(name) for name in X.columns])
    if not names:
        raise InputError("Found array with 0 feature(s): the Dask frame has no columns.")
    families = frame_table(as_frame(X._meta_nonempty)).families
    counts = compute(X[[X.columns[0]]].map_partitions(len, meta=("rows", "int64")))
    return Pieces(names, families, [(piece,) for piece in X.to_delayed()], [int(n) for n in counts])


def _array_pieces(X: Any) -> Pieces:
    if X.ndim != 2:
        raise InputError(f"Expected 2D array, got {X.ndim}D array instead: X is a Dask array of shape {X.shape}")
    if X.dtype.kind not in "fiub" or sp.issparse(X._meta):
        what = "sparse chunks" if sp.issparse(X._meta) else f"dtype {X.dtype}"
        raise InputError(f"X is a Dask array with {what}: give dense numbers, or a Dask frame", argument="X")
    X = _known_rows(X)
    family = Family.SINGLE if X.dtype == np.float32 else Family.NUMBER
    p = X.shape[1]
    pieces = [(piece,) for piece in X.rechunk({1: -1}).to_delayed().ravel()]
    return Pieces([f"x{j}" for j in range(p)], [family] * p, pieces, [int(n) for n in X.chunks[0]])


def _known_rows(X: Any) -> Any:
    return X.compute_chunk_sizes() if any(np.isnan(n) for n in X.chunks[0]) else X


def _with_column(table: Pieces, name: str, values: Any) -> Pieces:
    values, family = _one_column(table, name, values)
    pieces = list(values.to_delayed())
    if len(pieces) != len(table.rows):
        raise InputError(
            f"X has {len(table.rows)} partitions and {name} has {len(pieces)}: partition them alike", argument=name
        )
    rows = [(*mine, piece) for mine, piece in zip(table.rows, pieces, strict=True)]
    return Pieces([*table.names, name], [*table.families, family], rows, table.counts)


def _one_column(table: Pieces, name: str, values: Any) -> tuple[Any, Family]:
    """A series, or a 1-d array in the chunks of the table, and the family it declares."""
    if is_dask_frame(values):
        raise InputError(f"{name} must be one column: give a Dask series or a 1-d Dask array", argument=name)
    if not hasattr(values, "chunks"):
        return values, frame_table(as_frame(values._meta_nonempty.to_frame(name=name))).families[0]
    values = values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values
    if values.ndim != 1:
        raise InputError(f"{name} should be a 1d array, got a Dask array of shape {values.shape}", argument=name)
    values, n = _known_rows(values), sum(table.counts)
    if values.shape[0] != n:
        raise InputError(
            f"X and {name} must have the same number of rows: X has {n:,}, {name} has {values.shape[0]:,}",
            argument=name,
        )
    family = Family.LABEL if values.dtype.kind in "OUST" else Family.NUMBER
    return values.rechunk((tuple(table.counts),)), family


def _table_of(rows: Any, names: list[str]) -> MemoryTable:
    if isinstance(rows, np.ndarray):
        family = Family.SINGLE if rows.dtype == np.float32 else Family.NUMBER
        rows = rows if rows.dtype in (np.float32, np.float64) else rows.astype(np.float64)
        return MemoryTable(names, [PartColumn(rows[:, j], family) for j in range(rows.shape[1])], len(rows))
    return frame_table(as_frame(rows))


def _column(values: Any, name: str) -> PartColumn:
    part = column_part(values, name)
    return PartColumn(part, Family.LABEL if isinstance(part, Coded) else Family.NUMBER)


def _as(column: Any, family: Family) -> Any:
    """A column as the whole declares it: missing in every row of a partition, labels look like numbers."""
    if family.is_number or not column.family.is_number:
        return column
    numbers = column.part(slice(None))
    return PartColumn(coded_numbers(np.asarray(numbers)), family)
