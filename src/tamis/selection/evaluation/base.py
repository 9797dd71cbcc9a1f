"""How good a subset is: the contract of an evaluation."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from tamis._core.progress import Steps, silent
from tamis.selection.search.base import Index
from tamis.sources.base import Source

NO_NUMBER = "failed: the score is not a number"


@dataclass(frozen=True)
class Answer:
    """What is known of a subset of columns.

    ``spread`` is the standard deviation of a score that is a mean of several; ``failure`` says why a score is not a
    number; ``weights`` are those of the columns in a model of them, where somebody asked.
    """

    score: float
    seconds: float = 0.0
    spread: float = np.nan
    failure: str = ""
    weights: tuple[float, ...] | None = None


class Evaluation(BaseEstimator):
    """How good a subset is, higher being better.

    ``monotone``: a superset never scores less (to rounding). ``incremental``: the score is the sum of what each
    column adds to those before it, so their order matters; for searches that only add. ``weighs``: there is a model
    behind it whose weights tell which columns matter.

    ``prepare`` reads the source once; the state it returns is handed to every other call and may remember what the
    last one found. ``gains`` and ``losses`` answer for many candidates at once, ``answers`` for many subsets; what is
    here asks ``score`` for each.
    """

    monotone = False
    incremental = False
    weighs = False

    def prepare(self, source: Source, *, n_jobs: int | None = None, steps: Steps = silent) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not say what it prepares")

    def score(self, state: Any, subset: Index) -> float:
        raise NotImplementedError(f"{type(self).__name__} does not say how it scores")

    def classes(self, state: Any) -> np.ndarray | None:
        """The target's values in the order of its classes; None where it has no classes, or nobody needs to know."""
        return None

    def n_scores(self, state: Any) -> int:
        """How many scores, of folds, a score is the mean of; 1 where it is no mean."""
        return 1

    def spread(self, state: Any, subset: Index) -> float:
        """Standard deviation of these scores, all of them counted; not a number where it is no mean."""
        return np.nan

    def at_once(self, state: Any) -> int:
        """How many subsets its workers can be at together."""
        return 1

    def answers(self, state: Any, subsets: Sequence[Index]) -> Iterator[Answer]:
        """What is known of each subset, in their order, as soon as it is; one that fails does not end the rest."""
        for subset in subsets:
            began = time.perf_counter()
            try:
                score, failure = float(self.score(state, subset)), ""
            except Exception as error:
                score, failure = np.nan, f"failed: {type(error).__name__}: {error}"
            if np.isnan(score) and not failure:
                failure = NO_NUMBER
            yield Answer(score, time.perf_counter() - began, failure=failure)

    def weights(self, state: Any, subset: Index) -> np.ndarray:
        """How much each column of the subset weighs in the model, none below 0; in the order of the subset."""
        raise NotImplementedError(f"{type(self).__name__} has no weights")

    def weighed(self, state: Any, subsets: Sequence[Index]) -> Iterator[Answer]:
        """As ``answers``, with the weights."""
        for subset, answer in zip(subsets, self.answers(state, subsets), strict=True):
            if answer.failure:
                yield answer
                continue
            began = time.perf_counter()
            try:
                weights, failure = tuple(float(w) for w in self.weights(state, subset)), ""
            except Exception as error:
                weights, failure = None, f"failed: {type(error).__name__}: {error}"
            score = np.nan if failure else answer.score
            seconds = answer.seconds + time.perf_counter() - began
            yield replace(answer, score=score, seconds=seconds, failure=failure, weights=weights)

    def gains(self, state: Any, subset: Index, candidates: Sequence[int]) -> np.ndarray:
        """Score of subset + {j} for each candidate j."""
        return np.array([self.score(state, (*subset, j)) for j in candidates])

    def losses(self, state: Any, subset: Index, candidates: Sequence[int]) -> np.ndarray:
        """Score of subset − {j} for each candidate j."""
        return np.array([self.score(state, tuple(k for k in subset if k != j)) for j in candidates])
