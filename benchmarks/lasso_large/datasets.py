"""Rows that fill gigabytes, made block by block."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.lasso.reference import precise_path
from benchmarks.proof import correlations, row_blocks
from benchmarks.question import Dataset

RHO, BLOCK = 0.5, 5_000


@dataclass
class Large:
    """float32 rows, target, the alphas of the path, α_max to α_max / 20, and the columns the last alpha uses."""

    X: np.ndarray
    y: np.ndarray
    alphas: np.ndarray
    support: np.ndarray


def datasets(quick: bool) -> list[Dataset]:
    n, p, m = (2_000, 40, 6) if quick else (100_000, 10_000, 50)
    return [Dataset(f"{n:,} × {p:,} float32, {m} alphas, ρ = {RHO}", partial(large, n, p, m))]


def large(n: int, p: int, n_alphas: int) -> Large:
    """Corr(x_i, x_j) = ρ^|i − j|; y = 1 + X w + noise, w ±1 on p / 50 columns, Var(X w) / Var(noise) = 5."""
    rng = np.random.default_rng(0)
    X = _design(rng, n, p)
    k = max(3, p // 50)
    w = np.zeros(p)
    w[rng.choice(p, k, replace=False)] = rng.choice([-1.0, 1.0], k)
    signal = np.concatenate([B @ w for B in row_blocks(X)])
    y = 1 + signal + signal.std() / np.sqrt(5) * rng.standard_normal(n)
    alpha_max = np.abs(correlations(X, (y - y.mean())[:, None])).max() / n
    alphas = alpha_max * np.geomspace(1, 0.05, n_alphas)
    last, _ = precise_path(X, y, alphas[-1:])
    return Large(X, y, alphas, np.flatnonzero(last[0]))


def _design(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    from scipy.signal import lfilter

    X, means = np.empty((n, p), dtype=np.float32), rng.standard_normal(p)
    for start in range(0, n, BLOCK):
        E = rng.standard_normal((min(BLOCK, n - start), p), dtype=np.float32)
        X[start : start + len(E)] = lfilter([np.sqrt(1 - RHO**2)], [1, -RHO], E, axis=1) + means
    return X
