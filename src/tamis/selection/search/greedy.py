"""Greedy search, one column at a time: forward, backward, or both."""

from __future__ import annotations

import numpy as np

from tamis._core.checks import check_number
from tamis.selection.description import SearchDescription
from tamis.selection.search.base import (
    BestBySize,
    Index,
    Removals,
    Run,
    Search,
    Stop,
    Subsets,
    best_of,
    columns_outside,
    score_of_empty,
    tie_tolerance,
)
from tamis.selection.search.until import ENDS_BY_CHANCE, AddsUntil


class Forward(AddsUntil):
    """Adds the column that gives the best score, until the best is no better than the last: best ≤ last + tol.

    The first column is always taken, so that something is selected. With ``n_features`` it goes on to exactly that
    many, whatever they gain; of a range it goes on to the most and takes the best size, a larger one only where it
    gains more than ``tol``. Scores equal to rounding (1e-12 of them) are taken as equal, so ``tol=0`` stops where
    nothing is gained; ties go to fewer columns, then to the lowest.

    ``until="significant"`` ends where no column gains more than chance would (p > 0.05), be it at once, with no
    column. Each round 199 targets are shuffled given what is chosen: by an evaluation by counts within the rows that
    agree on the chosen columns, by ``LinearFit`` as the residuals of the chosen ones (Freedman and Lane 1983). The
    gain of every column is put on the scale of its own chance, and p is the share of shuffles, the true target
    counted in, whose largest gain is as large. So on a table of noise a column is chosen in at most one of twenty
    cases; after the first column the level holds step by step, not for all steps together, for the chosen ones were
    chosen by the same rows. Of ``n_features=(fewest, most)`` the fewest are taken in any case.
    """

    adds_only = True

    def __init__(self, tol: float = 0.0, until: str = "best") -> None:
        self.tol = tol
        self.until = until

    def describe(self) -> SearchDescription:
        return SearchDescription(
            "forward",
            "Each round tries every other column next to those already chosen and adds the best.",
            ENDS_BY_CHANCE if self.tests_columns else "It ended where no further column made the score better.",
        )

    def run(self, p: int, stop: Stop, rng: np.random.Generator) -> Run:
        tol = check_number("tol", self.tol, at_least=0.0)
        low, high = self.bounds(stop, p)
        path = BestBySize(low, high)
        subset: Index = ()
        last = yield from score_of_empty(low)
        path.add(subset, last)
        while len(subset) < high:
            batch = self.additions(subset, columns_outside(p, subset), rng)
            scores = yield batch
            position, reason, why_not = self.best_addition(batch, scores, last, tol)
            if why_not and not self.whole_range(stop) and len(subset) >= low:
                batch.leave(position, f"{reason}, {why_not}: the search ends")
                break
            batch.keep(position, reason)
            subset, last = batch[position], float(scores[position])
            path.add(subset, last, batch, position)
        return path.growing(tol) if self.whole_range(stop) else subset


class Backward(Search):
    """Starts from all columns and removes the one whose removal scores best, while best ≥ last + tol.

    A negative ``tol`` is what a removal may lose. At least one column stays. With ``n_features`` it goes on to exactly
    that many, whatever they lose; of a range it goes on to the fewest and takes the best size, a smaller one where it
    scores at least the best so far plus ``tol``. Scores equal to rounding (1e-12 of them) are taken as equal, so
    ``tol=0`` removes what loses nothing; ties go to fewer columns, then to the lowest.
    """

    def __init__(self, tol: float = 0.0) -> None:
        self.tol = tol

    def describe(self) -> SearchDescription:
        return SearchDescription(
            "backward",
            "It starts with all columns and drops the one that is missed least, as long as the score does not fall.",
            "It ended where dropping any further column would lower the score.",
        )

    def run(self, p: int, stop: Stop, rng: np.random.Generator) -> Run:
        del rng
        tol = check_number("tol", self.tol)
        low, high = stop.bounds(p)
        path = BestBySize(low, high)
        start = Subsets([tuple(range(p))])
        last = float((yield start)[0])
        start.keep(0, "all columns")
        subset = start[0]
        path.add(subset, last, start)
        while len(subset) > low:
            batch = Removals(subset, subset)
            scores = yield batch
            position, reason = best_of(batch, scores)
            best = float(scores[position])
            if not stop.ranged and len(subset) <= high and best < last + tol - tie_tolerance(last):
                batch.leave(position, f"{reason}, worse than the last: the search ends")
                break
            batch.keep(position, reason)
            subset, last = batch[position], best
            path.add(subset, best, batch, position)
        return path.shrinking(tol) if stop.ranged else subset


class Bidirectional(AddsUntil):
    """Each round adds the best of the columns still open and strikes out the one that all others miss least.

    A column once added stays, a column once struck out stays out. It ends as Forward does, when the best addition
    gains no more than ``tol``, or when no column is open any more. With ``n_features`` as many columns stay open as
    are asked for; of a range it goes on to the most and takes the best size, a larger one only where it gains more
    than ``tol``. ``until="significant"`` as in ``Forward``.

    References: Zhou, Machine Learning, §11.1.
    """

    def __init__(self, tol: float = 0.0, until: str = "best") -> None:
        self.tol = tol
        self.until = until

    def describe(self) -> SearchDescription:
        return SearchDescription(
            "bidirectional",
            "Each round adds the best of the columns still open and strikes out the one that is missed least; what was "
            "added stays, what was struck out stays out.",
            ENDS_BY_CHANCE if self.tests_columns else "It ended where no open column made the score better.",
        )

    def run(self, p: int, stop: Stop, rng: np.random.Generator) -> Run:
        tol = check_number("tol", self.tol, at_least=0.0)
        low, high = self.bounds(stop, p)
        needed = high if self.whole_range(stop) else low  # so many stay open, or are chosen
        path = BestBySize(low, high)
        chosen: Index = ()
        pool = list(range(p))
        last = yield from score_of_empty(low)
        path.add(chosen, last)
        while len(chosen) < high and pool:
            additions = self.additions(chosen, pool, rng)
            scores = yield additions
            position, reason, why_not = self.best_addition(additions, scores, last, tol)
            if why_not and not self.whole_range(stop) and len(chosen) >= low:
                additions.leave(position, f"{reason}, {why_not}: the search ends")
                break
            additions.keep(position, reason)
            chosen, last = additions[position], float(scores[position])
            path.add(chosen, last, additions, position)
            pool.remove(chosen[-1])
            if pool and len(chosen) < high and len(chosen) + len(pool) > needed:
                removals = Removals((*chosen, *pool), pool)
                scores = yield removals
                position, reason = best_of(removals, scores)
                removals.keep(position, f"{reason}: missed least, struck out")
                pool.remove(int(removals.candidates[position]))
        return path.growing(tol) if self.whole_range(stop) else chosen
