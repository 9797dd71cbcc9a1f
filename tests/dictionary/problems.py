"""Rows made of few atoms."""

import numpy as np


def unit(D):
    return D / np.linalg.norm(D, axis=1, keepdims=True)


def planted(seed, n=300, p=12, k=20, n_nonzero=3, noise=0.01, dtype=np.float64):
    """X = Z D + noise with so many non-zeros a row; X, Z, D."""
    rng = np.random.default_rng(seed)
    D = unit(rng.standard_normal((k, p)))
    Z = np.zeros((n, k))
    for z in Z:
        z[rng.choice(k, n_nonzero, replace=False)] = rng.standard_normal(n_nonzero)
    X = Z @ D + noise * rng.standard_normal((n, p))
    return X.astype(dtype), Z.astype(dtype), D.astype(dtype)
