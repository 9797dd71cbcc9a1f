"""Gaussian columns with means around 3, and with means 10⁸ times their spread."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.question import Dataset


def datasets(quick: bool) -> list[Dataset]:
    n, p = (2_000, 10) if quick else (1_000_000, 100)
    small = n // 5
    return [
        Dataset(f"{n:,} × {p}", partial(gaussian, n, p, 3.0)),
        Dataset(f"{small:,} × {p}, means 10⁸ × spread", partial(gaussian, small, p, 1e8), barred=False),
    ]


def gaussian(n: int, p: int, mean: float) -> np.ndarray:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    X += mean * rng.uniform(0.5, 1.5, p)
    return X
