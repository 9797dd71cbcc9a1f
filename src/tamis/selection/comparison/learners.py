"""Learners, and what they predict of the rows left out, from a subset of the columns."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tamis._core.errors import InputError
from tamis._core.memory import require_memory
from tamis.selection.comparison.table import ComparisonTable, TrainingRows
from tamis.selection.evaluation.learner_rows import check_learner, transforms_columns
from tamis.selection.learner import allows_nan, seeded, weight_keyword

ALPHAS = np.logspace(-2, 5, 22)
DENSE_ONLY = (HistGradientBoostingClassifier, HistGradientBoostingRegressor)


@dataclass(frozen=True)
class Learner:
    """An estimator that is cloned for every fit; ``cost`` orders the work."""

    name: str
    estimator: Any
    cost: int = 1
    as_given: bool = False  # brings its own encoder: is handed the user's columns as they are
    described: str = ""  # of one of ours, which predicts the likeliest class
    decisions: bool = False  # its decision function is stored too, for a scorer that asks for it

    @property
    def words(self) -> str:
        return self.described or self.name

    @property
    def probabilities(self) -> bool:
        return hasattr(self.estimator, "predict_proba")

    @property
    def decision_function(self) -> bool:
        return hasattr(self.estimator, "decision_function")


@dataclass(frozen=True)
class RowPredictions:
    """Of m rows: ``values``, numbers, or what speaks for the classes, for two (m,) for the second, for K (m, K). Of
    classes also ``labels``, the positions of those predicted, and ``decision``, the decision function, if stored.
    """

    values: np.ndarray
    labels: np.ndarray | None = None
    decision: np.ndarray | None = None

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        return tuple(part for part in (self.values, self.labels, self.decision) if part is not None)


def as_learners(estimator: Any, table_task: str, sparse: bool, weighted: bool, seed: int) -> list[Learner]:
    """What ``estimator`` names: "auto", "linear", "boosting", an estimator, a list of them, or a dict by name."""
    if isinstance(estimator, str) and estimator == "auto":
        estimator = ["linear", "boosting"]
    if isinstance(estimator, dict):
        named = [(str(name), given) for name, given in estimator.items()]
    else:
        estimators = estimator if isinstance(estimator, (list, tuple)) else [estimator]
        named = [("", given) for given in estimators]
    if not named:
        raise InputError("estimator is empty: give at least one, or 'auto'", argument="estimator")
    learners = [_as_learner(name, given, table_task, sparse, weighted, seed) for name, given in named]
    seen: dict[str, int] = {}
    out = []
    for learner in learners:
        seen[learner.name] = seen.get(learner.name, 0) + 1
        again = seen[learner.name]
        out.append(learner if again == 1 else replace(learner, name=f"{learner.name}_{again}"))
    return out


def _as_learner(name: str, given: Any, task: str, sparse: bool, weighted: bool, seed: int) -> Learner:
    if isinstance(given, str):
        if given not in ("linear", "boosting"):
            raise InputError(
                f"estimator must be 'auto', 'linear', 'boosting' or scikit-learn estimators, got {given!r}",
                argument="estimator",
            )
        made = linear_model(task, sparse) if given == "linear" else boosting(task)
        words = {"linear": "a linear model", "boosting": "gradient boosting"}[given]
        return Learner(name or given, made, 1 if given == "linear" else 2, described=words)
    check_learner("estimator", given)
    wrong = is_regressor(given) if task == "classification" else is_classifier(given)
    if wrong:
        raise InputError(f"estimator={type(given).__name__} is not for {task}: give another", argument="estimator")
    if weighted:
        weight_keyword("estimator", given)  # complains where it takes none
    made = seeded(given, seed)
    return Learner(name or type(given).__name__, made, 2, transforms_columns(given))


def linear_model(task: str, sparse: bool) -> Any:
    """Ridge regression, its strength chosen by leaving out each training row; for classes logistic regression with
    C = 1. Columns are scaled to unit variance.
    """
    model = RidgeCV(alphas=ALPHAS) if task == "regression" else LogisticRegression(C=1.0, max_iter=1000)
    return make_pipeline(StandardScaler(with_mean=not sparse), model)


def boosting(task: str) -> Any:
    """scikit-learn's histogram gradient boosting with its own defaults, which no table here was used to choose; only
    without early stopping, for which it would set rows of more than 10,000 aside."""
    kind: Any = HistGradientBoostingRegressor if task == "regression" else HistGradientBoostingClassifier
    return kind(early_stopping=False, random_state=0)


def predict(
    table: ComparisonTable, learner: Learner, train: np.ndarray, test: np.ndarray, columns: Any
) -> RowPredictions:
    """Predictions for the test rows by the learner fitted to the training rows on some columns of the table.

    Without columns, and where the target of the training rows is constant, nothing is fitted: the mean, or the shares
    of the classes.
    """
    rows = table.rows(train)
    columns = sorted(int(j) for j in columns)
    if not columns or rows.constant:
        return constant_prediction(rows, len(test))
    if learner.as_given and table.original is not None:
        X, X_test = rows.original(columns), TrainingRows(table, test).original(columns)
    else:
        numbers = rows.encoding(columns, fill=not allows_nan(learner.estimator))
        X, X_test = numbers.X, numbers.of(table, test)
        if sp.issparse(X) and isinstance(learner.estimator, DENSE_ONLY):
            require_memory(8.0 * table.n * X.shape[1], "a dense table for gradient boosting", "give estimator='linear'")
            X, X_test = X.toarray(), X_test.toarray()
    given = {} if rows.weight is None else {weight_keyword("estimator", learner.estimator): rows.weight}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of one fit among thousands: that it did not converge, that a class is rare
        fitted = clone(learner.estimator).fit(X, rows.y, **given)
        return predictions_of(table, learner, fitted, X_test)


def constant_prediction(rows: TrainingRows, m: int, always: int | None = None) -> RowPredictions:
    """The mean, the shares of the classes, or the class ``always``, for m rows."""
    table = rows.table
    if table.classes is None:
        weight = rows.weight if rows.weight is not None and rows.weight.any() else None
        return RowPredictions(np.full(m, np.average(rows.y, weights=weight)))
    shares = np.bincount(rows.target, rows.weight, minlength=len(table.classes))
    shares = shares / max(shares.sum(), np.finfo(float).tiny)  # all of weight 0: nothing speaks for any class
    shares = shares if always is None else np.eye(len(shares))[always]
    values = np.full(m, shares[1]) if len(shares) == 2 else np.tile(shares, (m, 1))
    return RowPredictions(values, likeliest(values), values)


def likeliest(values: np.ndarray) -> np.ndarray:
    """Positions of the classes that probabilities speak for, of equals the first."""
    return (values > 0.5).astype(np.intp) if values.ndim == 1 else values.argmax(axis=1)


def predictions_of(table: ComparisonTable, learner: Learner, fitted: Any, X: Any) -> RowPredictions:
    """Numbers; for classes probabilities, else the decision function, else indicators of the predicted classes."""
    if table.classes is None:
        return RowPredictions(_finite(learner, np.asarray(fitted.predict(X), dtype=np.float64).ravel()))
    decision = None
    if learner.decision_function and (learner.decisions or not learner.probabilities):
        decision = _decision_function(table, fitted, X)
    values = None
    if learner.probabilities:
        values = _by_class(table, fitted, np.asarray(fitted.predict_proba(X), dtype=np.float64), 0.0)
    elif decision is not None and _one_per_class(table, fitted, decision):
        values = decision
    if values is not None:
        values = _finite(learner, values[:, 1].copy() if values.shape[1:] == (2,) else values)
        if learner.described:
            return RowPredictions(values, likeliest(values), decision)
    labels = _labels(table, learner, fitted.predict(X))
    if values is None:  # there is no decision function, or it has a column for each pair of classes
        values = np.eye(len(table.classes))[labels] if len(table.classes) > 2 else labels.astype(np.float64)
    return RowPredictions(values, labels, decision)


def _finite(learner: Learner, values: np.ndarray) -> np.ndarray:
    bad = int((~np.isfinite(values).reshape(len(values), -1).all(axis=1)).sum())
    if bad:
        raise ValueError(f"{learner.name} predicts {bad} of {len(values)} rows by what is no finite number")
    return values


def _labels(table: ComparisonTable, learner: Learner, predicted: Any) -> np.ndarray:
    """Positions of predicted classes."""
    assert table.classes is not None
    at = np.minimum(np.searchsorted(table.classes, predicted), len(table.classes) - 1)
    if (table.classes[at] != predicted).any():
        raise ValueError(f"{learner.name} predicts a class that the target does not have")
    return at


def _decision_function(table: ComparisonTable, fitted: Any, X: Any) -> np.ndarray:
    """As the learner gives it; where classes were missing in the training rows, with columns for them."""
    assert table.classes is not None
    scores, known = np.asarray(fitted.decision_function(X), dtype=np.float64), len(fitted.classes_)
    if known == len(table.classes):
        return scores
    scores = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
    return _by_class(table, fitted, scores, float(scores.min())) if scores.shape[1] == known else scores


def _one_per_class(table: ComparisonTable, fitted: Any, decision: np.ndarray) -> bool:
    """Whether a decision function speaks for each class: three pairs of three classes have as many columns."""
    assert table.classes is not None
    K, pairs = len(table.classes), getattr(fitted, "decision_function_shape", None) == "ovo"
    return decision.ndim == 1 if K == 2 else decision.shape[1:] == (K,) and not pairs


def _by_class(table: ComparisonTable, fitted: Any, scores: np.ndarray, absent: float) -> np.ndarray:
    """(m, K) from the columns of the classes that were there in the training rows."""
    assert table.classes is not None
    out = np.full((len(scores), len(table.classes)), absent)
    out[:, np.searchsorted(table.classes, fitted.classes_)] = scores
    return out
