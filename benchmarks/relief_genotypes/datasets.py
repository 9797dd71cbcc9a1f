"""Genotypes: columns of 0, 1 or 2 copies of the rarer letter, and an illness that a pair of them brings."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.question import Dataset

LOTS = 5_000  # columns made at a time


@dataclass
class Genotypes:
    """int8 copies, ill or not, the pair that matters, and the number of neighbours."""

    X: np.ndarray
    y: np.ndarray
    pair: np.ndarray
    k: int = 10


def datasets(quick: bool) -> list[Dataset]:
    n, p = (200, 300) if quick else (2_350, 230_000)
    return [Dataset(f"{n:,} × {p:,} of 0, 1, 2 in int8", partial(genotypes, n, p))]


def genotypes(n: int, p: int) -> Genotypes:
    """Who has a copy of both of the pair is ill; of all rows, one in twenty is told wrongly."""
    rng = np.random.default_rng(0)
    X, share = np.empty((n, p), dtype=np.int8), rng.uniform(0.1, 0.5, p)
    pair = np.sort(rng.choice(p, 2, replace=False))
    share[pair] = 0.46  # so that about half of the rows are ill
    for first in range(0, p, LOTS):
        lot = slice(first, min(p, first + LOTS))
        X[:, lot] = rng.binomial(2, share[lot], (n, lot.stop - first))
    ill = (X[:, pair] > 0).all(axis=1)
    return Genotypes(X, np.where(rng.random(n) < 0.05, ~ill, ill).astype(np.int64), pair)
