"""How good a subset is: the contract of an evaluation."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from tamis._core.progress import Steps, silent
from tamis.selection.description import ScoreDescription, describe_anew, in_words
from tamis.selection.search.base import Index
from tamis.sources.base import Source

NAN_SCORE = "failed: the score is not a number"
N_SHUFFLES = 199
SCORING = ("score", "gains", "losses", "score_by_fold", "gains_by_fold", "losses_by_fold", "score_subsets", "compare")


@dataclass(frozen=True)
class SubsetScore:
    """The score of a subset of columns.

    ``folds`` are the scores of the folds where the score is their mean, ``spread`` their standard deviation;
    ``failure`` says why a score is not a number; ``weights`` are those of the columns in a model of them, where the
    search uses them.
    """

    score: float
    seconds: float = 0.0
    spread: float = np.nan
    failure: str = ""
    weights: tuple[float, ...] | None = None
    folds: tuple[float, ...] = ()

    @classmethod
    def of_folds(cls, folds: Any, seconds: float, failure: str = "") -> SubsetScore:
        """The mean over folds; not a number where one of them failed."""
        scores = np.asarray(folds, dtype=np.float64)
        if not failure and np.isnan(scores).any():
            failure = "failed: the score of a fold is not a number"
        mean = np.nan if failure else float(scores.mean())
        return cls(mean, seconds, float(scores.std()), failure, folds=tuple(scores.tolist()))


class Evaluation(BaseEstimator):
    """How good a subset is, higher being better.

    ``monotone``: a superset never scores less (to rounding). ``incremental``: the score is the sum of what each
    column adds to those before it, so their order matters; for searches that only add. ``has_weights``: there is a
    model behind it whose weights tell which columns matter. ``takes_groups``: it cross-validates, and its ``prepare``
    takes ``groups=``, one label per row, which goes to the splitter.

    ``prepare`` reads the source once; the state it returns is handed to every other call and may remember what the
    last one found. ``gains`` and ``losses`` score many candidates at once, ``score_subsets`` many subsets; what is
    here calls ``score`` for each. ``null_gains`` are those of targets shuffled given the subset, for searches that end
    where nothing is significant. One whose score is a mean over folds may also have ``score_by_fold`` (F,),
    ``gains_by_fold`` and ``losses_by_fold`` (n_candidates, F), with the same arguments: they are called instead.
    """

    monotone = False
    incremental = False
    has_weights = False
    takes_groups = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        describe_anew(cls, Evaluation.describe, SCORING)

    def describe(self) -> ScoreDescription:
        """The score in words, for plots and reports; override it to say more than the name of the class."""
        kind = type(self).__name__
        return ScoreDescription(in_words(kind), f"what {kind} gives for it; higher is better")

    def prepare(self, source: Source, *, n_jobs: int | None = None, steps: Steps = silent) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not say what it prepares")

    def score(self, state: Any, subset: Index) -> float:
        raise NotImplementedError(f"{type(self).__name__} does not say how it scores")

    def classes(self, state: Any) -> np.ndarray | None:
        """The target's values in the order of its classes; None where it has no classes, or they do not matter."""
        return None

    def n_scores(self, state: Any) -> int:
        """How many scores, of folds, a score is the mean of; 1 where it is no mean."""
        return 1

    def has_folds(self) -> bool:
        """Whether its score, as it is set, is a mean over folds that the methods ``…_by_fold`` give."""
        return True

    def n_parallel(self, state: Any) -> int:
        """How many subsets its workers can evaluate in parallel."""
        return 1

    def score_subsets(self, state: Any, subsets: Sequence[Index]) -> Iterator[SubsetScore]:
        """The score of each subset, in their order, as soon as it is known; one that fails does not end the rest."""
        for subset in subsets:
            began = time.perf_counter()
            try:
                yield self._score_one(state, subset, began)
            except Exception as error:
                failure = f"failed: {type(error).__name__}: {error}"
                yield SubsetScore(np.nan, time.perf_counter() - began, failure=failure)

    def _score_one(self, state: Any, subset: Index, began: float) -> SubsetScore:
        by_fold = by_fold_method(self, "score")
        if by_fold is not None:
            folds = by_fold(state, subset)
            return SubsetScore.of_folds(folds, time.perf_counter() - began)
        score = float(self.score(state, subset))
        return SubsetScore(score, time.perf_counter() - began, failure=NAN_SCORE if np.isnan(score) else "")

    def weights(self, state: Any, subset: Index) -> np.ndarray:
        """How much each column of the subset weighs in the model, none below 0; in the order of the subset."""
        raise NotImplementedError(f"{type(self).__name__} has no weights")

    def score_with_weights(self, state: Any, subsets: Sequence[Index]) -> Iterator[SubsetScore]:
        """As ``score_subsets``, with the weights."""
        for subset, scored in zip(subsets, self.score_subsets(state, subsets), strict=True):
            if scored.failure:
                yield scored
                continue
            began = time.perf_counter()
            try:
                weights, failure = tuple(float(w) for w in self.weights(state, subset)), ""
            except Exception as error:
                weights, failure = None, f"failed: {type(error).__name__}: {error}"
            score = np.nan if failure else scored.score
            seconds = scored.seconds + time.perf_counter() - began
            yield replace(scored, score=score, seconds=seconds, failure=failure, weights=weights)

    def gains(self, state: Any, subset: Index, candidates: Sequence[int]) -> np.ndarray:
        """Score of subset + {j} for each candidate j."""
        return np.array([self.score(state, (*subset, j)) for j in candidates])

    def losses(self, state: Any, subset: Index, candidates: Sequence[int]) -> np.ndarray:
        """Score of subset − {j} for each candidate j."""
        return np.array([self.score(state, tuple(k for k in subset if k != j)) for j in candidates])

    @property
    def tests_columns(self) -> bool:
        """Whether it has ``null_gains`` of the scores it gives: not where a subclass scores otherwise."""
        for kind in type(self).__mro__:
            if "null_gains" in vars(kind):
                return kind is not Evaluation
            if vars(kind).keys() & {"score", "gains"}:
                return False
        return False

    def tested(self, state: Any) -> Any:
        """The state whose ``gains`` are compared with its ``null_gains``: this one, or that of fewer rows."""
        return state

    def null_gains(
        self,
        state: Any,
        subset: Index,
        candidates: Sequence[int],
        rng: np.random.Generator,
        n_shuffles: int = N_SHUFFLES,
    ) -> np.ndarray:
        """(n_shuffles, n_candidates) what ``gains`` would be of targets shuffled so that the subset tells about them
        what it does, and the candidates nothing more."""
        raise NotImplementedError(f"{type(self).__name__} cannot shuffle its target")


def by_fold_method(evaluation: Evaluation, method: str) -> Callable[..., np.ndarray] | None:
    """What gives the scores of the folds that ``method`` is the mean of; None where there is none, or where a
    subclass has a ``method`` of its own.
    """
    for kind in type(evaluation).__mro__:
        if f"{method}_by_fold" in vars(kind):
            found: Callable[..., np.ndarray] = getattr(evaluation, f"{method}_by_fold")
            return found if evaluation.has_folds() else None
        if method in vars(kind):
            return None
    return None
