"""Beam search and best-first search: several subsets are open at a time."""

from __future__ import annotations

import numpy as np

from tamis._core.checks import check_count, check_number
from tamis.selection.description import SearchDescription
from tamis.selection.search.base import (
    Additions,
    Best,
    BestBySize,
    Index,
    Run,
    Search,
    Stop,
    SubsetBatch,
    columns_outside,
    score_of_empty,
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

    def describe(self) -> SearchDescription:
        return SearchDescription(
            "beam",
            "Each round adds every other column to the best few subsets of the last size and keeps the best few.",
            "It ended at the size where no subset was better than the best so far.",
        )

    def run(self, p: int, stop: Stop, rng: np.random.Generator) -> Run:
        del rng
        width = check_count("width", self.width)
        tol = check_number("tol", self.tol, at_least=0.0)
        low, high = stop.bounds(p)
        path = BestBySize(low, high)
        kept: list[Index] = [()]
        path.add((), (yield from score_of_empty(low)))
        for size in range(1, high + 1):
            seen: set[frozenset[int]] = set()
            found: list[tuple[float, Index, SubsetBatch, int]] = []
            for subset in kept:
                new = [j for j in columns_outside(p, subset).tolist() if frozenset((*subset, j)) not in seen]
                if not new:
                    continue
                batch = Additions(subset, new)
                scores = yield batch
                seen |= {frozenset(batch[i]) for i in range(len(new))}
                found += [(float(scores[i]), batch[i], batch, i) for i in range(len(new))]
            found.sort(key=_best_first)
            if not stop.ranged and size > low and found[0][0] <= path.top + tol + tie_tolerance(path.top):
                break
            for rank, (score, subset, made_in, i) in enumerate(found[:width], start=1):
                made_in.keep(i, f"rank {rank} of {len(found)} with {size} columns")
                path.add(subset, score, made_in, i)
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

    def describe(self) -> SearchDescription:
        return SearchDescription(
            "best first",
            "It always adds to the best subset that has not been added to yet, so that it can go back from a way that "
            "ended.",
            "It ended after several such rounds in a row without anything better.",
        )

    def run(self, p: int, stop: Stop, rng: np.random.Generator) -> Run:
        del rng
        patience = check_count("patience", self.patience)
        tol = check_number("tol", self.tol, at_least=0.0)
        low, high = stop.bounds(p)
        best = Best(low, high)
        unexpanded: dict[Index, float] = {(): (yield from score_of_empty(low))}  # not added to yet
        seen: set[frozenset[int]] = {frozenset()}
        best.offer((), unexpanded[()])
        n_without_gain, target_size, largest = 0, high if stop.ranged else low, 0
        while unexpanded and n_without_gain < patience:
            deeper = largest < target_size
            subset = min(unexpanded, key=lambda s: (-len(s) if deeper else 0, -unexpanded[s], sorted(s)))
            del unexpanded[subset]
            new = [j for j in columns_outside(p, subset).tolist() if frozenset((*subset, j)) not in seen]
            if not new:
                continue
            batch = Additions(subset, new)
            scores = yield batch
            better = False
            for i in range(len(new)):
                seen.add(frozenset(batch[i]))
                if best.offer(batch[i], float(scores[i]), tol):
                    better = True
                    batch.keep(i, "best so far")
                if len(batch[i]) < high:
                    unexpanded[batch[i]] = float(scores[i])
            largest = max(largest, len(subset) + 1)
            n_without_gain = 0 if better or largest < target_size else n_without_gain + 1
        return best.subset or ()


def _best_first(item: tuple[float, Index, SubsetBatch, int]) -> tuple[float, list[int]]:
    score, subset, _, _ = item
    return -np.inf if np.isnan(score) else -score, sorted(subset)
