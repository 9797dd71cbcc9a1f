"""Who solves a quantile lasso first?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import linprog

from benchmarks import objective
from benchmarks.objective import Dataset, Table
from benchmarks.questions.lasso import design

LIMIT = 1e-7


class Objective(objective.Objective):
    title = "Quantile lasso"
    text = (
        "P(w, b) = 1/n Σ max(τrᵢ, (τ − 1)rᵢ) + α‖w‖₁, r = y − Xw − b, τ = 0.5 and 0.9, at one α. Judged: (P − P*) / "
        f"P(0), P* the optimum of the dual linear program by HiGHS; accepted up to {LIMIT:g}. Corr(x_i, x_j) = "
        "0.5^|i − j|, 20 planted columns, noise of a t distribution with 3 degrees of freedom. scikit-learn: "
        "`QuantileRegressor(solver='highs')`, which minimises the same. Ours rounds the loss off within 1e-5 of the "
        "spread of y, which the judge does not."
    )
    repeats = 4
    cap = 30.0
    columns = {"excess": "objective above the optimum"}  # noqa: RUF012

    def reference(self, data: Regression) -> tuple[float, float]:
        """P* = max ⟨u, y⟩/n over τ − 1 ≤ u ≤ τ, Σu = 0, |Xᵀu| ≤ nα; and P of the best constant."""
        n, p = data.X.shape
        most = np.full(2 * p, n * data.alpha)
        both = np.vstack([data.X.T, -data.X.T])
        found = linprog(-data.y, both, most, np.ones((1, n)), [0.0], (data.tau - 1, data.tau), method="highs")
        return -found.fun / n, value(data, np.zeros(p), float(np.quantile(data.y, data.tau)))

    def judge(self, data: Regression, reference: tuple[float, float], result: Any) -> dict[str, float]:
        w, b = np.asarray(result[0], dtype=float), float(result[1])
        if w.shape != (data.X.shape[1],) or not np.isfinite(w).all():
            return {"excess": np.inf}
        best, null = reference
        return {"excess": (value(data, w, b) - best) / null}

    def accepts(self, judged: dict[str, float]) -> bool:
        return bool(judged["excess"] <= LIMIT)

    def bars(self, table: Table) -> list[dict[str, Any]]:
        return [table.times_faster("times faster than scikit-learn", table.limit)]


@dataclass
class Regression:
    """Rows, target, the quantile and one α."""

    X: np.ndarray
    y: np.ndarray
    tau: float
    alpha: float


def value(data: Regression, w: np.ndarray, b: float) -> float:
    r = data.y - data.X @ w - b
    return float(np.maximum(data.tau * r, (data.tau - 1) * r).mean() + data.alpha * np.abs(w).sum())


def datasets(quick: bool) -> list[Dataset]:
    n, p = (100, 15) if quick else (2_000, 500)
    cases = ((0.5, 0.05),) if quick else ((0.5, 0.05), (0.5, 0.02), (0.9, 0.02))
    return [
        Dataset(f"{n:,} × {p:,}, τ = {tau:g}, α = {alpha:g}", partial(regression, n, p, tau, alpha), limit=5.0)
        for tau, alpha in cases
    ]


def regression(n: int, p: int, tau: float, alpha: float) -> Regression:
    rng = np.random.default_rng(0)
    X = design(rng, n, p, 0.5)
    w = np.zeros(p)
    w[rng.choice(p, min(20, p // 3), replace=False)] = rng.standard_normal(min(20, p // 3))
    return Regression(X, X @ w + rng.standard_t(3, n), tau, alpha)
