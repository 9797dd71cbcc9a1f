"""Any learner's cross-validated score."""

from __future__ import annotations

import time
import warnings
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv

from tamis._core.errors import InputError
from tamis._core.progress import Steps, silent
from tamis.selection.evaluation.base import Answer, Evaluation
from tamis.selection.search.base import Index
from tamis.sources import gather
from tamis.sources.base import Source


@dataclass
class Learning:
    """The table in memory, its splits, and what is known of the subsets that were asked for."""

    X: Any
    y: np.ndarray
    splits: list[tuple[np.ndarray, np.ndarray]]
    learner: Any
    scorer: Any
    n_jobs: int | None
    known: dict[frozenset[int], Answer] = field(default_factory=dict)


class CrossValidated(Evaluation):
    """The mean score of a learner over the folds of a cross-validation; every subset is fitted once.

    Candidates and folds run in parallel through joblib, with the selector's ``n_jobs`` or the joblib backend that is
    set. A subset whose fit raises in a fold is recorded as failed with the error. Sparse tables stay sparse.

    Parameters
    ----------
    estimator : scikit-learn estimator
        Cloned for every fit.
    cv : int, splitter or splits
        As in scikit-learn: folds of classes are stratified.
    scoring : str, callable or None
        None takes the estimator's own score.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from tamis import SubsetSelector
    >>> from tamis.selection import CrossValidated
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = SubsetSelector("forward", CrossValidated(KNeighborsClassifier())).fit(X, y)
    >>> selector.selected_features_, round(selector.score_, 3)
    (['petal width (cm)', 'petal length (cm)'], 0.967)
    """

    weighs = True

    def __init__(self, estimator: Any, cv: Any = 5, scoring: Any = None) -> None:
        self.estimator = estimator
        self.cv = cv
        self.scoring = scoring

    def prepare(self, source: Source, *, n_jobs: int | None = None, steps: Steps = silent) -> Learning:
        del steps
        block = gather(source)
        if block.weight is not None:
            raise InputError(
                "sample_weight: CrossValidated fits and scores all rows alike; leave it out, or use LinearFit"
            )
        X = block.X.tocsr() if sp.issparse(block.X) else block.X
        y: Any = block.y
        try:
            scorer = check_scoring(self.estimator, scoring=self.scoring)
        except (TypeError, ValueError) as error:
            raise InputError(f"estimator={self.estimator!r} cannot be scored: {error}") from None
        if is_classifier(self.estimator) and np.array_equal(y, np.rint(y)):
            y = y.astype(np.int64)  # learners sort out classes of whole numbers sooner
        splitter = check_cv(self.cv, y, classifier=is_classifier(self.estimator))
        try:
            splits = list(splitter.split(np.zeros((len(y), 1)), y))
        except ValueError as error:
            raise InputError(f"cv={self.cv!r} cannot split n_samples={len(y)} rows: {error}") from None
        return Learning(X, y, splits, self.estimator, scorer, n_jobs)

    def score(self, state: Learning, subset: Index) -> float:
        (answer,) = self.answers(state, [subset])
        if answer.failure:
            raise RuntimeError(answer.failure)
        return answer.score

    def answers(self, state: Learning, subsets: Sequence[Index]) -> Iterator[Answer]:
        new = list({frozenset(s): tuple(s) for s in subsets if frozenset(s) not in state.known}.values())
        with closing(self._fits(state, tuple(new))) as fits:
            for subset in subsets:
                key = frozenset(subset)
                while key not in state.known:
                    done = new.pop(0)
                    state.known[frozenset(done)] = _together([next(fits) for _ in state.splits])
                yield state.known[key]

    def weights(self, state: Learning, subset: Index) -> np.ndarray:
        """Of the learner fitted on all rows: ``coef_`` (over several outputs √Σ²) or ``feature_importances_``; of a
        pipeline, those of its last step.
        """
        fitted = clone(state.learner).fit(_columns(state.X, subset), state.y)
        last = fitted[-1] if hasattr(fitted, "steps") else fitted
        if hasattr(last, "coef_"):
            coef = last.coef_.toarray() if sp.issparse(last.coef_) else np.asarray(last.coef_)
            weights = np.sqrt(np.sum(np.atleast_2d(coef) ** 2, axis=0))
        elif hasattr(last, "feature_importances_"):
            weights = np.abs(last.feature_importances_)
        else:
            raise InputError(f"{type(last).__name__} has neither coef_ nor feature_importances_ to weigh columns by")
        if len(weights) != len(subset):
            raise InputError(f"{type(last).__name__} weighs {len(weights)} columns, not the {len(subset)} it was given")
        return weights

    @staticmethod
    def _fits(state: Learning, subsets: Sequence[Index]) -> Generator[tuple[float, float, str], None, None]:
        """(score, seconds, failure) of every subset and fold, in their order, as they are done."""
        if effective_n_jobs(state.n_jobs) == 1:
            for subset in subsets:
                X = _columns(state.X, subset)
                for train, test in state.splits:
                    yield _fit(state.learner, X, state.y, train, test, state.scorer)
            return
        jobs = (
            delayed(_fit_subset)(state.learner, state.X, state.y, subset, train, test, state.scorer)
            for subset in subsets
            for train, test in state.splits
        )
        outputs = Parallel(n_jobs=state.n_jobs, return_as="generator")(jobs)
        try:
            for output in outputs:  # noqa: UP028  closed below, where joblib's complaint about unused fits is muted
                yield output
        finally:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                outputs.close()


def _fit_subset(
    learner: Any, X: Any, y: np.ndarray, subset: Index, train: np.ndarray, test: np.ndarray, scorer: Any
) -> tuple[float, float, str]:
    return _fit(learner, _columns(X, subset), y, train, test, scorer)


def _fit(
    learner: Any, X: Any, y: np.ndarray, train: np.ndarray, test: np.ndarray, scorer: Any
) -> tuple[float, float, str]:
    began = time.perf_counter()
    try:
        fitted = clone(learner).fit(X[train], y[train])
        score, failure = float(scorer(fitted, X[test], y[test])), ""
    except Exception as error:  # told in the history; the search goes on
        score, failure = np.nan, f"failed: {type(error).__name__}: {error}"
    return score, time.perf_counter() - began, failure


def _columns(X: Any, subset: Index) -> Any:
    return X[:, list(subset)]


def _together(folds: list[tuple[float, float, str]]) -> Answer:
    scores = np.array([score for score, _, _ in folds])
    failure = next((why for _, _, why in folds if why), "")
    if not failure and np.isnan(scores).any():
        failure = "failed: the score of a fold is not a number"
    seconds = sum(s for _, s, _ in folds)
    return Answer(np.nan if failure else float(scores.mean()), seconds, float(scores.std()), failure)
