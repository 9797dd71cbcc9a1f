"""Planted matrices."""

import numpy as np


def low_rank_plus_sparse(n, p, rank, share, seed=0, dtype=float):
    rng = np.random.default_rng(seed)
    L = rng.standard_normal((n, rank)) @ rng.standard_normal((rank, p))
    S = np.where(rng.random((n, p)) < share, 5 * rng.uniform(-1, 1, (n, p)) * np.abs(L).mean(), 0.0)
    return (L + S).astype(dtype), L, S


def relative_error(found, true):
    return np.linalg.norm(found - true) / np.linalg.norm(true)


def f1(found, true):
    return 2 * (found & true).sum() / (found.sum() + true.sum())
