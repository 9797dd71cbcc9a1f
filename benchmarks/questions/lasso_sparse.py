"""Who reaches a lasso path on a wide sparse matrix first, and in how much memory?

A wide sparse matrix with a planted support.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.judging.path import JUDGED, Path, PathObjective
from benchmarks.objective import Dataset, Table, bar
from benchmarks.questions.lasso import precise_path


class Objective(PathObjective):
    title = "Lasso path on a sparse matrix"
    text = (
        "The lasso path on a matrix stored by columns (CSC), 50 alphas from α_max to α_max / 100, intercept "
        f"included, so that the centred matrix is dense and must never be made. {JUDGED} Gaussian entries at random "
        "places, a planted support of p / 1000 columns of ±1, signal to noise 300. scikit-learn: `lasso_path` with "
        "the means as `X_offset`; celer: `celer_path`, the same; skglm: `AndersonCD.path` with its intercept, "
        "compiled before; adelie: `grpnet` on `matrix.sparse`; python-glmnet: `ElasticNet(lambda_path)`; skein-glm: "
        "`ElasticNetPathRegressor`. glum would need a dense p × p matrix of 320 GB. Memory is what the call adds to "
        "X."
    )
    repeats = 4
    cap = 40.0

    def precise(self, data: SparseRegression) -> Path:
        return precise_path(data.X, data.y, data.alphas)

    def bars(self, table: Table) -> list[dict[str, Any]]:
        ours = table.ours()
        return [*super().bars(table), bar("MB above X", ours and ours.peak_mb, "≤", 100)]


@dataclass
class SparseRegression:
    """Rows by column (CSC), target and the alphas of the path, α_max to α_max / 100."""

    X: sparse.csc_array
    y: np.ndarray
    alphas: np.ndarray


def datasets(quick: bool) -> list[Dataset]:
    n, p, density, m = (200, 300, 0.05, 6) if quick else (20_000, 200_000, 1e-3, 50)
    name = f"{n:,} × {p:,}, density {density:g}, {m} alphas"
    return [Dataset(name, partial(sparse_regression, n, p, density, m), limit=1.5)]


def sparse_regression(n: int, p: int, density: float, n_alphas: int, snr: float = 300.0) -> SparseRegression:
    """Gaussian entries at random places; y = 1 + X w + noise, w ±1 on p / 1000 columns, Var(X w) / Var(noise) = 300."""
    rng = np.random.default_rng(0)
    X = sparse.random_array(
        (n, p), density=density, format="csc", rng=rng, data_sampler=lambda size: rng.standard_normal(size)
    )
    k = max(5, p // 1000)
    w = np.zeros(p)
    w[rng.choice(p, k, replace=False)] = rng.choice([-1.0, 1.0], k)
    signal = X @ w
    y = 1 + signal + signal.std() / np.sqrt(snr) * rng.standard_normal(n)
    # Centring the target centres the columns too: Xᵀ(y − ȳ) = (X − 1mᵀ)ᵀ(y − ȳ).
    alpha_max = np.abs(X.T @ (y - y.mean())).max() / n
    return SparseRegression(X, y, alpha_max * np.geomspace(1, 0.01, n_alphas))
