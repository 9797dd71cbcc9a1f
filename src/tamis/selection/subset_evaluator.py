"""Answers a search's questions with an evaluation: piece by piece, remembered, until there are none or time is up."""

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
    Best,
    Index,
    RandomSubset,
    Removals,
    Run,
    SubsetBatch,
    Subsets,
    SubsetWithWeights,
)


class ScoreCache(Protocol):
    """Where answers are kept from one run to the next."""

    def recall(self, columns: Index) -> SubsetScore | None: ...

    def __contains__(self, columns: Index) -> bool: ...

    def remember(self, answers: Iterable[tuple[Index, SubsetScore]]) -> None:
        """All of them, or after a kill none."""
        ...


class TimeLimitReached(Exception):
    """The time limit was reached within a round."""


class SubsetEvaluator:
    """One search on one table. ``best`` is the best subset of units so far of a size that was asked for; ``solved``
    tells whether any subset could be evaluated yet.
    """

    def __init__(
        self,
        evaluation: Evaluation,
        state: Any,
        units: Candidates,
        best: Best,
        history: History,
        memory: ScoreCache | None = None,
        deadline: float = np.inf,
    ) -> None:
        self.evaluation, self.state, self.units, self.history = evaluation, state, units, history
        self.memory, self.deadline = memory, deadline
        self.best = best
        self.solved = False
        self.last: Index = ()  # the last subset the search went on with, whatever its size
        self._alone: dict[int, float] = {}  # scores of columns on their own
        self._failures: list[str] = []
        self._where: tuple[SubsetBatch, int] | None = None  # the best, in the history
        self._begun: Generator[SubsetScore, None, None] | None = None  # answers to draws that were looked at ahead

    def rounds(self, run: Run) -> Generator[Index, None, None]:
        """Walk the search; yields the best so far after each round, the result last."""
        if not isinstance(run, Generator):
            raise InputError(
                f"search: run must be a generator that yields lists of subsets and returns the best, got {run!r}"
            )
        try:
            told: np.ndarray | None = None
            while True:
                try:
                    asked = run.send(told)  # type: ignore[arg-type]
                except StopIteration as end:
                    yield self._subset("returns", end.value)
                    return
                told = self._round(self._questions(asked))
                yield self.so_far
        finally:
            if self._begun is not None:
                self._begun.close()

    def _questions(self, asked: Any) -> SubsetBatch:
        if isinstance(asked, SubsetBatch):
            return asked
        if not isinstance(asked, Sequence) or isinstance(asked, str):
            raise InputError(f"search: run yields {asked!r}, which is no list of subsets")
        return Subsets([self._subset("yields", subset) for subset in asked])

    def _subset(self, does: str, given: Any) -> Index:
        """What a search of one's own yields or returns."""
        try:
            subset = tuple(int(j) for j in given)
        except (TypeError, ValueError):
            raise InputError(f"search: run {does} {given!r}, which is no subset: give a tuple of positions") from None
        n = len(self.units)
        if any(not 0 <= j < n for j in subset) or len(set(subset)) < len(subset):
            raise InputError(f"search: run {does} {subset}, which is no subset of the positions 0 to {n - 1}")
        return subset

    def _round(self, questions: SubsetBatch) -> np.ndarray:
        scores = self.answer(questions)
        self.last = questions.parent or self.last
        told = np.where(np.isnan(scores), -np.inf, scores)  # who failed is never the best
        self._offer(questions, told)
        return told

    def _offer(self, questions: SubsetBatch, scores: np.ndarray) -> None:
        self.solved = self.solved or bool((scores > -np.inf).any())
        for i in np.flatnonzero(scores >= scores.max(initial=-np.inf)).tolist():
            before = self.best.subset
            self.best.offer(questions[i], float(scores[i]))
            if self.best.subset is not before:
                self._where = questions, i

    def stopped(self, why: str) -> Index:
        """The best so far, noted as such in the history."""
        if self._where is not None:
            questions, i = self._where
            questions.keep(i, f"best so far when {why}")
        return self.so_far

    @property
    def so_far(self) -> Index:
        """The best subset of a size asked for; before there is one, what the search went on with last."""
        return self.best.subset if self.best.subset is not None else self.last

    def answer(self, questions: SubsetBatch) -> np.ndarray:
        """Scores, not a number where an evaluation failed; what was asked is in the history, whatever happens."""
        began = time.perf_counter()
        self._check_time()
        if self._at_once(questions):
            scores, folds = self._batch(questions)
            spreads = None if folds is None else folds.std(axis=1)
            self.history.add(questions, scores, time.perf_counter() - began, spreads, folds)
            return scores
        found: list[SubsetScore] = []
        try:
            for answer in (
                self._drawn(questions) if isinstance(questions, RandomSubset) else self._one_by_one(questions)
            ):
                if answer.failure:
                    questions.leave(len(found), answer.failure)
                found.append(answer)
        finally:
            self._note(questions, found, time.perf_counter() - began)
        if isinstance(questions, SubsetWithWeights) and found[0].weights is not None:
            questions.weights = self.units.weights(questions[0], found[0].weights)
        return np.array([answer.score for answer in found])

    def _note(self, questions: SubsetBatch, found: list[SubsetScore], seconds: float) -> None:
        """Into the history, also where the round was not finished."""
        scores, spreads = (np.array([getattr(a, what) for a in found]) for what in ("score", "spread"))
        folds = [answer.folds for answer in found] if any(answer.folds for answer in found) else None
        if len(found) == len(questions):
            self.history.add(questions, scores, seconds, spreads, folds)
        elif found:
            part = Subsets(questions[: len(found)])
            part.parent, part.reasons = questions.parent, questions.reasons
            self.history.add(part, scores, seconds, spreads, folds)
            self._offer(part, np.where(np.isnan(scores), -np.inf, scores))

    def _one_by_one(self, questions: SubsetBatch) -> Iterator[SubsetScore]:
        """Remembered answers, and the evaluation's for all others."""
        asked = [self.units.columns(subset) for subset in questions]
        known = [None if self.memory is None else self.memory.recall(columns) for columns in asked]
        missing = [c for c, k in zip(asked, known, strict=True) if k is None]
        ask = (
            self.evaluation.score_with_weights
            if isinstance(questions, SubsetWithWeights)
            else self.evaluation.score_subsets
        )
        with closing(self._new(missing, ask)) as new:
            for columns, answer in zip(asked, known, strict=True):
                self._check_time()
                found = next(new) if answer is None else answer
                if len(columns) == 1:
                    self._alone[columns[0]] = found.score
                yield found

    def _drawn(self, questions: RandomSubset) -> Iterator[SubsetScore]:
        """A remembered answer, or the evaluation's, which is asked for as many draws as it works on at once."""
        columns = self.units.columns(questions[0])
        answer = None if self.memory is None else self.memory.recall(columns)
        if answer is None and self._begun is not None:
            answer = next(self._begun, None)
        if answer is None:
            ahead = map(self.units.columns, questions.ahead)
            new = [c for c in islice(ahead, self.evaluation.n_parallel(self.state) - 1) if not self._remembers(c)]
            self._begun = self._new([columns, *new], self.evaluation.score_subsets)
            answer = next(self._begun)
        questions.ahead = ()  # the history keeps the questions, not the search behind them
        if len(columns) == 1:
            self._alone[columns[0]] = answer.score
        yield answer

    def _remembers(self, columns: Index) -> bool:
        return self.memory is not None and columns in self.memory

    def _new(
        self, missing: list[Index], ask: Callable[..., Iterator[SubsetScore]]
    ) -> Generator[SubsetScore, None, None]:
        """Answers nobody has yet, remembered as soon as they are there."""
        answers = iter(ask(self.state, missing))
        try:
            for columns, answer in zip(missing, answers, strict=True):
                if self.memory is not None:
                    self.memory.remember([(columns, answer)])
                if answer.failure:
                    self._failures.append(answer.failure)
                yield answer
        finally:
            if isinstance(answers, Generator):
                answers.close()  # what still runs for it is stopped

    def final_score(self, best: Index) -> float:
        """The score of the chosen subset, evaluated as a whole where the search did not."""
        found = self.history.find(best)
        if found is None:
            alone = Subsets([best])
            known = float(self.answer(alone)[0])
            alone.keep(0, "the selected columns as a whole")
        else:
            questions, i, known = found
            if i not in questions.kept:
                questions.keep(i, "selected")
        if np.isnan(known):
            raise self.complaint()
        return known

    @property
    def failed(self) -> bool:
        """Whether there were evaluations, all of which failed."""
        return bool(self._failures) and not self.solved

    def complaint(self) -> InputError:
        """That nothing could be evaluated, with the first reason."""
        why = self._failures[0] if self._failures else "the search asked about none"
        return InputError(f"{type(self.evaluation).__name__} could not evaluate any subset: {why}")

    def single_scores(self, p: int) -> np.ndarray:
        """The score of every column alone. Where the search did not ask, an evaluation with a way of its own to answer
        for all at once is asked; another is not, for it may take long, and not a number stands there.
        """
        if type(self.evaluation).gains is not Evaluation.gains and np.isnan(self._single(p)).any():
            return np.asarray(self.evaluation.gains(self.state, (), range(p)), dtype=np.float64)
        return self._single(p)

    def _single(self, p: int) -> np.ndarray:
        out = np.full(p, np.nan)
        for columns, score in self._alone.items():
            out[columns] = score
        return out

    def _check_time(self) -> None:
        if time.monotonic() >= self.deadline:
            raise TimeLimitReached

    def _at_once(self, questions: SubsetBatch) -> bool:
        """Whether the evaluation has a way of its own to answer the whole round."""
        if not self.units.single:
            return False
        kind = type(self.evaluation)
        return (isinstance(questions, Additions) and kind.gains is not Evaluation.gains) or (
            isinstance(questions, Removals) and kind.losses is not Evaluation.losses
        )

    def _batch(self, questions: Any) -> tuple[np.ndarray, np.ndarray | None]:
        """Scores, and (n_candidates, F) those of the folds they are the means of, where there are folds."""
        parent = self.units.columns(questions.parent)
        candidates = self.units.heads[questions.candidates]
        memory = self.memory
        known = [] if memory is None else [memory.recall(self.units.columns(subset)) for subset in questions]
        scores, folds, new = _recalled(known, len(candidates))
        if len(new):
            began = time.perf_counter()
            told, by_fold = self._many(questions, parent, candidates[new])
            scores[new] = told
            folds = _filled(folds, new, by_fold, len(candidates))
            if self.memory is not None:
                seconds = (time.perf_counter() - began) / len(new)
                self.memory.remember(self._each(questions, new, told, by_fold, seconds))
        for i in np.flatnonzero(np.isnan(scores)).tolist():
            questions.leave(i, NAN_SCORE)
            self._failures.append(NAN_SCORE)
        if not parent:
            self._alone.update(zip(candidates.tolist(), scores.tolist(), strict=True))
        return scores, folds

    def _many(self, questions: Any, parent: Index, candidates: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """The evaluation's scores of all candidates, and those of the folds."""
        method = "gains" if isinstance(questions, Additions) else "losses"
        by_fold = by_fold_method(self.evaluation, method)
        if by_fold is None:
            ask = getattr(self.evaluation, method)
            scores = np.asarray(ask(self.state, parent, candidates), dtype=np.float64)
            if scores.shape != candidates.shape:
                who = type(self.evaluation).__name__
                raise InputError(
                    f"evaluation: {method} of {who} gives {scores.shape} scores for {len(candidates)} candidates"
                )
            return scores, None
        folds = np.asarray(by_fold(self.state, parent, candidates), dtype=np.float64)
        return folds.mean(axis=1), folds

    def _each(
        self, questions: Any, new: np.ndarray, scores: np.ndarray, folds: np.ndarray | None, seconds: float
    ) -> Iterator[tuple[Index, SubsetScore]]:
        """The new answers one by one, for the memory."""
        for k, i in enumerate(new.tolist()):
            columns, score = self.units.columns(questions[i]), float(scores[k])
            if folds is None:
                yield columns, SubsetScore(score, seconds)
            else:
                yield columns, SubsetScore(score, seconds, float(folds[k].std()), folds=tuple(folds[k].tolist()))


def _recalled(known: list[SubsetScore | None], n: int) -> tuple[np.ndarray, np.ndarray | None, np.ndarray]:
    """Scores and folds that are remembered, and the positions of all others."""
    scores = np.full(n, np.nan)
    old = {i: answer for i, answer in enumerate(known) if answer is not None}
    for i, answer in old.items():
        scores[i] = answer.score
    new = np.array([i for i in range(n) if i not in old], dtype=np.intp)
    if not any(answer.folds for answer in old.values()):
        return scores, None, new
    return scores, _filled(None, np.array(list(old)), np.array([answer.folds for answer in old.values()]), n), new


def _filled(folds: np.ndarray | None, at: np.ndarray, told: np.ndarray | None, n: int) -> np.ndarray | None:
    """(n, F) with what was told at these positions."""
    if told is None:
        return folds
    out = np.full((n, told.shape[1]), np.nan) if folds is None else folds
    out[at] = told
    return out
