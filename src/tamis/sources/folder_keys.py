"""Columns that are kept in the names of folders: ``year=2024/month=5/part-0.parquet`` has year 2024 and month 5."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from tamis._core.checks import shorten
from tamis._core.errors import InputError
from tamis.sources.parts import Coded, Family, Part, n_rows_of

MISSING = "__HIVE_DEFAULT_PARTITION__"  # what Hive, Spark and Arrow call the folder of missing values


def folder_keys(folder: Path, paths: Sequence[Path]) -> dict[Path, dict[str, str]]:
    """The keys of each file and their values as text, all of the same names; empty where folders hold none."""
    keys = {path: _keys(path.relative_to(folder).parts[:-1]) for path in paths}
    names = [list(found) for found in keys.values()]
    other = next((path for path, found in keys.items() if list(found) != names[0]), None)
    if other is not None:
        has = shorten(keys[other]) if keys[other] else "none"
        raise InputError(
            f"{other} has other columns in its folders' names than {paths[0]}: {has} instead of "
            f"{shorten(names[0]) if names[0] else 'none'}"
        )
    return keys if names and names[0] else {}


def _keys(folders: Sequence[str]) -> dict[str, str]:
    pairs = (part.split("=", 1) for part in folders if "=" in part)
    return {unquote(name): unquote(value) for name, value in pairs}


class KeyedTable:
    """A table of files with a column more for each key in the names of their folders."""

    def __init__(self, table: Any, keys: dict[Path, dict[str, str]]) -> None:
        self.table, self.keys = table, keys
        self._key_names = list(next(iter(keys.values())))
        both = [name for name in self._key_names if name in table.names]
        if both:
            raise InputError(f"{shorten(both)} is both a column of the files and in the names of their folders")
        self.in_memory, self.by_columns = table.in_memory, table.by_columns
        self.names = [*table.names, *self._key_names]
        self._numbers = {name: self._is_number(name) for name in self._key_names}

    def _is_number(self, name: str) -> bool:
        return all(_number(values[name]) is not None for values in self.keys.values())

    @property
    def families(self) -> list[Family]:
        numbers = (self._numbers[name] for name in self._key_names)
        return [*self.table.families, *(Family.NUMBER if number else Family.LABEL for number in numbers)]

    @property
    def n_rows(self) -> int | None:
        counted: int | None = self.table.n_rows
        return counted

    @n_rows.setter
    def n_rows(self, counted: int | None) -> None:
        self.table.n_rows = counted

    def confirm_types(self, columns: Sequence[int]) -> None:
        self.table.confirm_types(self._in_files(columns))

    def partitions(self, columns: Sequence[int]) -> Sequence[KeyedTable]:
        tables = self.table.partitions(self._in_files(columns))
        return [self] if len(tables) == 1 else [self._over(table) for table in tables]

    def _over(self, table: Any) -> KeyedTable:
        part = copy.copy(self)
        part.table = table
        return part

    def _in_files(self, columns: Sequence[int]) -> list[int]:
        """The columns that files hold; one at least, to count the rows by."""
        return [i for i in columns if i < len(self.table.names)] or [0]

    def chunks(self, columns: Sequence[int], n_bytes: int) -> Iterator[list[Part]]:
        read = self._in_files(columns)
        for path, chunk in self.table.chunks_by_file(read, n_bytes):
            n, parts = n_rows_of(chunk), iter(chunk)
            yield [next(parts) if i < len(self.table.names) else self._constant(path, i, n) for i in columns]

    def cells(self, columns: Sequence[int]) -> Iterator[tuple[Path, list[list[Any]]]]:
        """The columns of the next rows as they are stored; those of folders' names as text."""
        for path, chunk in self.table.cells(self._in_files(columns)):
            n, parts = len(chunk[0]), iter(chunk)
            yield path, [next(parts) if i < len(self.table.names) else self._texts(path, i, n) for i in columns]

    def _texts(self, path: Path, i: int, n: int) -> list[str | None]:
        text = self.keys[path][self.names[i]]
        return [None if text == MISSING else text] * n

    def _constant(self, path: Path, i: int, n: int) -> Part:
        name = self.names[i]
        text = self.keys[path][name]
        if self._numbers[name]:
            return np.full(n, _number(text))
        return Coded(np.full(n, -1 if text == MISSING else 0, dtype=np.int32), [text])


def _number(text: str) -> float | None:
    """NaN for a missing value, None for what is no number."""
    if text == MISSING:
        return math.nan
    try:
        found = float(text)
    except ValueError:
        return None
    return found if math.isfinite(found) else None
