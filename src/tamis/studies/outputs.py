"""Files that an answer is written to: asked before any work, so that nothing is lost and nothing is done in vain."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from itertools import combinations
from pathlib import Path

from tamis._core.errors import InputError, about
from tamis._core.files import check_output
from tamis.sources.excel import split_sheet
from tamis.sources.files import joins, table_files
from tamis.studies.question import Question, named_option

BESIDE = {"checkpoint": ("-wal", "-shm", "-journal")}  # what SQLite keeps next to a file of answers


def check_written(
    question: Question,
    outputs: Mapping[str, Path | None],
    tables: Iterable[Path | None],
    others: Iterable[Path | None] = (),
) -> None:
    """Complain about outputs, by argument, that cannot be written, are read, or are one file.

    Read are tables (files or folders) and other files.
    """
    written = {argument: path for argument, path in outputs.items() if path is not None}
    files = [split_sheet(table)[0] for table in tables if table is not None]
    given = [file for file in files if file.exists()]
    read = [file for table in given for file in table_files(table)] + [other for other in others if other is not None]
    for argument, path in written.items():
        with about(argument):
            check_output(path, read)
            _check_beside_tables(path, given)
    for (one, path), (other, second) in combinations(written.items(), 2):
        _check_apart(question, one, path, other, second)


def _check_beside_tables(path: Path, tables: Iterable[Path]) -> None:
    for table in tables:
        if joins(path, table):
            raise InputError(
                f"cannot write {str(path)!r}: it would become one of the tables in the folder {str(table)!r}, which is "
                "read; write outside of it"
            )


def _check_apart(question: Question, one: str, path: Path, other: str, second: Path) -> None:
    """Two outputs are two files, whatever they are called, and neither is what SQLite keeps next to the other."""
    names = f"{named_option(question, one) or one} and {named_option(question, other) or other}"
    if _file(path) == _file(second) or (path.exists() and second.exists() and path.samefile(second)):
        both = f"both {str(path)!r}" if str(path) == str(second) else f"one file, {str(path)!r} and {str(second)!r}"
        raise InputError(f"{names} are {both}: give two names", argument=one)
    for database, argument, file in ((path, one, second), (second, other, path)):
        if _file(file) in [_file(database) + ending for ending in BESIDE.get(argument, ())]:
            raise InputError(
                f"{names}: {str(file)!r} is what SQLite keeps next to {str(database)!r}; give another name",
                argument=one,
            )


def _file(path: Path) -> str:
    """Where a path leads, be there a file or not."""
    return os.path.realpath(path)
