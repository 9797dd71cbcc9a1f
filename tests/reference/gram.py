"""What the Gram kernel computes, in two slow passes."""

import numpy as np


def moments(X, y=None, weight=None):
    """Sum of weights, mean and centred scatter of the rows (x, y), in extended precision."""
    Z = np.asarray(X, dtype=np.longdouble)
    if y is not None:
        Z = np.column_stack([Z, np.asarray(y, dtype=np.longdouble)])
    s = np.ones(len(Z), dtype=np.longdouble) if weight is None else np.asarray(weight, dtype=np.longdouble)
    total = s.sum()
    mean = (s[:, None] * Z).sum(axis=0) / total
    D = Z - mean
    return float(total), mean, (s[:, None] * D).T @ D


def path_residuals(X, y, coefs, weight=None, about_means=True):
    """Zᵀ diag(s) (v − Zw) for each row w of coefs, Z and v being X and y about their means, in extended precision."""
    Z, v = (np.asarray(A, dtype=np.longdouble) for A in (X, y))
    s = np.ones(len(v), np.longdouble) if weight is None else np.asarray(weight, dtype=np.longdouble)
    if about_means:
        Z, v = (A - s @ A / s.sum() for A in (Z, v))
    return (Z.T @ (s[:, None] * (v[:, None] - Z @ np.asarray(coefs, dtype=np.longdouble).T))).T
