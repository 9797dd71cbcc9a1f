"""What a model is worth on rows that took no part in it, neither in its coefficients nor in its α."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold

from tamis.selection.comparison.scores import ACCURACY, AUC, MAE, R2, Estimate, Score, SplitPredictions
from tamis.sources import InMemory, SomeRows

FOLDS = 5
MANY_ROWS = 50_000  # of more, one fifth is held out instead of each in turn: the interval is narrow enough
RESAMPLES = 500
QUICKER = {"tol": 1e-4, "alphas": 40}


@dataclass(frozen=True)
class HeldOut:
    """Scores with 95 % intervals on ``rows`` rows. Of classes ``auc`` (of several the mean of each against the others)
    and ``accuracy``, of numbers ``r2`` and ``mae``, the mean absolute error. ``null`` is the second of them for
    predictions that know no column: always the most frequent class, or the mean of the rows.
    """

    scores: dict[str, Estimate]
    null: float
    rows: int


def held_out_scores(rows: Any, estimator: Any, y: np.ndarray, task: str) -> tuple[HeldOut | None, list[str]]:
    """The estimator fitted again, its α chosen again, without each fifth of the rows; and notes where there is none."""
    classes = task == "classification"
    unknown = f"{'AUC and accuracy' if classes else 'R² and mean absolute error'} are not known"
    labels, counts = np.unique(y, return_counts=True)
    target = np.searchsorted(labels, y) if classes else np.asarray(y, dtype=np.float64)
    if classes and (len(labels) < 2 or counts.min() < FOLDS):
        return None, [f"{unknown}: a class has {counts.min()} rows, fewer than {FOLDS} folds"]
    if len(target) < 2 * FOLDS:
        return None, [f"{unknown}: {len(target)} rows are fewer than two for each of {FOLDS} folds"]
    splits = []
    for train, test in (StratifiedKFold if classes else KFold)(FOLDS, shuffle=True, random_state=1).split(
        target, target
    ):
        try:
            splits.append(_predicted(rows, _again(estimator), target, train, test))
        except ValueError as error:
            return None, [f"{unknown}: without a fifth of the rows, {error}"]
        if len(target) > MANY_ROWS:
            break
    at = np.sort(np.concatenate([split.rows for split in splits]))
    drawn = np.random.default_rng(0).multinomial(len(at), np.full(len(at), 1 / len(at)), size=RESAMPLES).T
    W = np.zeros((len(target), 1 + RESAMPLES))
    W[at, 0], W[at, 1:] = 1.0, drawn
    scores = {"auc": AUC, "accuracy": ACCURACY} if classes else {"r2": R2, "mae": MAE}
    found = {name: _estimate(score, splits, W) for name, score in scores.items()}
    return HeldOut(found, float(counts.max() / len(y)) if classes else _error_of_means(splits), len(at)), []


def _error_of_means(splits: list[SplitPredictions]) -> float:
    return float(np.mean(np.concatenate([np.abs(split.target - split.mean) for split in splits])))


def _again(estimator: Any) -> Any:
    """Unfitted, and solved less exactly, on fewer α, where it has them: predictions keep their first digits."""
    model = clone(estimator)
    given = model.get_params(deep=False)
    return model.set_params(**{name: value for name, value in QUICKER.items() if name in given})


def _predicted(rows: Any, model: Any, target: np.ndarray, train: np.ndarray, test: np.ndarray) -> SplitPredictions:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # said of the model of all rows
        model.fit(InMemory(SomeRows(rows, train)))
        X = InMemory(SomeRows(rows, test)).whole().X
        if not hasattr(model, "classes_"):
            values = np.asarray(model.predict(X), dtype=np.float64)
            if not np.isfinite(values).all():
                raise ValueError("predictions are too large for numbers")
            return SplitPredictions(values[None], target[test], float(target[train].mean()), None, test)
        kind = "predict_proba" if hasattr(model, "predict_proba") else "decision_function"
        values = np.asarray(getattr(model, kind)(X), dtype=np.float64)
        labels = np.searchsorted(model.classes_, model.predict(X))
    if kind == "predict_proba" and values.shape[1] == 2:
        values = values[:, 1]
    classes = np.asarray(model.classes_)
    return SplitPredictions(values[None], target[test], 0.0, classes, test, labels[None])


def _estimate(score: Score, splits: list[SplitPredictions], W: np.ndarray) -> Estimate:
    """In all rows held out (the first column of W), and where 95 % of their resamples are."""
    parts = [score.parts(split, W[split.rows]) for split in splits]
    top, bottom = sum(part[0][0] for part in parts), sum(part[1] for part in parts)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = score.offset + score.sign * top / bottom
    if score is MAE:
        values = -values  # an error is told as such
    low, high = np.quantile(values[1:][np.isfinite(values[1:])], (0.025, 0.975))
    return Estimate(float(values[0]), float(low), float(high))
