"""Columns that a question names: those to leave out, to keep, and to move together."""

from __future__ import annotations

import csv
from collections.abc import Collection, Mapping, Sequence

from tamis._core.checks import suggestion
from tamis._core.errors import InputError
from tamis.sources import Kind, Source
from tamis.sources.views import Columns

IDENTIFIER_LEFT_OUT = "identifier: every row has its own value; --include uses it"


def without(source: Source, drop: Sequence[str]) -> Source:
    """The source without the dropped columns; an unknown name is a complaint."""
    for name in drop:
        if name not in source.names:
            raise InputError(
                f"--drop {name!r} is not a column of the table{suggestion(name, source.names)}", argument="drop"
            )
    if len(drop) and set(source.names) <= set(drop):
        raise InputError("--drop leaves no column besides the target", argument="drop")
    return all_but(source, drop)


def check_ids_of(ids: Sequence[str], names: Sequence[str]) -> None:
    """Every column that --id names is there."""
    for name in ids:
        if name not in names:
            raise InputError(f"--id {name!r} is not a column of the table{suggestion(name, names)}", argument="id")


def all_but(source: Source, names: Collection[str]) -> Source:
    kept = [j for j, name in enumerate(source.names) if name not in names]
    return Columns(source, kept) if names else source


def identifiers(source: Source, wanted: Collection[str]) -> dict[str, str]:
    """Numbers that look like identifiers and are not wanted, also where the target depends on them: in a table that is
    sorted by its target the number of the row is the best column of all."""
    alike = (c for c in source.schema.columns if c.kind is Kind.IDENTIFIER and c.mean is not None)
    return {c.name: IDENTIFIER_LEFT_OUT for c in alike if c.name not in wanted}


def check_used(argument: str, name: str, used: Collection[str], left_out: Mapping[str, str]) -> None:
    """Complain about a name that is no column, or one that was left out."""
    option = f"--{argument.replace('_', '-')}"
    if name in left_out:
        raise InputError(f"{option} names {name!r}, which was left out: {left_out[name]}", argument=argument)
    if name not in used:
        raise InputError(
            f"{option} names {name!r}, which is not a column in use{suggestion(name, used)}", argument=argument
        )


def group_lists(
    argument: str, groups: Sequence[str], used: Collection[str], left_out: Mapping[str, str] | None = None
) -> list[list[str]]:
    """The columns of each group given as ``a,b,c`` (quoted as in CSV where a name holds a comma)."""
    option = f"--{argument.replace('_', '-')}"
    lists = [_members(group) for group in groups]
    if not all(lists):
        raise InputError(f"{option} names no column: give two or more, as in a,b,c", argument=argument)
    seen: set[str] = set()
    for name in (name for members in lists for name in members):
        check_used(argument, name, used, left_out or {})
        if name in seen:
            raise InputError(f"{option} names {name!r} twice: every column is in one group only", argument=argument)
        seen.add(name)
    return lists


def _members(group: str) -> list[str]:
    """The names in ``a,b,c``; a line break outside quotes is part of a name, as any other character."""
    try:
        return next(csv.reader([group]), [])
    except csv.Error:
        return group.split(",")
