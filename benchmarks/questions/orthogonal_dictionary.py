"""How near is an iteration of the orthogonal dictionary to its two products and its decomposition?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks import objective
from benchmarks.objective import Dataset, Table, bar


class Objective(objective.Objective):
    title = "Orthogonal dictionary"
    text = (
        "Codes are the largest entries of each row of X Dᵀ, atoms UVᵀ of ZᵀX = UΣVᵀ, so many iterations. Beside it "
        "NumPy's two matrix products of these shapes and the decomposition, as often, which nobody goes without. "
        "Accepted where the atoms are orthonormal and the objective is that of the judge's own iterations."
    )
    repeats = 3
    columns = {"distance": "‖DDᵀ − I‖", "objective": "objective / judge's"}  # noqa: RUF012

    def reference(self, data: Rows) -> float:
        D = data.D
        for _ in range(data.sweeps):
            U, _, Vt = np.linalg.svd(_codes(data.X, D, data.n_nonzero).T @ data.X)
            D = U @ Vt
        return _error(data, D)

    def judge(self, data: Rows, reference: float, result: np.ndarray) -> dict[str, float]:
        D = np.asarray(result)
        return {
            "distance": float(np.linalg.norm(D @ D.T - np.eye(len(D)))),
            "objective": _error(data, D) / reference,
        }

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["distance"] <= 1e-8 and judged["objective"] <= 1.0001

    def bars(self, table: Table) -> list[dict[str, Any]]:
        products = table.row("NumPy's products and SVD")
        return [bar("time beside two products and the SVD", table.ratio(table.ours(), products), "≤", 1.5)]


def _codes(X: np.ndarray, D: np.ndarray, n_nonzero: int) -> np.ndarray:
    Q = X @ D.T
    least = np.partition(np.abs(Q), -n_nonzero, axis=1)[:, [-n_nonzero]]
    return np.where(np.abs(Q) >= least, Q, 0.0)


def _error(data: Rows, D: np.ndarray) -> float:
    return float(((data.X - _codes(data.X, D, data.n_nonzero) @ D) ** 2).sum())


@dataclass
class Rows:
    X: np.ndarray
    D: np.ndarray
    n_nonzero: int
    sweeps: int


def datasets(quick: bool) -> list[Dataset]:
    n, p, n_nonzero, sweeps = (500, 16, 3, 3) if quick else (100_000, 64, 8, 10)
    name = f"{n:,} × {p}, {n_nonzero} non-zeros, {sweeps} iterations"
    return [Dataset(name, partial(rows, n, p, n_nonzero, sweeps))]


def rows(n: int, p: int, n_nonzero: int, sweeps: int) -> Rows:
    rng = np.random.default_rng(0)
    truth, D = (np.linalg.qr(rng.standard_normal((p, p)))[0] for _ in range(2))
    Z = rng.standard_normal((n, p)) * (rng.random((n, p)) < n_nonzero / p)
    return Rows(Z @ truth + 0.05 * rng.standard_normal((n, p)), D, n_nonzero, sweeps)
