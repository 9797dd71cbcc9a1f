"""What the estimators of components share: scores of new rows, names, frames of loadings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from tamis._core.checks import check_real
from tamis._core.errors import InputError
from tamis._core.progress import ProgressMixin
from tamis._core.series import names_of
from tamis.base.frames import as_frame
from tamis.base.new_rows import new_rows, require_finite
from tamis.base.saved import SavedMixin
from tamis.sources import Source
from tamis.sources.base import one_after_the_other, workers_of

SLAB_BYTES = 1 << 24  # of rows that are centred at a time


class Components(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ProgressMixin, SavedMixin, BaseEstimator):
    """An estimator with ``components_`` (k, p) and the names of its scores."""

    components_: np.ndarray

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])

    def loadings_frame(self) -> Any:
        """The loadings as a frame, one row per feature: ``feature``, then a column for each component.

        A frame of the library X came from, else of the first of pandas, polars and pyarrow that is there, else a dict.
        """
        check_is_fitted(self)
        return as_frame(loading_columns(self), getattr(self, "_frame_library", None))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class CentredComponents(Components):
    """Scores are (x − mean) / scale times the loadings."""

    mean_: np.ndarray
    scale_: np.ndarray

    def transform(self, X: Any) -> Any:
        """Scores (n, k) of rows: an array, a sparse array, a frame or a file with the columns of the fit."""
        check_is_fitted(self)
        return self._by_blocks(new_rows(self, X), self._scores_of)

    @staticmethod
    def _by_blocks(rows: Source, work: Callable[[Source], np.ndarray]) -> Any:
        """What ``work`` makes of the rows, where they are."""
        workers = workers_of(rows)
        if workers is not None:
            return workers.reduce(rows.partitions(), work, one_after_the_other)
        return work(rows)

    def _scores_of(self, rows: Source) -> np.ndarray:
        parts = [self._scores(block.X) for block in rows.blocks()]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Rows (n, p) whose scores these are, as near to the rows they came from as k components can be."""
        check_is_fitted(self)
        Z = as_scores(X, self._n_features_out)
        rows: np.ndarray = (Z @ self._back()) * self.scale_ + self.mean_
        return rows.astype(Z.dtype, copy=False)

    def _back(self) -> np.ndarray:
        """(k, p) with rows ≈ scores @ it, in units of the scale."""
        return self.components_

    def _forward(self) -> np.ndarray:
        """(k, p): scores are (x − mean) @ its transpose."""
        forward: np.ndarray = self.components_ / self.scale_
        return forward

    def _scores(self, X: Any) -> np.ndarray:
        with np.errstate(invalid="ignore", over="ignore"):
            Z = scores_of(X, self.mean_, self._forward())
        if not np.isfinite(Z).all():
            require_finite(X)
        return Z.astype(X.dtype, copy=False)


def scores_of(X: Any, mean: np.ndarray, forward: np.ndarray) -> np.ndarray:
    """(X − 1 meanᵀ) forwardᵀ in float64; sparse X stays sparse."""
    if sp.issparse(X):
        return np.asarray(X @ forward.T) - mean @ forward.T
    Z = np.empty((X.shape[0], len(forward)))
    step = max(1, SLAB_BYTES // (8 * max(1, X.shape[1])))
    for start in range(0, X.shape[0], step):
        Z[start : start + step] = (X[start : start + step] - mean) @ forward.T
    return Z


def as_scores(X: Any, k: int) -> np.ndarray:
    """Scores given back by a user: an array, a sparse array or a frame of k columns."""
    if sp.issparse(X):
        X = X.toarray()  # k columns
    Z = np.asarray(X.to_numpy() if hasattr(X, "to_numpy") else X)
    if Z.dtype.kind == "O":  # numbers of a frame's own types
        try:
            Z = Z.astype(np.float64)
        except (TypeError, ValueError):
            raise InputError("X must hold scores, which are real numbers; got other objects", argument="X") from None
    check_real("X", Z.dtype)
    Z = Z if Z.dtype in (np.float32, np.float64) else Z.astype(np.float64)
    if Z.ndim != 2 or Z.shape[1] != k:
        raise InputError(f"X must hold scores of {k} components, (n, {k}); got shape {Z.shape}", argument="X")
    require_finite(Z)
    return Z


def loading_columns(estimator: Any) -> dict[str, list[Any]]:
    """``feature``, then one list of loadings for each component, named as its scores are."""
    scores = [str(name) for name in estimator.get_feature_names_out()]
    loadings = {name: row.tolist() for name, row in zip(scores, estimator.components_, strict=True)}
    return {"feature": names_of(estimator, None, estimator.n_features_in_), **loadings}
