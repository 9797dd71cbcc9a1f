"""One column at a time."""

from __future__ import annotations

import numpy as np

from tamis._core.checks import check_number
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
    others,
    score_of_nothing,
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

    def run(self, p: int, stop: Stop, rng: np.random.Generator) -> Run:
        del rng
        tol = check_number("tol", self.tol, at_least=0.0)
        low, high = stop.bounds(p)
        path = BestBySize(low, high)
        subset: Index = ()
        last = yield from score_of_nothing(low)
        path.see(subset, last)
        while len(subset) < high:
            questions = Additions(subset, others(p, subset))
            scores = yield questions
            position, reason = best_of(questions, scores)
            best = float(scores[position])
            if not stop.ranged and len(subset) >= low and best <= last + tol + tie_tolerance(last):
                questions.leave(position, f"{reason}, no better than the last: the search ends")
                break
            questions.keep(position, reason)
            subset, last = questions[position], best
            path.see(subset, best, questions, position)
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

    def run(self, p: int, stop: Stop, rng: np.random.Generator) -> Run:
        del rng
        tol = check_number("tol", self.tol)
        low, high = stop.bounds(p)
        path = BestBySize(low, high)
        start = Subsets([tuple(range(p))])
        last = float((yield start)[0])
        start.keep(0, "all columns")
        subset = start[0]
        path.see(subset, last, start)
        while len(subset) > low:
            questions = Removals(subset, subset)
            scores = yield questions
            position, reason = best_of(questions, scores)
            best = float(scores[position])
            if not stop.ranged and len(subset) <= high and best < last + tol - tie_tolerance(last):
                questions.leave(position, f"{reason}, worse than the last: the search ends")
                break
            questions.keep(position, reason)
            subset, last = questions[position], best
            path.see(subset, best, questions, position)
        return path.shrinking(tol) if stop.ranged else subset
