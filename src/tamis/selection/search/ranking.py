"""Every column on its own."""

from __future__ import annotations

from collections.abc import Generator, Sequence

import numpy as np

from tamis.selection.description import SearchDescription
from tamis.selection.search.base import (
    Additions,
    BestBySize,
    Index,
    Run,
    Search,
    Stop,
    merge_ties,
    score_of_empty,
    tie_tolerance,
)


class Ranking(Search):
    """Scores every single column and keeps the best ``n_features``; without a number, all whose score is above 0.

    Of a range it scores the first 1, 2, 3, … columns of the ranking together, and keeps the best of the numbers asked
    for. Ties go to fewer columns, then to the lowest.
    """

    adds_only = True

    def describe(self) -> SearchDescription:
        return SearchDescription(
            "ranking",
            "Each column is judged on its own.",
            "It kept every column that scores above 0.",
            "each column was judged on its own, so nothing is known about any two together",
            moves=False,
        )

    def run(self, p: int, stop: Stop, rng: np.random.Generator) -> Run:
        del rng
        batch = Additions((), range(p))
        scores = yield batch
        order = np.argsort(-merge_ties(scores), kind="stable").tolist()
        low, high = stop.bounds(p)
        size = int(np.clip(np.sum(scores > tie_tolerance(0.0)), low, high))
        if stop.ranged:
            size = yield from self._best_number(tuple(order), batch, scores, low, high)
        for rank, j in enumerate(order[:size], start=1):
            batch.keep(j, f"rank {rank}{_tie(scores, j)}")
        return tuple(order[:size])

    def _best_number(
        self, order: Index, batch: Additions, scores: np.ndarray, low: int, high: int
    ) -> Generator[Sequence[Index], np.ndarray, int]:
        """How many columns of the ranking score best together."""
        found = BestBySize(low, high)
        found.add((), (yield from score_of_empty(low)))
        found.add(order[:1], float(scores[order[0]]), batch, order[0])
        for size in range(max(low, 2), high + 1):
            prefix = Additions(order[: size - 1], [order[size - 1]])
            score = float((yield prefix)[0])
            prefix.keep(0, f"the first {size} of the ranking")
            found.add(order[:size], score, prefix)
        return len(found.growing(0.0))


def _tie(scores: np.ndarray, j: int) -> str:
    n_tied = int(
        np.sum((scores >= scores[j] - tie_tolerance(scores[j])) & (scores <= scores[j] + tie_tolerance(scores[j])))
    )
    return "" if n_tied == 1 else f", tie of {n_tied}: the lowest column first"
