"""Discrete columns of 2 to 10 values, one in ten of them depending on the class."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.question import Dataset


def datasets(quick: bool) -> list[Dataset]:
    n, p = (300, 12) if quick else (5_000, 500)
    return [Dataset(f"{n:,} × {p}, 2 to 10 values, 4 classes", partial(table, n, p, 4))]


def table(n: int, p: int, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, n)
    levels = rng.integers(2, 11, p)
    X = rng.integers(0, levels, (n, p))
    for j in range(0, p, 10):
        told = rng.random(n) < rng.uniform(0.1, 0.9)
        X[told, j] = y[told] % levels[j]
    return X, y
