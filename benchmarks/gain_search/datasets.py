"""Discrete columns of 2 or 3 values, a few of which tell of the class together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.question import Dataset


@dataclass
class Codes:
    """Codes, classes, and how many columns to choose."""

    X: np.ndarray
    y: np.ndarray
    k: int

    def part(self, rows: float, columns: float) -> Codes:
        """The first rows and columns, a copy as a user would have it."""
        n, p = (round(size * share) for size, share in zip(self.X.shape, (rows, columns), strict=True))
        return Codes(np.ascontiguousarray(self.X[:n, :p]), self.y[:n], self.k)


def datasets(quick: bool) -> list[Dataset]:
    n, p, k = (400, 16, 3) if quick else (100_000, 200, 10)
    return [Dataset(f"{n:,} × {p}, 2 or 3 values, 4 classes, {k} chosen", partial(codes, n, p, k))]


def codes(n: int, p: int, k: int) -> Codes:
    """The class is the quarter of a noisy sum over one column in four."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, rng.integers(2, 4, p), (n, p))
    telling = np.arange(0, p, 4)
    total = X[:, telling] @ rng.uniform(0.2, 1, len(telling)) + rng.standard_normal(n)
    return Codes(X, np.searchsorted(np.quantile(total, [0.25, 0.5, 0.75]), total), k)
