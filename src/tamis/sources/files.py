"""Rows from CSV, Parquet and Excel files and folders of them.

CSV and Parquet are never loaded whole: every pass reads them again, in batches. A sheet of a workbook is.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tamis._core.checks import suggestion
from tamis._core.errors import InputError
from tamis.sources.delimited import CSVTable
from tamis.sources.excel import ENDINGS, excel_table, split_sheet
from tamis.sources.folder_keys import KeyedTable, folder_keys
from tamis.sources.parquet import ParquetTable
from tamis.sources.table import Table

FORMATS: dict[str, Callable[[Sequence[Path]], Any]] = {
    ".csv": CSVTable,
    ".tsv": CSVTable,
    ".txt": CSVTable,
    ".csv.gz": CSVTable,
    ".tsv.gz": CSVTable,
    ".parquet": ParquetTable,
    ".pq": ParquetTable,
    **dict.fromkeys(ENDINGS, excel_table),
}


def file_table(path: Path) -> Table:
    """The table in a file, or in the files of a folder in the order of their names, with the columns ``key=value`` that
    are in the names of folders; a sheet as ``book.xlsx#prices``."""
    path, sheet = split_sheet(path)
    if not path.exists():
        near = suggestion(path.name, (p.name for p in path.parent.iterdir())) if path.parent.is_dir() else ""
        raise InputError(f"there is no file {path}{near}")
    if not path.is_file() and not path.is_dir():
        raise InputError(f"{path} is no regular file, and a table is read more than once: write it to a file first")
    paths = table_files(path)
    for file in paths:
        _check_name(file)
    formats = {_format(p) for p in paths}
    if len(formats) > 1:
        raise InputError(f"folder {path} holds tables of several kinds: give one of them, or a folder of one kind")
    keys = folder_keys(path, paths) if path.is_dir() else {}
    try:
        table: Any = formats.pop()(paths) if sheet is None else excel_table(paths, sheet)
        found: Table = KeyedTable(table, keys) if keys else table  # type: ignore[assignment]
        return found
    except PermissionError:
        raise InputError(f"{path} may not be read: permission denied") from None


def _check_name(path: Path) -> None:
    """Arrow opens files by names that are text."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise InputError(f"{path} cannot be read: its name is not UTF-8; rename it") from None


def table_files(path: Path) -> list[Path]:
    """The files that a table is read from."""
    path, _ = split_sheet(path)
    return _inside(path) if path.is_dir() else [path]


def joins(path: Path, table: Path) -> bool:
    """Whether a file written there would be read with the table, being one of the tables in its folder."""
    if not table.is_dir() or not path.name.lower().endswith(tuple(FORMATS)):
        return False
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(table))


def _format(path: Path) -> Callable[[Sequence[Path]], Any]:
    name = path.name.lower()
    for ending, table in FORMATS.items():
        if name.endswith(ending):
            return table
    raise InputError(f"{path} is of no supported kind: the name must end in {', '.join(FORMATS)}")


def _inside(folder: Path) -> list[Path]:
    files = sorted(p for p in folder.rglob("*") if p.is_file() and not p.name.startswith((".", "_", "~$")))
    tables = [p for p in files if p.name.lower().endswith(tuple(FORMATS))]
    if not tables:
        raise InputError(f"folder {folder} holds no file whose name ends in {', '.join(FORMATS)}")
    return tables
