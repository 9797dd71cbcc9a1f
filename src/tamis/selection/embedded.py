"""Columns by the support of a sparse model."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold, StratifiedKFold
from sklearn.utils import Tags
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter
from sklearn.utils.sparsefuncs import mean_variance_axis
from sklearn.utils.validation import check_is_fitted

from tamis._core.checks import check_number
from tamis._core.errors import InputError
from tamis.base.fitting import all_or_nothing
from tamis.base.frames import as_frame
from tamis.base.splits import cv_of, routing
from tamis.base.training_data import open_source
from tamis.linear import LassoCV, SparseClassifierCV
from tamis.linear.model import SparseModel
from tamis.selection.candidates import as_candidates
from tamis.selection.columns import ColumnSelector
from tamis.selection.learner import (
    LearnerInput,
    allows_nan,
    choose_columns,
    fit_on_rows,
    groups_keyword,
    last_model,
    named_errors,
    read_learner_target,
    seeded,
)
from tamis.stats.coding import CodedTarget


class EmbeddedSelector(ColumnSelector):
    """Selects the columns with a coefficient in a sparse model.

    Learning and selecting are one: the penalty of the model sets coefficients to zero. A coefficient is zero where it
    is exactly 0, unless ``threshold`` says otherwise. A column of labels is given to the model as one 0/1 column per
    label, and is in where one of these is. Sparse tables stay sparse, and models of Tamis read files in passes.

    Parameters
    ----------
    model : scikit-learn estimator or None
        Any with ``coef_``, of one output or several, Tamis's or not; also as the last step of a pipeline whose other
        steps scale, fill or select columns, inside a search such as GridSearchCV, or one for each class as in
        OneVsRestClassifier. It is cloned, then fitted as it is: no column is standardised unless the model does so. A
        model that is fitted already is taken as it is from ``sklearn.frozen.FrozenEstimator(model)``. None:
        ``LassoCV`` for numbers, ``SparseClassifierCV`` for classes, both with ``standardize=True, rule="1se"``; where a
        class has fewer than 5 rows, with as many folds. The row of a class that has no other is in no fold held out.
        With ``groups``, rows of a group are in one fold, and every class needs two rows.
    n_features : int or None
        At most so many, those of the largest weights; with ``feature_groups`` groups are counted.
    threshold : float
        Only columns with a weight above it.
    keep : names, positions or a mask
        Columns that are selected whatever their coefficients.
    feature_groups : labels, lists of columns, or a size
        Columns that come together: in where one of them is. Their weight is √Σ of squares.
    random_state : None, int, Generator or RandomState
        Seeds the model, at any depth; None: as the model says.

    Attributes
    ----------
    support_ : bool array (p,)
    selected_features_ : names, or positions without names, by falling weight
    weights_ : (p,) |coefficient| times the standard deviation of the column as the model saw it; over several outputs
        or labels √Σ of squares. A constant column has weight 0.
    model_ : the fitted model
    classes_ : labels of the target, where it has classes
    n_features_in_, feature_names_in_

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from tamis import EmbeddedSelector, Lasso
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> EmbeddedSelector(Lasso(alpha=1.0)).fit(X, y).selected_features_
    ['bmi', 's5', 'bp']
    """

    def __init__(
        self,
        model: Any = None,
        n_features: int | None = None,
        *,
        threshold: float = 0.0,
        keep: Any = None,
        feature_groups: Any = None,
        random_state: Any = None,
    ) -> None:
        self.model = model
        self.n_features = n_features
        self.threshold = threshold
        self.keep = keep
        self.feature_groups = feature_groups
        self.random_state = random_state

    # What a splitter asks for comes through ``fit``; the selector asks for none of it itself.
    __metadata_request__fit: ClassVar[dict[str, str]] = {"groups": UNUSED}

    def get_metadata_routing(self) -> MetadataRouter:
        """Which metadata go where: weights to ``fit``, and to the splitter of the model what it asks for."""
        return routing(self, GroupKFold() if self.model is None else cv_of(self.model))

    @all_or_nothing
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> EmbeddedSelector:
        """Select columns of X, anything that ``as_source`` takes, for the target y (labels, numbers, or the name of
        a column of X).

        ``groups``, one label per row, goes to the splitter of a model that cross-validates.
        """
        threshold = check_number("threshold", self.threshold, at_least=0.0)
        source = open_source(X, y, sample_weight, "auto", type(self).__name__)
        names = self._learn_names(X, source)
        candidates = as_candidates(names, self.keep, self.feature_groups)
        target, numbers, weight = read_learner_target(source, "model", self.model)
        self._learn_classes(None if target is None else target.values, source, y)
        data = LearnerInput.of(source, numbers if target is None else self.classes_[target.codes], weight, groups)
        coef, scale = self._fit_model(self._model(target, data.groups), data)
        squares = np.sum((coef * scale) ** 2, axis=0)
        self.weights_ = np.sqrt(data.per_column(squares))
        self._columns = [names[j] for j in data.origin], list(data.source.names), coef, scale
        self._learn_choice(
            choose_columns(candidates, self.weights_, self.weights_ > threshold, self.n_features, None), names
        )
        return self

    def _model(self, target: CodedTarget | None, groups: np.ndarray | None) -> Any:
        if self.model is not None:
            return seeded(self.model, self.random_state)
        most = 5 if groups is None else min(5, _count(groups))
        if target is None:
            cv: Any = most if groups is None else GroupKFold(most)
            return seeded(LassoCV(standardize=True, rule="1se", cv=cv), self.random_state)
        cv = _folds(target.codes) if groups is None else _grouped_folds(target.codes, most)
        return seeded(SparseClassifierCV(standardize=True, rule="1se", cv=cv), self.random_state)

    def _fit_model(self, model: Any, data: LearnerInput) -> tuple[np.ndarray, np.ndarray]:
        """(K, columns) coefficients and the standard deviations of the columns, as the model saw them."""
        if isinstance(model, SparseModel):
            given = {} if data.groups is None else {groups_keyword("model", model): data.groups}
            self.model_ = named_errors("model", model, data.source, lambda: model.fit(data.source, **given))
            return np.atleast_2d(self.model_.coef_).astype(np.float64), np.asarray(self.model_.scale_)
        self.model_ = fit_on_rows("model", model, data)
        last, seen, X = last_model("model", self.model_, data.block.X)
        coef = coefficients(last)
        if coef.shape[1] != len(seen):
            raise InputError(f"model: {type(last).__name__} has {coef.shape[1]} coefficients for {len(seen)} columns")
        out, scale = np.zeros((len(coef), len(data.origin))), np.zeros(len(data.origin))
        out[:, seen], scale[seen] = coef, _spread(X, data.weight)
        return out, scale

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = allows_nan(self.model)
        return tags

    def coef_frame(self) -> Any:
        """The coefficients as a frame, one row per column the model saw (and per output where there are several).

        Columns are ``feature``, ``column`` (the indicator ``feature=label`` where the feature holds labels),
        ``coefficient``, ``scale`` (the standard deviation of the column as the model saw it), and ``output`` where
        there are several.
        """
        check_is_fitted(self)
        features, columns, coef, scale = self._columns
        K = len(coef)
        table: dict[str, list[Any]] = {"feature": features * K, "column": columns * K}
        if K > 1:
            outputs = self.classes_ if len(getattr(self, "classes_", ())) == K else np.arange(K)
            table["output"] = np.repeat(outputs, len(columns)).tolist()
        table |= {"coefficient": coef.ravel().tolist(), "scale": np.tile(scale, K).tolist()}
        return as_frame(table, self._library)


def _folds(codes: np.ndarray) -> Any:
    """Five stratified ones, or as many as the smallest class has rows; a class of one row is always trained on."""
    counts = np.bincount(codes)
    several = counts[codes] > 1
    if not several.any():
        raise InputError("y has classes with one row only: α is chosen by cross-validation, merge the classes")
    n_folds = min(5, int(counts[counts > 1].min()))
    if several.all():
        return n_folds
    rows, alone = np.flatnonzero(several), np.flatnonzero(~several)
    splits = StratifiedKFold(n_folds).split(np.zeros((len(rows), 1)), codes[rows])
    return [(np.sort(np.append(rows[train], alone)), rows[test]) for train, test in splits]


def _grouped_folds(codes: np.ndarray, most: int) -> StratifiedGroupKFold:
    fewest = int(np.bincount(codes).min())
    if fewest < 2:
        raise InputError(
            "y has a class with one row only: α is chosen by cross-validation with groups, merge or drop the class"
        )
    return StratifiedGroupKFold(min(most, fewest))


def _count(groups: np.ndarray) -> int:
    n_groups = len(set(groups.tolist()))
    if n_groups < 2:
        raise InputError("groups holds one label only: α is chosen by cross-validation, which needs at least 2 groups")
    return n_groups


def coefficients(fitted: Any) -> np.ndarray:
    """(K, columns) of a fitted linear model, or of one for each output or class."""
    coef = getattr(fitted, "coef_", None)
    if coef is not None:
        return np.atleast_2d(coef.toarray() if sp.issparse(coef) else np.asarray(coef, dtype=np.float64))
    for inside in ("estimator_", "regressor_"):
        if hasattr(getattr(fitted, inside, None), "coef_"):
            return coefficients(getattr(fitted, inside))
    members = getattr(fitted, "estimators_", ())
    if len(members) and all(hasattr(one, "coef_") for one in members):
        return np.concatenate([coefficients(one) for one in members])
    raise InputError(
        f"model: {type(fitted).__name__} has no coef_ to select by: give a sparse linear model, or use TreeSelector "
        "for trees"
    )


def _spread(X: Any, weight: np.ndarray | None) -> np.ndarray:
    if sp.issparse(X):
        return np.sqrt(mean_variance_axis(X.tocsr(), axis=0, weights=weight)[1].astype(np.float64))
    mean = np.average(X, axis=0, weights=weight)
    return np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weight))
