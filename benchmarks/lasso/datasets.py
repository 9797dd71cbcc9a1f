"""Correlated Gaussian columns with a planted support."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.question import Dataset

SIZES = {(500, 10_000): 1.5, (2_000, 2_000): 1.5, (20_000, 500): 1.5, (10_000, 1_000): 1.3}


@dataclass
class Regression:
    """Rows, target and the alphas of the path, α_max to α_max / 100."""

    X: np.ndarray
    y: np.ndarray
    alphas: np.ndarray


def datasets(quick: bool) -> list[Dataset]:
    sizes, k = ({(400, 20): 1.5}, 10) if quick else (SIZES, 100)
    return [
        Dataset(f"{n:,} × {p:,}, {k} alphas, ρ = {rho}", partial(regression, n, p, k, rho), limit=limit)
        for (n, p), limit in sizes.items()
        for rho in (0.5, 0.95)
    ]


def regression(n: int, p: int, n_alphas: int, rho: float) -> Regression:
    """y = 1 + X w + noise, w ±1 on min(n, p) / 10 columns, Var(X w) / Var(noise) = 5."""
    rng = np.random.default_rng(0)
    X = design(rng, n, p, rho)
    k = min(n, p) // 10
    w = np.zeros(p)
    w[rng.choice(p, k, replace=False)] = rng.choice([-1.0, 1.0], k)
    signal = X @ w
    y = 1 + signal + signal.std() / np.sqrt(5) * rng.standard_normal(n)
    alpha_max = np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max() / n
    return Regression(X, y, alpha_max * np.geomspace(1, 0.01, n_alphas))


def design(rng: np.random.Generator, n: int, p: int, rho: float) -> np.ndarray:
    """Corr(x_i, x_j) = ρ^|i − j|, with means of their own, so that the intercept matters."""
    X = rng.standard_normal((n, p))
    for j in range(1, p):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho**2) * X[:, j]
    X += rng.standard_normal(p)
    return X
