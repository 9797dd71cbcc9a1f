"""Who finds the columns of forward selection by cross-validated linear regression first?

Correlated Gaussian columns; the planted coefficients halve slowly, so that every step has a clear winner.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks import objective
from benchmarks.judging.greedy import is_choice
from benchmarks.libraries.numpy import PRODUCT
from benchmarks.machine import Rates
from benchmarks.objective import Dataset, Table, bar, judged
from benchmarks.questions.gram import gram_bound
from benchmarks.questions.lasso import design

FOLDS = 5


class Answer(NamedTuple):
    """Columns, and the score they were given where it is known."""

    columns: list[int]
    score: float | None = None


class Objective(objective.Objective):
    title = "Forward selection by cross-validated linear regression"
    text = (
        "Columns are added one by one, each the one with which `LinearRegression` has the highest mean R² over "
        "`KFold(5)`. Corr(x_i, x_j) = 0.5^|i − j|; twice as many columns as are asked for matter, with coefficients "
        "from 1 to 1/8 and noise of variance 1. Judged: how many of the chosen columns are not those of scikit-learn's "
        "`SequentialFeatureSelector` (computed by the judge from the folds' Gram matrices; scikit-learn is judged by "
        "it too), and the difference of the told score from scikit-learn's `cross_val_score` of the same columns, "
        "accepted up to 1e-10. scikit-learn, mlxtend and ITMO-FS fit a model for every candidate, step and fold: "
        "`SequentialFeatureSelector(LinearRegression(), cv=KFold(5))`, mlxtend's namesake with `scoring='r2'`, and "
        "`SequentialForwardSelection`; with 100,000 × 1,000 that would be 240,000 models of 80,000 rows, and nobody "
        "waits for them: there the yardstick is one product `X.T @ X`. fastcan's `FastCan`, a yardstick too, chooses "
        "by the squared correlation with all rows, without folds, which is another question."
    )
    repeats = 5
    cap = 60.0
    columns = {"others": "other columns", "error": "score error"}  # noqa: RUF012

    def reference(self, data: Forward) -> dict[str, Any]:
        return {"columns": set(chosen_columns(data.X, data.y, data.k, FOLDS)), "scores": {}}

    def judge(self, data: Forward, reference: dict[str, Any], result: Answer) -> dict[str, float]:
        columns = sorted(int(j) for j in result.columns)
        if not is_choice(columns, data.k, data.X.shape[1]):
            return {"others": float("inf")}
        found = {"others": float(len(set(columns) - reference["columns"]))}
        if result.score is None:
            return found
        known = reference["scores"]
        if tuple(columns) not in known:
            known[tuple(columns)] = cross_validated(data, columns)
        return found | {"error": abs(float(result.score) - known[tuple(columns)])}

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["others"] == 0 and judged.get("error", 0.0) <= 1e-10

    def bars(self, table: Table) -> list[dict[str, Any]]:
        ours, product = table.ours(), table.row(PRODUCT)
        same = bar("other columns than scikit-learn's", judged(ours, "others"), "≤", 0)
        if product is None:
            return [table.times_faster("times faster than the fastest competitor", table.limit), same]
        seconds = ours.seconds if ours and ours.accepted else None
        return [bar(f"time / {PRODUCT}", table.ratio(ours, product), "≤", 3), bar("seconds", seconds, "≤", 20), same]

    def bounds(self, data: Forward, reference: Any, table: Table, rates: Rates) -> list[str]:
        return [gram_bound(data.X, table, rates)]


def cross_validated(data: Forward, columns: list[int]) -> float:
    from sklearn.linear_model import LinearRegression
    from sklearn.model_selection import cross_val_score

    return float(np.mean(cross_val_score(LinearRegression(), data.X[:, columns], data.y, cv=data.folds())))


@dataclass
class Forward:
    """Rows, target, and how many columns to choose."""

    X: np.ndarray
    y: np.ndarray
    k: int

    @property
    def countable(self) -> bool:
        """Whether a model can be fitted for every candidate, step and fold."""
        return self.X.size <= 10**6

    def folds(self) -> Any:
        from sklearn.model_selection import KFold

        return KFold(FOLDS)


def datasets(quick: bool) -> list[Dataset]:
    sizes = [(60, 8, 3)] if quick else [(1_000, 100, 15), (100_000, 1_000, 50)]
    return [Dataset(f"{n:,} × {p:,}, {k} chosen", partial(planted, n, p, k), limit=1_000) for n, p, k in sizes]


def planted(n: int, p: int, k: int) -> Forward:
    """y = 1 + X w + noise, w on 2k columns with sizes from 1 to 1/8; Corr(x_i, x_j) = 0.5^|i − j|."""
    rng = np.random.default_rng(0)
    X = design(rng, n, p, 0.5)
    support = rng.choice(p, min(p, 2 * k), replace=False)
    sizes = np.geomspace(1, 0.125, len(support)) * rng.choice([-1.0, 1.0], len(support))
    y = 1 + X[:, support] @ sizes + rng.standard_normal(n)
    return Forward(X, y, k)


@dataclass
class Fold:
    """Products of the columns, the target last: G of the rows outside the fold, H of those inside.

    Both are centred with the means of the rows outside, whose model is what predicts; ``spread`` is the sum of
    squares of the target inside around its own mean.
    """

    G: np.ndarray
    H: np.ndarray
    spread: float

    def scores(self, chosen: list[int]) -> np.ndarray:
        """R² inside the fold of the least squares fitted outside it, for ``chosen`` with each other column."""
        G, H, p = self.G, self.H, len(self.G) - 1
        B = np.linalg.solve(G[np.ix_(chosen, chosen)], G[chosen])  # every column explained by the chosen
        left = np.diag(G)[:p] - np.sum(G[chosen, :p] * B[:, :p], axis=0)
        left[chosen] = np.inf  # nothing can be added twice
        t = (G[:p, p] - G[:p, chosen] @ B[:, p]) / left
        residual = H[-1] - B[:, -1] @ H[chosen]  # products inside of the target's residual with everything
        cross = residual[:p] - B[:, :p].T @ residual[chosen]
        square = np.diag(H)[:p] - 2 * np.sum(B[:, :p] * H[chosen, :p], axis=0)
        square = square + np.sum(B[:, :p] * (H[np.ix_(chosen, chosen)] @ B[:, :p]), axis=0)
        error = residual[-1] - B[:, -1] @ residual[chosen] - 2 * t * cross + t**2 * square
        return 1 - error / self.spread


def chosen_columns(X: np.ndarray, y: np.ndarray, k: int, n_folds: int) -> list[int]:
    """The columns in their order, each the one of highest mean R² over the folds; ties go to the lowest index.

    From the Gram matrices of the folds, in plain NumPy: what a fit per candidate would have chosen.
    """
    folds, chosen = _folds(X, y, n_folds), []
    for _ in range(k):
        scores = np.mean([fold.scores(chosen) for fold in folds], axis=0)
        scores[chosen] = -np.inf
        chosen.append(int(scores.argmax()))
    return chosen


def _folds(X: np.ndarray, y: np.ndarray, n_folds: int) -> list[Fold]:
    """Neighbouring rows, as ``KFold`` cuts them."""
    n, shift = len(X), np.append(X.mean(axis=0), y.mean())
    parts = [_products(X[rows], y[rows], shift) for rows in np.array_split(np.arange(n), n_folds)]
    everything = np.sum([P for P, _, _ in parts], axis=0)
    total, count = np.sum([s for _, s, _ in parts], axis=0), sum(m for _, _, m in parts)
    return [_fold(everything - P, total - s, count - m, P, s, m) for P, s, m in parts]


def _products(X: np.ndarray, y: np.ndarray, shift: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    A = np.column_stack([X, y]) - shift
    return A.T @ A, A.sum(axis=0), len(A)


def _fold(P_out: np.ndarray, s_out: np.ndarray, n_out: int, P: np.ndarray, s: np.ndarray, m: int) -> Fold:
    mean = s_out / n_out
    H = P - np.outer(s, mean) - np.outer(mean, s) + m * np.outer(mean, mean)
    return Fold(P_out - np.outer(s_out, mean), H, float(P[-1, -1] - s[-1] ** 2 / m))
