"""Who finds the best subset of every size of a small table, and who proves it?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from benchmarks import objective
from benchmarks.objective import Dataset, Table, bar
from benchmarks.questions.lasso import design

BLOCK = 20_000  # subsets solved at a time


class Answer(NamedTuple):
    """A row of coefficients for each size, their intercepts, and the largest relative gap claimed, or NaN."""

    coefs: np.ndarray
    intercepts: np.ndarray
    gap: float


class Objective(objective.Objective):
    title = "Best subsets of every size"
    text = (
        "1/(2n)‖y − Xw − b‖² with at most K coefficients that are not zero, for each K = 1 … 8; correlation "
        "0.5^|i − j|, 8 planted columns of falling size, signal to noise 1. Judged: the largest relative excess over "
        "the best of all subsets, each of which the judge looks at; accepted up to 1e-9. Ours proves each. abess: "
        "`LinearRegression(support_size=[K])`, without a proof."
    )
    repeats = 3
    cap = 30.0
    columns = {"excess": "objective above the best", "gap": "proved gap"}  # noqa: RUF012

    def reference(self, data: Table20) -> np.ndarray:
        return np.array([best_of_all(data, K) for K in data.sizes])

    def judge(self, data: Table20, reference: np.ndarray, result: Answer) -> dict[str, float]:
        W = np.asarray(result.coefs, dtype=float)
        if (np.count_nonzero(W, axis=1) > data.sizes).any():
            return {"excess": np.inf, "gap": result.gap}
        R = data.y - W @ data.X.T - np.asarray(result.intercepts, dtype=float)[:, None]
        values = (R**2).mean(axis=1) / 2
        return {"excess": float((values / reference - 1).max()), "gap": float(result.gap)}

    def accepts(self, judged: dict[str, float]) -> bool:
        return bool(judged["excess"] <= 1e-9)

    def bars(self, table: Table) -> list[dict[str, Any]]:
        ours = table.ours()
        return [
            bar("seconds for all of them", ours and ours.seconds, "≤", 1.0),
            bar("proved relative gap", ours and ours.judged.get("gap"), "≤", 1e-9),
        ]


@dataclass
class Table20:
    """Rows, target, and the sizes asked for."""

    X: np.ndarray
    y: np.ndarray
    sizes: np.ndarray


def datasets(quick: bool) -> list[Dataset]:
    n, p, K = (60, 8, 3) if quick else (300, 20, 8)
    return [Dataset(f"{n:,} × {p:,}, K = 1 … {K}", partial(table, n, p, K))]


def table(n: int, p: int, K: int) -> Table20:
    rng = np.random.default_rng(0)
    X, w = design(rng, n, p, 0.5), np.zeros(p)
    w[rng.choice(p, K, replace=False)] = rng.choice([-1.0, 1.0], K) * np.geomspace(0.2, 1, K)
    z = X @ w
    return Table20(X, 2 + z + z.std() * rng.standard_normal(n), np.arange(1, K + 1))


def best_of_all(data: Table20, K: int) -> float:
    """By normal equations, many subsets at a time."""
    C, t, n = data.X - data.X.mean(axis=0), data.y - data.y.mean(), len(data.y)
    G, q, most = C.T @ C / n, C.T @ t / n, 0.0
    subsets = np.array(list(combinations(range(C.shape[1]), int(K))))
    for k in range(0, len(subsets), BLOCK):
        S = subsets[k : k + BLOCK]
        w = np.linalg.solve(G[S[:, :, None], S[:, None, :]], q[S][..., None])[..., 0]
        most = max(most, float((w * q[S]).sum(axis=1).max()))
    return float(t @ t / n - most) / 2
