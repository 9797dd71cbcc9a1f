"""From what the user gave to a source of numbers, and back from a source to predictions."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import _check_feature_names

from tamis._core.checks import shorten
from tamis._core.errors import InputError
from tamis._core.frames import frame_library
from tamis.linear.classes import classes_of, classes_of_source, require_two
from tamis.sources import Source, as_source, gather
from tamis.sources.as_source import is_source
from tamis.sources.base import is_weighted, known_row_values, matrix_of, origin_of, row_values
from tamis.sources.learnable import require_squares
from tamis.sources.views import Columns


@dataclass
class Rows:
    """The training rows: their source, what the user gave, and the target where the source does not hold it as it is
    fitted: several columns, or classes as ±1 or one-hot.
    """

    source: Source
    given: Any
    targets: np.ndarray | None = None
    classes: np.ndarray | None = None
    codes: np.ndarray | None = None  # position of each row's class
    class_weight: np.ndarray | None = None

    @cached_property
    def y(self) -> np.ndarray:
        """(n,), or (n, K) for several targets and more than two classes."""
        return self.targets if self.targets is not None else self._row_values[0]

    @property
    def n_outputs(self) -> int:
        return 1 if self.targets is None or self.targets.ndim == 1 else self.targets.shape[1]

    @cached_property
    def weight(self) -> np.ndarray | None:
        if not is_weighted(self.source):
            return None
        _, known = known_row_values(self.source)
        return self._row_values[1] if known is None else known

    @property
    def in_memory(self) -> bool:
        return self.source.in_memory

    @property
    def p(self) -> int:
        return self.source.n_features

    @cached_property
    def n(self) -> int:
        return self.source.n_rows if self.source.n_rows is not None else len(self.y)

    @property
    def names(self) -> list[str] | None:
        """Of the columns, where the user named them."""
        return (
            None if isinstance(self.given, (np.ndarray, list, tuple)) or sp.issparse(self.given) else self.source.names
        )

    @property
    def blocks(self) -> list[str] | None:
        """What each column was encoded from, where it was."""
        return origin_of(self.source)

    @cached_property
    def matrix(self) -> Any:
        """X in memory, as given wherever it was an array or a sparse array of floats."""
        X = matrix_of(self.source)
        if sp.issparse(X) and X.format in ("csr", "csc"):
            return X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)
        return gather(self.source).X

    @cached_property
    def dtype(self) -> np.dtype:
        """float32 where X is; else float64."""
        if not self.in_memory:
            return np.dtype(np.float64)
        X = matrix_of(self.source)
        X = next(iter(self.source.blocks())).X if X is None else X
        return np.dtype(np.float32 if X.dtype == np.float32 else np.float64)

    @property
    def density(self) -> float:
        X = matrix_of(self.source)
        return X.nnz / max(1, X.shape[0] * X.shape[1]) if sp.issparse(X) else 1.0

    def weigh_classes(self, class_weight: np.ndarray) -> None:
        """Multiply the weights of the rows by those of their classes."""
        factor = class_weight[self.codes]
        weight = factor if self.weight is None else self.weight * factor
        if not weight.any():
            raise InputError(
                "class_weight and sample_weight leave weight 0 to every row: at least one must be positive"
            )
        self.weight, self.class_weight = weight, class_weight

    @cached_property
    def _row_values(self) -> tuple[Any, Any]:
        return row_values(self.source)


def open_rows(estimator: Any, X: Any, y: Any, sample_weight: Any, name: str | None = None) -> Rows:
    """Rows with one number, or several, to predict; the estimator learns how many columns there are and their names."""
    several = None if y is None or isinstance(y, str) else _several(y)
    rows = _opened(estimator, X, y if several is None else several[:, 0], sample_weight, several)
    require_numbers(rows.source, name or type(estimator).__name__)
    if rows.in_memory:
        require_squares(rows.y)
    return rows


def open_classes(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Rows:
    """Rows with labels to predict: ±1 for two classes, the second being +1, and one-hot for more."""
    name = type(estimator).__name__
    named = y is None or isinstance(y, str)
    told = None if named else classes_of(y)
    rows = _opened(estimator, X, y if told is None else told[1], sample_weight)
    _require_features(rows.source, name)
    classes, codes = classes_of_source(rows.source, rows.y) if told is None else told
    require_two(classes, name)
    targets = 2.0 * codes - 1 if len(classes) == 2 else np.eye(len(classes))[codes]
    return Rows(rows.source, rows.given, targets, classes, codes)


def _opened(estimator: Any, X: Any, y: Any, sample_weight: Any, several: Any = None) -> Rows:
    source = as_source(X, y, sample_weight=None if isinstance(sample_weight, Real) else sample_weight)
    if y is None and next(iter(source.blocks([]))).y is None:
        raise InputError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None: give y, or the name of its "
            "column"
        )
    estimator.n_features_in_ = source.n_features
    estimator._target_name = y if isinstance(y, str) else None
    estimator._frame_library = frame_library(X)
    _learn_names(estimator, X, source)
    return Rows(source, X, several)


def _several(y: Any) -> np.ndarray | None:
    """(n, K) numbers where y has more than one column."""
    shape = getattr(y, "shape", None)
    shape = np.asarray(y, dtype=object).shape if shape is None else shape
    if len(shape) != 2 or shape[1] == 1:
        return None
    if np.asarray(y).dtype.kind == "M":
        raise InputError("'y' holds dates: turn them into numbers, such as days since a start")
    if shape[1] == 0:
        raise InputError(f"y of shape {tuple(shape)} has no column to predict: give (n,) numbers, or (n, K) with K ≥ 1")
    try:
        Y = np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"y of shape {shape} must hold numbers: give one column of labels to a classifier") from None
    bad = int((~np.isfinite(Y)).any(axis=1).sum())
    if bad:
        raise InputError(f"y contains NaN or infinity in {bad:,} of {len(Y):,} rows: drop those rows")
    return Y


def _require_features(source: Source, name: str) -> None:
    labels = [label for label in source.labels if label in source.names]
    if labels:
        _refuse(labels, name)


def require_numbers(source: Source, name: str, *, target: bool = True) -> None:
    """Complain about columns of labels; the target may be one where ``target`` is False."""
    names = set(source.names) if source.labels else set()
    features = [column for column in source.labels if column in names]
    if features:
        _refuse(features, name)
    if target and source.labels:
        raise InputError(
            f"{name} fits numbers, but the target {source.labels[0]!r} holds labels: turn them into numbers, or "
            "use what is for classes, such as SparseClassifier"
        )


def _refuse(labels: list[str], name: str) -> None:
    hold, columns = ("holds", "this column") if len(labels) == 1 else ("hold", "these columns")
    raise InputError(
        f"{name} works on numbers, but {shorten(labels)} {hold} labels: drop {columns}, or encode the table "
        "(tamis.sources.Encoded(X, y=y) makes an indicator column of each label)"
    )


def rows_to_predict(estimator: Any, X: Any) -> Any:
    """New rows with the columns the estimator was fitted on.

    Files may hold more, in any order; frames may still hold the target that was named in ``fit``.
    """
    if _is_file(X) or is_source(X):
        source = as_source(X)
        wanted = list(getattr(estimator, "feature_names_in_", source.names))
        return Columns(source, [source.names.index(n) for n in _found(wanted, source.names)])
    target = estimator._target_name
    if target is not None and target in list(getattr(X, "column_names", getattr(X, "columns", ()))):
        source = as_source(X, target)
        return Columns(source, [source.names.index(n) for n in _found(list(estimator.feature_names_in_), source.names)])
    _check_feature_names(estimator, X, reset=False)
    source = as_source(X)
    if source.n_features != estimator.n_features_in_:
        raise InputError(
            f"X has {source.n_features} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input"
        )
    require_numbers(source, type(estimator).__name__)
    return source


def predictions(source: Any, coef: np.ndarray, intercept: Any) -> np.ndarray:
    """Xw + b, block by block: (n,), or (n, K) for coefficients (K, p)."""
    parts = []
    for block in source.blocks():
        with np.errstate(invalid="ignore", over="ignore"):
            values = np.asarray(block.X @ coef.T.astype(block.X.dtype, copy=False)) + intercept
        if not np.isfinite(values).all():
            _complain(block.X)
        parts.append(values)
    return np.concatenate(parts)


def _complain(X: Any) -> None:
    values = X.data if sp.issparse(X) else X
    if not np.isfinite(values).all():
        raise InputError("X contains NaN or infinity: fill or drop these rows before predicting")


def _learn_names(estimator: Any, X: Any, source: Source) -> None:
    if _is_file(X) or is_source(X):
        estimator.feature_names_in_ = np.array(source.names, dtype=object)
    elif not isinstance(X, np.ndarray) and hasattr(X, "columns") and 0 < source.n_features < len(X.columns):
        estimator.feature_names_in_ = np.array(source.names, dtype=object)  # y was one of the columns
    else:
        _check_feature_names(estimator, X, reset=True)


def _is_file(X: Any) -> bool:
    return isinstance(X, (str, os.PathLike))


def _found(wanted: list[str], names: list[str]) -> list[str]:
    missing = [n for n in wanted if n not in names]
    if missing:
        raise InputError(f"X lacks the columns {shorten(missing)} that the model was fitted on")
    return wanted
