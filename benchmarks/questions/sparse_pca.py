"""How fast are sparse components, and how much variance do they explain at the same sparsity?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks import objective
from benchmarks.objective import Dataset, Table, bar, judged


@dataclass(frozen=True)
class Rows:
    X: np.ndarray
    k: int
    n_nonzero: int


class Objective(objective.Objective):
    title = "Sparse principal components"
    text = (
        "k components of few columns each. Judged is the share of the variance that they explain, adjusted for their "
        "correlation (QR of the scores), and the number of loadings that are not zero. scikit-learn's take a penalty "
        "instead of a number: they run with their default, and of each component the largest loadings are kept, as "
        "many as were asked for."
    )
    repeats = 2
    cap = 120.0
    columns = {"share": "explained share", "loadings": "loadings"}  # noqa: RUF012

    def judge(self, data: Rows, reference: Any, result: np.ndarray) -> dict[str, float]:
        V = np.asarray(result, dtype=float)
        X = data.X - data.X.mean(axis=0)
        R = np.linalg.qr(X @ V.T)[1]
        return {"share": float((np.diag(R) ** 2).sum() / (X**2).sum()), "loadings": float(np.count_nonzero(V))}

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["share"] > 0

    def bars(self, table: Table) -> list[dict[str, Any]]:
        rivals = [row for row in table.rows if row.role == "rival" and row.judged and row.name.startswith("scikit")]
        best = max((row.judged["share"] for row in rivals), default=None)
        ours = judged(table.ours(), "share")
        default = table.ratio(table.row("scikit-learn SparsePCA"), table.ours())
        return [
            bar("times faster than scikit-learn's default", default, "≥", 50),
            table.times_faster("times faster than the fastest", 20),
            bar("share / scikit-learn's", None if best is None or ours is None else ours / best, "≥", 1.0),
        ]


def datasets(quick: bool) -> list[Dataset]:
    n, p = (40, 60) if quick else (200, 2_000)
    return [Dataset(f"{n} × {p:,}, k = 5, {p // 20} loadings each", partial(planted, n, p, 5))]


def planted(n: int, p: int, k: int) -> Rows:
    """k groups of correlated columns in noise."""
    rng = np.random.default_rng(0)
    loadings = np.zeros((k, p))
    m = p // 20
    for j in range(k):
        loadings[j, j * m : (j + 1) * m] = rng.choice([-1, 1], m) * rng.uniform(0.5, 1.5, m)
    return Rows((rng.standard_normal((n, k)) * np.linspace(2, 1, k)) @ loadings + rng.standard_normal((n, p)), k, m)
