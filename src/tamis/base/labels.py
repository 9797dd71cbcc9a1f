"""Labels of any type as the positions 0 … K − 1 of their classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from tamis._core.errors import InputError
from tamis.sources import Source
from tamis.sources.parts import Coded
from tamis.sources.target import column_part

Classes = tuple[np.ndarray, np.ndarray]  # the classes in increasing order, and each row's position among them


def classes_of(y: Any) -> Classes:
    """The classes of labels in memory: strings, numbers, booleans, categories of any frame library."""
    part = column_part(y, "y")
    _refuse("missing (NaN)", part.codes < 0 if isinstance(part, Coded) else np.isnan(part))
    if isinstance(part, Coded):
        return _sorted(np.array(part.labels, dtype=_label_type(y)), part.codes)
    _refuse("infinite (inf)", np.isinf(part))
    given = np.asarray(y)
    part = given.ravel() if given.dtype.kind in "iu" else part  # beyond 2⁵³ floats take two labels for one
    try:
        check_classification_targets(part)
    except ValueError as error:
        message = f"{error}: the target 'y' holds numbers with fractions, use a regressor"
        raise InputError(message, argument="y") from None
    classes, codes = np.unique(part, return_inverse=True)
    return classes.astype(_number_type(y)), codes


def classes_of_source(source: Source, y: np.ndarray) -> Classes:
    """The classes of a target that is a column of the source, y being what its blocks hold."""
    target = source.schema.target
    assert target is not None
    if target.levels is None:
        return classes_of(y.astype(np.int64) if (y == np.rint(y)).all() else y)
    return _sorted(np.array(target.levels, dtype=object), y.astype(np.int64))


def require_two(classes: np.ndarray, name: str) -> None:
    if len(classes) < 2:
        raise InputError(
            f"{name} needs two classes to tell apart, y holds one class only: {classes.tolist()[0]!r}", argument="y"
        )


def _refuse(what: str, rows: np.ndarray) -> None:
    if rows.any():
        raise InputError(
            f"the target 'y' is {what} in {rows.sum():,} of {len(rows):,} rows: drop those rows", argument="y"
        )


def _sorted(labels: np.ndarray, codes: np.ndarray) -> Classes:
    """Only the classes that occur, in increasing order."""
    used = np.unique(codes)
    try:
        order = used[np.argsort(labels[used], kind="stable")]
    except TypeError:
        message = "y holds labels of several types, which have no order: turn them into strings"
        raise InputError(message, argument="y") from None
    place = np.full(len(labels), -1)
    place[order] = np.arange(len(order))
    return labels[order], place[codes]


def _label_type(y: Any) -> Any:
    """Strings of a NumPy array stay so; all else keeps its Python type."""
    return y.dtype if isinstance(y, np.ndarray) and y.dtype.kind in "US" else object


def _number_type(y: Any) -> Any:
    """The type of whole numbers and booleans as they were given; Python's own for nullable columns."""
    given = np.asarray(y)
    if given.dtype.kind in "iub":
        return given.dtype
    if given.dtype.kind == "O":
        return bool if all(isinstance(v, (bool, np.bool_)) for v in given.ravel()) else np.float64
    return given.dtype
