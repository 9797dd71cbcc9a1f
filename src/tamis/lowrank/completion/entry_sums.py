"""What a completion keeps of its entries: counts and sums by row and column, squared residuals; here or on workers."""

from __future__ import annotations

import numpy as np

from tamis._kernels import kernels
from tamis.lowrank.completion.choice import Baseline, Triplets
from tamis.lowrank.completion.on_workers import WorkerEntries
from tamis.solvers.als import FactorPair
from tamis.solvers.nuclear_completion import padded


def entry_counts(X: Triplets) -> tuple[np.ndarray, np.ndarray]:
    """Of each row and each column."""
    if isinstance(X, WorkerEntries):
        return X.counts
    return np.diff(X.indptr), np.bincount(X.indices, minlength=X.shape[1])


def entry_sums(X: Triplets) -> tuple[np.ndarray, np.ndarray, float]:
    """Sums of the values of each row and each column, and the squares of all about their mean."""
    if isinstance(X, WorkerEntries):
        return X.sums()
    values = X.data.astype(np.float64, copy=False)
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    of_rows = np.bincount(rows, weights=values, minlength=X.shape[0])
    return of_rows, np.bincount(X.indices, weights=values, minlength=X.shape[1]), float(values.var() * len(values))


def residual_square(X: Triplets, baseline: Baseline, pair: FactorPair, n_threads: int) -> float:
    """Of the observed entries, whose rows and columns are all known, summed."""
    if isinstance(X, WorkerEntries):
        entries = baseline.off(X)
        return float(entries.inner(entries.residual(pair))[0])
    fitted = np.empty(X.nnz, X.dtype)
    kernels.observed_products(X.indptr, X.indices, padded(pair.U), padded(pair.V), fitted, n_threads)
    return float(np.square(baseline.off(X).data - fitted, dtype=np.float64).sum())
