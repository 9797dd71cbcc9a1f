"""Who reaches a lasso path of certified quality first?"""

from __future__ import annotations

from typing import Any

from benchmarks.lasso.datasets import Regression
from benchmarks.lasso.reference import precise_path
from benchmarks.path import JUDGED, Path, PathObjective
from benchmarks.question import Table, bar

PRODUCT = "NumPy X.T @ X"


class Objective(PathObjective):
    title = "Lasso path"
    text = (
        "P(w, b) = 1/(2n) ‖y − Xw − b‖² + α‖w‖₁ at 100 alphas from α_max to α_max / 100, intercept included. "
        f"{JUDGED} Corr(x_i, x_j) = ρ^|i − j|, a planted support of min(n, p) / 10 columns of ±1, signal to noise 5. "
        "Where a library has no path with an intercept, centring is timed too. scikit-learn: `lasso_path` on a "
        "centred copy, with its own Gram, left to decide, or given a Gram centred by algebra; celer: `celer_path`; "
        "skglm: `AndersonCD.path`, compiled before; adelie: `grpnet` with a group per column, or `gaussian_cov` on "
        "the Gram of a centred copy; python-glmnet: `ElasticNet(lambda_path)`; glum: "
        "`GeneralizedLinearRegressor(alpha_search)`; skein-glm: `ElasticNetPathRegressor`. Those that only make "
        "sense on tall data are timed there."
    )
    repeats = 16
    cap = 10.0

    def precise(self, data: Regression) -> Path:
        return precise_path(data.X, data.y, data.alphas)

    def bars(self, table: Table) -> list[dict[str, Any]]:
        product = table.row(PRODUCT)
        floor = [bar(f"time / {PRODUCT}", table.ratio(table.ours(), product), "≤", 1.4)] if product else []
        return [self.times_faster(table, table.limit), *floor]
