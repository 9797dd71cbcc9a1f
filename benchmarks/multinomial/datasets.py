"""Ten classes that correlated Gaussian columns tell apart, with noise."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.lasso.datasets import design
from benchmarks.proof import L1, Rows
from benchmarks.question import Dataset


@dataclass
class ManyClasses:
    """Rows, classes one-hot (n, K), the alphas of the path, α_max to α_max / 20, and the penalty."""

    X: np.ndarray
    y: np.ndarray
    alphas: np.ndarray
    penalty: L1 | Rows

    @property
    def labels(self) -> np.ndarray:
        return self.y.argmax(axis=1)

    @property
    def rows(self) -> bool:
        return isinstance(self.penalty, Rows)


def datasets(quick: bool) -> list[Dataset]:
    n, p, K, m = (200, 10, 3, 6) if quick else (5_000, 500, 10, 30)
    penalties = {"ℓ₁ on every coefficient": L1(), "ℓ₂ on the coefficients of a column": Rows()}
    return [
        Dataset(f"{n:,} × {p:,}, {K} classes, {m} alphas, {name}", partial(many_classes, n, p, K, m, penalty))
        for name, penalty in penalties.items()
    ]


def many_classes(n: int, p: int, K: int, n_alphas: int, penalty: L1 | Rows) -> ManyClasses:
    """P(y = k | x) ∝ exp(z_k), z = X_c W with Gaussian W on p / 20 columns of each class, scaled to Var(z_k) = 4."""
    rng = np.random.default_rng(0)
    X = design(rng, n, p, 0.5)
    W = np.zeros((p, K))
    for k in range(K):
        W[rng.choice(p, max(3, p // 20), replace=False), k] = rng.standard_normal(max(3, p // 20))
    Z = (X - X.mean(axis=0)) @ W
    Z *= 2 / Z.std(axis=0)
    y = np.eye(K)[(Z + rng.gumbel(size=Z.shape)).argmax(axis=1)]
    C = (X - X.mean(axis=0)).T @ (y - y.mean(axis=0)) / n
    steepest = np.linalg.norm(C, axis=1).max() if isinstance(penalty, Rows) else np.abs(C).max()
    return ManyClasses(X, y, steepest * np.geomspace(1, 0.05, n_alphas), penalty)
