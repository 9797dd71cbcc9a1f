"""A matrix with missing entries: from what the user gave to an array with NaN, and names."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from tamis._core.errors import InputError
from tamis.base.training_data import is_file
from tamis.sources import as_source, gather


def read_matrix(estimator: Any, X: Any, *, reset: bool) -> np.ndarray:
    """(n, p) in C order, float32 where X is and else float64; NaN is a missing entry, infinity an error."""
    if is_file(X):
        source = as_source(X)
        import narwhals.stable.v2 as nw

        rows = np.asarray(gather(source).X)
        X = nw.from_dict(dict(zip(source.names, rows.T, strict=True)), backend="pyarrow").to_native()
    try:
        X = validate_data(
            estimator, X, reset=reset, dtype=(np.float64, np.float32), order="C", ensure_all_finite="allow-nan",
        )  # fmt: skip
    except InputError:
        raise
    except ValueError as error:
        raise InputError(str(error), argument="X") from None
    return np.ascontiguousarray(X)


def require_some(X: np.ndarray) -> None:
    """At least one entry is known."""
    if not np.isfinite(X).any():
        raise InputError("X has no observed entry: all are NaN", argument="X")
