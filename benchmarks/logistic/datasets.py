"""Two classes that correlated Gaussian columns tell apart, with noise."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.lasso.datasets import design
from benchmarks.question import Dataset

SIZES = ((500, 5_000), (5_000, 500), (10_000, 1_000))


@dataclass
class Classes:
    """Rows, classes ±1 and the alphas of the path, α_max to α_max / 20."""

    X: np.ndarray
    y: np.ndarray
    alphas: np.ndarray


def datasets(quick: bool) -> list[Dataset]:
    sizes, k = (((300, 20),), 8) if quick else (SIZES, 30)
    return [Dataset(f"{n:,} × {p:,}, {k} alphas, ρ = 0.5", partial(classes, n, p, k), limit=1.3) for n, p in sizes]


def classes(n: int, p: int, n_alphas: int) -> Classes:
    """P(y = 1 | x) = σ(z), z = 0.5 + X_c w with w ±1 on min(n, p) / 20 columns, scaled to Var(z) = 4."""
    rng = np.random.default_rng(0)
    X = design(rng, n, p, 0.5)
    k = min(n, p) // 20
    w = np.zeros(p)
    w[rng.choice(p, k, replace=False)] = rng.choice([-1.0, 1.0], k)
    z = (X - X.mean(axis=0)) @ w
    y = np.where(rng.random(n) < 1 / (1 + np.exp(-0.5 - 2 * z / z.std())), 1.0, -1.0)
    alpha_max = np.abs((X - X.mean(axis=0)).T @ y).max() / (2 * n)
    return Classes(X, y, alpha_max * np.geomspace(1, 0.05, n_alphas))
