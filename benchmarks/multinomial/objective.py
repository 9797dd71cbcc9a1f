"""Who reaches a multinomial path of certified quality first?"""

from __future__ import annotations

from typing import Any

from benchmarks import proof
from benchmarks.multinomial.datasets import ManyClasses
from benchmarks.multinomial.reference import precise_path
from benchmarks.path import JUDGED, Path, PathObjective
from benchmarks.question import Table


class Objective(PathObjective):
    title = "Multinomial path"
    text = (
        "P(W, b) = 1/n Σ (log Σ_k exp(z_ik) − z_i,yᵢ) + α Ω(W), Z = XW + b, at 30 alphas from α_max to α_max / 20, "
        f"with Ω = Σ |w_jk|, and with Ω = Σ_j ‖w_j‖ over the classes of a column. {JUDGED} Corr(x_i, x_j) = 0.5^|i − "
        "j|, p / 20 planted columns per class. The first: python-glmnet's `LogitNet(lambda_path)` and scikit-learn's"
        " `LogisticRegression` with saga from alpha to alpha, warm. The second is the only one that adelie's "
        "`grpnet` with `glm.multinomial` (weights 1) and skein-glm's `MultinomialLassoPathClassifier` solve, both "
        "with alphas divided by the number of classes, as their losses are. celer, skglm and glum have no "
        "multinomial model."
    )
    repeats = 4
    cap = 40.0
    loss = proof.Multinomial()

    def penalty(self, data: ManyClasses) -> proof.Penalty:
        return data.penalty

    def precise(self, data: ManyClasses) -> Path:
        return precise_path(data.X, data.y, data.alphas, data.penalty)

    def bars(self, table: Table) -> list[dict[str, Any]]:
        return [self.times_faster(table, table.limit)]
