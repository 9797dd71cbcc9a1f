"""A part is a piece of one column: numbers as floats (NaN where missing), all else as positions in a list of labels."""

from __future__ import annotations

import datetime
import enum
import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from tamis._core.errors import InputError

EPOCH = datetime.datetime(1970, 1, 1)
DAY = 86_400.0  # seconds


class Family(enum.Enum):
    """How a column is stored; its kind follows from the values."""

    NUMBER = "number"
    SINGLE = "number of single precision"
    DATE = "date"
    LABEL = "label"
    OTHER = "neither"  # lists, structs, bytes: counted, never read

    @property
    def is_number(self) -> bool:
        return self in (Family.NUMBER, Family.SINGLE, Family.DATE)


class Coded(NamedTuple):
    """``labels[codes[i]]`` in row i, missing where the code is −1. ``declared``: their order has a meaning."""

    codes: np.ndarray
    labels: Sequence[Any]
    declared: bool = False


Part = np.ndarray | Coded


class CellError(InputError, TypeError):
    """A cell holds something that is neither a number nor a label."""


def cut(part: Part, rows: slice) -> Part:
    """The rows of a part, as views."""
    return part._replace(codes=part.codes[rows]) if isinstance(part, Coded) else part[rows]


def n_rows_of(chunk: list[Part]) -> int:
    return len(chunk[0].codes) if isinstance(chunk[0], Coded) else len(chunk[0])


def part_of_objects(values: Iterable[Any], name: str) -> tuple[Part, Family]:
    """The part made of any Python values, and its family.

    Numbers, booleans and missing markers (None, NaN, NaT, NA) make numbers; only dates make days since 1970; otherwise
    every value is a label.
    """
    cells = [None if _missing(v) else v for v in values]
    types = {type(v) for v in cells if v is not None}
    if all(issubclass(t, (Real, np.bool_, Decimal)) for t in types):
        return np.array([math.nan if v is None else float(v) for v in cells]), Family.NUMBER
    if all(issubclass(t, datetime.date) for t in types):
        return np.array([math.nan if v is None else _days(v) for v in cells]), Family.DATE
    return _coded(cells, name), Family.LABEL


def _coded(cells: list[Any], name: str) -> Coded:
    positions: dict[Any, int] = {}
    try:
        codes = [-1 if v is None else positions.setdefault(v, len(positions)) for v in cells]
    except TypeError:
        unhashable = next(v for v in cells if getattr(type(v), "__hash__", None) is None)
        raise CellError(
            f"column {name!r} holds a {type(unhashable).__name__} ({str(unhashable)[:40]}): "
            "each cell as argument must be a string or a number"
        ) from None
    return Coded(np.array(codes, dtype=np.int32), list(positions))


def _days(value: datetime.date) -> float:
    if not isinstance(value, datetime.datetime):
        return float((value - EPOCH.date()).days)
    return (value.replace(tzinfo=None) - (value.utcoffset() or datetime.timedelta()) - EPOCH).total_seconds() / DAY


def _missing(value: Any) -> bool:
    # NaN and NaT differ from themselves; pandas.NA does not say and is known by its name, pandas being no dependency.
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating, np.datetime64)) and bool(value != value)


def in_order(labels: Iterable[Any]) -> list[Any]:
    """Sorted; labels that cannot be compared go by type, then by spelling."""
    values = list(labels)
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=lambda v: (type(v).__name__, str(v)))


def positions_in(levels: Sequence[Any], part: Coded) -> np.ndarray:
    """The part as positions in ``levels`` (float64): NaN where missing."""
    position = {level: float(i) for i, level in enumerate(levels)}
    table = np.array([position.get(label, math.nan) for label in part.labels] + [math.nan])  # code −1 is the last entry
    return table[part.codes]
