"""Searches that keep several subsets open at a time."""

from __future__ import annotations

import numpy as np

from tamis._core.checks import check_count, check_number
from tamis.selection.search.base import (
    Additions,
    Best,
    BestBySize,
    Index,
    Run,
    Search,
    Stop,
    SubsetBatch,
    others,
    score_of_nothing,
    tie_tolerance,
)


class Beam(Search):
    """Forward with ``width`` subsets of each size kept instead of one; width 1 is Forward.

    It ends when the best of a size gains no more than ``tol`` over the best so far; with ``n_features`` it goes on to
    the most asked for. Of several sizes the best is returned, a larger one only where it gains more than ``tol``. Ties
    go to fewer columns, then to the lowest.
    """

    def __init__(self, width: int = 5, tol: float = 0.0) -> None:
        self.width = width
        self.tol = tol

    def run(self, p: int, stop: Stop, rng: np.random.Generator) -> Run:
        del rng
        width = check_count("width", self.width)
        tol = check_number("tol", self.tol, at_least=0.0)
        low, high = stop.bounds(p)
        path = BestBySize(low, high)
        kept: list[Index] = [()]
        path.see((), (yield from score_of_nothing(low)))
        for size in range(1, high + 1):
            seen: set[frozenset[int]] = set()
            found: list[tuple[float, Index, SubsetBatch, int]] = []
            for subset in kept:
                new = [j for j in others(p, subset).tolist() if frozenset((*subset, j)) not in seen]
                if not new:
                    continue
                questions = Additions(subset, new)
                scores = yield questions
                seen |= {frozenset(questions[i]) for i in range(len(new))}
                found += [(float(scores[i]), questions[i], questions, i) for i in range(len(new))]
            found.sort(key=_best_first)
            if not stop.ranged and size > low and found[0][0] <= path.top + tol + tie_tolerance(path.top):
                break
            for rank, (score, subset, asked, i) in enumerate(found[:width], start=1):
                asked.keep(i, f"rank {rank} of {len(found)} with {size} columns")
                path.see(subset, score, asked, i)
            kept = [subset for _, subset, _, _ in found[:width]]
        return path.growing(tol)


class BestFirst(Search):
    """Always adds to the best subset that has not been added to yet, so that it can go back from a way that ended.

    It ends after ``patience`` such rounds without a subset that beats the best by more than ``tol``. While there is
    none of the size asked for, of a range of its largest size, the largest subsets are taken first.

    References: Kohavi and John (1997).
    """

    def __init__(self, patience: int = 5, tol: float = 0.0) -> None:
        self.patience = patience
        self.tol = tol

    def run(self, p: int, stop: Stop, rng: np.random.Generator) -> Run:
        del rng
        patience = check_count("patience", self.patience)
        tol = check_number("tol", self.tol, at_least=0.0)
        low, high = stop.bounds(p)
        best = Best(low, high)
        still: dict[Index, float] = {(): (yield from score_of_nothing(low))}  # not added to yet
        seen: set[frozenset[int]] = {frozenset()}
        best.offer((), still[()])
        vain, wanted, largest = 0, high if stop.ranged else low, 0
        while still and vain < patience:
            deeper = largest < wanted
            subset = min(still, key=lambda s: (-len(s) if deeper else 0, -still[s], sorted(s)))
            del still[subset]
            new = [j for j in others(p, subset).tolist() if frozenset((*subset, j)) not in seen]
            if not new:
                continue
            questions = Additions(subset, new)
            scores = yield questions
            better = False
            for i in range(len(new)):
                seen.add(frozenset(questions[i]))
                if best.offer(questions[i], float(scores[i]), tol):
                    better = True
                    questions.keep(i, "best so far")
                if len(questions[i]) < high:
                    still[questions[i]] = float(scores[i])
            largest = max(largest, len(subset) + 1)
            vain = 0 if better or largest < wanted else vain + 1
        return best.subset or ()


def _best_first(item: tuple[float, Index, SubsetBatch, int]) -> tuple[float, list[int]]:
    score, subset, _, _ = item
    return -np.inf if np.isnan(score) else -score, sorted(subset)
