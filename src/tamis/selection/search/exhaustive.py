"""Searches that prove that no subset is better."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from tamis._core.checks import check_count
from tamis._core.errors import InputError
from tamis.selection.description import SearchDescription
from tamis.selection.search.base import (
    Additions,
    Best,
    Index,
    Removals,
    Run,
    Search,
    Stop,
    Subsets,
    score_of_empty,
    tie_tolerance,
)


class Exhaustive(Search):
    """Every subset of the sizes asked for. Ties go to fewer columns, then to the lowest.

    More than ``max_subsets`` are refused before the first is evaluated.
    """

    def __init__(self, max_subsets: int = 1_000_000) -> None:
        self.max_subsets = max_subsets

    def describe(self) -> SearchDescription:
        return SearchDescription(
            "exhaustive",
            "Every subset of the sizes asked for is evaluated.",
            "It ended when it had seen all of them.",
            "every subset of the sizes asked for was evaluated: none is better",
            ordered=False,
        )

    def run(self, p: int, stop: Stop, rng: np.random.Generator) -> Run:
        del rng
        most = check_count("max_subsets", self.max_subsets)
        low, high = stop.bounds(p)
        count = sum(comb(p, size) for size in range(low, high + 1))
        if count > most:
            raise InputError(
                f"Exhaustive would evaluate {count:,} subsets of {p} columns, more than max_subsets={most:,}: narrow "
                "n_features, raise max_subsets, or use BranchAndBound (for monotone evaluations) or Floating",
                argument="n_features",
            )
        best = Best(low, high)
        kept = None
        best.offer((), (yield from score_of_empty(low)))
        for size in range(max(low, 1), high + 1):
            for prefix in combinations(range(p), size - 1):
                rest = range(prefix[-1] + 1 if prefix else 0, p)
                if not rest:
                    continue
                batch = Additions(prefix, rest)
                scores = yield batch
                for i in range(len(batch)):
                    before = best.subset
                    best.offer(batch[i], float(scores[i]))
                    if best.subset is not before:
                        kept = batch, i
        if kept:
            kept[0].keep(kept[1], f"best of {count:,} subsets, all of them evaluated")
        return best.subset or ()


class BranchAndBound(Search):
    """The best subset of ``n_features`` columns under a monotone evaluation, without looking at all of them; of a
    range, the smallest that scores as high as the best of the largest size.

    From all columns down: where a subset already scores less than the best one of the wanted size, no part of it
    can score more, and none is looked at. Ties go to the lowest columns, as in Exhaustive.

    References: Narendra and Fukunaga (1977); Yu and Yuan (1993) for the order of branches.
    """

    def describe(self) -> SearchDescription:
        return SearchDescription(
            "branch and bound",
            "It starts with all columns and drops them one after the other. More columns never score less, so where a "
            "subset scores less than the best one of the size asked for, no part of it is looked at.",
            proves="no other subset of this size is better: those not looked at are part of a subset that scores less",
        )

    def objection(self, evaluation: Any) -> str:
        if not evaluation.monotone:
            return (
                "BranchAndBound is for monotone evaluations, where more columns never score less; "
                f"{type(evaluation).__name__} is none: use Exhaustive or Floating"
            )
        return super().objection(evaluation)

    def run(self, p: int, stop: Stop, rng: np.random.Generator) -> Run:
        del rng
        low, high = stop.bounds(p)
        if stop.n_features is None and not stop.ranged:
            raise InputError(
                "BranchAndBound needs n_features: under a monotone evaluation no subset beats all columns together",
                argument="n_features",
            )
        start = Subsets([tuple(range(p))])
        score = float((yield start)[0])
        start.keep(0, "all columns")
        chosen, bound = start[0], -np.inf
        for size in range(high, low - 1, -1):  # fewer columns never score more: they win where they score as much
            found = (start[0], score) if size == p else (yield from self._of_size(start[0], score, size, bound))
            if found is None:
                break
            chosen, bound = found
        return chosen

    def _of_size(
        self, whole: Index, score: float, size: int, bound: float
    ) -> Generator[Sequence[Index], np.ndarray, tuple[Index, float] | None]:
        """The best subset of a size, where it scores as high as the bound."""
        best, n_cut = Best(size, size), 0
        kept: tuple[Removals, int] | None = None
        # (subset, its score, columns that may still go); the last is looked at first
        open_: list[tuple[Index, float, Index]] = [(whole, score, whole)]
        while open_:
            subset, score, removable = open_.pop()
            if score < bound - tie_tolerance(bound) or not self._promising(subset, score, size, best):
                n_cut += 1
                continue
            batch = Removals(subset, removable)
            scores = yield batch
            order = sorted(range(len(removable)), key=lambda i: (scores[i], -removable[i]))
            # Of the columns in this order each goes before the later ones, so every subset is reached once.
            for rank, i in enumerate(order[: len(removable) - (len(subset) - size) + 1]):
                child, value = batch[i], float(scores[i])
                if len(child) == size:
                    before = best.subset
                    best.offer(child, value)
                    kept = (batch, i) if best.subset is not before else kept
                else:
                    open_.append((child, value, tuple(removable[k] for k in order[rank + 1 :])))
        if kept is None or best.subset is None or best.score < bound - tie_tolerance(bound):
            return None
        kept[0].keep(kept[1], f"no other subset of {size} columns is better: {n_cut:,} branches were cut off")
        return best.subset, best.score

    @staticmethod
    def _promising(subset: Index, score: float, size: int, best: Best) -> bool:
        """Whether a part of the subset may be better than the best, or win a tie against it."""
        if best.subset is None or score > best.score + tie_tolerance(best.score):
            return True
        tie = score >= best.score - tie_tolerance(best.score)
        return tie and tuple(sorted(subset)[:size]) < tuple(sorted(best.subset))
