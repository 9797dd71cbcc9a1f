"""The tables and learners of ``wrapper_overhead``, and the draws in their order."""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any

import numpy as np

from benchmarks.question import Dataset
from benchmarks.wrapper_overhead.datasets import Wrapped, wrapped

SEED = 0


class Drawn:
    """A table with its learner, and how many draws in a row may be in vain."""

    def __init__(self, table: Wrapped, patience: int) -> None:
        self.table, self.patience = table, patience

    @cached_property
    def asked(self) -> list[tuple[list[int], float]]:
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
        return max(self.asked, key=lambda each: (each[1], -len(each[0])))

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
