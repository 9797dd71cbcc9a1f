"""What a path is worth on held-out rows: its mean loss, or any scikit-learn scorer with its sign turned."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import check_scoring
from sklearn.metrics._scorer import _BaseScorer

from tamis._core.errors import InputError
from tamis._kernels.interruption import until_interrupted
from tamis.linear.door import Rows
from tamis.linear.folds import Fold, Measure
from tamis.solvers.paths import SolvedPath


def loss(fold: Fold, standing: Any, path: SolvedPath) -> np.ndarray:
    """Mean squared error, or log loss."""
    return fold.errors(standing, path)


def scored_by(model: Any, scoring: Any, rows: Rows) -> Measure:
    """Minus the scorer's value, for a model with the coefficients of each α in turn."""
    scorer = _scorer(model, scoring)
    if not rows.in_memory:
        raise InputError(f"scoring={scoring!r} needs rows in memory: leave it out to score by the loss")
    X = rows.matrix.tocsr() if sp.issparse(rows.matrix) else rows.matrix
    y = rows.y if rows.classes is None else rows.classes[rows.codes]
    weight = rows.weight if isinstance(scorer, _BaseScorer) else None

    def measure(fold: Fold, standing: Any, path: SolvedPath) -> np.ndarray:
        given = {} if weight is None else {"sample_weight": weight[fold.test]}
        X_test, y_test = X[fold.test].astype(np.float64, copy=False), y[fold.test]  # predictions are as fine as X
        models = (_light(model, w, b) for w, b in until_interrupted(zip(path.coefs, path.intercepts, strict=True)))
        return -np.array([float(scorer(light, X_test, y_test, **given)) for light in models])

    return measure


def _scorer(model: Any, scoring: Any) -> Any:
    try:
        return check_scoring(model, scoring=scoring)
    except (ValueError, TypeError) as error:
        raise InputError(f"scoring={scoring!r} is not a scorer of scikit-learn: {error}") from None


def _light(model: Any, coef: np.ndarray, intercept: Any) -> Any:
    """The model as if fitted with these coefficients, for columns without names."""
    light = copy.copy(model)
    light.__dict__.pop("feature_names_in_", None)
    light.coef_, light.intercept_ = model._shaped(coef, intercept)
    return light
