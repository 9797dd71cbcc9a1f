"""Scores the batches of subsets that a search proposes, until the search or the time ends; what a checkpoint holds is
not evaluated again."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import islice
from typing import Any, Protocol

import numpy as np

from tamis._core.errors import InputError
from tamis.selection.candidates import Candidates
from tamis.selection.evaluation import NAN_SCORE, Evaluation, SubsetScore
from tamis.selection.evaluation.base import by_fold_method
from tamis.selection.history import History
from tamis.selection.search.base import (
    Additions,
    AdditionsWithPValues,
    Best,
    Index,
    RandomSubset,
    Removals,
    Run,
    SubsetBatch,
    Subsets,
    SubsetWithWeights,
)
from tamis.selection.significance import significance


class ScoreCache(Protocol):
    """Where scores are kept from one run to the next."""

    def recall(self, columns: Index) -> SubsetScore | None: ...

    def __contains__(self, columns: Index) -> bool: ...

    def remember(self, scores: Iterable[tuple[Index, SubsetScore]]) -> None:
        """All of them, or after a kill none."""
        ...


class TimeLimitReached(Exception):
    """The time limit was reached within a round."""


class SubsetEvaluator:
    """One search on one table. ``best`` is the best subset of candidates so far among the sizes asked for; ``solved``
    tells whether any subset could be evaluated yet.
    """

    def __init__(
        self,
        evaluation: Evaluation,
        state: Any,
        candidates: Candidates,
        best: Best,
        history: History,
        cache: ScoreCache | None = None,
        deadline: float = np.inf,
    ) -> None:
        self.evaluation, self.state, self.candidates, self.history = evaluation, state, candidates, history
        self.cache, self.deadline = cache, deadline
        self.best = best
        self.solved = False
        self.last: Index = ()  # the last subset the search went on with, whatever its size
        self._single_scores: dict[int, float] = {}  # scores of columns on their own
        self._failures: list[str] = []
        self._best_place: tuple[SubsetBatch, int] | None = None  # the best, in the history
        self._tested: Any = None  # the state whose target is shuffled
        self._in_progress: Generator[SubsetScore, None, None] | None = None  # scores of draws that were begun ahead

    def rounds(self, run: Run) -> Generator[Index, None, None]:
        """Walk the search; yields the best so far after each round, the result last."""
        if not isinstance(run, Generator):
            raise InputError(
                f"search: run must be a generator that yields lists of subsets and returns the best, got {run!r}"
            )
        try:
            scores: np.ndarray | None = None
            while True:
                try:
                    proposed = run.send(scores)  # type: ignore[arg-type]
                except StopIteration as end:
                    yield self._subset("returns", end.value)
                    return
                scores = self._round(self._as_batch(proposed))
                yield self.best_so_far
        finally:
            if self._in_progress is not None:
                self._in_progress.close()

    def _as_batch(self, proposed: Any) -> SubsetBatch:
        if isinstance(proposed, SubsetBatch):
            return proposed
        if not isinstance(proposed, Sequence) or isinstance(proposed, str):
            raise InputError(f"search: run yields {proposed!r}, which is no list of subsets")
        return Subsets([self._subset("yields", subset) for subset in proposed])

    def _subset(self, does: str, given: Any) -> Index:
        """What a search of one's own yields or returns."""
        try:
            subset = tuple(int(j) for j in given)
        except (TypeError, ValueError):
            raise InputError(f"search: run {does} {given!r}, which is no subset: give a tuple of positions") from None
        n = len(self.candidates)
        if any(not 0 <= j < n for j in subset) or len(set(subset)) < len(subset):
            raise InputError(f"search: run {does} {subset}, which is no subset of the positions 0 to {n - 1}")
        return subset

    def _round(self, batch: SubsetBatch) -> np.ndarray:
        scores = self.score_batch(batch)
        if isinstance(batch, AdditionsWithPValues):
            batch.pvalues = self._pvalues(batch, scores)
        self.last = batch.parent or self.last
        scores = np.where(np.isnan(scores), -np.inf, scores)  # one that failed is never the best
        self._offer(batch, scores)
        return scores

    def _offer(self, batch: SubsetBatch, scores: np.ndarray) -> None:
        self.solved = self.solved or bool((scores > -np.inf).any())
        for i in np.flatnonzero(scores >= scores.max(initial=-np.inf)).tolist():
            before = self.best.subset
            self.best.offer(batch[i], float(scores[i]))
            if self.best.subset is not before:
                self._best_place = batch, i

    def _pvalues(self, batch: AdditionsWithPValues, scores: np.ndarray) -> np.ndarray:
        """Of every candidate beside the parent, against the largest of shuffled targets."""
        if self._tested is None:
            self._tested = self.evaluation.tested(self.state)
        state, rng = self._tested, np.random.default_rng(batch.seed)
        parent = self.candidates.columns(batch.parent)
        columns = self.candidates.first_columns[batch.candidates].tolist()
        observed = scores if state is self.state else self.evaluation.gains(state, parent, columns)
        drawn = significance(observed, lambda n: self.evaluation.null_gains(state, parent, columns, rng, n))
        return drawn.pvalues

    def stop_early(self, why: str) -> Index:
        """The best so far, noted as such in the history."""
        if self._best_place is not None:
            batch, i = self._best_place
            batch.keep(i, f"best so far when {why}")
        return self.best_so_far

    @property
    def best_so_far(self) -> Index:
        """The best subset of a size asked for; before there is one, what the search went on with last."""
        return self.best.subset if self.best.subset is not None else self.last

    def score_batch(self, batch: SubsetBatch) -> np.ndarray:
        """Scores, not a number where an evaluation failed; what was evaluated is in the history, whatever happens."""
        began = time.perf_counter()
        self._check_time()
        if self._has_batch_method(batch):
            scores, folds = self._score_together(batch)
            spreads = None if folds is None else folds.std(axis=1)
            self.history.add(batch, scores, time.perf_counter() - began, spreads, folds)
            return scores
        found: list[SubsetScore] = []
        scored = self._score_ahead(batch) if isinstance(batch, RandomSubset) else self._score_each(batch)
        try:
            for one in scored:
                if one.failure:
                    batch.leave(len(found), one.failure)
                found.append(one)
        finally:
            self._record(batch, found, time.perf_counter() - began)
        if isinstance(batch, SubsetWithWeights) and found[0].weights is not None:
            batch.weights = self.candidates.weights(batch[0], found[0].weights)
        return np.array([one.score for one in found])

    def _record(self, batch: SubsetBatch, found: list[SubsetScore], seconds: float) -> None:
        """Into the history, also where the round was not finished."""
        scores, spreads = (np.array([getattr(one, what) for one in found]) for what in ("score", "spread"))
        folds = [one.folds for one in found] if any(one.folds for one in found) else None
        if len(found) == len(batch):
            self.history.add(batch, scores, seconds, spreads, folds)
        elif found:
            part = Subsets(batch[: len(found)])
            part.parent, part.reasons = batch.parent, batch.reasons
            self.history.add(part, scores, seconds, spreads, folds)
            self._offer(part, np.where(np.isnan(scores), -np.inf, scores))

    def _score_each(self, batch: SubsetBatch) -> Iterator[SubsetScore]:
        """Scores from the cache, and the evaluation's for all others."""
        subsets = [self.candidates.columns(subset) for subset in batch]
        cached = [None if self.cache is None else self.cache.recall(columns) for columns in subsets]
        missing = [c for c, found in zip(subsets, cached, strict=True) if found is None]
        weighted = isinstance(batch, SubsetWithWeights)
        method = self.evaluation.score_with_weights if weighted else self.evaluation.score_subsets
        with closing(self._evaluate(missing, method)) as new:
            for columns, found in zip(subsets, cached, strict=True):
                self._check_time()
                score = next(new) if found is None else found
                if len(columns) == 1:
                    self._single_scores[columns[0]] = score.score
                yield score

    def _score_ahead(self, batch: RandomSubset) -> Iterator[SubsetScore]:
        """A score from the cache, or the evaluation's, which begins as many draws as it can work on in parallel."""
        columns = self.candidates.columns(batch[0])
        score = None if self.cache is None else self.cache.recall(columns)
        if score is None and self._in_progress is not None:
            score = next(self._in_progress, None)
        if score is None:
            ahead = map(self.candidates.columns, batch.ahead)
            new = [c for c in islice(ahead, self.evaluation.n_parallel(self.state) - 1) if not self._is_cached(c)]
            self._in_progress = self._evaluate([columns, *new], self.evaluation.score_subsets)
            score = next(self._in_progress)
        batch.ahead = ()  # the history keeps the batches, not the search behind them
        if len(columns) == 1:
            self._single_scores[columns[0]] = score.score
        yield score

    def _is_cached(self, columns: Index) -> bool:
        return self.cache is not None and columns in self.cache

    def _evaluate(
        self, missing: list[Index], method: Callable[..., Iterator[SubsetScore]]
    ) -> Generator[SubsetScore, None, None]:
        """Scores that are not in the cache, recorded there as soon as they are known."""
        scores = iter(method(self.state, missing))
        try:
            for columns, score in zip(missing, scores, strict=True):
                if self.cache is not None:
                    self.cache.remember([(columns, score)])
                if score.failure:
                    self._failures.append(score.failure)
                yield score
        finally:
            if isinstance(scores, Generator):
                scores.close()  # what still runs for it is stopped

    def final_score(self, best: Index) -> float:
        """The score of the chosen subset, evaluated as a whole where the search did not."""
        found = self.history.find(best)
        if found is None:
            whole = Subsets([best])
            score = float(self.score_batch(whole)[0])
            whole.keep(0, "the selected columns as a whole")
        else:
            batch, i, score = found
            if i not in batch.kept:
                batch.keep(i, "selected")
        if np.isnan(score):
            raise self.failure_error()
        return score

    @property
    def all_failed(self) -> bool:
        """Whether there were evaluations, all of which failed."""
        return bool(self._failures) and not self.solved

    def failure_error(self) -> InputError:
        """That nothing could be evaluated, with the first reason."""
        why = self._failures[0] if self._failures else "the search asked about none"
        return InputError(f"{type(self.evaluation).__name__} could not evaluate any subset: {why}")

    def single_scores(self, p: int) -> np.ndarray:
        """The score of every column alone. Where the search did not evaluate some, an evaluation that overrides
        ``gains`` scores all of them at once; another does not, for it may take long, and these are not a number.
        """
        if type(self.evaluation).gains is not Evaluation.gains and np.isnan(self._known_single_scores(p)).any():
            return np.asarray(self.evaluation.gains(self.state, (), range(p)), dtype=np.float64)
        return self._known_single_scores(p)

    def _known_single_scores(self, p: int) -> np.ndarray:
        out = np.full(p, np.nan)
        for columns, score in self._single_scores.items():
            out[columns] = score
        return out

    def _check_time(self) -> None:
        if time.monotonic() >= self.deadline:
            raise TimeLimitReached

    def _has_batch_method(self, batch: SubsetBatch) -> bool:
        """Whether the evaluation overrides what scores the whole batch at once."""
        if not self.candidates.single:
            return False
        kind = type(self.evaluation)
        return (isinstance(batch, Additions) and kind.gains is not Evaluation.gains) or (
            isinstance(batch, Removals) and kind.losses is not Evaluation.losses
        )

    def _score_together(self, batch: Any) -> tuple[np.ndarray, np.ndarray | None]:
        """Scores, and (n_candidates, F) those of the folds they are the means of, where there are folds."""
        parent = self.candidates.columns(batch.parent)
        columns = self.candidates.first_columns[batch.candidates]
        cache = self.cache
        cached = [] if cache is None else [cache.recall(self.candidates.columns(subset)) for subset in batch]
        scores, folds, new = _from_cache(cached, len(columns))
        if len(new):
            began = time.perf_counter()
            scores[new], new_folds = self._gains_or_losses(batch, parent, columns[new])
            folds = _with_folds(folds, new, new_folds, len(columns))
            if cache is not None:
                seconds = (time.perf_counter() - began) / len(new)
                cache.remember(self._as_scores(batch, new, scores[new], new_folds, seconds))
        for i in np.flatnonzero(np.isnan(scores)).tolist():
            batch.leave(i, NAN_SCORE)
            self._failures.append(NAN_SCORE)
        if not parent:
            self._single_scores.update(zip(columns.tolist(), scores.tolist(), strict=True))
        return scores, folds

    def _gains_or_losses(self, batch: Any, parent: Index, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """The evaluation's scores of the parent with, or without, each of the columns, and those of the folds."""
        method = "gains" if isinstance(batch, Additions) else "losses"
        by_fold = by_fold_method(self.evaluation, method)
        if by_fold is None:
            score_all = getattr(self.evaluation, method)
            scores = np.asarray(score_all(self.state, parent, columns), dtype=np.float64)
            if scores.shape != columns.shape:
                name = type(self.evaluation).__name__
                raise InputError(
                    f"evaluation: {method} of {name} gives {scores.shape} scores for {len(columns)} candidates"
                )
            return scores, None
        folds = np.asarray(by_fold(self.state, parent, columns), dtype=np.float64)
        return folds.mean(axis=1), folds

    def _as_scores(
        self, batch: Any, new: np.ndarray, scores: np.ndarray, folds: np.ndarray | None, seconds: float
    ) -> Iterator[tuple[Index, SubsetScore]]:
        """The new scores one by one, for the cache."""
        for k, i in enumerate(new.tolist()):
            columns, score = self.candidates.columns(batch[i]), float(scores[k])
            if folds is None:
                yield columns, SubsetScore(score, seconds)
            else:
                yield columns, SubsetScore(score, seconds, float(folds[k].std()), folds=tuple(folds[k].tolist()))


def _from_cache(cached: list[SubsetScore | None], n: int) -> tuple[np.ndarray, np.ndarray | None, np.ndarray]:
    """Scores and folds that are in the cache, and the positions of all others."""
    scores = np.full(n, np.nan)
    old = {i: found for i, found in enumerate(cached) if found is not None}
    for i, found in old.items():
        scores[i] = found.score
    new = np.array([i for i in range(n) if i not in old], dtype=np.intp)
    if not any(found.folds for found in old.values()):
        return scores, None, new
    return scores, _with_folds(None, np.array(list(old)), np.array([found.folds for found in old.values()]), n), new


def _with_folds(folds: np.ndarray | None, at: np.ndarray, new: np.ndarray | None, n: int) -> np.ndarray | None:
    """(n, F) scores of the folds, with the new ones at these positions."""
    if new is None:
        return folds
    out = np.full((n, new.shape[1]), np.nan) if folds is None else folds
    out[at] = new
    return out
