"""Who finds the columns of forward selection by cross-validated linear regression first?"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from benchmarks import question
from benchmarks.forward_linear.datasets import FOLDS, Forward
from benchmarks.forward_linear.reference import chosen_columns
from benchmarks.greedy import is_choice
from benchmarks.machine import Rates
from benchmarks.question import Table, bar, judged

PRODUCT = "NumPy X.T @ X"


class Chosen(NamedTuple):
    """Columns, and the score they were given where the competitor tells it."""

    columns: list[int]
    score: float | None


class Objective(question.Objective):
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

    def judge(self, data: Forward, reference: dict[str, Any], result: Chosen) -> dict[str, float]:
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
        n, p = data.X.shape
        seconds, ours = rates.seconds(n * p * (p + 1), data.X.nbytes), table.ours()
        distance = f"; ours takes {ours.seconds / seconds:.2g} × as long" if ours and ours.seconds else ""
        return [f"{seconds:.3g} s for one Gram of all rows ({rates.flops / 1e9:.0f} Gflop/s measured){distance}"]


def cross_validated(data: Forward, columns: list[int]) -> float:
    from sklearn.linear_model import LinearRegression
    from sklearn.model_selection import KFold, cross_val_score

    return float(np.mean(cross_val_score(LinearRegression(), data.X[:, columns], data.y, cv=KFold(FOLDS))))
