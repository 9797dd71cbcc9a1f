"""How much time does a wrapper add to the fits of the learner it wraps?

Two classes or a number in twenty columns, and the learner to wrap.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks import objective
from benchmarks.judging.greedy import is_choice
from benchmarks.libraries.sklearn.feature_selection import LOOP
from benchmarks.objective import Dataset, Table, bar, measured
from benchmarks.overhead import COLUMNS, OWN, counting


class Answer(NamedTuple):
    """Columns, and where they are known the score they were given and how many subsets were evaluated."""

    columns: list[int]
    score: float | None = None
    evaluations: int | None = None


class Objective(objective.Objective):
    title = "A wrapper over the learner's own fits"
    text = (
        "Forward selection by the mean score of a learner over five folds (accuracy over stratified folds for classes, "
        "R² for numbers), one process with one thread for everybody. The yardstick knows every subset in advance and "
        "only clones, fits and scores in a double loop over subsets and folds. The learner counts the processor time "
        "of its own fits, predictions and scores, so that what else a run takes is known within that run. Judged: how "
        "far the score of the chosen columns stays below that of the columns which a plain greedy loop chooses "
        "(`loss`), the error of the told score, and how many evaluations more or fewer than the loop's were told. "
        "Ours: `CrossValidated(learner, cv)`; scikit-learn's and mlxtend's `SequentialFeatureSelector`; ITMO-FS's "
        "`SequentialForwardSelection`."
    )
    repeats = 10
    columns = {"loss": "loss", "error": "score error", "evaluations": "evaluations off"} | COLUMNS

    def judge(self, data: Wrapped, reference: None, result: Answer) -> dict[str, float]:
        columns = [int(j) for j in result.columns]
        if not is_choice(columns, data.k, data.X.shape[1]):
            return {"loss": float("inf")}
        known = {frozenset(each): score for each, score in data.evaluated}
        score = known.get(frozenset(columns)) or data.score(columns)
        found = {"loss": data.best[1] - score}
        if result.score is not None:
            found["error"] = abs(float(result.score) - score)
        if result.evaluations is not None:
            found["evaluations"] = float(abs(result.evaluations - len(data.evaluated)))
        return found

    def accepts(self, judged: dict[str, float]) -> bool:
        return max(judged.values()) <= 1e-12

    def bars(self, table: Table) -> list[dict[str, Any]]:
        return [overhead(table)]


def overhead(table: Table) -> dict[str, Any]:
    """The bar: processor time for each second of the learner's own, beside that of the plain loop."""
    ours, loop = measured(table.ours(), OWN), measured(table.row(LOOP), OWN)
    ratio = None if ours is None or loop is None else (1 + ours) / (1 + loop)
    return bar(f"CPU per CPU of the learner / that of {LOOP}", ratio, "≤", 1.05)


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
    def evaluated(self) -> list[tuple[list[int], float]]:
        """Every subset that forward selection has to evaluate, and its score."""
        evaluated, chosen = [], []
        for _ in range(self.k):
            step = [[*chosen, j] for j in range(self.X.shape[1]) if j not in chosen]
            evaluated += (scored := [(columns, self.score(columns)) for columns in step])
            chosen, _ = max(scored, key=lambda each: each[1])
        return evaluated

    @cached_property
    def best(self) -> tuple[list[int], float]:
        return max((each for each in self.evaluated if len(each[0]) == self.k), key=lambda each: each[1])


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
