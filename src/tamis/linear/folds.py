"""Cross-validation: what is trained on each split, and the error on what was held out.

With the Gram strategy every fold has a Gram matrix of its own (``stats.fold_grams``). On rows, a fold is the same
operator with each row weighted by how often it is trained on, so nothing is copied. The error is the mean loss, or any
scikit-learn scorer with its sign turned.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import check_scoring
from sklearn.metrics._scorer import _BaseScorer

from tamis._core.errors import InputError
from tamis._core.progress import Steps
from tamis._core.threads import blas_threads, free_thread, thread_count
from tamis._kernels.interruption import InterruptibleThreads, until_interrupted
from tamis.base.training_data import TrainingData
from tamis.linear.adaptive import adapt
from tamis.linear.fit_problem import FitProblem, SeparateTargets, unfinished
from tamis.linear.gram import GramFitProblem, problem_of
from tamis.linear.plan import Plan
from tamis.linear.rows_problem import RowsFitProblem
from tamis.penalties import Penalty
from tamis.solvers.paths import SolvedPath
from tamis.stats.fold_grams import FoldGram, require_weight


class Fold(Protocol):
    """One split."""

    @property
    def test(self) -> np.ndarray: ...

    def problem(self, plan: Plan) -> FitProblem:
        """The problem of the training rows: made when needed, for it may be large."""
        ...

    def errors(self, problem: Any, path: SolvedPath) -> np.ndarray:
        """The mean loss of every α of the path on the held-out rows."""
        ...


Measure = Callable[[Fold, FitProblem, SolvedPath], np.ndarray]


@dataclass(frozen=True)
class GramFold:
    """A split whose parts are Gram matrices."""

    grams: FoldGram

    @property
    def test(self) -> np.ndarray:
        return self.grams.test

    def problem(self, plan: Plan) -> GramFitProblem:
        return problem_of(self.grams.training(), plan)

    def errors(self, problem: GramFitProblem, path: SolvedPath) -> np.ndarray:
        """mean (y − Xw − b)² = yy − 2 qᵀw + wᵀGw + (difference of the means)², about the held-out rows' own means."""
        held_out = self.grams.held_out
        used = np.flatnonzero((path.coefs != 0).any(axis=0))
        w = path.coefs[:, used]
        G, q, yy = held_out.normalised(used)
        spread = yy - 2 * w @ q + np.einsum("ij,ij->i", w @ G, w)
        if problem.plan.fit_intercept:
            shift = held_out.mean_minus(problem.gram)
            bias = shift[-1] - w @ shift[used]
        else:
            bias = held_out.y_mean - w @ held_out.mean[used]
        return np.maximum(spread, 0.0) + bias**2


@dataclass(frozen=True)
class RowsFold:
    """A split of rows at hand: training is the whole problem, rows weighted by how often they are trained on."""

    train: np.ndarray
    test: np.ndarray
    whole: RowsFitProblem | SeparateTargets

    def problem(self, plan: Plan) -> RowsFitProblem | SeparateTargets:
        times = np.bincount(self.train, minlength=self.whole.n).astype(np.float64)
        weight = times if self.whole.weight is None else times * self.whole.weight
        require_weight(weight.sum(), "training")
        return self.whole.reweighted(weight, plan)

    def errors(self, problem: Any, path: SolvedPath) -> np.ndarray:
        weight = None if self.whole.weight is None else self.whole.weight[self.test]
        require_weight(len(self.test) if weight is None else weight.sum(), "held-out")
        losses: np.ndarray = problem.losses(path, self.test, weight)  # about the points that the fit was about
        return losses


def held_out_errors(
    folds: Sequence[Fold],
    plan: Plan,
    penalties: Sequence[Penalty],
    alphas: Sequence[np.ndarray],
    measure: Measure,
    steps: Steps,
) -> tuple[np.ndarray, int]:
    """``measure`` of every penalty, α and fold: (n_penalties, n_alphas, n_folds); and of how many the fit did not
    converge. Folds run in parallel.
    """

    def of(fold: Fold) -> tuple[np.ndarray, int]:
        problem = adapt(fold.problem(plan), plan)  # from the training rows alone
        each = zip(penalties, alphas, strict=True)
        problems = [(problem.with_penalty(q) if len(penalties) > 1 else problem, a) for q, a in each]
        measured, left = zip(*(_measured(fold, one, one.path(a), measure) for one, a in problems), strict=True)
        return np.stack(measured), sum(left)

    n_threads = min(len(folds), thread_count(plan.n_jobs))
    with InterruptibleThreads(n_threads, free_thread) as pool, blas_threads(1):
        errors, left = zip(*steps(pool.map(of, folds), "folds", len(folds)), strict=True)
    return np.stack(errors, axis=-1), sum(left)


def _measured(fold: Fold, problem: FitProblem, path: SolvedPath, measure: Measure) -> tuple[np.ndarray, int]:
    return measure(fold, problem, path), unfinished(problem, path)


def held_out_loss(fold: Fold, problem: Any, path: SolvedPath) -> np.ndarray:
    """Mean squared error, or log loss."""
    return fold.errors(problem, path)


def held_out_score(model: Any, scoring: Any, data: TrainingData) -> Measure:
    """Minus the scorer's value, for a model with the coefficients of each α in turn."""
    scorer = _scorer(model, scoring)
    if not data.in_memory:
        raise InputError(
            f"scoring={scoring!r} needs rows in memory: leave it out to score by the loss", argument="scoring"
        )
    X = data.matrix.tocsr() if sp.issparse(data.matrix) else data.matrix
    y = data.y if data.classes is None else data.classes[data.codes]
    weight = data.weight if isinstance(scorer, _BaseScorer) else None

    def measure(fold: Fold, problem: Any, path: SolvedPath) -> np.ndarray:
        given = {} if weight is None else {"sample_weight": weight[fold.test]}
        X_test, y_test = X[fold.test].astype(np.float64, copy=False), y[fold.test]  # predictions are as fine as X
        models = (
            _with_coefficients(model, w, b) for w, b in until_interrupted(zip(path.coefs, path.intercepts, strict=True))
        )
        return -np.array([float(scorer(fitted, X_test, y_test, **given)) for fitted in models])

    return measure


def _scorer(model: Any, scoring: Any) -> Any:
    try:
        return check_scoring(model, scoring=scoring)
    except (ValueError, TypeError) as error:
        raise InputError(f"scoring={scoring!r} is not a scorer of scikit-learn: {error}", argument="scoring") from None


def _with_coefficients(model: Any, coef: np.ndarray, intercept: Any) -> Any:
    """The model as if fitted with these coefficients, for columns without names."""
    fitted = copy.copy(model)
    fitted.__dict__.pop("feature_names_in_", None)
    fitted.coef_, fitted.intercept_ = model._shaped(coef, intercept)
    return fitted
