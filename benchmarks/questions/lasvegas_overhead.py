"""How much time does the Las Vegas wrapper add to the fits of the learner it wraps?

The tables and learners of ``wrapper_overhead``, and the draws in their order.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any

import numpy as np

from benchmarks import objective
from benchmarks.libraries.tamis.selection import LasVegasOverhead
from benchmarks.objective import Dataset, Table
from benchmarks.overhead import COLUMNS
from benchmarks.questions.wrapper_overhead import Answer, Wrapped, overhead, wrapped

SEED = LasVegasOverhead.seed


class Objective(objective.Objective):
    title = "The Las Vegas wrapper over the learner's own fits"
    text = (
        "Random subsets by the mean score of a learner over five folds, until so many draws in a row were in vain, one "
        "process with one thread. No maintained package has it. The yardstick knows every subset in advance and only "
        "clones, fits and scores in a double loop over subsets and folds. The learner counts the processor time of its "
        "own fits, predictions and scores, so that what else a run takes is known within that run. Judged: how far the "
        "score of the chosen columns stays below that of a plain loop over the same draws (`loss`), the error of the "
        "told score, and how many evaluations more or fewer than the loop's were told."
    )
    repeats = 10
    columns = {"loss": "loss", "error": "score error", "evaluations": "evaluations off"} | COLUMNS

    def judge(self, data: Drawn, reference: None, result: Answer) -> dict[str, float]:
        known = {frozenset(columns): score for columns, score in data.evaluated}
        score = known.get(frozenset(result.columns), float("-inf"))
        return {
            "loss": abs(data.best[1] - score) + (len(result.columns) != len(data.best[0])),
            "error": abs(float(result.score or 0.0) - score),
            "evaluations": float(abs((result.evaluations or 0) - len(data.evaluated))),
        }

    def accepts(self, judged: dict[str, float]) -> bool:
        return max(judged.values()) <= 1e-12

    def bars(self, table: Table) -> list[dict[str, Any]]:
        return [overhead(table)]


class Drawn:
    """A table with its learner, and how many draws in a row may be in vain."""

    def __init__(self, table: Wrapped, patience: int) -> None:
        self.table, self.patience = table, patience

    @cached_property
    def evaluated(self) -> list[tuple[list[int], float]]:
        """Every subset that algorithm 11.1 evaluates, and its score: the loop as one writes it down."""
        rng = np.random.default_rng(np.random.default_rng(SEED).integers(2**63))
        p, t, best = self.table.X.shape[1], 0, (-np.inf, 0)
        known: dict[tuple[int, ...], float] = {}
        while t < self.patience:
            member = rng.integers(0, 2, p, dtype=np.uint8)
            if not member.any():
                continue
            A = tuple(np.flatnonzero(member).tolist())
            if A not in known:
                known[A] = self.table.score(list(A))
            found = (known[A], -len(A))
            t, best = (0, found) if found > best else (t + 1, best)
        return [(list(A), score) for A, score in known.items()]

    @cached_property
    def best(self) -> tuple[list[int], float]:
        return max(self.evaluated, key=lambda each: (each[1], -len(each[0])))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.table, name)


def datasets(quick: bool) -> list[Dataset]:
    n, p, patience, n_folds = (60, 3, 3, 2) if quick else (2_000, 20, 20, 5)
    return [
        Dataset(f"{name}, {n:,} × {p}, patience {patience}", partial(make, n, p, patience, n_folds, name))
        for name in ("LogisticRegression", "DecisionTreeRegressor")
    ]


def make(n: int, p: int, patience: int, n_folds: int, name: str) -> Drawn:
    return Drawn(wrapped(n, p, p, n_folds, name), patience)
