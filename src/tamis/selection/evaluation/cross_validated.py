"""Any learner's cross-validated score."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.base import is_classifier
from sklearn.metrics import check_scoring
from sklearn.utils.validation import has_fit_parameter

from tamis._core.errors import InputError
from tamis._core.progress import Steps, silent
from tamis.base.splits import Split, split_rows
from tamis.selection.description import ScoreDescription, in_words
from tamis.selection.evaluation.base import Evaluation, SubsetScore
from tamis.selection.evaluation.learner_rows import LabelsRefused, LearnerTable, check_learner, read_learner_table
from tamis.selection.search.base import Index
from tamis.sources.base import Source
from tamis.sources.dask_workers import unless_lost

SCORINGS = {"r2": "R²", "accuracy": "accuracy"}


@dataclass
class CrossValidationState:
    """The table, its splits, and the scores of the subsets evaluated so far."""

    rows: LearnerTable
    splits: list[Split]
    learner: Any
    scorer: Any
    n_jobs: int | None
    cache: dict[bytes, SubsetScore] = field(default_factory=dict)


class CrossValidated(Evaluation):
    """The mean score of a learner over the folds of a cross-validation; every subset is fitted once.

    Candidates and folds run in parallel through joblib, with the selector's ``n_jobs`` or the joblib backend that is
    set. A subset whose fit raises in a fold is recorded as failed with the error. Sparse tables stay sparse. Sample
    weights go to the learner's fit and to the score of each fold; the folds count alike.

    A learner with a step that transforms columns (a pipeline with an encoder, say) is handed the columns of the subset
    as a frame of the user's own library, where X is one. Any other learner is handed numbers: a column of labels as one
    0/1 column per label of the table, 0 in all of them where it is missing. The target's labels reach the learner and
    the scorer as they are.

    Parameters
    ----------
    estimator : scikit-learn estimator
        Cloned for every fit.
    cv : int, splitter or splits
        As in scikit-learn: folds of classes are stratified. A splitter that keeps groups of rows together, such as
        ``GroupKFold``, gets the ``groups`` that were given to ``fit``. Lists of rows are read as NumPy reads an index;
        a row that does not exist, and a split without rows to train or to test on, are errors.
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

    has_weights = True
    takes_groups = True

    def __init__(self, estimator: Any, cv: Any = 5, scoring: Any = None) -> None:
        self.estimator = estimator
        self.cv = cv
        self.scoring = scoring

    def describe(self) -> ScoreDescription:
        learner = type(getattr(self.estimator, "steps", [("", self.estimator)])[-1][1]).__name__
        if isinstance(self.scoring, str):
            measure = SCORINGS.get(self.scoring, in_words(self.scoring))
        else:
            measure = getattr(self.scoring, "__name__", "score")
        words = f"the {measure} of {learner} in rows left out, the mean over the folds"
        most = 1.0 if measure in SCORINGS.values() else None
        return ScoreDescription(f"cross-validated {measure} of {learner}", words, most=most, numbers=True)

    def prepare(
        self, source: Source, *, n_jobs: int | None = None, steps: Steps = silent, groups: Any = None
    ) -> CrossValidationState:
        del steps
        check_learner("estimator", self.estimator)
        scorer = self._scorer()
        rows = read_learner_table(source, self.estimator)
        if rows.weight is not None and not has_fit_parameter(self.estimator, "sample_weight"):
            raise InputError(
                f"sample_weight cannot be used: the fit of {type(self.estimator).__name__} takes none; leave it out, "
                "or take another estimator"
            )
        splits = split_rows(self.cv, rows.y, len(rows.y), classifier=is_classifier(self.estimator), groups=groups)
        return CrossValidationState(rows, splits, self.estimator, scorer, n_jobs)

    def _scorer(self) -> Any:
        callable_object = callable(self.scoring) and not isinstance(self.scoring, type)
        if not (self.scoring is None or isinstance(self.scoring, str) or callable_object):
            raise InputError(
                f"scoring must be the name of one score, a callable or None, got {self.scoring!r}", argument="scoring"
            )
        try:
            return check_scoring(self.estimator, scoring=self.scoring)
        except (TypeError, ValueError) as error:
            raise InputError(f"estimator={self.estimator!r} cannot be scored: {error}", argument="scoring") from None

    def score(self, state: CrossValidationState, subset: Index) -> float:
        (scored,) = self.score_subsets(state, [subset])
        if scored.failure:
            raise RuntimeError(scored.failure)
        return scored.score

    def score_subsets(self, state: CrossValidationState, subsets: Sequence[Index]) -> Iterator[SubsetScore]:
        keys = [_key(subset) for subset in subsets]
        new = {key: subset for key, subset in zip(keys, subsets, strict=True) if key not in state.cache}
        order = iter(new)
        with closing(self._fits(state, tuple(new.values()))) as fits:
            for key in keys:
                while key not in state.cache:
                    state.cache[next(order)] = _mean_over_folds([next(fits) for _ in state.splits])
                yield state.cache[key]

    def n_scores(self, state: CrossValidationState) -> int:
        return len(state.splits)

    def n_parallel(self, state: CrossValidationState) -> int:
        return int(effective_n_jobs(state.n_jobs))

    def weights(self, state: CrossValidationState, subset: Index) -> np.ndarray:
        """Of the learner fitted on all rows: ``coef_`` (over several outputs or labels √Σ²) or
        ``feature_importances_``; of a pipeline, those of its last step.
        """
        rows = state.rows.columns(subset)
        fitted = rows.fit(state.learner)
        last = fitted[-1] if hasattr(fitted, "steps") else fitted
        if hasattr(last, "coef_"):
            coef = last.coef_.toarray() if sp.issparse(last.coef_) else np.asarray(last.coef_)
            weights = np.sqrt(np.sum(np.atleast_2d(coef) ** 2, axis=0))
        elif hasattr(last, "feature_importances_"):
            weights = np.abs(last.feature_importances_)
        else:
            raise InputError(f"{type(last).__name__} has neither coef_ nor feature_importances_ to weigh columns by")
        given = len(subset) if rows.origin is None else len(rows.origin)
        if len(weights) != given:
            raise InputError(f"{type(last).__name__} weighs {len(weights)} columns, not the {given} it was given")
        if rows.origin is None:
            return weights
        return np.array([np.sqrt(np.sum(weights[rows.origin == j] ** 2)) for j in subset])

    @staticmethod
    def _fits(state: CrossValidationState, subsets: Sequence[Index]) -> Generator[tuple[float, float, str], None, None]:
        """(score, seconds, failure) of every subset and fold, in their order, as they are done."""
        if effective_n_jobs(state.n_jobs) == 1:
            for subset in subsets:
                rows = state.rows.columns(subset)
                for train, test in state.splits:
                    yield _fit(state.learner, state.scorer, rows, train, test)
            return
        running = True

        def jobs() -> Iterator[Any]:
            for subset in subsets:
                for train, test in state.splits:
                    if not running:
                        return
                    yield delayed(_fit_subset)(state.learner, state.scorer, state.rows, subset, train, test)

        outputs = unless_lost(Parallel(n_jobs=state.n_jobs, pre_dispatch="n_jobs", return_as="generator")(jobs()))
        try:
            for output in outputs:  # noqa: UP028  what is under way when this is closed is awaited below
                yield output
        except GeneratorExit:
            # Fits under way are finished: to close joblib's generator would kill its workers, which costs more than a
            # fit, and now and then fails in joblib's own thread.
            running = False
            for _ in outputs:
                pass
            raise


def _fit_subset(
    learner: Any, scorer: Any, rows: LearnerTable, subset: Index, train: np.ndarray, test: np.ndarray
) -> tuple[float, float, str]:
    return _fit(learner, scorer, rows.columns(subset), train, test)


def _fit(
    learner: Any, scorer: Any, rows: LearnerTable, train: np.ndarray, test: np.ndarray
) -> tuple[float, float, str]:
    began = time.perf_counter()
    try:
        score, failure = rows.score(scorer, rows.fit(learner, train), test), ""
    except LabelsRefused:
        raise
    except Exception as error:  # recorded in the history; the search goes on
        score, failure = np.nan, f"failed: {type(error).__name__}: {error}"
    return score, time.perf_counter() - began, failure


def _key(subset: Index) -> bytes:
    """Few bytes for a subset of any size, whatever its order."""
    return hashlib.blake2b(np.sort(np.asarray(subset, dtype=np.int64)).tobytes(), digest_size=16).digest()


def _mean_over_folds(folds: list[tuple[float, float, str]]) -> SubsetScore:
    failure = next((why for _, _, why in folds if why), "")
    return SubsetScore.of_folds([score for score, _, _ in folds], sum(s for _, s, _ in folds), failure)
