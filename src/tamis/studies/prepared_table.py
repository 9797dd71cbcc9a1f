"""A table made ready for ``tamis select`` and ``tamis compare``: what may be chosen, and how rows belong together."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis._core.checks import shorten, suggestion
from tamis._core.errors import InputError
from tamis.sources import Columns, Encoded, Kind, SomeRows, Source, check_learnable, gather
from tamis.studies.columns import all_but, check_used, identifiers, without
from tamis.studies.table_question import TableQuestion
from tamis.studies.time_order import TimeOrder

DATES_LEFT_OUT = "dates: --dates number takes them as days since 1970"
CODE = re.compile(
    r"(?i)(^|[_\W])(zip|plz|postcode|postal|zipcode|fips|naics|icd)([_\W]|code|$)|(postal|zip|post)[_ ]?code"
)


@dataclass(frozen=True)
class PreparedTable:
    """``source`` has every column but the target, those dropped, and those of rows; ``usable`` those to choose from."""

    source: Source
    usable: Source
    encoded: Any
    task: str
    groups: np.ndarray | None
    order: TimeOrder | None
    notes: list[str]
    not_asked_for: dict[str, str]  # dates and identifiers, with the option that would use them

    @property
    def left_out(self) -> dict[str, str]:
        return self.not_asked_for | self.encoded.left_out

    def splits(self, n_splits: int, rows: np.ndarray | None = None) -> Any:
        """The number of folds, or for rows in the order of time the splits: each predicts rows from all earlier ones.

        ``rows``: where only some of them are there.
        """
        return n_splits if self.order is None else self.order.splits(n_splits, rows)

    @property
    def together(self) -> np.ndarray | None:
        """Which rows are resampled together: those of a group, or of a block of time."""
        return self.groups if self.order is None else self.order.together


def prepare(question: TableQuestion, source: Source) -> PreparedTable:
    """What cannot be used is a complaint; what is left out has its reason."""
    _check_columns(question)
    source, notes = _with_target(without(source, question.drop))
    groups, order = _row_values(source, question, "groups"), _row_values(source, question, "time_order")
    of_rows = [name for name in (question.groups, question.time_order) if name is not None]
    source = all_but(source, of_rows)
    if source.n_features == 0:
        raise InputError("no column is left to choose from besides the target", argument="drop")
    task = check_learnable(source, None if question.task == "auto" else question.task)
    not_asked_for = _not_asked_for(source, question)
    if len(not_asked_for) == source.n_features:
        raise InputError(f"no column is left to choose from: {shorten(f'{k} ({v})' for k, v in not_asked_for.items())}")
    encoded: Any = Encoded(all_but(source, not_asked_for), keep=[*question.keep, *question.include])
    left_out = {**not_asked_for, **encoded.left_out}
    for argument in ("keep", "include"):
        for name in getattr(question, argument):
            check_used(argument, name, source.names, left_out)
    notes += [*encoded.notes, *_codes(encoded.source)]
    time = None
    if order is not None:
        target = np.concatenate([np.asarray(block.y) for block in source.blocks([0])])
        time = TimeOrder.of(order, target, task == "classification")
        notes.append(time.note(str(question.time_order)))
    return PreparedTable(
        source,
        all_but(source, left_out),
        encoded,
        task,
        None if groups is None else np.unique(groups, return_inverse=True)[1],
        time,
        notes,
        not_asked_for,
    )


def _with_target(source: Source) -> tuple[Source, list[str]]:
    """The rows that have a target, and a note on how many do not; a target that is missing everywhere is left as it is,
    to be complained about."""
    target, n = source.schema.target, source.n_rows
    if target is None or n is None or not 0 < target.missing < n or not target.readable:
        return source, []
    present = np.concatenate([~np.isnan(np.asarray(block.y)) for block in source.blocks([])])
    note = f"the target {target.name!r} is missing in {target.missing:,} of {n:,} rows: they were left out"
    return SomeRows(source, present), [note]


def _not_asked_for(source: Source, question: TableQuestion) -> dict[str, str]:
    """Columns of dates, and numbers that look like identifiers."""
    included = {*question.keep, *question.include}
    columns = source.schema.columns if question.dates != "number" else ()
    dates = {c.name: DATES_LEFT_OUT for c in columns if c.kind is Kind.DATE and c.mean is not None}
    found = {name: reason for name, reason in dates.items() if name not in included} | identifiers(source, included)
    return {name: found[name] for name in source.names if name in found}


def _codes(source: Source) -> list[str]:
    """Whole numbers that are called a code: their order means nothing, though they are used as numbers."""
    return [
        f"{c.name!r} looks like a code, whose numbers are used as if their order meant something: write it as labels, "
        "or leave it out"
        for c in source.schema.columns
        if c.levels is None and c.kind in (Kind.CONTINUOUS, Kind.DISCRETE) and CODE.search(c.name) and _is_whole(c)
    ]


def _is_whole(column: Any) -> bool:
    return column.low is not None and float(column.low).is_integer() and float(column.high).is_integer()


def _check_columns(question: TableQuestion) -> None:
    """No option names the target, none what another one takes away."""
    _check_dropped(question)
    of_rows = {name: [value] for name in ("groups", "time_order") if (value := getattr(question, name)) is not None}
    named = {"keep": question.keep, "include": question.include, "drop": question.drop, **of_rows}
    for argument, given in named.items():
        option = f"--{argument.replace('_', '-')}"
        for name in given:
            if name == question.target:
                instead = "it cannot be left out" if argument == "drop" else "name another column"
                raise InputError(f"{option} {name!r} is the target: {instead}", argument=argument)
            taken = [other for other in of_rows if other != argument and name in of_rows[other]]
            if taken:
                other = f"--{taken[0].replace('_', '-')}"
                raise InputError(f"{option} {name!r} is the column of {other}, which is not chosen", argument=argument)
    if len(of_rows) == 2:
        raise InputError(
            "--groups and --time-order are two ways to keep rows apart: give one of them", argument="time_order"
        )


def _check_dropped(question: TableQuestion) -> None:
    """What is left out is named by no other option."""
    for argument in ("keep", "include", "groups", "time_order"):
        given = getattr(question, argument)
        for name in given if isinstance(given, list) else [given]:
            if name is not None and name in question.drop:
                option = f"--{argument.replace('_', '-')}"
                raise InputError(f"{option} {name!r} is left out by --drop: leave one of them out", argument=argument)


def _row_values(source: Source, question: TableQuestion, argument: str) -> np.ndarray | None:
    """The values of the column that an option names, one for each row; None where it names none."""
    name, option = getattr(question, argument), f"--{argument.replace('_', '-')}"
    if name is None:
        return None
    if name not in source.names:
        raise InputError(
            f"{option} {name!r} is not a column of the table{suggestion(name, source.names)}", argument=argument
        )
    at = source.names.index(name)
    column = source.schema.columns[at]
    if argument == "time_order" and (column.levels is not None or column.kind is Kind.TEXT):
        raise InputError(
            f"{option} {name!r} holds labels, which have no order: name numbers or dates", argument=argument
        )
    values = np.asarray(gather(Columns(source, [at])).X)[:, 0]
    missing = int(np.isnan(values).sum())
    if missing:
        raise InputError(
            f"{option} {name!r} is empty in {missing:,} of {len(values):,} rows: give each row a value",
            argument=argument,
        )
    return values
