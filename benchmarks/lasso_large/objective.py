"""How far is a lasso path on 4 GB from the passes it cannot do without?"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks import proof, question
from benchmarks.lasso_large.datasets import Large
from benchmarks.machine import Rates
from benchmarks.path import LIMIT, Path, work_bound
from benchmarks.question import Table, bar

PASSES = "passes of X.T @ r and a Gram"


class Objective(question.Objective):
    title = "Lasso path on 4 GB"
    text = (
        "The lasso path on 100,000 × 10,000 float32 rows in C order, 50 alphas from α_max to α_max / 20, intercept "
        "included. Judged: the largest (P − D) / P(0) over the path, P and D summed in float64 and D the dual value "
        "of the answer's own residuals; accepted up to 1e-7. Corr(x_i, x_j) = 0.5^|i − j|, a planted support of p / "
        "50 columns of ±1, signal to noise 5. The yardstick is one pass of NumPy's `X.T @ r` per alpha and one Gram "
        "of the columns that the last alpha uses. Memory is what the call adds to X."
    )
    repeats = 3
    cap = 600.0
    columns = {"gap": "gap"}  # noqa: RUF012

    def judge(self, data: Large, reference: None, result: Path) -> dict[str, float]:
        loss, penalty, (coefs, intercepts) = proof.Squares(), proof.L1(), result
        if np.shape(coefs) != (len(data.alphas), data.X.shape[1]):
            return {"gap": float("inf")}
        gaps = proof.primal_values(loss, penalty, data, coefs, intercepts) - proof.dual_values(
            loss, penalty, data, coefs, intercepts
        )
        return {"gap": float(gaps.max() / loss.null_value(data.y))}

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["gap"] <= LIMIT

    def bounds(self, data: Large, reference: None, table: Table, rates: Rates) -> list[str]:
        return [work_bound(data.X, len(data.support), table, rates)]

    def bars(self, table: Table) -> list[dict[str, Any]]:
        ours = table.ours()
        return [
            bar(f"time / {PASSES}", table.ratio(ours, table.row(PASSES)), "≤", 3),
            bar("MB above X", ours and ours.peak_mb, "≤", 1024),
        ]
