"""Noisy combinations of a few atoms of a random dictionary."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.question import Dataset


@dataclass
class Signals:
    """Signals in the rows of X (n, d), unit atoms in the rows of D (k, d), and how many of them a code may use."""

    X: np.ndarray
    D: np.ndarray
    n_nonzero: int


def datasets(quick: bool) -> list[Dataset]:
    n, d, k, n_nonzero = (200, 16, 40, 4) if quick else (20_000, 64, 441, 10)
    name = f"{n:,} signals of {d}, {k} atoms, {n_nonzero} non-zeros"
    return [Dataset(name, partial(signals, n, d, k, n_nonzero))]


def signals(n: int, d: int, k: int, n_nonzero: int) -> Signals:
    """x = Σ over n_nonzero random atoms, with Gaussian coefficients, plus noise of a tenth of its norm."""
    rng = np.random.default_rng(0)
    D = rng.standard_normal((k, d))
    D /= np.linalg.norm(D, axis=1, keepdims=True)
    Z = np.zeros((n, k))
    for z in Z:
        z[rng.choice(k, n_nonzero, replace=False)] = rng.standard_normal(n_nonzero)
    X = Z @ D
    noise = rng.standard_normal((n, d))
    noise *= 0.1 * np.linalg.norm(X, axis=1, keepdims=True) / np.linalg.norm(noise, axis=1, keepdims=True)
    return Signals(X + noise, D, n_nonzero)
