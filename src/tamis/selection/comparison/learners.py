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
    described: str = ""

    @property
    def words(self) -> str:
        return self.described or self.name

    @property
    def probabilities(self) -> bool:
        return hasattr(self.estimator, "predict_proba")

    @property
    def threshold(self) -> float:
        """Above which the second of two classes is meant: of a probability ½, of a decision function 0."""
        return 0.0 if not self.probabilities and hasattr(self.estimator, "decision_function") else 0.5


def as_learners(estimator: Any, table_task: str, sparse: bool, weighted: bool, seed: int) -> list[Learner]:
    """What ``estimator`` names: "auto", "linear", "boosting", an estimator, a list of them, or a dict by name."""
    if isinstance(estimator, str) and estimator == "auto":
        estimator = ["linear", "boosting"]
    if isinstance(estimator, dict):
        named = [(str(name), given) for name, given in estimator.items()]
    else:
        listed = estimator if isinstance(estimator, (list, tuple)) else [estimator]
        named = [("", given) for given in listed]
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


def predict(table: ComparisonTable, learner: Learner, train: np.ndarray, test: np.ndarray, columns: Any) -> np.ndarray:
    """Predictions for the test rows by the learner fitted to the training rows on some columns of the table.

    Numbers; for two classes (m,) what speaks for the second, for K (m, K). Without columns, and where the target of
    the training rows is constant, nothing is fitted: the mean, or the shares of the classes.
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
        found = responses(table, fitted, X_test)
    if not np.isfinite(found).all():
        bad = len(test) - int(np.isfinite(found).reshape(len(test), -1).all(axis=1).sum())
        raise ValueError(f"{learner.name} predicts {bad} of {len(test)} rows by what is no finite number")
    return found


def constant_prediction(rows: TrainingRows, m: int, always: int | None = None) -> np.ndarray:
    """The mean, the shares of the classes, or the class ``always``, for m rows."""
    table = rows.table
    if table.classes is None:
        weight = rows.weight if rows.weight is not None and rows.weight.any() else None
        return np.full(m, np.average(rows.y, weights=weight))
    shares = np.bincount(rows.target, rows.weight, minlength=len(table.classes))
    shares = shares / max(shares.sum(), np.finfo(float).tiny)  # all of weight 0: nothing speaks for any class
    shares = shares if always is None else np.eye(len(shares))[always]
    return np.full(m, shares[1]) if len(shares) == 2 else np.tile(shares, (m, 1))


def responses(table: ComparisonTable, fitted: Any, X: Any) -> np.ndarray:
    """Numbers; for classes probabilities, else the decision function, one column per class, else indicators of the
    predicted classes.

    A class that was missing in the training rows has probability 0, and the lowest value of a decision function.
    """
    if table.classes is None:
        return np.asarray(fitted.predict(X), dtype=np.float64).ravel()
    K = len(table.classes)
    if hasattr(fitted, "predict_proba"):
        scores, absent = np.asarray(fitted.predict_proba(X), dtype=np.float64), 0.0
    elif hasattr(fitted, "decision_function") and getattr(fitted, "decision_function_shape", None) != "ovo":
        scores = np.asarray(fitted.decision_function(X), dtype=np.float64)
        scores = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
        absent = float(scores.min())
        if scores.shape[1] != len(fitted.classes_):
            raise ValueError(f"its decision function has {scores.shape[1]} columns for {len(fitted.classes_)} classes")
    else:  # or a column for each pair of classes
        known = np.searchsorted(table.classes, fitted.predict(X))
        return _second_or_all(np.eye(K)[known])
    out = np.full((len(scores), K), absent)
    out[:, np.searchsorted(table.classes, fitted.classes_)] = scores
    return _second_or_all(out)


def _second_or_all(scores: np.ndarray) -> np.ndarray:
    return scores[:, 1].copy() if scores.shape[1] == 2 else scores
