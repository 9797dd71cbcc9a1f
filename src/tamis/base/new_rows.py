"""Rows to predict: their columns are those of the fit, found by name where there are names."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import _check_feature_names

from tamis._core.checks import shorten
from tamis._core.errors import InputError
from tamis.base.training_data import is_file, require_numbers
from tamis.sources import Source, as_source
from tamis.sources.as_source import is_source
from tamis.sources.dask_tables import is_dask_frame
from tamis.sources.views import Columns


def new_rows(estimator: Any, X: Any) -> Source:
    """New rows with the columns the estimator was fitted on.

    Files may hold more, in any order; frames may still hold the target that was named in ``fit``.
    """
    if is_file(X) or is_source(X) or is_dask_frame(X):
        source = as_source(X)
        return _columns_by_name(source, list(getattr(estimator, "feature_names_in_", source.names)))
    target = estimator._target_name
    if target is not None and target in list(getattr(X, "column_names", getattr(X, "columns", ()))):
        return _columns_by_name(as_source(X, target), list(estimator.feature_names_in_))
    _check_feature_names(estimator, X, reset=False)
    source = as_source(X)
    if source.n_features != estimator.n_features_in_:
        raise InputError(
            f"X has {source.n_features} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input",
            argument="X",
        )
    require_numbers(source, type(estimator).__name__)
    return source


def require_finite(X: Any) -> None:
    """Complain about gaps in a block of new rows."""
    values = X.data if sp.issparse(X) else X
    if not np.isfinite(values).all():
        raise InputError("X contains NaN or infinity: fill or drop these rows before predicting", argument="X")


def require_no_infinity(X: np.ndarray) -> None:
    """For who takes NaN as a missing entry."""
    if np.isinf(X).any():
        raise InputError(
            "X contains infinity: fill or drop these rows (NaN is taken for a missing entry)", argument="X"
        )


def _columns_by_name(source: Source, names: list[str]) -> Source:
    missing = [name for name in names if name not in source.names]
    if missing:
        raise InputError(f"X lacks the columns {shorten(missing)} that the model was fitted on", argument="X")
    return Columns(source, [source.names.index(name) for name in names])
