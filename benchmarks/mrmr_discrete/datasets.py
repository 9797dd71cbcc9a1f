"""Discrete columns of 2 to 10 values: some tell of the class, some repeat those with noise, most tell nothing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.question import Dataset


@dataclass
class Discrete:
    """Codes, classes, and how many columns to choose."""

    X: np.ndarray
    y: np.ndarray
    k: int


def datasets(quick: bool) -> list[Dataset]:
    n, p, k = (200, 20, 4) if quick else (5_000, 500, 20)
    name = f"{n:,} × {p}, 2 to 10 values, 4 classes, {k} chosen"
    return [Dataset(name, partial(table, n, p, k), limit=50)]


def table(n: int, p: int, k: int) -> Discrete:
    """One column in ten depends on the class; another in ten copies one of those and changes a part of its rows."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, n)
    levels = rng.integers(2, 11, p)
    X = rng.integers(0, levels, (n, p))
    telling = np.arange(0, p, 10)
    for j in telling:
        told = rng.random(n) < rng.uniform(0.1, 0.6)
        X[told, j] = y[told] % levels[j]
    for j in telling + 5:
        copied = rng.random(n) < rng.uniform(0.3, 0.9)
        X[copied, j] = X[copied, rng.choice(telling)] % levels[j]
    return Discrete(X, y, k)
