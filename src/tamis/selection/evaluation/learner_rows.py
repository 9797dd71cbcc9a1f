"""The rows as a learner is handed them: numbers, or the frame itself where the learner brings its own encoder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils import get_tags

from tamis._core.checks import shorten
from tamis._core.errors import InputError
from tamis._core.memory import require_memory
from tamis.selection.search.base import Index
from tamis.sources import Source, gather, require_complete
from tamis.sources.base import original_of, target_column
from tamis.sources.views import pick


class LabelsRefused(InputError):
    """Labels reached a learner that takes numbers only: every subset with such a column would fail."""


@dataclass(frozen=True)
class LearnerTable:
    """A table in memory. ``origin`` says which column of the user's table each column of X comes from, None where they
    are the same; ``labels`` are the names of the columns whose labels go to the learner as they are.
    """

    X: Any
    y: np.ndarray
    weight: np.ndarray | None
    origin: np.ndarray | None = None
    labels: dict[int, Any] | None = None

    def columns(self, subset: Index) -> LearnerTable:
        """Those of a subset of the user's columns, in its order."""
        if self.origin is not None:
            at = [np.flatnonzero(self.origin == j) for j in subset]
            chosen = np.concatenate([*at, np.zeros(0, dtype=np.intp)])
            return replace(self, X=self.X[:, chosen], origin=self.origin[chosen])
        labels = None if self.labels is None else {j: self.labels[j] for j in subset if j in self.labels}
        return replace(self, X=pick(self.X, columns=list(subset)), labels=labels)

    def fit(self, learner: Any, at: np.ndarray | None = None) -> Any:
        """A clone of the learner, fitted to some of the rows, or to all."""
        try:
            return clone(learner).fit(_rows(self.X, at), _rows(self.y, at), **self._weights(at))
        except ValueError as error:
            if self.labels and "could not convert string" in str(error):
                raise _needs_encoder(learner, self.labels, error) from error
            raise

    def score(self, scorer: Any, fitted: Any, at: np.ndarray) -> float:
        return float(scorer(fitted, _rows(self.X, at), self.y[at], **self._weights(at)))

    def _weights(self, at: np.ndarray | None) -> dict[str, np.ndarray]:
        return {} if self.weight is None else {"sample_weight": _rows(self.weight, at)}


def read_learner_table(source: Source, learner: Any) -> LearnerTable:
    """All rows. A learner with a step that transforms columns is handed the user's frame; any other is handed numbers,
    a column of labels as one 0/1 column per label, 0 in all of them where it is missing.
    """
    if not takes_missing(learner):
        require_complete(source, labels=False)
    block = gather(source)
    y = target_values(source, np.asarray(block.y), learner)
    named = set(source.labels) & set(source.names)
    original = original_of(source) if transforms_columns(learner) else None
    if original is not None:
        labels = {j: name for j, name in enumerate(source.names) if name in named}
        return LearnerTable(original, y, block.weight, labels=labels)
    X = block.X.tocsr() if sp.issparse(block.X) else block.X
    if not named:
        return LearnerTable(X, y, block.weight)
    numbers, origin = indicators(X, [column.levels for column in source.schema.columns])
    return LearnerTable(numbers, y, block.weight, origin)


def indicators(X: np.ndarray, levels: Sequence[tuple[Any, ...] | None]) -> tuple[np.ndarray, np.ndarray]:
    """Columns of numbers as they are and one 0/1 column for each level of the others, whose codes X holds; and which
    column of X each comes from.
    """
    widths = [1 if labels is None else len(labels) for labels in levels]
    origin = np.repeat(np.arange(len(levels)), widths)
    what = f"a 0/1 column for each of {len(origin):,} labels in {len(X):,} rows"
    require_memory(8.0 * len(X) * len(origin), what, "leave out columns with many labels, or group the labels")
    out = np.empty((len(X), len(origin)), order="F")
    ends = np.cumsum([0, *widths])
    for j, labels in enumerate(levels):
        at = slice(ends[j], ends[j + 1])
        out[:, at] = X[:, [j]] if labels is None else X[:, [j]] == np.arange(widths[j])
    return out, origin


def target_values(source: Source, y: np.ndarray, learner: Any) -> np.ndarray:
    """The target as it was given, labels as labels; whole numbers are integers to a classifier."""
    column = target_column(source)
    if column is not None and column.levels is not None:
        if is_regressor(learner):
            raise InputError(
                f"estimator={type(learner).__name__} predicts numbers, but the target {column.name!r} holds labels "
                f"such as {column.levels[0]!r}: give a classifier"
            )
        return np.array(column.levels)[y.astype(np.intp)]
    if is_classifier(learner) and np.array_equal(y, np.rint(y)):
        return y.astype(np.int64)  # learners sort out classes of whole numbers sooner
    return y


def check_learner(name: str, learner: Any) -> None:
    """Complain about what is no scikit-learn estimator: a class, a number, None."""
    if isinstance(learner, type) and hasattr(learner, "fit"):
        raise InputError(f"{name} must be an object, got the class {learner.__name__}: give {learner.__name__}()")
    if isinstance(learner, type) or not hasattr(learner, "fit") or not hasattr(learner, "get_params"):
        raise InputError(f"{name} must be a scikit-learn estimator, such as {name}=Ridge(); got {learner!r}")


def transforms_columns(learner: Any) -> bool:
    """Whether it has a step that transforms columns, such as an encoder, or says that it takes labels."""
    tags = get_tags(learner).input_tags if hasattr(learner, "__sklearn_tags__") else None
    if tags is not None and (tags.categorical or tags.string):
        return True
    return any(hasattr(part, "transform") for part in learner.get_params().values() if not isinstance(part, type))


def takes_missing(learner: Any) -> bool:
    """Whether it says so; one made of others, which may fill them, is given the benefit of the doubt."""
    if not hasattr(learner, "__sklearn_tags__") or any("__" in name for name in learner.get_params()):
        return True
    return bool(get_tags(learner).input_tags.allow_nan)


def _needs_encoder(learner: Any, labels: dict[int, Any], error: Exception) -> LabelsRefused:
    return LabelsRefused(
        f"estimator={type(learner).__name__} cannot use the labels of {shorten(labels.values())} ({error}): put an "
        "encoder into it, such as OneHotEncoder(handle_unknown='ignore'), or give the learner alone, which is handed "
        "0/1 columns"
    )


def _rows(X: Any, at: np.ndarray | None) -> Any:
    return X if at is None else pick(X, rows=at)
