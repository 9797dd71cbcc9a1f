"""Two classes or a number in twenty columns, and the learner to wrap."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from benchmarks.alone import counting
from benchmarks.question import Dataset


@dataclass
class Wrapped:
    """Rows, target, the learner and what it is scored by, how many columns to choose, and by how many folds."""

    X: np.ndarray
    y: np.ndarray
    learner: Any
    scoring: str
    k: int
    n_folds: int

    @cached_property
    def splits(self) -> list[tuple[np.ndarray, np.ndarray]]:
        from sklearn.model_selection import KFold, StratifiedKFold

        folds = StratifiedKFold if self.scoring == "accuracy" else KFold
        return list(folds(self.n_folds).split(self.X, self.y))

    def score(self, columns: list[int]) -> float:
        """The mean score of the learner with these columns, as one writes it down."""
        from sklearn.base import clone

        X, y = self.X[:, columns], self.y
        scores = [clone(self.learner).fit(X[rows], y[rows]).score(X[out], y[out]) for rows, out in self.splits]
        return float(np.mean(scores))

    @cached_property
    def asked(self) -> list[tuple[list[int], float]]:
        """Every subset that forward selection has to ask about, and its score."""
        asked, chosen = [], []
        for _ in range(self.k):
            step = [[*chosen, j] for j in range(self.X.shape[1]) if j not in chosen]
            asked += (scored := [(columns, self.score(columns)) for columns in step])
            chosen, _ = max(scored, key=lambda each: each[1])
        return asked

    @cached_property
    def best(self) -> tuple[list[int], float]:
        return max((each for each in self.asked if len(each[0]) == self.k), key=lambda each: each[1])


def datasets(quick: bool) -> list[Dataset]:
    n, p, k, n_folds = (60, 3, 2, 2) if quick else (2_000, 20, 5, 5)
    return [
        Dataset(f"{name}, {n:,} × {p}, {k} chosen", partial(wrapped, n, p, k, n_folds, name))
        for name in ("LogisticRegression", "DecisionTreeRegressor")
    ]


def wrapped(n: int, p: int, k: int, n_folds: int, name: str) -> Wrapped:
    """A noisy sum with coefficients that shrink by a fifth from column to column; the class is its sign.

    Leaves of 20 rows leave no two columns the same split, so the tree does not depend on the order of the columns.
    """
    from sklearn import linear_model, tree

    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    total = X @ 0.8 ** rng.permutation(p) + 0.5 * rng.standard_normal(n)
    if name == "LogisticRegression":
        learner = counting(linear_model.LogisticRegression)()
        return Wrapped(X, (total > 0).astype(np.int64), learner, "accuracy", k, n_folds)
    learner = counting(tree.DecisionTreeRegressor)(min_samples_leaf=20, random_state=0)
    return Wrapped(X, total, learner, "r2", k, n_folds)
