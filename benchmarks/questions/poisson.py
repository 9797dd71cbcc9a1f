"""Who reaches a sparse Poisson path of certified quality first?

Counts whose mean is e^z, z linear in a few of many correlated columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks.judging import duality
from benchmarks.judging.path import JUDGED, Path, PathObjective
from benchmarks.objective import Dataset, Table
from benchmarks.questions.lasso import design

SIZES = ((5_000, 500), (500, 5_000))


class Objective(PathObjective):
    title = "Sparse Poisson path"
    text = (
        "P(w, b) = 1/n Σ exp(zᵢ) − yᵢzᵢ + α‖w‖₁, zᵢ = xᵢᵀw + b, at 30 alphas from α_max to α_max / 20, intercept "
        f"included and not penalised. {JUDGED} P(0) is counted from perfect predictions. Corr(x_i, x_j) = 0.5^|i − j|, "
        "a planted support of min(n, p) / 20 columns. adelie: `grpnet` with `glm.poisson`; glum: "
        "`GeneralizedLinearRegressor(family='poisson', alpha_search)`; skglm: `ProxNewton` from alpha to alpha, warm, "
        "compiled before; skein-glm: `PoissonLassoPathRegressor`. python-glmnet has no Poisson loss."
    )
    repeats = 4
    cap = 10.0
    loss = duality.Poisson()

    def precise(self, data: Counts) -> Path:
        """Alpha by alpha, each solved until its own residual proves it."""
        from tamis import SparseRegressor

        model, coefs, intercepts = SparseRegressor("poisson", tol=1e-11, warm_start=True), [], []
        for alpha in data.alphas:
            model.set_params(alpha=alpha).fit(data.X, data.y)
            coefs.append(model.coef_)
            intercepts.append(model.intercept_)
        return np.array(coefs), np.array(intercepts)

    def bars(self, table: Table) -> list[dict[str, Any]]:
        return [
            table.times_faster("times faster than the fastest competitor", table.limit),
            table.times_faster("times faster than glum", 4.0, "glum"),
        ]


@dataclass
class Counts:
    """Rows, counts and the alphas of the path, α_max to α_max / 20."""

    X: np.ndarray
    y: np.ndarray
    alphas: np.ndarray


def datasets(quick: bool) -> list[Dataset]:
    sizes, k = (((300, 20),), 6) if quick else (SIZES, 30)
    return [Dataset(f"{n:,} × {p:,}, {k} alphas, ρ = 0.5", partial(counts, n, p, k)) for n, p in sizes]


def counts(n: int, p: int, n_alphas: int) -> Counts:
    """E[y | x] = e^z, z = 0.5 + X_c w with w ±1 on min(n, p) / 20 columns, scaled to Var(z) = ½."""
    rng = np.random.default_rng(0)
    X = design(rng, n, p, 0.5)
    k = max(1, min(n, p) // 20)
    w = np.zeros(p)
    w[rng.choice(p, k, replace=False)] = rng.choice([-1.0, 1.0], k)
    z = (X - X.mean(axis=0)) @ w
    y = rng.poisson(np.exp(0.5 + z / z.std() * np.sqrt(0.5))).astype(np.float64)
    alpha_max = np.abs((X - X.mean(axis=0)).T @ y).max() / n
    return Counts(X, y, alpha_max * np.geomspace(1, 0.05, n_alphas))
