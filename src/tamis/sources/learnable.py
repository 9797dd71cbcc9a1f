"""Can something be learned from this table, and what: complaints that need the values, not only the shape."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tamis._core.checks import check_choice, shorten
from tamis._core.errors import InputError
from tamis.sources.base import Column, Kind, Schema, Source

TASKS = ("classification", "regression")


def require_complete(source: Source, *, labels: bool = True) -> None:
    """Complain about missing and infinite values, naming the columns: for whoever cannot work with them.

    ``labels=False``: features of labels may have gaps, for whoever codes each label as a 0/1 column of its own.
    """
    schema = source.schema
    looked_at = [c for c in _all(schema) if labels or c is schema.target or c.levels is None]
    missing, infinite = ([c for c in looked_at if getattr(c, gap)] for gap in ("missing", "infinite"))
    parts = []
    if missing:
        parts.append(f"missing values (NaN) in {_counted((c.name, c.missing) for c in missing)}")
    if infinite:
        parts.append(f"infinite values (inf) in {_counted((c.name, c.infinite) for c in infinite)}")
    if parts:
        raise InputError(f"the table has {' and '.join(parts)}: fill them, or drop these rows or columns")


def require_finite_squares(source: Source, *sums: np.ndarray, what: str = "X") -> None:
    """Sums of squares of the columns are finite; else it is said which columns have missing or infinite values, or, as
    all values are finite, that they are too large.
    """
    if not all(np.isfinite(part).all() for part in sums):
        require_complete(source)
        raise InputError(f"{what} holds values so large that their squares are infinite: rescale these columns")


def require_squares(y: np.ndarray) -> None:
    """Objectives are made of squares of y."""
    largest = float(np.abs(y).max(initial=0.0))
    if 0 < largest < 1e-150 or largest > 1e150:
        message = f"y reaches {largest:.1g}, whose square is no floating point number: give y in another unit"
        raise InputError(message, argument="y")


def check_learnable(source: Source, task: str | None = None) -> str:
    """Complain about tables nothing can be learned from; else the task, decided from the target where none is given.

    Complaints: no rows or one; the target constant, or missing somewhere; a class with one row; every feature constant;
    features that are missing everywhere; infinite values; columns of numbers with text in a few rows.
    """
    schema = source.schema
    n = source.n_rows or 0
    _check_unparsed(schema)
    if n < 2:
        raise InputError(
            f"the table has {n} row{'s' * (n != 1)} (n_samples = {n}): at least 2 are needed to learn from"
        )
    if schema.target is None:
        raise InputError("a target is needed to learn from: give y, or the name of its column")
    _check_target(schema.target, n)
    chosen = decide_task(schema.target) if task is None else check_choice("task", task, TASKS)
    _check_task(schema.target, chosen)
    _check_features(schema, n)
    return chosen


def decide_task(column: Column) -> str:
    """``"classification"`` or ``"regression"``, from the values of the target.

    Labels (strings, categories), booleans, and whole numbers with at most 10 distinct values are classes. Where whole
    numbers would make classes of less than 2 rows on average, they are taken for a measurement: regression.
    """
    if column.levels is not None or not column.readable or column.kind is Kind.BOOLEAN:
        return "classification"
    if column.kind is Kind.DISCRETE and column.counts is not None and sum(column.counts) >= 2 * len(column.counts):
        return "classification"
    return "regression"


def _check_target(target: Column, n: int) -> None:
    if target.missing == n:
        raise InputError(f"the target {target.name!r} is missing in all {n:,} rows")
    if target.missing:
        raise InputError(
            f"the target {target.name!r} is missing (NaN) in {target.missing:,} of {n:,} rows: drop those rows"
        )
    if target.holds is not None:
        raise InputError(
            f"the target {target.name!r} holds {target.holds}, neither numbers nor labels: take another column"
        )
    if target.infinite:
        raise InputError(
            f"the target {target.name!r} is infinite in {target.infinite:,} of {n:,} rows: drop those rows"
        )
    if target.kind is Kind.CONSTANT:
        raise InputError(f"the target {target.name!r} is constant (one class, one value): there is nothing to learn")
    if target.kind is Kind.DATE:
        raise InputError(f"the target {target.name!r} holds dates: turn them into numbers, such as days since a start")


def _check_unparsed(schema: Schema) -> None:
    unparsed = [c for c in _all(schema) if c.unparsed]
    if unparsed:
        more = f"; so do {shorten(c.name for c in unparsed[1:])}" if len(unparsed) > 1 else ""
        raise InputError(
            f"column {unparsed[0].name!r} holds {unparsed[0].unparsed}{more}: "
            "correct these cells, empty them where they stand for missing values, or drop the column"
        )


def _check_task(target: Column, task: str) -> None:
    if task == "regression":
        if target.levels is not None or not target.readable:
            raise InputError(
                f"the target {target.name!r} holds labels, not numbers: use task 'classification'", argument="task"
            )
        return
    if target.counts is None or target.n_distinct is None:
        what = "numbers with fractions or too many values" if target.readable else "more than 1,000 different labels"
        raise InputError(
            f"the target {target.name!r} holds {what} to be classes: use task 'regression', or group them",
            argument="task",
        )
    alone = [i for i, count in enumerate(target.counts) if count == 1]
    if alone:
        which = f": {shorten(target.levels[i] for i in alone)}" if target.levels is not None else ""
        raise InputError(
            f"the target {target.name!r} has {len(alone)} class{'es' * (len(alone) > 1)} with one row only{which}: "
            "each class needs at least 2, merge or drop them"
        )


def _check_features(schema: Schema, n: int) -> None:
    lost = [c.name for c in schema.columns if c.missing == n]
    if lost:
        raise InputError(f"{_columns(lost)} missing in every row: drop {'it' if len(lost) == 1 else 'them'}")
    infinite = [(c.name, c.infinite) for c in schema.columns if c.infinite]
    if infinite:
        raise InputError(
            f"the table has infinite values (inf) in {_counted(infinite)}: replace them, or drop these rows"
        )
    if all(c.kind is Kind.CONSTANT for c in schema.columns):
        raise InputError(f"every feature is constant ({shorten(schema.names)}): there is nothing to learn from")


def _all(schema: Schema) -> Iterable[Column]:
    return (*schema.columns, *(() if schema.target is None else (schema.target,)))


def _columns(names: list[str]) -> str:
    return f"column {names[0]!r} is" if len(names) == 1 else f"columns {shorten(names)} are"


def _counted(columns: Iterable[tuple[str, int]], most: int = 10) -> str:
    counts = [f"{name!r} ({count:,})" for name, count in columns]
    rest = len(counts) - most
    return ", ".join(counts[:most]) + (f" and {rest} more columns" if rest > 0 else "")
