"""Columns by the splits of a tree or of many."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from sklearn.tree import BaseDecisionTree, DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils import Tags
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter

from tamis._core.checks import check_choice, check_number
from tamis._core.errors import InputError
from tamis.base.fitting import all_or_nothing
from tamis.base.splits import cv_of, routing
from tamis.base.training_data import open_source
from tamis.selection.candidates import as_candidates
from tamis.selection.columns import ColumnSelector
from tamis.selection.description import SearchDescription
from tamis.selection.learner import (
    LearnerInput,
    allows_nan,
    choose_columns,
    fit_on_rows,
    last_model,
    read_learner_target,
    seeded,
)

Splits = tuple[np.ndarray, np.ndarray, np.ndarray]  # of one tree: column, depth and gain of every split


class TreeSelector(ColumnSelector):
    """Selects the columns that the splits of a tree use, or those of any tree of a forest or a boosted model.

    A column of labels is given to the trees as one 0/1 column per label (0 in all of them where it is missing), and
    is used where one of these is. Missing numbers go to the trees as they are. scikit-learn hears a Ctrl-C between
    trees only: that of many small ones is answered soon, one large tree is grown to its end first.

    Parameters
    ----------
    estimator : scikit-learn estimator or None
        A decision tree, a forest, extra trees, bagged or boosted trees, histogram boosting, or a pipeline or search
        over them that keeps the columns. It is cloned, then fitted. None: a decision tree, of classes or of numbers as
        the target is.
    n_features : int or None
        At most so many, the most important; None: all that are used. With ``feature_groups`` groups are counted.
    threshold : float or None
        Only columns more important than this.
    importance : "impurity" or "splits"
        ``feature_importances_`` of the model, or where it has none its columns' shares in the gain of all splits; or
        shares in the number of splits.
    keep : names, positions or a mask
        Columns that are selected whether used or not.
    feature_groups : labels, lists of columns, or a size
        Columns that come together: used where one of them is.
    random_state : None, int, Generator or RandomState
        Seeds the model, at any depth. None: as the given one says; the default tree breaks ties by a fixed seed.

    Attributes
    ----------
    support_ : bool array (p,)
    selected_features_ : names, or positions without names, by falling importance
    n_splits_ : (p,) how many splits use each column
    first_depth_ : (p,) depth of the first split that does, 0 being the root; −1 where none does
    importances_ : (p,)
    estimator_ : the fitted model
    classes_ : labels of the target, where it has classes
    n_features_in_, feature_names_in_

    References: Zhou, Machine Learning, section 11.1.

    Examples
    --------
    >>> from tamis import TreeSelector
    >>> from tamis.datasets import load_watermelon
    >>> import pandas as pd
    >>> melons = load_watermelon()
    >>> X = pd.DataFrame(melons.data, columns=melons.feature_names).infer_objects()
    >>> TreeSelector().fit(X, melons.target).selected_features_
    ['sugar', 'density', 'surface', 'color']
    """

    def __init__(
        self,
        estimator: Any = None,
        n_features: int | None = None,
        *,
        threshold: float | None = None,
        importance: str = "impurity",
        keep: Any = None,
        feature_groups: Any = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_features = n_features
        self.threshold = threshold
        self.importance = importance
        self.keep = keep
        self.feature_groups = feature_groups
        self.random_state = random_state

    # What a splitter asks for comes through ``fit``; the selector asks for none of it itself.
    __metadata_request__fit: ClassVar[dict[str, str]] = {"groups": UNUSED}

    def get_metadata_routing(self) -> MetadataRouter:
        """Which metadata go where: weights to ``fit``, and to the splitter of a search what it asks for."""
        return routing(self, cv_of(self.estimator))

    @all_or_nothing
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> TreeSelector:
        """Select columns of X, anything that ``as_source`` takes, for the target y (labels, numbers, or the name of
        a column of X).

        ``groups``, one label per row, goes to the splitter of an estimator that cross-validates, such as GridSearchCV.
        """
        threshold = None if self.threshold is None else check_number("threshold", self.threshold, at_least=0.0)
        by = check_choice("importance", self.importance, ("impurity", "splits"))
        source = open_source(X, y, sample_weight, "auto", type(self).__name__)
        names = self._learn_names(X, source)
        candidates = as_candidates(names, self.keep, self.feature_groups)
        target, numbers, weight = read_learner_target(source, "estimator", self.estimator)
        self._learn_classes(None if target is None else target.values, source, y)
        data = LearnerInput.of(source, numbers if target is None else self.classes_[target.codes], weight, groups)
        self.estimator_ = fit_on_rows("estimator", self._model(target is not None), data)
        self._learn_splits(data, by)
        chosen = choose_columns(candidates, self.importances_, self.n_splits_ > 0, self.n_features, threshold)
        self._learn_choice(chosen, names)
        return self

    def describe(self) -> SearchDescription:
        """What it does, which columns it keeps and what that proves, in words."""
        single = self.estimator is None or isinstance(self.estimator, BaseDecisionTree)
        grown = "A decision tree is grown" if single else "Many trees are grown"
        return SearchDescription(
            "tree" if single else "forest",
            f"{grown}, and the columns used by splits are chosen.",
            "It kept every column that a split uses."
            if self.threshold is None
            else "It kept the columns that splits use and whose importance is above the threshold.",
            "a column that no split uses may tell the same as one that is used",
            moves=False,
            score="A column's importance is its share in what the splits gain.",
        )

    def _model(self, classes: bool) -> Any:
        if self.estimator is not None:
            return seeded(self.estimator, self.random_state)
        tree = DecisionTreeClassifier(random_state=0) if classes else DecisionTreeRegressor(random_state=0)
        return seeded(tree, self.random_state)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.estimator is None or allows_nan(self.estimator)
        return tags

    def _learn_splits(self, data: LearnerInput, by: str) -> None:
        last, seen, _ = last_model("estimator", self.estimator_, data.block.X)
        splits = list(splits_of(last))
        column, depth, gain = (np.concatenate(parts) for parts in zip(*splits, strict=True))
        k, width = seen[column], len(data.origin)
        self.n_splits_ = data.per_column(np.bincount(k, minlength=width)).astype(np.int64)
        first = np.full(width, np.inf)
        np.minimum.at(first, k, depth)
        first = data.per_column(first, np.minimum, np.inf)
        self.first_depth_ = np.where(np.isfinite(first), first, -1).astype(np.int64)
        own = getattr(last, "feature_importances_", None)
        if by == "splits":
            self.importances_ = _shares(self.n_splits_.astype(np.float64))
        elif own is not None:
            self.importances_ = data.per_column(np.bincount(seen, own, minlength=width))
        else:
            self.importances_ = _shares(data.per_column(np.bincount(k, gain, minlength=width)))


def splits_of(fitted: Any) -> Iterator[Splits]:
    """Column, depth and gain of the splits of every tree in a fitted model."""
    if hasattr(fitted, "tree_"):
        yield _of_tree(fitted.tree_)
    elif hasattr(fitted, "_predictors"):  # histogram boosting has no public name for them
        yield from _of_histograms(fitted)
    elif hasattr(fitted, "estimators_"):
        members = np.ravel(np.asarray(fitted.estimators_, dtype=object)).tolist()
        views = getattr(fitted, "estimators_features_", [None] * len(members))
        for member, view in zip(members, views, strict=True):
            for column, depth, gain in splits_of(member):
                yield column if view is None else np.asarray(view)[column], depth, gain
    else:
        raise InputError(
            f"estimator={type(fitted).__name__} has no trees whose splits could be read: give a tree, a forest, or "
            "boosted trees of scikit-learn"
        )


def _of_tree(tree: Any) -> Splits:
    left, right = tree.children_left, tree.children_right
    inner = np.flatnonzero(left >= 0)
    depth = np.zeros(tree.node_count, dtype=np.int64)
    for node in inner:  # parents come before their children
        depth[left[node]] = depth[right[node]] = depth[node] + 1
    mass = tree.weighted_n_node_samples * tree.impurity
    gain = (mass[inner] - mass[left[inner]] - mass[right[inner]]) / tree.weighted_n_node_samples[0]
    return tree.feature[inner].astype(np.int64), depth[inner], gain


def _of_histograms(fitted: Any) -> Iterator[Splits]:
    mask = getattr(fitted, "is_categorical_", None)
    order = None if mask is None else np.concatenate([np.flatnonzero(mask), np.flatnonzero(~mask)])
    for predictor in (one for stage in fitted._predictors for one in stage):
        nodes = predictor.nodes[predictor.nodes["is_leaf"] == 0]
        column = nodes["feature_idx"].astype(np.int64)
        yield column if order is None else order[column], nodes["depth"].astype(np.int64), nodes["gain"]


def _shares(values: np.ndarray) -> np.ndarray:
    total = values.sum()
    return values / total if total > 0 else values
