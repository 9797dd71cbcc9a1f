"""Leverages of a row's ridge regression on the factors of the columns that it has observed."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from tamis._kernels import kernels
from tamis.solvers.nuclear_completion import narrow, padded

SAMPLED = 300  # rows, and columns, from which the degrees of freedom are taken


def row_leverages(
    X: csr_array, V: np.ndarray, ridge: np.ndarray, rows: np.ndarray, Q: np.ndarray, n_threads: int
) -> np.ndarray:
    """qᵀ(VᵢᵀVᵢ + ridge)⁻¹q for each row q of Q and its row i of X."""
    order = np.argsort(rows, kind="stable")  # a row's equations are made once for all its queries
    out = np.empty(len(rows))
    sorted_Q = np.ascontiguousarray(padded(Q)[order])
    kernels.row_leverages(X.indptr, X.indices, padded(V), ridge, rows[order].astype(np.int64), sorted_Q, out, n_threads)
    back = np.empty_like(out)
    back[order] = out
    return back


def sampled_rows(m: int) -> np.ndarray:
    return np.sort(np.random.default_rng(0).permutation(m)[:SAMPLED])


def leverage_sum(X: csr_array, V: np.ndarray, ridge: np.ndarray, rows: np.ndarray, n_threads: int = 1) -> float:
    """Over the entries of some rows."""
    part = X[rows]
    at = np.repeat(np.arange(len(rows)), np.diff(part.indptr))
    return float(row_leverages(narrow(part), V, ridge, at, V[part.indices], n_threads).sum())
