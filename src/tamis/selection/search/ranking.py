"""Every column on its own."""

from __future__ import annotations

import numpy as np

from tamis.selection.search.base import Additions, Run, Search, Stop, settle_ties, slack


class Ranking(Search):
    """Scores every single column and keeps the best ``n_features``; without a number, all whose score is above 0.

    Ties go to the lowest column.
    """

    adds_only = True

    def run(self, p: int, stop: Stop, rng: np.random.Generator) -> Run:
        del rng
        questions = Additions((), range(p))
        scores = yield questions
        order = np.argsort(-settle_ties(scores), kind="stable")
        low, high = stop.bounds(p)
        size = int(np.clip(np.sum(scores > slack(0.0)), low, high))
        chosen = order[:size].tolist()
        for rank, j in enumerate(chosen, start=1):
            questions.keep(j, f"rank {rank}{_tie(scores, j)}")
        return tuple(chosen)


def _tie(scores: np.ndarray, j: int) -> str:
    n_tied = int(np.sum((scores >= scores[j] - slack(scores[j])) & (scores <= scores[j] + slack(scores[j]))))
    return "" if n_tied == 1 else f", tie of {n_tied}: the lowest column first"
