"""Scores of predictions, as sums over rows or pairs of rows, so that they can be taken again under other weights.

Every score is offset + sign · Σ numerators / Σ denominators over the splits. For one split the numerators of C
predictions under B weightings W (m, B) of its rows are a matrix (C, B), the denominators (B,):

=====================  ==========================================  ==================================
score                  numerator                                   denominator
=====================  ==========================================  ==================================
R²                     Σ w (y − ŷ)²                                Σ w (y − mean of the training rows)²
AUC                    Σ pairs w w′ (1[ŷ > ŷ′] + ½ 1[ŷ = ŷ′])       Σ pairs w w′
log loss               −Σ w log p(y)                               Σ w
accuracy               Σ w 1[class of ŷ is y]                      Σ w
=====================  ==========================================  ==================================

A pair is two rows of one split, one of the class and one not; of more than two classes, the sum over each class
against the others, each counted as one: the mean of the one-against-rest AUC.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import check_scoring, get_scorer
from sklearn.utils.metaestimators import available_if

from tamis._core.errors import InputError
from tamis._kernels import kernels
from tamis.selection.comparison.learners import Learner, RowPredictions, constant_prediction
from tamis.selection.comparison.table import ComparisonTable

TINY = 1e-15


class Estimate(NamedTuple):
    """A number and its 95 % interval, which is not a number where there was no time for it."""

    value: float
    low: float
    high: float


NOT_KNOWN = Estimate(np.nan, np.nan, np.nan)


def in_digits(number: float, digits: str = ".3f") -> str:
    return f"{number:{digits}}".replace("-", "−")


@dataclass(frozen=True)
class SplitPredictions:
    """Predictions for the test rows of one split: ``values`` (U, m) or (U, m, K); ``mean`` of the target in the
    training rows. Of classes ``labels`` (U, m), the positions of those predicted, the decision function of each, if
    stored, and whether its values are probabilities.
    """

    values: np.ndarray
    target: np.ndarray
    mean: float
    classes: np.ndarray | None
    rows: np.ndarray
    labels: np.ndarray | None = None
    decisions: Sequence[np.ndarray | None] = ()
    probabilities: Sequence[bool] = ()

    @property
    def n_classes(self) -> int:
        return 0 if self.classes is None else len(self.classes)

    def only(self, u: int) -> SplitPredictions:
        """The u-th of them."""
        return replace(
            self,
            values=self.values[u : u + 1],
            labels=None if self.labels is None else self.labels[u : u + 1],
            decisions=self.decisions[u : u + 1],
            probabilities=self.probabilities[u : u + 1],
        )


@dataclass(frozen=True)
class Score:
    """``parts`` gives numerators (U, B) and denominators (B,) of a split under W (m, B); ``words`` name the score."""

    name: str
    words: str
    parts: Callable[[SplitPredictions, np.ndarray], tuple[np.ndarray, np.ndarray]]
    offset: float = 0.0
    sign: float = 1.0
    unit: Callable[[Any], Any] | None = None  # from the score as it is computed to the one that is reported
    fast: bool = True
    none: float | None = None  # of a prediction that is the same for all rows
    failures: list[str] = field(default_factory=list)  # what a scorer said that could not score, the first time

    def reported(self, value: Any) -> Any:
        return value if self.unit is None else self.unit(value)

    def reported_error(self, value: float, error: float) -> float:
        """An error of the score at a value, in the unit of the score that is reported."""
        return float(self.reported(value) - self.reported(value - error))


def _row_losses(
    losses: Callable[[SplitPredictions], np.ndarray], base: Callable[[SplitPredictions], np.ndarray]
) -> Any:
    def parts(split: SplitPredictions, W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return losses(split) @ W, base(split) @ W

    return parts


def _ones(split: SplitPredictions) -> np.ndarray:
    return np.ones(len(split.target))


def _squares(split: SplitPredictions) -> np.ndarray:
    return (split.values - split.target) ** 2


def _absolute(split: SplitPredictions) -> np.ndarray:
    return np.abs(split.values - split.target)


def _about_training_mean(split: SplitPredictions) -> np.ndarray:
    return (split.target - split.mean) ** 2


def _log_losses(split: SplitPredictions) -> np.ndarray:
    if split.values.ndim == 2:
        p = np.clip(split.values, TINY, 1 - TINY)
        return -np.where(split.target == 1, np.log(p), np.log1p(-p))
    total = np.maximum(split.values.sum(axis=2), TINY)
    p = split.values[:, np.arange(len(split.target)), split.target] / total
    return -np.log(np.clip(p, TINY, 1.0))


def _hits(split: SplitPredictions) -> np.ndarray:
    return np.asarray(split.labels == split.target, dtype=np.float64)


def concordant_pairs(values: np.ndarray, positive: np.ndarray, W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(U, B) Σ wᵢ wⱼ (1[vᵢ > vⱼ] + ½ 1[vᵢ = vⱼ]) over pairs of a positive row i and another row j, for each of U
    predictions (U, m) and each column of W (m, B); and (B,) Σ wᵢ wⱼ over the pairs.
    """
    W = np.ascontiguousarray(W, dtype=np.float64)
    values = np.ascontiguousarray(values, dtype=np.float64)
    positive = np.ascontiguousarray(positive, dtype=bool)
    order = np.argsort(values, axis=1, kind="stable").astype(np.int64)
    out = np.empty((len(values), W.shape[1]))
    kernels.concordant_pairs(values, order, positive, W, out, 1)
    return out, W[positive].sum(axis=0) * W[~positive].sum(axis=0)


def _auc(split: SplitPredictions, W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if split.values.ndim == 2:
        return concordant_pairs(split.values, split.target == 1, W)
    won, there = np.zeros((len(split.values), W.shape[1])), np.zeros(W.shape[1])
    for k in range(split.n_classes):
        concordant, pairs = concordant_pairs(np.ascontiguousarray(split.values[:, :, k]), split.target == k, W)
        seen = pairs > 0
        won[:, seen] += concordant[:, seen] / pairs[seen]
        there += seen
    return won, there


R2 = Score("r2", "R²", _row_losses(_squares, _about_training_mean), 1.0, -1.0, none=0.0)
AUC = Score("roc_auc", "AUC", _auc, none=0.5)
LOG_LOSS = Score("neg_log_loss", "−log loss", _row_losses(_log_losses, _ones), 0.0, -1.0)
ACCURACY = Score("accuracy", "accuracy", _row_losses(_hits, _ones))
MSE = Score("neg_mean_squared_error", "−squared error", _row_losses(_squares, _ones), 0.0, -1.0)
MAE = Score("neg_mean_absolute_error", "−absolute error", _row_losses(_absolute, _ones), 0.0, -1.0)
RMSE = Score(
    "neg_root_mean_squared_error", "−root mean squared error", MSE.parts, 0.0, -1.0,
    lambda value: -np.sqrt(np.maximum(0.0, -value)),
)  # fmt: skip
REGRESSION = {score.name: score for score in (R2, MSE, MAE, RMSE)}
CLASSIFICATION = {score.name: score for score in (AUC, LOG_LOSS, ACCURACY)} | {"roc_auc_ovr": AUC}


def as_score(scoring: Any, table: ComparisonTable, learners: list[Learner]) -> Score:
    """The score that ``scoring`` names; None: AUC for classes, R² for numbers. What cannot score is refused."""
    task = table.task
    if scoring is None:
        return AUC if task == "classification" else R2
    known = CLASSIFICATION if task == "classification" else REGRESSION
    if isinstance(scoring, str) and scoring in known:
        if scoring == "neg_log_loss" and not all(learner.probabilities for learner in learners):
            raise InputError(
                "scoring='neg_log_loss' needs learners with predict_proba: give another score or estimator",
                argument="scoring",
            )
        return known[scoring]
    if not isinstance(scoring, str) and not callable(scoring):
        raise InputError(
            f"scoring must be the name of one score of scikit-learn, or a scorer, got {scoring!r}", argument="scoring"
        )
    name = scoring if isinstance(scoring, str) else getattr(scoring, "__name__", "score")
    try:
        scorer = get_scorer(scoring) if isinstance(scoring, str) else check_scoring(learners[0].estimator, scoring)
        _require_responses(scorer, learners)
        weighted = _takes_weights(scorer, table)
    except Exception as error:  # whatever a user's function says
        raise InputError(f"scoring={name!r} cannot be used: {error}", argument="scoring") from None
    failures: list[str] = []
    parts = _by_scorer(scorer, weighted, failures)
    return Score(name, name.replace("_", " "), parts, fast=False, failures=failures)


def _require_responses(scorer: Any, learners: list[Learner]) -> None:
    """Every learner has one of the methods that the scorer asks for."""
    methods = getattr(scorer, "_response_method", ())
    methods = (methods,) if isinstance(methods, str) else methods
    lacking = [one.name for one in learners if methods and not any(hasattr(one.estimator, name) for name in methods)]
    if lacking:
        raise InputError(f"it needs {' or '.join(methods)}, which {', '.join(lacking)} has not")


def _takes_weights(scorer: Any, table: ComparisonTable) -> bool:
    """Whether it takes weights of rows, by a call as it will be made for every fit, on the mean or the shares of the
    classes. What it says is said where it scores neither so nor so, or where there are weights.
    """
    rows = np.arange(table.n)
    weight = np.ones(table.n) if table.weight is None else table.weight
    split = split_predictions(table, rows, rows, [constant_prediction(table.rows(rows), table.n)], [True])
    try:
        float(_call(scorer, split, 0, weight, True))
        return True
    except Exception:
        if table.weight is not None:
            raise
        float(_call(scorer, split, 0, weight, False))
        return False


def _by_scorer(scorer: Any, weighted: bool, failures: list[str]) -> Any:
    """Parts by any scorer of scikit-learn, which sees the stored predictions; the splits count alike.

    Where it takes no weights, a row that was drawn w times is there w times. Splits that it cannot score count 0 of 0.
    """

    def parts(split: SplitPredictions, W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        out, there = np.zeros((len(split.values), W.shape[1])), np.zeros(W.shape[1])
        for b in range(W.shape[1]):
            values = [_scored(scorer, split, u, W[:, b], weighted, failures) for u in range(len(split.values))]
            if np.isfinite(values).all():
                out[:, b], there[b] = values, 1.0
        return out, there

    return parts


def _scored(scorer: Any, split: SplitPredictions, u: int, w: np.ndarray, weighted: bool, failures: list[str]) -> float:
    if not w.any():
        return np.nan
    try:
        return float(_call(scorer, split, u, w, weighted))
    except Exception as error:  # of few rows: a class is missing, a number is divided by nothing
        if not failures:
            failures.append(str(error) or type(error).__name__)
        return np.nan


def _call(scorer: Any, split: SplitPredictions, u: int, w: np.ndarray, weighted: bool) -> Any:
    at = np.flatnonzero(w) if weighted else np.repeat(np.arange(len(w)), w.astype(np.intp))
    truth = split.target[at] if split.classes is None else split.classes[split.target[at]]
    stored = StoredNumbers(split.values[u]) if split.classes is None else StoredClasses(split, u)
    given = {"sample_weight": w[at]} if weighted else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of few rows drawn: that a class is missing
        return scorer(stored, at[:, None], truth, **given)


class StoredNumbers(RegressorMixin, BaseEstimator):
    """Predictions that were made, by the number of their row."""

    def __init__(self, values: Any) -> None:
        self.values = values
        self.fitted_ = True

    def predict(self, X: Any) -> np.ndarray:
        return self.values[X[:, 0]]


class StoredClasses(ClassifierMixin, BaseEstimator):
    """The same for classes: the class, and what else was stored."""

    def __init__(self, split: Any, u: int) -> None:
        self.split = split
        self.u = u
        self.classes_ = split.classes

    def predict(self, X: Any) -> np.ndarray:
        return self.classes_[self.split.labels[self.u][X[:, 0]]]

    @available_if(lambda stored: stored.split.probabilities[stored.u])
    def predict_proba(self, X: Any) -> np.ndarray:
        values = self.split.values[self.u][X[:, 0]]
        return np.column_stack([1 - values, values]) if values.ndim == 1 else values

    @available_if(lambda stored: stored.split.decisions[stored.u] is not None)
    def decision_function(self, X: Any) -> np.ndarray:
        return self.split.decisions[self.u][X[:, 0]]


def beside(task: str) -> dict[str, Score]:
    """What is reported beside the score that chooses."""
    if task == "classification":
        return {"auc": AUC, "log_loss": LOG_LOSS, "accuracy": ACCURACY}
    return {"r2": R2, "rmse": RMSE, "mae": MAE}


def split_predictions(
    table: ComparisonTable,
    train: np.ndarray,
    test: np.ndarray,
    found: list[RowPredictions],
    probabilities: list[bool],
) -> SplitPredictions:
    rows, values = table.rows(train), np.stack([one.values for one in found])
    if table.classes is None:
        mean = float(np.average(rows.y, weights=rows.weight))
        return SplitPredictions(values, table.target[test], mean, None, test)
    labels = np.stack([np.asarray(one.labels) for one in found])
    decisions = [one.decision for one in found]
    return SplitPredictions(values, table.target[test], 0.0, table.classes, test, labels, decisions, probabilities)
