"""Which columns of a table an argument means: their names, their positions, or a mask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np

from tamis._core.checks import suggestion
from tamis._core.errors import InputError, about


def column_positions(argument: str, given: Any, p: int, names: Sequence[Any] | None = None) -> list[int]:
    """Positions, in the order given, of the columns that an argument names.

    ``given`` is a name or a position, several of them, a mask of p booleans, or None for no column. Positions count
    from 0, or from the end where they are negative. Where the columns are called by whole numbers (``names``), a whole
    number is such a name.

    >>> column_positions("keep", [False, True, True], 3)
    [1, 2]
    >>> column_positions("keep", ["b", 0, -1], 3, ["a", "b", "c"])
    [1, 0, 2]
    """
    with about(argument):
        return _positions(argument, given, p, names)


def _positions(argument: str, given: Any, p: int, names: Sequence[Any] | None) -> list[int]:
    items = _as_list(argument, given, p)
    if is_mask(items):
        if len(items) != p:
            raise InputError(
                f"{argument} as a mask must hold one boolean for each of the {p} columns, got {len(items)}"
            )
        return np.flatnonzero(items).tolist()
    place = {} if names is None else {name: j for j, name in enumerate(names)}
    by_number = any(isinstance(name, Integral) for name in place)
    found: dict[int, Any] = {}
    for item in items:
        j = _position(argument, item, p, place, by_number)
        if j in found:
            raise InputError(f"{argument} holds column {item!r} twice: name every column once")
        found[j] = item
    return list(found)


def is_mask(items: list[Any]) -> bool:
    """Whether it is booleans, one after the other."""
    return bool(items) and all(isinstance(item, (bool, np.bool_)) for item in items)


def _as_list(argument: str, given: Any, p: int) -> list[Any]:
    if given is None:
        return []
    if isinstance(given, (str, Integral)) and not isinstance(given, bool):
        return [given]
    if isinstance(given, (bytes, Mapping)) or not hasattr(given, "__iter__") or getattr(given, "ndim", 1) != 1:
        raise _not_columns(argument, given, p)
    return [item.item() if isinstance(item, np.generic) else item for item in given]


def _position(argument: str, item: Any, p: int, place: dict[Any, int], by_number: bool) -> int:
    if isinstance(item, str) and not place:
        raise InputError(
            f"{argument} names column {item!r}, but X has no column names: give positions, or a mask of {p} booleans"
        )
    if isinstance(item, bool) or not isinstance(item, (str, Integral, tuple)) or not _hashable(item):
        raise _not_columns(argument, item, p)
    if item in place:
        return place[item]
    if isinstance(item, Integral) and not by_number:
        if not -p <= int(item) < p:
            raise InputError(f"{argument} holds column {int(item)}, but columns count from 0 to {p - 1}")
        return int(item) % p
    hint = suggestion(item, place) or ": give names as X has them, positions, or a mask"
    raise InputError(f"{argument} names column {item!r}, which X does not have{hint}")


def _hashable(item: Any) -> bool:
    """Whether it can be a name: a tuple of lists cannot."""
    try:
        hash(item)
    except TypeError:
        return False
    return True


def _not_columns(argument: str, given: Any, p: int) -> InputError:
    return InputError(
        f"{argument} must be names or positions of columns, or a mask of {p} booleans; got {_brief(given)}"
    )


def _brief(given: Any) -> str:
    words = " ".join(repr(given).split())
    return words if len(words) <= 60 else f"{words[:57]}..."
