"""Correlated Gaussian columns in groups of neighbours, some of which matter."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.lasso.datasets import design
from benchmarks.proof import Groups, SparseGroups
from benchmarks.question import Dataset

SIZE, L1_RATIO = 5, 0.5


@dataclass
class Grouped:
    """Rows, target, the alphas of the path, α_max to α_max / 100, and the penalty, which knows its groups."""

    X: np.ndarray
    y: np.ndarray
    alphas: np.ndarray
    penalty: Groups | SparseGroups

    @property
    def sparse(self) -> bool:
        return isinstance(self.penalty, SparseGroups)

    @property
    def labels(self) -> np.ndarray:
        return np.arange(self.X.shape[1]) // self.penalty.size


def datasets(quick: bool) -> list[Dataset]:
    n, p, k = (60, 40, 8) if quick else (1_000, 5_000, 100)
    penalties = {"groups of 5": Groups(SIZE), f"sparse groups of 5, {L1_RATIO} ℓ₁": SparseGroups(SIZE, L1_RATIO)}
    return [
        Dataset(f"{n:,} × {p:,}, {name}, {k} alphas, ρ = 0.5", partial(grouped, n, p, k, penalty), limit=1.3)
        for name, penalty in penalties.items()
    ]


def grouped(n: int, p: int, n_alphas: int, penalty: Groups | SparseGroups) -> Grouped:
    """w is Gaussian on n / 50 groups, or on three of five columns of each when the penalty also asks for that."""
    rng = np.random.default_rng(0)
    X = design(rng, n, p, 0.5)
    w = np.zeros((p // SIZE, SIZE))
    chosen = rng.choice(len(w), max(2, n // 50), replace=False)
    w[chosen] = rng.standard_normal((len(chosen), SIZE))
    if isinstance(penalty, SparseGroups):
        w[:, 3:] = 0
    signal = X @ w.ravel()
    y = 1 + signal + signal.std() / np.sqrt(5) * rng.standard_normal(n)
    alpha_max = _alpha_max(penalty, (X - X.mean(axis=0)).T @ (y - y.mean()) / n)
    return Grouped(X, y, alpha_max * np.geomspace(1, 0.01, n_alphas), penalty)


def _alpha_max(penalty: Groups | SparseGroups, c: np.ndarray) -> float:
    """The least α with Ω°(c) ≤ α: 1 / the shrinkage that makes a large multiple of c feasible at α = 1, rescaled."""
    large = 1e3 / np.abs(c).max()
    return 1 / (penalty.shrinkage(large * c[:, None], np.ones(1))[0] * large)
