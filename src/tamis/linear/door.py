"""From what the user gave to a source of numbers, and back from a source to predictions."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import _check_feature_names

from tamis._core.checks import shorten
from tamis._core.errors import InputError
from tamis.sources import Source, as_source
from tamis.sources.door import is_source


def open_rows(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Source:
    """The training rows as numbers; the estimator learns how many columns there are and their names."""
    source = as_source(X, y, sample_weight=sample_weight)
    name = type(estimator).__name__
    if y is None and next(iter(source.blocks())).y is None:
        raise InputError(f"{name} requires y to be passed, but the target y is None: give y, or the name of its column")
    require_numbers(source, name)
    estimator.n_features_in_ = source.n_features
    estimator._target_name = y if isinstance(y, str) else None
    _learn_names(estimator, X, source)
    return source


def require_numbers(source: Source, name: str) -> None:
    if source.labels:
        raise InputError(
            f"{name} works on numbers, but {shorten(source.labels)} hold labels: drop these columns, or encode them "
            "(tamis.sources.Encoded makes an indicator column of each label)"
        )


def rows_to_predict(estimator: Any, X: Any) -> Any:
    """New rows with the columns the estimator was fitted on.

    Files may hold more, in any order; frames may still hold the target that was named in ``fit``.
    """
    if _is_file(X) or is_source(X):
        source = as_source(X)
        wanted = list(getattr(estimator, "feature_names_in_", source.names))
        return _Chosen(source, [source.names.index(n) for n in _found(wanted, source.names)])
    target = estimator._target_name
    if target is not None and target in list(getattr(X, "column_names", getattr(X, "columns", ()))):
        source = as_source(X, target)
        return _Chosen(source, [source.names.index(n) for n in _found(list(estimator.feature_names_in_), source.names)])
    _check_feature_names(estimator, X, reset=False)
    source = as_source(X)
    if source.n_features != estimator.n_features_in_:
        raise InputError(
            f"X has {source.n_features} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input"
        )
    require_numbers(source, type(estimator).__name__)
    return source


class _Chosen:
    """A view of some columns of a source."""

    def __init__(self, source: Source, columns: list[int]) -> None:
        self.source = source
        self.columns = columns

    def blocks(self) -> Any:
        return self.source.blocks(self.columns)


def predictions(source: Any, coef: np.ndarray, intercept: float) -> np.ndarray:
    """Xw + b, block by block."""
    parts = []
    for block in source.blocks():
        with np.errstate(invalid="ignore", over="ignore"):
            values = np.asarray(block.X @ coef.astype(block.X.dtype, copy=False)).ravel() + intercept
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
    elif (
        source.names and not isinstance(X, np.ndarray) and hasattr(X, "columns") and len(source.names) < len(X.columns)
    ):
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
