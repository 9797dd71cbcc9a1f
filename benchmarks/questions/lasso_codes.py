"""How fast are many signals coded by the lasso?

Natural patches on atoms learned from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from benchmarks import objective
from benchmarks.judging.patches import first_atoms, gaps, natural_patches
from benchmarks.objective import Dataset, Table, bar


class Objective(objective.Objective):
    title = "Lasso codes of many signals"
    text = (
        "For every row z minimises ½‖x − zD‖² + α‖z‖₁. From signals and dictionary to sparse codes: all products are "
        "timed. Accepted where the largest duality gap, which the judge computes from the rows, is at most 1e-6 ½‖x‖²."
    )
    repeats = 5
    columns = {"gap": "largest gap / ½‖x‖²", "nonzeros": "non-zeros a row"}  # noqa: RUF012

    def reference(self, data: Signals) -> None:
        return None

    def judge(self, data: Signals, reference: None, result: csr_array) -> dict[str, float]:
        Z = result.toarray()
        if Z.shape != (len(data.X), len(data.D)):
            return {"gap": float("inf"), "nonzeros": float("nan")}
        return {"gap": float(gaps(data.X, Z, data.D, data.alpha).max()), "nonzeros": float((Z != 0).sum(axis=1).mean())}

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["gap"] <= 1e-6

    def bars(self, table: Table) -> list[dict[str, Any]]:
        ours, sklearn = table.ours(), table.row("scikit-learn lasso_lars")
        # its LARS has no tolerance to tighten: the time counts, be its gaps as small as asked or not
        ratio = sklearn.seconds / ours.seconds if ours and ours.seconds and sklearn and sklearn.seconds else None
        return [
            table.times_faster("times faster than SPAMS", 1.5, "SPAMS"),
            bar("times faster than scikit-learn, precise or not", ratio, "≥", 25),
        ]


@dataclass
class Signals:
    X: np.ndarray
    D: np.ndarray
    alpha: float


def datasets(quick: bool) -> list[Dataset]:
    n, k = (300, 40) if quick else (11_000, 441)
    return [Dataset(f"{n:,} natural patches of 64, {k} atoms learned from them, α = 0.15", partial(signals, n, k))]


def signals(n: int, k: int) -> Signals:
    from sklearn.decomposition import MiniBatchDictionaryLearning

    X = natural_patches(n)
    learner = MiniBatchDictionaryLearning(
        k, alpha=0.15, max_iter=1, batch_size=256, dict_init=first_atoms(X, k), random_state=0
    )  # fmt: skip
    return Signals(X, learner.fit(X[:3000]).components_, 0.15)
