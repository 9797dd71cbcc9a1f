"""The target and the weights: any labels in, floats out."""

from __future__ import annotations

import copy
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import DataConversionWarning

from tamis._core.errors import InputError
from tamis._core.warn import warn
from tamis.sources.base import Column
from tamis.sources.parts import DAY, Coded, Family, Part, part_of_objects, positions_in
from tamis.sources.profile import NumberProfile, profile_labels


class Target:
    """A complete target in memory: ``values`` are numbers, or positions in ``column.levels``."""

    def __init__(self, part: Part, name: str) -> None:
        self.name = name
        self._labels = profile_labels(part, name) if isinstance(part, Coded) else None
        missing = int((part.codes < 0).sum()) if isinstance(part, Coded) else int(np.isnan(part).sum())
        if missing:
            raise InputError(
                f"the target {name!r} is missing (NaN) in {missing:,} of {_rows(part):,} rows: drop those rows"
            )
        self.values = _values(part, self._labels)
        infinite = int(np.isinf(self.values).sum())
        if infinite:
            raise InputError(
                f"the target {name!r} is infinite in {infinite:,} of {_rows(part):,} rows: drop or correct those rows"
            )

    @property
    def is_label(self) -> bool:
        return self._labels is not None

    def rows(self, rows: slice) -> Target:
        """Some of the rows; the column stays that of all."""
        _ = self.column  # made before it is copied
        part = copy.copy(self)
        part.values = self.values[rows]
        return part

    @cached_property
    def column(self) -> Column:
        if self._labels is not None:
            return self._labels
        profile = NumberProfile(1)
        profile.add(self.values[:, None])
        return profile.column(0, self.name)


def _rows(part: Part) -> int:
    return len(part.codes) if isinstance(part, Coded) else len(part)


def _values(part: Part, column: Column | None) -> np.ndarray:
    if not isinstance(part, Coded):
        return np.asarray(part, dtype=np.float64)
    assert column is not None
    if column.levels is None:
        raise InputError(
            f"the target {column.name!r} has more than 1,000 different labels: it cannot be learned as classes"
        )
    return positions_in(column.levels, part)


def as_target(y: Any, n_rows: int | None, name: str = "y") -> Target:
    """Any array-like of n labels or numbers, its length checked against the rows of X."""
    part = column_part(y, name)
    if n_rows is not None and _rows(part) != n_rows:
        raise InputError(
            f"X and {name} must have the same number of rows: X has {n_rows:,}, {name} has {_rows(part):,}"
        )
    return Target(part, name)


def as_weight(weight: Any, n_rows: int | None, name: str = "sample_weight") -> np.ndarray:
    """Weights per row: finite, ≥ 0, not all zero."""
    part = column_part(weight, name)
    if isinstance(part, Coded):
        raise InputError(f"{name} must be numbers, got labels such as {part.labels[0]!r}")
    if n_rows is not None and len(part) != n_rows:
        raise InputError(f"X and {name} must have the same number of rows: X has {n_rows:,}, {name} has {len(part):,}")
    weights = np.asarray(part, dtype=np.float64)
    check_weights(weights, 0, name)
    if not weights.any():
        raise InputError(f"{name} must not be all zero: no row would count")
    return weights


def check_weights(weights: np.ndarray, start: int, name: str) -> None:
    """Finite and ≥ 0, or an error that names the first row where not."""
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise InputError(
            f"{name} must be finite and ≥ 0, got {weights[row]:g} in row {start + row:,} ({int(bad.sum()):,} such rows)"
        )


def column_part(values: Any, name: str) -> Part:
    """One column of numbers or labels from an array, a list, or a series of any frame library."""
    if sp.issparse(values):
        raise InputError(
            f"{name} must be dense, got a sparse array: sparse {name} is not supported, use {name}.toarray().ravel()"
        )
    if not isinstance(values, (np.ndarray, list, tuple)):
        from tamis.sources.frames import series_part  # frame libraries are looked at only when one may be there

        found = series_part(values, name)
        if found is not None:
            return _of_a_target(*found, name)
    return _of_a_target(*part_of_array(_one_dimensional(_as_array(values, name), name), name), name)


def _of_a_target(part: Part, family: Family, name: str) -> Part:
    if family is Family.DATE:
        raise InputError(f"{name!r} holds dates: turn them into numbers, such as days since a start")
    if family is Family.OTHER:
        kind = part.labels[0] if isinstance(part, Coded) else "objects"
        raise InputError(f"{name!r} holds {kind}, neither numbers nor labels: each cell must be one of them")
    return part


def _as_array(values: Any, name: str) -> np.ndarray:
    try:
        array = np.asarray(values)
        # NumPy turns [1, "a", None] into strings; the labels are what was given.
        return (
            np.asarray(values, dtype=object)
            if array.dtype.kind in "US" and not isinstance(values, np.ndarray)
            else array
        )
    except (ValueError, TypeError) as error:
        raise InputError(f"{name} cannot be read as an array: {error}") from None


def _one_dimensional(values: np.ndarray, name: str) -> np.ndarray:
    if values.ndim == 1:
        return values
    if values.ndim == 2 and values.shape[1] == 1:
        warn_column(name)
        return values[:, 0]
    raise InputError(f"{name} should be a 1d array, got an array of shape {values.shape} instead")


def warn_column(name: str) -> None:
    warn(f"A column-vector {name} was passed when a 1d array was expected: use {name}.ravel()", DataConversionWarning)


def part_of_array(values: np.ndarray, name: str) -> tuple[Part, Family]:
    """One column of an array as a part, and its family."""
    kind = values.dtype.kind
    if kind == "c":
        raise InputError(f"Complex data not supported: {name} has dtype {values.dtype}")
    if values.dtype == np.float32:
        return values, Family.SINGLE
    if kind in "fiub":
        return values.astype(np.float64, copy=False), Family.NUMBER
    if kind in "mM":
        unit = "datetime64[us]" if kind == "M" else "timedelta64[us]"
        days = values.astype(unit).astype(np.int64) / (DAY * 1e6)
        return np.where(np.isnat(values), np.nan, days), Family.DATE if kind == "M" else Family.NUMBER
    if kind in "OUST":
        return part_of_objects(values.tolist(), name)
    raise InputError(f"{name} has dtype {values.dtype}, which is neither numbers nor labels")
