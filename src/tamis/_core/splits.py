"""Row numbers: those of the splits of a cross-validation, and runs of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tamis._core.errors import InputError

Split = tuple[np.ndarray, np.ndarray]


def checked_splits(splits: Iterable[Any], n: int) -> list[Split]:
    """(train, test) row numbers in [0, n) of every split.

    They mean what they mean as an index of NumPy: any order, a row as often as it is listed, negative numbers from the
    end, booleans as a mask. Rows may be in both parts or in none; a part without rows is an error.
    """
    pairs = [_pair(k, split) for k, split in enumerate(splits)]
    if not pairs:
        raise InputError("cv yields no splits: give at least one pair (train, test) of row numbers")
    return [
        (_positions(f"the training rows of split {k}", train, n), _positions(f"the test rows of split {k}", test, n))
        for k, (train, test) in enumerate(pairs)
    ]


def _pair(k: int, split: Any) -> tuple[Any, Any]:
    try:
        train, test = split
    except (TypeError, ValueError):
        raise InputError(
            f"cv must yield pairs (train, test) of row numbers, but split {k} is {_shown(split)}"
        ) from None
    return train, test


def _positions(what: str, chosen: Any, n: int) -> np.ndarray:
    try:
        rows = np.asarray(chosen)
    except ValueError:  # lists of unequal lengths
        rows = np.zeros((0, 0))
    if rows.ndim != 1 or (len(rows) and rows.dtype.kind not in "biu"):
        raise InputError(f"cv: {what} must be a list of row numbers or a mask, got {_shown(chosen)}")
    if rows.dtype == bool:
        if len(rows) != n:
            raise InputError(f"cv: {what} are a mask of length {len(rows)}, but there are {n} rows")
        rows = np.flatnonzero(rows)
    if not len(rows):
        raise InputError(f"cv: {what} are none: use fewer folds, or give each split rows to train and to test on")
    beyond = (rows >= n) | (rows < -n)
    if beyond.any():
        raise InputError(f"cv: {what} name row {rows[beyond][0]}, but there are {n} rows: they are 0 to {n - 1}")
    rows = rows.astype(np.int64)
    return np.where(rows < 0, rows + n, rows)


def _shown(given: Any) -> str:
    words = " ".join(repr(given).split())
    return words if len(words) <= 60 else f"{words[:57]}..."


def as_run(rows: np.ndarray) -> slice | None:
    """The slice that consecutive, ascending row numbers are; None where they are not."""
    if not len(rows) or rows[-1] - rows[0] + 1 != len(rows) or not (np.diff(rows) == 1).all():
        return None
    return slice(int(rows[0]), int(rows[-1]) + 1)
