"""Searches that add and remove."""

from __future__ import annotations

import numpy as np

from tamis._core.checks import check_number
from tamis.selection.search.base import (
    Additions,
    Best,
    Index,
    Removals,
    Run,
    Search,
    Stop,
    best_of,
    others,
    score_of_nothing,
    slack,
)


class Bidirectional(Search):
    """Each round adds the best of the columns still open and strikes out the one that all others miss least.

    A column once added stays, a column once struck out stays out. It ends as Forward does, when the best addition
    gains no more than ``tol``, or when no column is open any more.

    References: Zhou, Machine Learning, §11.1.
    """

    def __init__(self, tol: float = 0.0) -> None:
        self.tol = tol

    def run(self, p: int, stop: Stop, rng: np.random.Generator) -> Run:
        del rng
        tol = check_number("tol", self.tol, at_least=0.0)
        low, high = stop.bounds(p)
        chosen: Index = ()
        pool = list(range(p))
        last = yield from score_of_nothing(low)
        while len(chosen) < high and pool:
            additions = Additions(chosen, pool)
            scores = yield additions
            position, reason = best_of(additions, scores)
            best = float(scores[position])
            if len(chosen) >= low and best <= last + tol + slack(last):
                additions.leave(position, f"{reason}, no better than the last: the search ends")
                break
            additions.keep(position, reason)
            chosen, last = additions[position], best
            pool.remove(chosen[-1])
            if pool and len(chosen) < high and len(chosen) + len(pool) > low:
                removals = Removals((*chosen, *pool), pool)
                scores = yield removals
                position, reason = best_of(removals, scores)
                removals.keep(position, f"{reason}: missed least, struck out")
                pool.remove(int(removals.candidates[position]))
        return chosen


class Floating(Search):
    """Forward steps, each followed by as many backward steps as give a better subset of their size than any before.

    With ``n_features`` it ends when a subset of the largest size asked for cannot be improved by stepping back;
    without, when the best addition gains no more than ``tol`` over the best subset so far. The best subset of all
    sizes asked for is returned; ties go to fewer columns, then to the lowest.

    References: Pudil, Novovičová and Kittler (1994).
    """

    def __init__(self, tol: float = 0.0) -> None:
        self.tol = tol

    def run(self, p: int, stop: Stop, rng: np.random.Generator) -> Run:
        del rng
        tol = check_number("tol", self.tol, at_least=0.0)
        low, high = stop.bounds(p)
        best = Best(low, high)
        at_size: dict[int, float] = {}
        subset: Index = ()
        best.offer((), (yield from score_of_nothing(low)))
        while len(subset) < high:
            additions = Additions(subset, others(p, subset))
            scores = yield additions
            position, reason = best_of(additions, scores)
            score = float(scores[position])
            over = best.subset is not None and score <= best.score + tol + slack(best.score)
            if over and stop.n_features is None:
                additions.leave(position, f"{reason}, no better than the best so far: the search ends")
                break
            additions.keep(position, reason)
            subset = additions[position]
            at_size[len(subset)] = max(score, at_size.get(len(subset), -np.inf))
            best.offer(subset, score)
            while len(subset) > 2:
                removals = Removals(subset, subset[:-1])  # the last to come cannot be the one to go
                scores = yield removals
                position, reason = best_of(removals, scores)
                score, size = float(scores[position]), len(subset) - 1
                if score <= at_size[size] + slack(at_size[size]):
                    break
                removals.keep(position, f"{reason}: better than every subset of {size} before")
                subset = removals[position]
                at_size[size] = score
                best.offer(subset, score)
        return best.subset if best.subset is not None else subset
