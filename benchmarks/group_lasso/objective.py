"""Who reaches a group lasso path of certified quality first?"""

from __future__ import annotations

from typing import Any

from benchmarks import proof
from benchmarks.group_lasso.datasets import Grouped
from benchmarks.group_lasso.reference import precise_path
from benchmarks.path import JUDGED, Path, PathObjective
from benchmarks.question import Table


class Objective(PathObjective):
    title = "Group lasso path"
    text = (
        "P(w, b) = 1/(2n) ‖y − Xw − b‖² + α Ω(w) at 100 alphas from α_max to α_max / 100, with Ω = Σ √5 ‖w_g‖, and "
        f"with Ω = ½ ‖w‖₁ + ½ Σ √5 ‖w_g‖, groups of five neighbours. {JUDGED} Corr(x_i, x_j) = 0.5^|i − j|, n / 50 "
        "planted groups. adelie: `grpnet(groups)`; celer: `celer_path(pb='grouplasso')` on a centred copy; skglm: "
        "`GroupBCD` from alpha to alpha, warm, on a centred copy, compiled before; skein-glm: "
        "`GroupLassoPathRegressor` and `SparseGroupLassoPathRegressor`. adelie and celer have no sparse groups; "
        "scikit-learn, python-glmnet and glum have no groups."
    )
    repeats = 5
    cap = 30.0

    def penalty(self, data: Grouped) -> proof.Penalty:
        return data.penalty

    def precise(self, data: Grouped) -> Path:
        return precise_path(data.X, data.y, data.alphas, data.penalty)

    def bars(self, table: Table) -> list[dict[str, Any]]:
        return [self.times_faster(table, table.limit)]
