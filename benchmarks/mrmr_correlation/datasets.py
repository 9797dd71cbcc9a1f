"""Wide tables of numbers: some columns move with the class, blocks of columns with each other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.question import Dataset


@dataclass
class Wide:
    """Columns of numbers (Fortran order), classes, and how many columns to choose."""

    X: np.ndarray
    y: np.ndarray
    k: int


def datasets(quick: bool) -> list[Dataset]:
    n, k, widths = (60, 5, (40,)) if quick else (1_000, 50, (50_000, 2_000))
    return [
        Dataset(f"{n:,} × {p:,}, 4 classes, {k} chosen", partial(wide, n, p, k), barred=p == widths[0]) for p in widths
    ]


def wide(n: int, p: int, k: int) -> Wide:
    """One column in 100 has means of its own in the classes; one in 25 shares one of 20 hidden causes."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, n)
    X = np.asfortranarray(rng.standard_normal((p, n)).T)
    causes = rng.standard_normal((20, n))
    for j in range(0, p, 25):
        X[:, j] += 2 * causes[rng.integers(20)]
    for j in range(0, p, 100):
        X[:, j] += rng.normal(0, 0.7, 4)[y]
    return Wide(X, y, k)
