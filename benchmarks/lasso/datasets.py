"""Correlated Gaussian columns with a planted support."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.question import Dataset


@dataclass
class Regression:
    """Rows, target and the alphas of the path, α_max to α_max / 100."""

    X: np.ndarray
    y: np.ndarray
    alphas: np.ndarray


def datasets(quick: bool) -> list[Dataset]:
    n, p, k = (400, 20, 10) if quick else (20_000, 500, 100)
    return [
        Dataset(f"{n:,} × {p}, {k} alphas, ρ = {rho}", partial(regression, n, p, k, rho), barred=rho == 0.5)
        for rho in (0.5, 0.95)
    ]


def regression(n: int, p: int, n_alphas: int, rho: float) -> Regression:
    """Corr(x_i, x_j) = ρ^|i − j|; y = 1 + X w + noise, w ±1 on p / 10 columns, Var(X w) / Var(noise) = 5."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    for j in range(1, p):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho**2) * X[:, j]
    X += rng.standard_normal(p)  # means, so that the intercept matters
    w = np.zeros(p)
    w[rng.choice(p, p // 10, replace=False)] = rng.choice([-1.0, 1.0], p // 10)
    signal = X @ w
    y = 1 + signal + signal.std() / np.sqrt(5) * rng.standard_normal(n)
    alpha_max = np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max() / n
    return Regression(X, y, alpha_max * np.geomspace(1, 0.01, n_alphas))
