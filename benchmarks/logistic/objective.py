"""Who reaches a sparse logistic path of certified quality first?"""

from __future__ import annotations

from typing import Any

from benchmarks import proof
from benchmarks.logistic.datasets import Classes
from benchmarks.logistic.reference import precise_path
from benchmarks.path import JUDGED, Path, PathObjective
from benchmarks.question import Table


class Objective(PathObjective):
    title = "Sparse logistic path"
    text = (
        "P(w, b) = 1/n Σ log(1 + exp(−yᵢ(xᵢᵀw + b))) + α‖w‖₁ at 30 alphas from α_max to α_max / 20, intercept "
        f"included and not penalised. {JUDGED} Corr(x_i, x_j) = 0.5^|i − j|, a planted support of min(n, p) / 20 "
        "columns. adelie: `grpnet` with `glm.binomial`; python-glmnet: `LogitNet(lambda_path)`; skglm: `ProxNewton` "
        "from alpha to alpha, warm, compiled before; glum: `GeneralizedLinearRegressor(family='binomial', "
        "alpha_search)`; skein-glm: `LogisticLassoPathRegressor`; scikit-learn has no path: `LogisticRegression` "
        "from alpha to alpha, warm, with saga, and with liblinear, whose penalised intercept is scaled until it "
        "hardly counts. celer's logistic regression has no intercept and so does not answer."
    )
    repeats = 8
    cap = 10.0
    loss = proof.Logistic()

    def precise(self, data: Classes) -> Path:
        return precise_path(data.X, data.y, data.alphas)

    def bars(self, table: Table) -> list[dict[str, Any]]:
        return [self.times_faster(table, table.limit)]
