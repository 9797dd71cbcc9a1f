"""Training data: from what the user gave (X, y, weights) to a source of rows and the target as it is fitted."""

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
from tamis.base.frames import frame_library
from tamis.base.labels import classes_of, classes_of_source, require_two
from tamis.sources import Source, as_source, gather
from tamis.sources.as_source import is_source
from tamis.sources.base import is_weighted, known_row_values, matrix_of, origin_of, row_values
from tamis.sources.dask_tables import is_dask, is_dask_frame
from tamis.sources.learnable import require_squares


@dataclass
class TrainingData:
    """The rows a model is fitted on: their source, what the user gave, and the target where the source does not hold it
    as it is fitted: several columns, or classes as ±1 or one-hot.
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
        _, in_memory = known_row_values(self.source)
        return self._row_values[1] if in_memory is None else in_memory

    @property
    def in_memory(self) -> bool:
        return self.source.in_memory

    @property
    def p(self) -> int:
        return self.source.n_features

    @cached_property
    def n(self) -> int:
        return self.source.n_rows if self.source.n_rows is not None else sum(len(b) for b in self.source.blocks([]))

    @property
    def names(self) -> list[str] | None:
        """Of the columns, where the user named them."""
        return (
            None if isinstance(self.given, (np.ndarray, list, tuple)) or sp.issparse(self.given) else self.source.names
        )

    @property
    def encoded_from(self) -> list[str] | None:
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


def regression_data(estimator: Any, X: Any, y: Any, sample_weight: Any, name: str | None = None) -> TrainingData:
    """Rows with one number, or several, to predict; the estimator learns how many columns there are and their names."""
    targets = None if y is None or in_source(y) else _several_targets(y)
    data = _read(estimator, X, y if targets is None else targets[:, 0], sample_weight, targets)
    require_numbers(data.source, name or type(estimator).__name__)
    if data.in_memory:
        require_squares(data.y)
    return data


def classification_data(estimator: Any, X: Any, y: Any, sample_weight: Any) -> TrainingData:
    """Rows with labels to predict: ±1 for two classes, the second being +1, and one-hot for more."""
    name = type(estimator).__name__
    given = None if y is None or in_source(y) else classes_of(y)
    data = _read(estimator, X, y if given is None else given[1], sample_weight)
    require_numbers(data.source, name, target=False)
    classes, codes = classes_of_source(data.source, data.y) if given is None else given
    require_two(classes, name)
    targets = 2.0 * codes - 1 if len(classes) == 2 else np.eye(len(classes))[codes]
    return TrainingData(data.source, data.given, targets, classes, codes)


def table_data(estimator: Any, X: Any, sample_weight: Any = None) -> TrainingData:
    """Rows without a target, of numbers only; missing values are the caller's business."""
    source = as_source(X, sample_weight=None if isinstance(sample_weight, Real) else sample_weight)
    require_numbers(source, type(estimator).__name__)
    return _described(estimator, X, source)


def open_source(X: Any, y: Any, sample_weight: Any, discrete: Any, name: str) -> Source:
    """The table and its target; ``name`` is the estimator's, for complaints."""
    if is_source(X) and not (isinstance(discrete, str) and discrete == "auto"):
        raise InputError(
            "X is a Source, which brings its own discrete columns: leave discrete at 'auto'", argument="discrete"
        )
    discrete = {True: "all", False: "none"}[bool(discrete)] if isinstance(discrete, (bool, np.bool_)) else discrete
    if y is None and not is_source(X):
        raise _no_target(name)
    source = as_source(X, y, sample_weight=sample_weight, discrete=discrete)
    if y is None and next(iter(source.blocks([]))).y is None:
        raise _no_target(name)
    return source


def _no_target(name: str) -> InputError:
    return InputError(
        f"{name} requires y to be passed, but the target y is None: give y, or the name of its column", argument="y"
    )


def _read(estimator: Any, X: Any, y: Any, sample_weight: Any, targets: np.ndarray | None = None) -> TrainingData:
    weight = None if isinstance(sample_weight, Real) else sample_weight
    source = open_source(X, y, weight, "auto", type(estimator).__name__)
    return _described(estimator, X, source, y if isinstance(y, str) else None, targets)


def _described(
    estimator: Any, X: Any, source: Source, target: str | None = None, targets: np.ndarray | None = None
) -> TrainingData:
    """The training data; the estimator learns how many columns there are, and their names."""
    estimator.n_features_in_ = source.n_features
    estimator._target_name = target
    estimator._frame_library = frame_library(X)
    _learn_names(estimator, X, source)
    return TrainingData(source, X, targets)


def _several_targets(y: Any) -> np.ndarray | None:
    """(n, K) numbers where y has more than one column."""
    shape = getattr(y, "shape", None)
    shape = np.asarray(y, dtype=object).shape if shape is None else shape
    if len(shape) != 2 or shape[1] == 1:
        return None
    if np.asarray(y).dtype.kind == "M":
        raise InputError("'y' holds dates: turn them into numbers, such as days since a start", argument="y")
    if shape[1] == 0:
        raise InputError(
            f"y of shape {tuple(shape)} has no column to predict: give (n,) numbers, or (n, K) with K ≥ 1", argument="y"
        )
    try:
        Y = np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"y of shape {shape} must hold numbers: give one column of labels to a classifier", argument="y"
        ) from None
    bad = int((~np.isfinite(Y)).any(axis=1).sum())
    if bad:
        raise InputError(f"y contains NaN or infinity in {bad:,} of {len(Y):,} rows: drop those rows", argument="y")
    return Y


def require_numbers(source: Source, name: str, *, target: bool = True) -> None:
    """Complain about columns of labels; the target may be one where ``target`` is False."""
    names = set(source.names) if source.labels else set()
    features = [column for column in source.labels if column in names]
    if features:
        hold, columns = ("holds", "this column") if len(features) == 1 else ("hold", "these columns")
        raise InputError(
            f"{name} works on numbers, but {shorten(features)} {hold} labels: drop {columns}, or encode the table "
            "(tamis.sources.Encoded(X, y=y) makes an indicator column of each label)",
            argument="X",
        )
    if target and source.labels:
        raise InputError(
            f"{name} fits numbers, but the target {source.labels[0]!r} holds labels: turn them into numbers, or "
            "use what is for classes, such as SparseClassifier",
            argument="y",
        )


def in_source(y: Any) -> bool:
    """Whether the target is read with the rows: a column that is named, or one on Dask."""
    return isinstance(y, str) or is_dask(y)


def _learn_names(estimator: Any, X: Any, source: Source) -> None:
    if is_file(X) or is_source(X) or is_dask_frame(X):
        estimator.feature_names_in_ = np.array(source.names, dtype=object)
    elif not isinstance(X, np.ndarray) and hasattr(X, "columns") and 0 < source.n_features < len(X.columns):
        estimator.feature_names_in_ = np.array(source.names, dtype=object)  # y was one of the columns
    else:
        _check_feature_names(estimator, X, reset=True)


def is_file(X: Any) -> bool:
    return isinstance(X, (str, os.PathLike))
