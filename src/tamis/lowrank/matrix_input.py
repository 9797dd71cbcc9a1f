"""A matrix with missing entries: from what the user gave to an array with NaN."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis._core.errors import InputError
from tamis.base.new_rows import new_rows, require_no_infinity
from tamis.base.training_data import table_data
from tamis.sources import gather

LARGEST = {4: 1e15, 8: 1e150}  # by bytes of a number: as many as fit into memory have a sum of squares


def read_matrix(estimator: Any, X: Any, *, reset: bool) -> np.ndarray:
    """(n, p) in C order, float32 where X is and else float64; NaN or masked is a missing entry, infinity an error."""
    if sp.issparse(X):
        raise InputError(
            f"{type(estimator).__name__} takes dense rows: entries of a sparse X that are not stored would be zeros; "
            "give X.toarray()",
            argument="X",
        )
    source = table_data(estimator, X).source if reset else new_rows(estimator, X)
    rows = gather(source).X
    rows = rows.toarray() if sp.issparse(rows) else rows
    rows = np.ascontiguousarray(rows, dtype=np.float32 if rows.dtype == np.float32 else np.float64)
    require_no_infinity(rows, source.names)
    require_squares(rows)
    return rows


def require_squares(values: np.ndarray) -> None:
    """Sums of squares are finite."""
    highest, lowest = (float(f.reduce(values, axis=None, initial=0)) for f in (np.fmax, np.fmin))  # NaN aside
    if max(highest, -lowest) > LARGEST[values.itemsize]:
        raise InputError("X holds values so large that their squares are infinite: rescale it", argument="X")


def require_some(X: np.ndarray) -> None:
    """At least one entry is known."""
    if np.isnan(X).all():
        raise InputError("X has no observed entry: all are NaN", argument="X")


def scores_given(scores: Any, rank: int) -> np.ndarray:
    """Scores (n, rank) for ``inverse_transform``."""
    scores = np.asarray(scores)
    if scores.ndim != 2 or scores.shape[1] != rank:
        raise InputError(
            f"scores must have a column for each of the {rank} components, got shape {scores.shape}", argument="scores"
        )
    return scores
