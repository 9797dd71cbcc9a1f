"""Parquet files, read in batches of rows with memory bounded whatever the size of the row groups.

Each file is read through ``ParquetFile.iter_batches`` with buffered streams: the dataset scanner of the same library
reads ahead and decodes whole row groups (1.3 GB for an 800 MB row group where this takes 180 MB).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tamis._core.checks import shorten
from tamis._core.errors import InputError
from tamis.sources.arrow import family_of, part_of_arrow, pyarrow
from tamis.sources.frames import unique_names
from tamis.sources.parts import Coded, Family, Part

BUFFERS = 1 << 24  # bytes for the streams of all columns together


class ParquetTable:
    """One or more Parquet files with the same columns, as one table."""

    in_memory = False
    by_columns = True

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = list(paths)
        schemas = []
        self.n_rows: int | None = 0
        for path in self.paths:
            with _opened(path) as file:
                schemas.append(file.schema_arrow)
                self.n_rows += file.metadata.num_rows
        self.names = unique_names(list(schemas[0].names))
        self._check_names(schemas)
        self.families = [self._family(schemas, name) for name in self.names]
        if self.n_rows == 0:
            raise InputError(f"{self.paths[0]} has columns but no rows")

    def confirm_types(self, columns: Sequence[int]) -> None:
        """Families are written in the files."""

    def chunks(self, columns: Sequence[int], n_bytes: int) -> Iterator[list[Part]]:
        rows = max(1, n_bytes // (8 * max(1, len(columns))))
        read = list(dict.fromkeys(self.names[i] for i in columns if self.families[i] is not Family.OTHER))
        for path in self.paths:
            with _opened(path, n_columns=len(read)) as file:
                # An unread column still has rows: without any column to read, the metadata counts them.
                batches = file.iter_batches(batch_size=rows, columns=read) if read else _counted(file, rows)
                for batch in batches:
                    yield [self._part(batch, i) for i in columns]
        pyarrow().default_memory_pool().release_unused()

    def _part(self, batch: Any, i: int) -> Part:
        if self.families[i] is Family.OTHER:
            return Coded(np.zeros(batch.num_rows, dtype=np.int32), ["nested"])
        return part_of_arrow(batch.column(self.names[i]), self.families[i])

    def _check_names(self, schemas: list[Any]) -> None:
        for path, schema in zip(self.paths, schemas, strict=True):
            if sorted(schema.names) != sorted(self.names):
                raise InputError(f"{path} has other columns than {self.paths[0]}: {shorten(schema.names)}")

    def _family(self, schemas: list[Any], name: str) -> Family:
        found = [family_of(schema.field(name).type) for schema in schemas]
        families = set(found)
        if families == {Family.NUMBER, Family.SINGLE}:
            return Family.NUMBER
        if len(families) > 1:
            other = self.paths[next(k for k, f in enumerate(found) if f is not found[0])]
            raise InputError(f"column {name!r} holds {found[0].value}s in {self.paths[0]}, other things in {other}")
        return found[0]


class _Count:
    def __init__(self, num_rows: int) -> None:
        self.num_rows = num_rows


def _counted(file: Any, rows: int) -> Iterator[_Count]:
    n = file.metadata.num_rows
    for start in range(0, n, rows):
        yield _Count(min(rows, n - start))


def _opened(path: Path, n_columns: int = 1) -> Any:
    if path.stat().st_size == 0:
        raise InputError(f"{path} is empty (0 bytes)")
    pq = pyarrow("pyarrow.parquet")
    buffer = min(1 << 16, max(1 << 12, BUFFERS // max(1, n_columns)))
    try:
        return pq.ParquetFile(path, buffer_size=buffer, pre_buffer=False)
    except (pyarrow().ArrowInvalid, OSError) as error:
        reason = str(error).partition(". ")[0].splitlines()[0]
        raise InputError(f"{path} is not a Parquet file, whatever its name says: {reason}") from None
