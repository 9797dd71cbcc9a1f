"""Rows to predict: their columns are those of the fit, found by name where there are names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import _check_feature_names

from tamis._core.checks import shorten, stored_numbers
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
    if not np.isfinite(stored_numbers(X)).all():
        raise InputError("X contains NaN or infinity: fill or drop these rows before predicting", argument="X")


def require_no_infinity(X: Any, names: Sequence[Any] | None = None) -> None:
    """For who takes NaN as a missing entry; the columns are named where their names are given."""
    if not np.isinf(stored_numbers(X)).any():
        return
    infinite = abs(X) == np.inf
    bad = np.flatnonzero(np.asarray(infinite.sum(axis=0)).ravel())
    where = "" if names is None else f" in {shorten(names[int(j)] for j in bad)}"
    raise InputError(
        f"X contains infinity{where}: replace those values (NaN is taken for a missing entry)", argument="X"
    )


def _columns_by_name(source: Source, names: list[str]) -> Source:
    missing = [name for name in names if name not in source.names]
    if missing:
        raise InputError(f"X lacks the columns {shorten(missing)} that the model was fitted on", argument="X")
    return Columns(source, [source.names.index(name) for name in names])
