"""Excel workbooks: a sheet as a table in memory, as sheets are small.

The first row that is not empty names the columns. Empty cells, the words that are missing in a CSV file, and errors
such as #DIV/0! are missing; of formulas the values are read that were computed when the workbook was saved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tamis._core.checks import shorten, suggestion
from tamis._core.errors import InputError
from tamis._core.optional import need
from tamis.sources.delimited import MISSING
from tamis.sources.frames import MemoryTable, array_table, unique_names

ENDINGS = (".xlsx", ".xlsm")
ERRORS = ("#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!")


def split_sheet(path: Path) -> tuple[Path, str | None]:
    """``book.xlsx#prices`` is the sheet ``prices`` of ``book.xlsx``; None: no sheet is named."""
    found = re.fullmatch(r"(.+\.(?:xlsx|xlsm))#(.+)", str(path), re.IGNORECASE | re.DOTALL)
    return (path, None) if found is None or path.exists() else (Path(found[1]), found[2])


class SheetTable(MemoryTable):
    """The sheets of workbooks as one table."""

    def __init__(self, names: list[str], values: np.ndarray, path: Path) -> None:
        table = array_table(values, names)
        super().__init__(names, table.columns, len(values))
        self.values, self.path = values, path

    def cells(self, columns: Sequence[int]) -> Iterator[tuple[Path, list[list[Any]]]]:
        """The columns as they are stored, None where they are missing."""
        yield self.path, [self.values[:, i].tolist() for i in columns]


def excel_table(paths: Sequence[Path], sheet: str | None = None) -> SheetTable:
    """The sheet of that name or number (from 1), by default the first; of several workbooks the rows of all."""
    names, cells = excel_cells(paths, sheet)
    return SheetTable(names, cells, paths[0])


def excel_cells(paths: Sequence[Path], sheet: str | None = None) -> tuple[list[str], np.ndarray]:
    """The names of the columns, and the cells, None where they are missing."""
    names, rows = _read(paths[0], sheet)
    for path in paths[1:]:
        others, more = _read(path, sheet)
        if others != names:
            raise InputError(f"{path} has the columns {shorten(others)}, {paths[0]} has {shorten(names)}")
        rows += more
    if not rows:
        raise InputError(f"{paths[0]} has a header but no rows")
    cells = np.empty((len(rows), len(names)), dtype=object)
    cells[:] = rows
    for j in range(len(names)):
        if any(isinstance(value, str) for value in cells[:, j]):  # labels are text, as they are in a CSV file
            cells[:, j] = [None if value is None else str(value) for value in cells[:, j]]
    return names, cells


def _read(path: Path, sheet: str | None) -> tuple[list[str], list[list[Any]]]:
    """The names of the columns, and the rows below; columns that are empty all through are left out."""
    openpyxl = need("openpyxl", extra="files", purpose="reading Excel files")
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except PermissionError:
        raise
    except Exception as error:  # openpyxl raises whatever it meets in the archive
        raise InputError(f"{path} cannot be read as an Excel file ({type(error).__name__}: {error})") from None
    try:
        cells = [[_value(v) for v in row] for row in _sheet(book, path, sheet).iter_rows(values_only=True)]
    finally:
        book.close()
    cells = [row for row in cells if any(value is not None for value in row)]
    if not cells:
        raise InputError(f"{path}: the sheet {_named(sheet)} is empty")
    width = max(map(len, cells))
    cells = [row + [None] * (width - len(row)) for row in cells]
    used = [j for j in range(width) if any(row[j] is not None for row in cells)]
    header, *rows = [[row[j] for j in used] for row in cells]
    if all(not isinstance(name, str) for name in header):
        raise InputError(f"the first row of {path} holds no names ({shorten(header, 3)}): add a row of names")
    return unique_names([f"column_{j + 1}" if name is None else str(name) for j, name in enumerate(header)]), rows


def _sheet(book: Any, path: Path, sheet: str | None) -> Any:
    tables = {each.title: each for each in book.worksheets}
    if sheet is None:
        return book.worksheets[0]
    if sheet in tables:
        return tables[sheet]
    if sheet.isdecimal() and 1 <= int(sheet) <= len(tables):
        return book.worksheets[int(sheet) - 1]
    raise InputError(f"{path} has no sheet {sheet!r}{suggestion(sheet, tables)}: it has {shorten(tables)}")


def _named(sheet: str | None) -> str:
    return "1" if sheet is None else repr(sheet)


def _value(value: Any) -> Any:
    if isinstance(value, str):
        value = value.strip()
        return None if value in MISSING or value in ERRORS else value
    return value
