"""Floating search: steps one way, each followed by steps back."""

from __future__ import annotations

from collections.abc import Generator, Sequence

import numpy as np

from tamis._core.checks import check_choice, check_number
from tamis._core.errors import InputError
from tamis.selection.description import SearchDescription
from tamis.selection.search.base import (
    Additions,
    AdditionsWithPValues,
    BestBySize,
    ColumnChanges,
    Index,
    Removals,
    Run,
    Stop,
    Subsets,
    best_of,
    columns_outside,
    score_of_empty,
    tie_tolerance,
)
from tamis.selection.search.until import ENDS_BY_CHANCE, AddsUntil


class Floating(AddsUntil):
    """Steps one way, each followed by as many steps back as give a better subset of their size than any before.

    Parameters
    ----------
    tol : float
        Without ``n_features`` it ends when the best step forward gains no more than ``tol`` over the best subset so
        far (backward: when the best removal scores less than that plus ``tol``, so that a negative one is what may be
        lost). Of several sizes the best is returned; a larger one must gain more than ``tol`` over a smaller
        (backward: a smaller must score at least the best plus ``tol``). Ties go to fewer columns, then to the lowest.
    direction : "forward" or "backward"
        Adding columns from none (SFFS), or removing them from all (SBFS). With ``n_features`` it ends when a subset of
        the most columns asked for (backward: of the fewest) cannot be improved by stepping back.
    until : "best" or "significant"
        As in ``Forward``, for the direction forward: the columns at the step where no further one is significant are
        returned.

    References: Pudil, Novovičová and Kittler (1994).
    """

    def __init__(self, tol: float = 0.0, direction: str = "forward", until: str = "best") -> None:
        self.tol = tol
        self.direction = direction
        self.until = until

    def describe(self) -> SearchDescription:
        if self.direction == "backward":
            return SearchDescription(
                "floating",
                "It starts with all columns. Each round drops the one that is missed least, then adds columns again as "
                "long as that gives a better subset of its size than any before.",
                "It ended where dropping any further column would lower the best score so far.",
            )
        return SearchDescription(
            "floating",
            "Each round adds the best column, then drops columns again as long as that gives a better subset of its "
            "size than any before.",
            ENDS_BY_CHANCE
            if self.tests_columns
            else "It ended where the best further column brought nothing over the best subset so far.",
        )

    def run(self, p: int, stop: Stop, rng: np.random.Generator) -> Run:
        forward = check_choice("direction", self.direction, ("forward", "backward")) == "forward"
        if self.tests_columns and not forward:
            raise InputError('until="significant" adds columns: use direction="forward"', argument="direction")
        tol = check_number("tol", self.tol, at_least=0.0 if forward else -np.inf)
        low, high = self.bounds(stop, p)
        path = BestBySize(low, high)
        subset, last = () if forward else tuple(range(p)), high if forward else low
        yield from self._start(subset, low, path)
        while len(subset) != last:
            steps: ColumnChanges = (
                self.additions(subset, columns_outside(p, subset), rng) if forward else Removals(subset, subset)
            )
            scores = yield steps
            position, reason, why_not = self._best_step(steps, scores, path.top, tol)
            score = float(scores[position])
            if why_not and self._may_end(stop, subset, low, path.top):
                steps.leave(position, f"{reason}, {why_not}: the search ends")
                break
            steps.keep(position, reason)
            subset = steps[position]
            path.add(subset, score, steps, position)
            subset = yield from self._back(subset, int(steps.candidates[position]), p, path)
        if self.tests_columns:
            return subset
        return path.growing(tol) if forward else path.shrinking(tol)

    def _best_step(self, steps: ColumnChanges, scores: np.ndarray, top: float, tol: float) -> tuple[int, str, str]:
        """Position of the best step, why it is the best, and why it is not good enough, "" where it is."""
        if isinstance(steps, AdditionsWithPValues):
            return self.best_addition(steps, scores, -np.inf, 0.0)
        position, reason = best_of(steps, scores)
        score = float(scores[position])
        forward = isinstance(steps, Additions)
        ended = score <= top + tol + tie_tolerance(top) if forward else score < top + tol - tie_tolerance(top)
        return position, reason, "no better than the best so far" if ended else ""

    def _may_end(self, stop: Stop, subset: Index, low: int, top: float) -> bool:
        if self.tests_columns:
            return len(subset) >= low
        return bool(np.isfinite(top)) and stop.n_features is None and not stop.ranged

    def _start(self, subset: Index, low: int, path: BestBySize) -> Generator[Sequence[Index], np.ndarray, None]:
        """What the first step starts from, where that may be the answer: no column, or all of them."""
        if not subset:
            path.add(subset, (yield from score_of_empty(low)))
            return
        start = Subsets([subset])
        score = float((yield start)[0])
        start.keep(0, "all columns")
        path.add(subset, score, start)

    def _back(
        self, subset: Index, moved: int, p: int, path: BestBySize
    ) -> Generator[Sequence[Index], np.ndarray, Index]:
        """Steps back while they give a better subset of their size than any before; what moved last is not undone."""
        forward = self.direction == "forward"
        while (len(subset) if forward else p - len(subset)) > 2:
            free = [j for j in (subset if forward else columns_outside(p, subset).tolist()) if j != moved]
            steps: ColumnChanges = Removals(subset, free) if forward else Additions(subset, free)
            scores = yield steps
            position, reason = best_of(steps, scores)
            score, size = float(scores[position]), len(steps[position])
            if score <= path.score(size) + tie_tolerance(path.score(size)):
                break
            steps.keep(position, f"{reason}: better than every subset of {size} before")
            subset = steps[position]
            path.add(subset, score, steps, position)
        return subset
