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


def planted(m=80, n=60, rank=2, share=0.5, noise=0.0, seed=0):
    rng = np.random.default_rng(seed)
    M = rng.standard_normal((m, rank)) @ rng.standard_normal((rank, n))
    known = rng.random((m, n)) < share
    return np.where(known, M + noise * rng.standard_normal((m, n)), np.nan), M, known
