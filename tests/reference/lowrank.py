"""What the kernels and loops of low rank + sparse compute, written out."""

import numpy as np


def shrink(A, t):
    return np.sign(A) * np.maximum(np.abs(A) - t, 0)


def threshold(A, t):
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    return (U * np.maximum(s - t, 0)) @ Vt


def admm(X, alpha, r, n_iter):
    """The loop of the lecture: L by singular values at 1/r, S by entries at α/r, then the multipliers."""
    S, Z = np.zeros_like(X), np.zeros_like(X)
    for _ in range(n_iter):
        L = threshold(X - S + Z / r, 1 / r)
        S = shrink(X - L + Z / r, alpha / r)
        Z = Z + r * (X - L - S)
    return L, S, Z


def multiplier_step(X, L, Z, alpha, r, r_next):
    S = shrink(X - L + Z / r, alpha / r)
    new = Z + r * (X - L - S)
    missing = np.isnan(X)
    d = np.where(missing, 0.0, X - L - S)
    new = np.where(missing, 0.0, new)
    return new, np.where(missing, L, X - S + new / r_next), (d**2).sum()


def solve_rows(X, V, ridge, offset):
    """Ridge regression of each row of X (NaN: not observed) on the rows of V."""
    U = np.zeros((len(X), V.shape[1]))
    for i, x in enumerate(X):
        seen = np.isfinite(x)
        if seen.any():
            A = V[seen]
            U[i] = np.linalg.solve(A.T @ A + np.diag(ridge), A.T @ (x - offset)[seen])
    return U
