"""Greedy search, one column at a time: forward, backward, or both."""

from __future__ import annotations

import numpy as np

from tamis._core.checks import check_number
from tamis.selection.description import SearchDescription
from tamis.selection.search.base import (
    Additions,
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


class Forward(Search):
    """Adds the column that gives the best score, until the best is no better than the last: best ≤ last + tol.

    The first column is always taken, so that something is selected. With ``n_features`` it goes on to exactly that
    many, whatever they gain; of a range it goes on to the most and takes the best size, a larger one only where it
    gains more than ``tol``. Scores equal to rounding (1e-12 of them) are taken as equal, so ``tol=0`` stops where
    nothing is gained; ties go to fewer columns, then to the lowest.
    """

    adds_only = True

    def __init__(self, tol: float = 0.0) -> None:
        self.tol = tol

    def describe(self) -> SearchDescription:
        return SearchDescription(
            "forward",
            "Each round tries every other column next to those already chosen and adds the best.",
            "It ended where no further column made the score better.",
        )

    def run(self, p: int, stop: Stop, rng: np.random.Generator) -> Run:
        del rng
        tol = check_number("tol", self.tol, at_least=0.0)
        low, high = stop.bounds(p)
        path = BestBySize(low, high)
        subset: Index = ()
        last = yield from score_of_empty(low)
        path.add(subset, last)
        while len(subset) < high:
            batch = Additions(subset, columns_outside(p, subset))
            scores = yield batch
            position, reason = best_of(batch, scores)
            best = float(scores[position])
            if not stop.ranged and len(subset) >= low and best <= last + tol + tie_tolerance(last):
                batch.leave(position, f"{reason}, no better than the last: the search ends")
                break
            batch.keep(position, reason)
            subset, last = batch[position], best
            path.add(subset, best, batch, position)
        return path.growing(tol) if stop.ranged else subset


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


class Bidirectional(Search):
    """Each round adds the best of the columns still open and strikes out the one that all others miss least.

    A column once added stays, a column once struck out stays out. It ends as Forward does, when the best addition
    gains no more than ``tol``, or when no column is open any more. With ``n_features`` as many columns stay open as
    are asked for; of a range it goes on to the most and takes the best size, a larger one only where it gains more
    than ``tol``.

    References: Zhou, Machine Learning, §11.1.
    """

    def __init__(self, tol: float = 0.0) -> None:
        self.tol = tol

    def describe(self) -> SearchDescription:
        return SearchDescription(
            "bidirectional",
            "Each round adds the best of the columns still open and strikes out the one that is missed least; what was "
            "added stays, what was struck out stays out.",
            "It ended where no open column made the score better.",
        )

    def run(self, p: int, stop: Stop, rng: np.random.Generator) -> Run:
        del rng
        tol = check_number("tol", self.tol, at_least=0.0)
        low, high = stop.bounds(p)
        needed = high if stop.ranged else low  # so many stay open, or are chosen
        path = BestBySize(low, high)
        chosen: Index = ()
        pool = list(range(p))
        last = yield from score_of_empty(low)
        path.add(chosen, last)
        while len(chosen) < high and pool:
            additions = Additions(chosen, pool)
            scores = yield additions
            position, reason = best_of(additions, scores)
            best = float(scores[position])
            if not stop.ranged and len(chosen) >= low and best <= last + tol + tie_tolerance(last):
                additions.leave(position, f"{reason}, no better than the last: the search ends")
                break
            additions.keep(position, reason)
            chosen, last = additions[position], best
            path.add(chosen, best, additions, position)
            pool.remove(chosen[-1])
            if pool and len(chosen) < high and len(chosen) + len(pool) > needed:
                removals = Removals((*chosen, *pool), pool)
                scores = yield removals
                position, reason = best_of(removals, scores)
                removals.keep(position, f"{reason}: missed least, struck out")
                pool.remove(int(removals.candidates[position]))
        return path.growing(tol) if stop.ranged else chosen
