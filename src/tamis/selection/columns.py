"""What selectors of columns share: reading the input, the names, and scikit-learn's contract."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from tamis._core.checks import shorten
from tamis._core.warn import warn
from tamis.base.frames import frame_library
from tamis.base.saved import SavedMixin
from tamis.sources import Kind, Source
from tamis.sources.as_source import is_source
from tamis.sources.base import target_column

ROW_LABELS = (Kind.IDENTIFIER, Kind.TEXT)


class ColumnSelector(SelectorMixin, SavedMixin, BaseEstimator):
    """A selector that takes any table; a subclass's ``fit`` ends with ``_learn_choice``."""

    def _learn_names(self, X: Any, source: Source) -> list[Any]:
        """Names to call the columns by; ``feature_names_in_`` where X brought strings, as scikit-learn has it."""
        self.n_features_in_ = source.n_features
        self.__dict__.pop("feature_names_in_", None)
        self._library = frame_library(X)
        names = column_names(X, source)
        given = given_names(X)
        if given is not None and all(isinstance(name, str) for name in given):
            self.feature_names_in_ = np.array(names, dtype=object)
        return names

    def _learn_choice(self, columns: list[int], names: list[Any]) -> None:
        """The columns at these positions, in the order of selection."""
        self.support_ = np.isin(np.arange(self.n_features_in_), columns)
        self.selected_features_ = [names[j] for j in columns]

    def _warn_of_row_labels(self, source: Source, names: list[Any], kept: Sequence[int] = ()) -> None:
        """Columns whose labels tell the rows apart win where values are counted, and tell nothing about new rows.

        Those in ``kept`` are there because the user said so. Numbers are cut into few intervals first: a table of
        numbers is not looked at.
        """
        labels = set(source.labels) & set(source.names)
        if not labels:
            return
        chosen = np.setdiff1d(np.flatnonzero(self.support_), np.asarray(kept, dtype=np.intp)).tolist()
        alike = [j for j in chosen if source.names[j] in labels and source.schema.columns[j].kind in ROW_LABELS]
        if alike:
            which, it = ("column", "it") if len(alike) == 1 else ("columns", "them")
            remedy = f", or name {it} in keep to have {it} all the same" if hasattr(self, "keep") else ""
            warn(
                f"{which} {shorten(names[j] for j in alike)} selected, where nearly every row has a label of its own, "
                f"as names and keys have, which say nothing about new rows: drop {it} from X{remedy}",
                UserWarning,
            )

    def _learn_classes(self, values: np.ndarray | None, source: Source, y: Any) -> None:
        """Labels of the classes; ``values`` are the target's in code order, None where it has none."""
        self.__dict__.pop("classes_", None)
        if values is not None:
            self.classes_ = labels_of(values, source, y)

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def given_names(X: Any) -> list[Any] | None:
    """What X calls its columns, target included; None where it has no names for them."""
    if isinstance(X, (str, os.PathLike)) or is_source(X):
        return [""]
    names = getattr(X, "column_names", getattr(X, "columns", None))
    return None if names is None or callable(names) else list(names)


def column_names(X: Any, source: Source) -> list[Any]:
    """What the columns of a source are called in results: as X calls them, else by their positions."""
    given = given_names(X)
    if given is None:
        return list(range(source.n_features))
    as_given = {str(name): name for name in given}  # a frame may call them by numbers, which a source spells out
    return [as_given.get(name, name) for name in source.names]


def labels_of(values: np.ndarray, source: Source, y: Any) -> np.ndarray:
    """The labels of the classes, of the type they were given in."""
    column = target_column(source)
    if column is not None and column.levels is not None:
        return np.array([column.levels[int(v)] for v in values])
    given = getattr(y, "dtype", None)
    if isinstance(given, np.dtype) and given.kind in "iub":
        return values.astype(given)
    return (
        values.astype(np.int64)
        if np.array_equal(values, np.rint(values)) and not isinstance(given, np.dtype)
        else values
    )
