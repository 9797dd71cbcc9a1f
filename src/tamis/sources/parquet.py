"""Parquet files, read in batches of rows with memory bounded whatever the size of the row groups.

Each file is read through ``ParquetFile.iter_batches`` with buffered streams: the dataset scanner of the same library
reads ahead and decodes whole row groups (1.3 GB for an 800 MB row group where this takes 180 MB).
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from tamis._core.checks import shorten
from tamis._core.errors import InputError
from tamis.sources.arrow import family_of, part_of_arrow, pyarrow
from tamis.sources.frames import unique_names
from tamis.sources.parts import Coded, Family, Part

BUFFERS = 1 << 24  # bytes for the streams of all columns together
PARTITION_BYTES = (
    1 << 28
)  # decoded: many blocks, so that opening a file costs little, and few enough for a worker to hold

CELL_ROWS = 1 << 16  # that are Python objects at a time


class ParquetTable:
    """One or more Parquet files with the same columns, as one table."""

    in_memory = False
    by_columns = True

    def __init__(self, paths: Sequence[Path]) -> None:
        self.runs: list[RowGroups] = []
        schemas = []
        for path in paths:
            with _opened(path) as file:
                schemas.append(file.schema_arrow)
                self.runs.append(RowGroups.of(path, file.metadata))
        self.names = unique_names(list(schemas[0].names))
        self._check_names(schemas)
        self.families = [self._family(schemas, name) for name in self.names]
        self._types = [str(schemas[0].field(name).type) for name in schemas[0].names]
        if self.n_rows == 0:
            raise InputError(f"{paths[0]} has columns but no rows")

    @property
    def n_rows(self) -> int | None:
        return sum(run.n_rows for run in self.runs)

    def confirm_types(self, columns: Sequence[int]) -> None:
        """Families are written in the files."""

    def partitions(self, columns: Sequence[int]) -> list[ParquetTable]:
        """Each file, or runs of the row groups of a large one."""
        del columns
        cut = [part for run in self.runs for part in run.cut() if part.n_rows]
        return [self] if len(cut) == 1 else [self._only(part) for part in cut]

    def _only(self, run: RowGroups) -> ParquetTable:
        part = copy.copy(self)
        part.runs = [run]
        return part

    def chunks(self, columns: Sequence[int], n_bytes: int) -> Iterator[list[Part]]:
        for _, chunk in self.chunks_by_file(columns, n_bytes):
            yield chunk

    def chunks_by_file(self, columns: Sequence[int], n_bytes: int) -> Iterator[tuple[Path, list[Part]]]:
        rows = max(1, n_bytes // (8 * max(1, len(columns))))
        read = list(dict.fromkeys(self.names[i] for i in columns if self.families[i] is not Family.OTHER))
        for run in self.runs:
            for batch in run.batches(read, rows):
                yield run.path, [self._part(batch, i, run.path) for i in columns]
        pyarrow().default_memory_pool().release_unused()

    def cells(self, columns: Sequence[int]) -> Iterator[tuple[Path, list[list[Any]]]]:
        """The columns of the next rows as they are stored, None where they are missing."""
        names = [self.names[i] for i in columns]
        for run in self.runs:
            for batch in run.batches(names, CELL_ROWS):
                yield run.path, [batch.column(name).to_pylist() for name in names]

    def _part(self, batch: Any, i: int, path: Path) -> Part:
        if self.families[i] is Family.OTHER:
            return Coded(np.zeros(batch.num_rows, dtype=np.int32), [self._types[i]])
        column = batch.column(self.names[i])
        if family_of(column.type).is_number != self.families[i].is_number:
            raise InputError(
                f"{path} has changed since it was opened: column {self.names[i]!r} holds {column.type}", argument="X"
            )
        return part_of_arrow(column, self.families[i])

    def _check_names(self, schemas: list[Any]) -> None:
        for run, schema in zip(self.runs, schemas, strict=True):
            if sorted(schema.names) != sorted(self.names):
                raise InputError(f"{run.path} has other columns than {self.runs[0].path}: {shorten(schema.names)}")

    def _family(self, schemas: list[Any], name: str) -> Family:
        found = [family_of(schema.field(name).type) for schema in schemas]
        families = set(found)
        if families == {Family.NUMBER, Family.SINGLE}:
            return Family.NUMBER
        if len(families) > 1:
            other = self.runs[next(k for k, f in enumerate(found) if f is not found[0])].path
            first = self.runs[0].path
            raise InputError(f"column {name!r} holds {found[0].value}s in {first}, other things in {other}")
        return found[0]


@dataclass(frozen=True)
class RowGroups:
    """Row groups of a file that follow each other, from number ``first`` on: their rows and bytes when decoded."""

    path: Path
    first: int
    sizes: tuple[tuple[int, int], ...]
    footer: Footer | None = None

    @classmethod
    def of(cls, path: Path, metadata: Any) -> RowGroups:
        groups = (metadata.row_group(k) for k in range(metadata.num_row_groups))
        return cls(path, 0, tuple((group.num_rows, group.total_byte_size) for group in groups))

    @property
    def n_rows(self) -> int:
        return sum(rows for rows, _ in self.sizes)

    def cut(self) -> list[RowGroups]:
        """Runs of about PARTITION_BYTES, at least a row group each."""
        number = np.cumsum([0, *(size for _, size in self.sizes)])[:-1] // PARTITION_BYTES
        firsts = [k for k in range(len(number)) if k == 0 or number[k] != number[k - 1]]
        if len(firsts) <= 1:
            return [self]
        footer = Footer(self.path)
        bounds = pairwise([*firsts, len(self.sizes)])
        return [RowGroups(self.path, self.first + a, self.sizes[a:b], footer) for a, b in bounds]

    def batches(self, names: list[str], rows: int) -> Iterator[Any]:
        """Record batches of some columns. Without any, the metadata counts the rows."""
        if not names:
            yield from (_Count(min(rows, self.n_rows - start)) for start in range(0, self.n_rows, rows))
            return
        groups = list(range(self.first, self.first + len(self.sizes)))
        try:
            with _opened(self.path, len(names), None if self.footer is None else self.footer.metadata) as file:
                self._check_unchanged(file, names)
                yield from file.iter_batches(batch_size=rows, columns=names, row_groups=groups)
        except (pyarrow().ArrowException, OSError) as error:
            raise InputError(f"{self.path} is damaged or has changed since it was opened: {_reason(error)}") from None

    def _check_unchanged(self, file: Any, names: list[str]) -> None:
        """Whether the file still holds the columns and the rows that it was listed with."""
        metadata, last = file.metadata, self.first + len(self.sizes)
        absent = set(names) - set(file.schema_arrow.names)
        n_rows = sum(metadata.row_group(k).num_rows for k in range(self.first, min(last, metadata.num_row_groups)))
        if absent or n_rows != self.n_rows:
            what = f"it has no column {shorten(sorted(absent))}" if absent else "it has other rows"
            raise InputError(f"{self.path} has changed since it was opened: {what}", argument="X")


class Footer:
    """The metadata of a file, parsed once for all its partitions in this process: seconds in a file of many columns."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def metadata(self) -> Any:
        with _opened(self.path) as file:
            return file.metadata

    def __getstate__(self) -> dict[str, Any]:
        return {"path": self.path}


class _Count:
    def __init__(self, num_rows: int) -> None:
        self.num_rows = num_rows


def _opened(path: Path, n_columns: int = 1, metadata: Any = None) -> Any:
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        raise InputError(f"{path} is gone: it was there when the folder was listed") from None
    if size == 0:
        raise InputError(f"{path} is empty (0 bytes)")
    pq = pyarrow("pyarrow.parquet")
    buffer = min(1 << 16, max(1 << 12, BUFFERS // max(1, n_columns)))
    try:
        return pq.ParquetFile(path, metadata=metadata, buffer_size=buffer, pre_buffer=False)
    except (pyarrow().ArrowInvalid, OSError) as error:
        raise InputError(f"{path} is not a Parquet file, whatever its name says: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    return (str(error).partition(". ")[0].splitlines() or [type(error).__name__])[0]
