"""Who reaches a lasso path on a wide sparse matrix first, and in how much memory?"""

from __future__ import annotations

from typing import Any

from benchmarks.lasso.reference import precise_path
from benchmarks.lasso_sparse.datasets import SparseRegression
from benchmarks.path import JUDGED, Path, PathObjective
from benchmarks.question import Table, bar


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
        return [
            self.times_faster(table, table.limit),
            bar("MB above X", ours and ours.peak_mb, "≤", 100),
        ]
