"""One column at a time."""

from __future__ import annotations

import numpy as np

from tamis._core.checks import check_number
from tamis.selection.search.base import (
    Additions,
    Index,
    Removals,
    Run,
    Search,
    Stop,
    Subsets,
    best_of,
    others,
    score_of_nothing,
    slack,
)


class Forward(Search):
    """Adds the column that gives the best score, until the best is no better than the last: best ≤ last + tol.

    The first column is always taken, so that something is selected. With ``n_features`` it goes on to exactly that
    many (of a range: at least to the fewest), whatever they gain. Scores equal to rounding (1e-12 of them) are taken
    as equal, so ``tol=0`` stops where nothing is gained; ties go to the lowest column.
    """

    adds_only = True

    def __init__(self, tol: float = 0.0) -> None:
        self.tol = tol

    def run(self, p: int, stop: Stop, rng: np.random.Generator) -> Run:
        del rng
        tol = check_number("tol", self.tol, at_least=0.0)
        low, high = stop.bounds(p)
        subset: Index = ()
        last = yield from score_of_nothing(low)
        while len(subset) < high:
            questions = Additions(subset, others(p, subset))
            scores = yield questions
            position, reason = best_of(questions, scores)
            best = float(scores[position])
            if len(subset) >= low and best <= last + tol + slack(last):
                questions.leave(position, f"{reason}, no better than the last: the search ends")
                break
            questions.keep(position, reason)
            subset, last = questions[position], best
        return subset


class Backward(Search):
    """Starts from all columns and removes the one whose removal scores best, while best ≥ last − tol.

    At least one column stays. With ``n_features`` it goes on to exactly that many (of a range: at least to the most),
    whatever they lose. Scores equal to rounding (1e-12 of them) are taken as equal, so ``tol=0`` removes what loses
    nothing; ties go to the lowest column.
    """

    def __init__(self, tol: float = 0.0) -> None:
        self.tol = tol

    def run(self, p: int, stop: Stop, rng: np.random.Generator) -> Run:
        del rng
        tol = check_number("tol", self.tol, at_least=0.0)
        low, high = stop.bounds(p)
        start = Subsets([tuple(range(p))])
        last = float((yield start)[0])
        start.keep(0, "all columns")
        subset = start[0]
        while len(subset) > low:
            questions = Removals(subset, subset)
            scores = yield questions
            position, reason = best_of(questions, scores)
            best = float(scores[position])
            if len(subset) <= high and best < last - tol - slack(last):
                questions.leave(position, f"{reason}, worse than the last: the search ends")
                break
            questions.keep(position, reason)
            subset, last = questions[position], best
        return subset
