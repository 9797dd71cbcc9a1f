"""Who reaches a path of MCP or SCAD first, with objectives no worse than the others?

Penalties that are not convex have many stationary points: a path counts where each of its objectives is no worse than a
reference's.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks import objective
from benchmarks.objective import Dataset, Table
from benchmarks.questions.lasso import design

LIMIT = 1e-3  # of the variance of y: by so much an objective may be above the reference's, which is another minimum
GAMMA = {"mcp": 3.0, "scad": 3.7}


class Objective(objective.Objective):
    title = "MCP and SCAD paths"
    text = (
        "P(w, b) = 1/(2n)‖y − Xw − b‖² + Σ Ω_α(|wⱼ|) at 50 alphas from α_max to α_max / 20, intercept included; MCP "
        "with γ = 3, SCAD with γ = 3.7. Judged: the mean over the path of (P − P_ref) / Var(y), P_ref a path of plain "
        "coordinate descent in NumPy on the Gram matrix, each alpha from the one before until no coefficient moves by "
        "1e-6; accepted up to 1e-3, for minima differ; and the largest distance to stationarity, up to 1e-4 of α_max. "
        "Corr(x_i, x_j) = 0.5^|i − j|, 50 planted columns. skglm: `AndersonCD` from alpha to alpha on a centred copy, "
        "compiled before; skein-glm: `MCPPathRegressor` and `SCADPathRegressor`."
    )
    repeats = 3
    cap = 15.0
    columns = {"excess": "objective above the reference", "stationarity": "stationarity"}  # noqa: RUF012

    def reference(self, data: Regression) -> np.ndarray:
        return values(data, *plain_path(data))

    def judge(self, data: Regression, reference: np.ndarray, result: Any) -> dict[str, float]:
        coefs, intercepts = (np.asarray(part) for part in result)
        if coefs.shape != (len(data.alphas), data.X.shape[1]) or not np.isfinite(coefs).all():
            return {"excess": np.inf, "stationarity": np.inf}
        above = (values(data, coefs, intercepts) - reference).mean() / data.y.var()
        return {"excess": float(above), "stationarity": float(distance(data, coefs, intercepts) / data.alphas[0])}

    def accepts(self, judged: dict[str, float]) -> bool:
        return bool(judged["excess"] <= LIMIT and judged["stationarity"] <= 1e-4)

    def bars(self, table: Table) -> list[dict[str, Any]]:
        return [table.times_faster("times faster than the fastest competitor", table.limit)]


@dataclass
class Regression:
    """Rows, target, alphas and which penalty."""

    X: np.ndarray
    y: np.ndarray
    alphas: np.ndarray
    penalty: str

    @property
    def gamma(self) -> float:
        return GAMMA[self.penalty]


def datasets(quick: bool) -> list[Dataset]:
    n, p, m = (100, 30, 6) if quick else (2_000, 2_000, 50)
    return [
        Dataset(f"{name.upper()}, {n:,} × {p:,}, {m} alphas", partial(regression, n, p, m, name), limit=4.0)
        for name in GAMMA
    ]


def regression(n: int, p: int, n_alphas: int, penalty: str) -> Regression:
    rng = np.random.default_rng(0)
    X = design(rng, n, p, 0.5)
    X = (X - X.mean(axis=0)) / X.std(axis=0) + 0.5
    w = np.zeros(p)
    w[rng.choice(p, min(50, p // 4), replace=False)] = rng.choice([-1.0, 1.0], min(50, p // 4))
    z = X @ w
    y = 1 + z + z.std() / 2 * rng.standard_normal(n)
    alpha_max = np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max() / n
    return Regression(X, y, alpha_max * np.geomspace(1, 0.05, n_alphas), penalty)


def penalty_value(data: Regression, w: np.ndarray, alpha: Any) -> np.ndarray:
    g = data.gamma
    t = np.minimum(np.abs(w), g * alpha)
    if data.penalty == "mcp":
        return alpha * t - t**2 / (2 * g)
    return alpha * t - np.maximum(t - alpha, 0) ** 2 / (2 * (g - 1))


def slope(data: Regression, w: np.ndarray, alpha: Any) -> np.ndarray:
    g, t = data.gamma, np.abs(w)
    if data.penalty == "mcp":
        return np.maximum(alpha - t / g, 0)
    return np.maximum(alpha - np.maximum(t - alpha, 0) / (g - 1), 0)


def values(data: Regression, coefs: np.ndarray, intercepts: np.ndarray) -> np.ndarray:
    R = data.y[:, None] - data.X @ coefs.T - intercepts
    return (R**2).mean(axis=0) / 2 + penalty_value(data, coefs, data.alphas[:, None]).sum(axis=1)


def distance(data: Regression, coefs: np.ndarray, intercepts: np.ndarray) -> float:
    R = data.X @ coefs.T + intercepts - data.y[:, None]
    g, d = (data.X.T @ R / len(data.y)).T, slope(data, coefs, data.alphas[:, None])
    missed = np.where(coefs == 0, np.maximum(np.abs(g) - d, 0), np.abs(g + np.sign(coefs) * d))
    return float(missed.max())


def plain_path(data: Regression) -> tuple[np.ndarray, np.ndarray]:
    m, centre, n = data.X.mean(axis=0), data.y.mean(), len(data.y)
    C = data.X - m
    G, q = C.T @ C / n, C.T @ (data.y - centre) / n
    w, r, coefs = np.zeros(len(q)), q.copy(), np.zeros((len(data.alphas), len(q)))
    for k, alpha in enumerate(data.alphas):
        while True:
            S = np.flatnonzero((w != 0) | (np.abs(r) > alpha * (1 + 1e-9)))
            moved = max((_step(data, G, w, r, int(j), alpha) for j in S), default=0.0)
            if moved <= 1e-6:
                break
        coefs[k] = w
    return coefs, centre - coefs @ m


def _step(data: Regression, G: np.ndarray, w: np.ndarray, r: np.ndarray, j: int, alpha: float) -> float:
    """To the minimum along one coordinate, the columns having unit variance; how far it moved."""
    g, v = data.gamma, r[j] + w[j]
    size = abs(v)
    if size > g * alpha:
        t = size
    elif data.penalty == "mcp":
        t = max(size - alpha, 0.0) / (1 - 1 / g)
    else:
        t = max(size - alpha, 0.0) if size <= 2 * alpha else ((g - 1) * size - g * alpha) / (g - 2)
    d = np.sign(v) * t - w[j]
    if d:
        w[j] += d
        r -= d * G[j]
    return abs(d)
