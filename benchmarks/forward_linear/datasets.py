"""Correlated Gaussian columns; the planted coefficients halve slowly, so that every step has a clear winner."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.lasso.datasets import design
from benchmarks.question import Dataset

FOLDS = 5


@dataclass
class Forward:
    """Rows, target, and how many columns to choose."""

    X: np.ndarray
    y: np.ndarray
    k: int

    @property
    def countable(self) -> bool:
        """Whether a model can be fitted for every candidate, step and fold."""
        return self.X.size <= 10**6


def datasets(quick: bool) -> list[Dataset]:
    sizes = [(60, 8, 3)] if quick else [(1_000, 100, 15), (100_000, 1_000, 50)]
    return [Dataset(f"{n:,} × {p:,}, {k} chosen", partial(planted, n, p, k), limit=1_000) for n, p, k in sizes]


def planted(n: int, p: int, k: int) -> Forward:
    """y = 1 + X w + noise, w on 2k columns with sizes from 1 to 1/8; Corr(x_i, x_j) = 0.5^|i − j|."""
    rng = np.random.default_rng(0)
    X = design(rng, n, p, 0.5)
    support = rng.choice(p, min(p, 2 * k), replace=False)
    sizes = np.geomspace(1, 0.125, len(support)) * rng.choice([-1.0, 1.0], len(support))
    y = 1 + X[:, support] @ sizes + rng.standard_normal(n)
    return Forward(X, y, k)
