"""The lasso paths' data with five folds of neighbouring rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.lasso.datasets import Regression, regression
from benchmarks.question import Dataset

SIZES = {(500, 10_000): 2.0, (20_000, 500): 3.0, (10_000, 1_000): 3.0}


@dataclass
class Folded(Regression):
    """``fold`` (n,): the fold in which each row is held out."""

    fold: np.ndarray

    def splits(self) -> list[tuple[np.ndarray, np.ndarray]]:
        return [(np.flatnonzero(self.fold != k), np.flatnonzero(self.fold == k)) for k in range(self.fold.max() + 1)]

    def without(self, rows: np.ndarray) -> Regression:
        return Regression(self.X[rows], self.y[rows], self.alphas)


def datasets(quick: bool) -> list[Dataset]:
    sizes, k = ({(100, 20): 3.0}, 6) if quick else (SIZES, 100)
    return [
        Dataset(f"{n:,} × {p:,}, {k} alphas, ρ = {rho}", partial(folded, n, p, k, rho), limit=limit)
        for (n, p), limit in sizes.items()
        for rho in (0.5, 0.95)
    ]


def folded(n: int, p: int, n_alphas: int, rho: float) -> Folded:
    data = regression(n, p, n_alphas, rho)
    return Folded(data.X, data.y, data.alphas, np.arange(n) * 5 // n)
