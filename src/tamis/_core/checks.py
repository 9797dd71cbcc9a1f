"""Checks of arguments. Each returns the value it accepted, or raises an InputError that names argument and remedy."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np

from tamis._core.errors import InputError
from tamis._core.text import short

T = TypeVar("T")


def check_number(
    name: str, value: Any, *, above: float = -math.inf, at_least: float = -math.inf, at_most: float = math.inf
) -> float:
    """A finite real number with above < value, at_least ≤ value ≤ at_most."""
    if isinstance(value, bool) or not isinstance(value, (int, float, Real)) or not math.isfinite(value):
        raise InputError(f"{name} must be a finite number, got {value!r}", argument=name)
    number = float(value)
    if not (number > above and at_least <= number <= at_most):
        raise InputError(f"{name} must be {_interval(above, at_least, at_most)}, got {value!r}", argument=name)
    return number


def check_count(name: str, value: Any, *, at_least: int = 1, at_most: float = math.inf) -> int:
    """A whole number in [at_least, at_most]."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InputError(f"{name} must be a whole number, got {value!r}", argument=name)
    count = int(value)
    if not at_least <= count <= at_most:
        raise InputError(f"{name} must be {_interval(-math.inf, at_least, at_most)}, got {value!r}", argument=name)
    return count


def check_counts(name: str, values: Any) -> list[int]:
    """A list or array of whole numbers ≥ 1, at least one."""
    counts = values.tolist() if isinstance(values, np.ndarray) else values
    if isinstance(counts, str) or not isinstance(counts, Iterable):
        raise InputError(f"{name} must be a list of whole numbers, got {values!r}", argument=name)
    if not (listed := list(counts)):
        raise InputError(f"{name} is empty: give at least one whole number", argument=name)
    return [check_count(name, count) for count in listed]


def check_real(name: str, dtype: np.dtype) -> None:
    """The numbers of an array are real: NumPy would drop imaginary parts, and complain about strings by itself."""
    if dtype.kind not in "fiub":
        raise InputError(f"{name} must hold real numbers, got dtype {dtype}", argument=name)


def check_finite(name: str, values: Any, remedy: str = "remove or replace them first") -> None:
    """Every stored number of an array, dense or sparse, is finite."""
    if not np.isfinite(stored_numbers(values)).all():
        raise InputError(f"{name} holds NaN or infinite values: {remedy}", argument=name)


def stored_numbers(X: Any) -> np.ndarray:
    """Those of an array, or the entries that a sparse one stores."""
    return np.asarray(X.data if hasattr(X, "nnz") else X)


def check_choice(name: str, value: Any, choices: Sequence[Any]) -> Any:
    """One of the choices; a misspelt string gets a suggestion. NumPy's booleans and strings are Python's."""
    value = value.item() if isinstance(value, np.bool_) else str.__str__(value) if isinstance(value, str) else value
    if any(value is c or (type(value) is type(c) and value == c) for c in choices):
        return value
    options = ", ".join(repr(c) for c in choices)
    raise InputError(f"{name} must be one of {options}; got {value!r}{suggestion(value, choices)}", argument=name)


def suggestion(given: Any, choices: Iterable[Any]) -> str:
    """', did you mean …?' when one of the choices is spelt like what was given, else ''."""
    near = difflib.get_close_matches(str(given), [str(c) for c in choices], n=1, cutoff=0.5)
    return f", did you mean {near[0]!r}?" if near else ""


def as_object(name: str, given: Any, kinds: dict[str, type[T]], base: type[T]) -> T:
    """The object a short string stands for, with underscores or hyphens, or the object itself. Below this no string is
    left."""
    if isinstance(given, str):
        given = given if given in kinds else given.replace("-", "_")
        return kinds[check_choice(name, given, list(kinds))]()
    if isinstance(given, base) and not isinstance(given, type):
        return given
    options = ", ".join(repr(k) for k in kinds)
    raise InputError(f"{name} must be one of {options} or a {base.__name__} object; got {given!r}", argument=name)


def shorten(names: Iterable[Any], most: int = 5) -> str:
    """'a', 'b', 'c' and 12 more: for messages about many columns."""
    words = [short(repr(n)) for n in names]
    rest = len(words) - most
    return ", ".join(words) if rest <= 0 else f"{', '.join(words[:most])} and {rest} more"


def _interval(above: float, at_least: float, at_most: float) -> str:
    low = f"> {above:g}" if above > -math.inf else f"≥ {at_least:g}" if at_least > -math.inf else ""
    high = f"≤ {at_most:g}" if at_most < math.inf else ""
    return " and ".join(part for part in (low, high) if part)
