"""How far is a lasso path on 4 GB from the passes it cannot do without?

Rows that fill gigabytes, made block by block.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks import objective
from benchmarks.judging import duality
from benchmarks.judging.duality import correlations, row_blocks
from benchmarks.judging.path import LIMIT, Path, work_bound
from benchmarks.libraries.numpy import PASSES
from benchmarks.machine import Rates
from benchmarks.objective import Dataset, Table, bar
from benchmarks.questions.lasso import precise_path

RHO, BLOCK = 0.5, 5_000


class Objective(objective.Objective):
    title = "Lasso path on 4 GB"
    text = (
        "The lasso path on 100,000 × 10,000 float32 rows in C order, 50 alphas from α_max to α_max / 20, intercept "
        "included. Judged: the largest (P − D) / P(0) over the path, P and D summed in float64 and D the dual value "
        "of the answer's own residuals; accepted up to 1e-7. Corr(x_i, x_j) = 0.5^|i − j|, a planted support of p / "
        "50 columns of ±1, signal to noise 5. The yardstick is one pass of NumPy's `X.T @ r` per alpha and one Gram "
        "of the columns that the last alpha uses. Memory is what the call adds to X."
    )
    repeats = 3
    cap = 600.0
    columns = {"gap": "gap"}  # noqa: RUF012

    def judge(self, data: Large, reference: None, result: Path) -> dict[str, float]:
        loss, penalty, (coefs, intercepts) = duality.Squares(), duality.L1(), result
        if np.shape(coefs) != (len(data.alphas), data.X.shape[1]):
            return {"gap": float("inf")}
        gaps = duality.primal_values(loss, penalty, data, coefs, intercepts) - duality.dual_values(
            loss, penalty, data, coefs, intercepts
        )
        return {"gap": float(gaps.max() / loss.null_value(data.y))}

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["gap"] <= LIMIT

    def bounds(self, data: Large, reference: None, table: Table, rates: Rates) -> list[str]:
        return [work_bound(data.X, len(data.support), table, rates)]

    def bars(self, table: Table) -> list[dict[str, Any]]:
        ours = table.ours()
        return [
            bar(f"time / {PASSES}", table.ratio(ours, table.row(PASSES)), "≤", 3),
            bar("MB above X", ours and ours.peak_mb, "≤", 1024),
        ]


@dataclass
class Large:
    """float32 rows, target, the alphas of the path, α_max to α_max / 20, and the columns the last alpha uses."""

    X: np.ndarray
    y: np.ndarray
    alphas: np.ndarray
    support: np.ndarray


def datasets(quick: bool) -> list[Dataset]:
    n, p, m = (2_000, 40, 6) if quick else (100_000, 10_000, 50)
    return [Dataset(f"{n:,} × {p:,} float32, {m} alphas, ρ = {RHO}", partial(large, n, p, m))]


def large(n: int, p: int, n_alphas: int) -> Large:
    """Corr(x_i, x_j) = ρ^|i − j|; y = 1 + X w + noise, w ±1 on p / 50 columns, Var(X w) / Var(noise) = 5."""
    rng = np.random.default_rng(0)
    X = _design(rng, n, p)
    k = max(3, p // 50)
    w = np.zeros(p)
    w[rng.choice(p, k, replace=False)] = rng.choice([-1.0, 1.0], k)
    signal = np.concatenate([B @ w for B in row_blocks(X)])
    y = 1 + signal + signal.std() / np.sqrt(5) * rng.standard_normal(n)
    alpha_max = np.abs(correlations(X, (y - y.mean())[:, None])).max() / n
    alphas = alpha_max * np.geomspace(1, 0.05, n_alphas)
    last, _ = precise_path(X, y, alphas[-1:])
    return Large(X, y, alphas, np.flatnonzero(last[0]))


def _design(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    from scipy.signal import lfilter

    X, means = np.empty((n, p), dtype=np.float32), rng.standard_normal(p)
    for start in range(0, n, BLOCK):
        E = rng.standard_normal((min(BLOCK, n - start), p), dtype=np.float32)
        X[start : start + len(E)] = lfilter([np.sqrt(1 - RHO**2)], [1, -RHO], E, axis=1) + means
    return X
