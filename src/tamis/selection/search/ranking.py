"""Every column on its own."""

from __future__ import annotations

import numpy as np

from tamis.selection.search.base import Additions, Run, Search, Stop, slack


class Ranking(Search):
    """Scores every single column and keeps the best ``n_features``; without a number, all whose score is above 0.

    Ties go to the lowest column.
    """

    adds_only = True

    def run(self, p: int, stop: Stop, rng: np.random.Generator) -> Run:
        del rng
        questions = Additions((), range(p))
        scores = yield questions
        order = np.argsort(-_settle_ties(scores), kind="stable")
        low, high = stop.bounds(p)
        size = int(np.clip(np.sum(scores > slack(0.0)), low, high))
        chosen = order[:size].tolist()
        for rank, j in enumerate(chosen, start=1):
            questions.keep(j, f"rank {rank}{_tie(scores, j)}")
        return tuple(chosen)


def _settle_ties(scores: np.ndarray) -> np.ndarray:
    """Scores that differ by rounding only made equal: each takes the highest of the run it belongs to."""
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    new_run = np.r_[True, ranked[:-1] - ranked[1:] > slack(float(np.max(np.abs(scores))))]
    settled = np.empty_like(scores)
    settled[order] = ranked[new_run][np.cumsum(new_run) - 1]
    return settled


def _tie(scores: np.ndarray, j: int) -> str:
    n_tied = int(np.sum(np.abs(scores - scores[j]) <= slack(scores[j])))
    return "" if n_tied == 1 else f", tie of {n_tied}: the lowest column first"
