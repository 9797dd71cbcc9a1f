"""Products with a dense array, and its moments, in float64 whatever its dtype.

Every loop runs over slabs along the axis that is far apart in memory: rows of a C-ordered, columns of an F-ordered one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tamis._core.far_columns import real_variance
from tamis._kernels import kernels

FEW = 8  # residuals the kernel is given at once
SLAB_BYTES = 1 << 20  # of a converted slab: it fits the cache of a core


def multiply(X: np.ndarray, x: np.ndarray) -> np.ndarray:
    """X x."""
    if X.dtype == np.float64:
        return np.asarray(narrow_product(X, x))
    out = np.zeros((X.shape[0], *x.shape[1:]))
    for rows, columns in slabs(X):
        out[rows] += narrow_product(X[rows, columns].astype(np.float64), x[columns])
    return out


def correlate(X: np.ndarray, r: np.ndarray, n_threads: int, S: np.ndarray | None = None) -> np.ndarray:
    """Xᵀ r, for r (n,) or (n, k); the entries S of it where they are given and X is F-ordered."""
    n_right = 1 if r.ndim == 1 else r.shape[1]
    if S is None and (X.shape[1] == 1 or n_right > FEW):  # the kernel reads X once for few r; BLAS is better at many
        return _slabwise(X, r)
    out = np.empty((n_right, X.shape[1] if S is None else len(S)))
    R = np.ascontiguousarray(r.T).reshape(n_right, len(r))
    if S is None:
        kernels.correlate(X, R, out, n_threads)
    else:
        kernels.correlate_some(X, S, R, out, n_threads)
    return out.T if r.ndim == 2 else out[0]


def _slabwise(X: np.ndarray, r: np.ndarray) -> np.ndarray:
    if X.dtype == np.float64:
        return np.asarray(narrow_product(X.T, r))
    out = np.zeros((X.shape[1], *r.shape[1:]))
    for rows, columns in slabs(X):
        out[columns] += narrow_product(X[rows, columns].astype(np.float64).T, r[rows])
    return out


def narrow_product(X: Any, x: np.ndarray) -> Any:
    """X x; of arrays as (xᵀXᵀ)ᵀ, for which BLAS takes two thirds of the time where x is narrow, in any order of X."""
    return (x.T @ X.T).T if isinstance(X, np.ndarray) and x.ndim == 2 else X @ x


def moments(X: np.ndarray, share: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of the columns with row weights that sum to 1; taken about a first mean, so a large one costs
    no digits."""
    first, shift, squares = np.zeros(X.shape[1]), np.zeros(X.shape[1]), np.zeros(X.shape[1])
    for rows, columns in slabs(X):
        first[columns] += share[rows] @ X[rows, columns].astype(np.float64, copy=False)
    for rows, columns in slabs(X):
        d = X[rows, columns] - first[columns]
        shift[columns] += share[rows] @ d
        squares[columns] += share[rows] @ d**2
    return zero_constant(first + shift, squares - shift**2)


def column_moments(X: np.ndarray, share: np.ndarray, n_threads: int) -> tuple[np.ndarray, np.ndarray]:
    """The same for an F-ordered array."""
    mean, variance = np.empty(X.shape[1]), np.empty(X.shape[1])
    kernels.column_moments(X, share, mean, variance, n_threads)
    return zero_constant(mean, variance)


def zero_constant(mean: np.ndarray, variance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Exactly 0 for what rounding left of a constant column's variance."""
    return mean, real_variance(variance, mean)


def slabs(X: np.ndarray) -> Iterator[tuple[slice, slice]]:
    n, p = X.shape
    by_columns = abs(X.strides[0]) <= abs(X.strides[1])
    length, count = (n, p) if by_columns else (p, n)
    step = max(1, SLAB_BYTES // (8 * max(1, length)))
    for start in range(0, count, step):
        part = slice(start, min(count, start + step))
        yield (slice(0, n), part) if by_columns else (part, slice(0, p))
