"""How fast are sweeps of K-SVD, and how good are the atoms?

Natural patches, ten non-zeros each.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks import objective
from benchmarks.judging.patches import first_atoms, natural_patches
from benchmarks.objective import Dataset, Table, bar


class Objective(objective.Objective):
    title = "K-SVD"
    text = (
        "Ten sweeps of orthogonal matching pursuit and (approximate) K-SVD, from the same atoms where a library takes "
        "any. The judge codes patches again on the atoms, by scikit-learn's pursuit, and compares the mean of ‖r‖²."
    )
    repeats = 2
    columns = {"error": "mean ‖r‖²"}  # noqa: RUF012

    def reference(self, data: Rows) -> None:
        return None

    def judge(self, data: Rows, reference: None, result: np.ndarray) -> dict[str, float]:
        return {"error": coding_error(data.X, np.asarray(result, dtype=np.float64), data.n_nonzero)}

    def accepts(self, judged: dict[str, float]) -> bool:
        return bool(np.isfinite(judged["error"]))

    def bars(self, table: Table) -> list[dict[str, Any]]:
        ours = table.ours()
        rivals = [row.judged["error"] for row in table.rows if row is not ours and row.judged]
        error = ours.judged["error"] / min(rivals) if ours and ours.judged and rivals else None
        return [
            table.times_faster("times faster than ksvd", 30, "ksvd"),
            table.times_faster("times faster than dictlearn's fastest", 2, "dictlearn"),
            bar("error beside the best competitor's", error, "≤", 1.01),
        ]


def coding_error(X: np.ndarray, D: np.ndarray, n_nonzero: int) -> float:
    from sklearn.linear_model import orthogonal_mp_gram

    rows, D = X[:: max(1, len(X) // 2000)], D / np.maximum(np.linalg.norm(D, axis=1, keepdims=True), 1e-12)
    Z = orthogonal_mp_gram(D @ D.T, D @ rows.T, n_nonzero_coefs=n_nonzero).T
    return float(((rows - Z @ D) ** 2).sum(axis=1).mean())


@dataclass
class Rows:
    X: np.ndarray
    D: np.ndarray
    n_nonzero: int
    sweeps: int


def datasets(quick: bool) -> list[Dataset]:
    n, k, n_nonzero, sweeps = (300, 80, 4, 3) if quick else (11_000, 441, 10, 10)
    name = f"{n:,} natural patches of 64, {k} atoms, {n_nonzero} non-zeros, {sweeps} sweeps"
    return [Dataset(name, partial(rows, n, k, n_nonzero, sweeps))]


def rows(n: int, k: int, n_nonzero: int, sweeps: int) -> Rows:
    X = natural_patches(n)
    return Rows(X, first_atoms(X, k), n_nonzero, sweeps)
