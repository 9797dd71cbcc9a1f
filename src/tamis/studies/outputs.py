"""Files that an answer is written to: asked before any work, so that nothing is lost and nothing is done in vain."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tamis._core.errors import InputError, about
from tamis._core.files import check_output
from tamis.sources.files import joins, table_files


def check_written(
    argument: str, path: Path | None, tables: Iterable[Path | None], others: Iterable[Path | None] = ()
) -> None:
    """Complain about a path that cannot be written or is read: tables (files or folders) and other files."""
    if path is None:
        return
    given = [table for table in tables if table is not None and table.exists()]
    read = [file for table in given for file in table_files(table)]
    with about(argument):
        check_output(path, [*read, *(other for other in others if other is not None)])
    for table in given:
        if joins(path, table):
            raise InputError(
                f"cannot write {str(path)!r}: it would become one of the tables in the folder {str(table)!r}, which is "
                "read; write outside of it",
                argument=argument,
            )
