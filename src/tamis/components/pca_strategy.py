"""Which way to the principal directions: by the shape of the rows and where they are.

=================================================  ==========  ====================================================
rows                                               strategy    cost
=================================================  ==========  ====================================================
not in memory; or p ≤ 1,000; or p ≤ n and          covariance  one pass, n p² flops, a p × p matrix
more than a tenth of all components
in memory, few components                          krylov      some products with the rows, which stay as they are
dense, p > n                                       svd         n² p flops, a centred copy of the rows
sparse, p > n, or p × p too large, not few         krylov      as above
=================================================  ==========  ====================================================
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis._core.errors import InputError
from tamis._core.far_columns import real_variance
from tamis.base.training_data import TrainingData
from tamis.components.covariance import covariance_of, gram_of_rows
from tamis.components.n_components import count_for_share
from tamis.components.spectrum import Spectrum, of_covariance, of_operator, of_rows
from tamis.operators import Diagonal, as_operator
from tamis.operators.products import moments
from tamis.operators.shifted import about_means
from tamis.operators.sparse import Sparse, SparseBothWays
from tamis.operators.standardised import Standardised
from tamis.sources.base import matrix_of, where_computed
from tamis.sources.learnable import require_finite_squares

SOLVERS = ("auto", "covariance", "svd", "krylov")
NARROW = 1000  # columns: the covariance matrix costs next to nothing beside the pass over the rows
WIDE = 20_000  # columns: 3.2 GB of covariances
FEW = 10  # components are few where there are so many times as many in all

Found = tuple[Spectrum, np.ndarray, np.ndarray, np.ndarray, str]  # with mean, scale, variances of columns, sentence


def decompose(data: TrainingData, n_components: Any, options: Any, rng: np.random.Generator) -> Found:
    """The spectrum as far as it is needed, what rows are centred and scaled by, and how it was found."""
    solver, why = options.solver, "as asked"
    if solver == "auto":
        solver, why = choose(data, n_components)
    if solver == "covariance":
        return _by_covariance(data, n_components, options, why)
    if not data.in_memory and solver == "svd":
        raise InputError("solver='svd' needs rows in memory: use 'covariance' or 'krylov'", argument="solver")
    if solver == "svd" and sp.issparse(data.matrix):
        raise InputError("solver='svd' would make sparse rows dense: use 'krylov' or 'covariance'", argument="solver")
    return (_by_svd if solver == "svd" else _by_krylov)(data, n_components, options, why, rng)


def choose(data: TrainingData, n_components: Any) -> tuple[str, str]:
    """The strategy and the reason for it."""
    n, p = data.n, data.p
    few = isinstance(n_components, int) and FEW * n_components <= min(n, p)
    sparse = sp.issparse(matrix_of(data.source))
    if not data.in_memory and p <= WIDE:
        return "covariance", "the rows are read once"
    if p <= NARROW and p <= n:
        return "covariance", "there are few columns"
    if few:
        return "krylov", f"{n_components} of {min(n, p):,} components are few"
    if p <= n and p <= WIDE:
        return "covariance", "there are no more columns than rows"
    if not sparse and data.in_memory:
        return "svd", "there are more columns than rows"
    return "krylov", "neither the covariances nor the rows are to be written out"


def _by_covariance(data: TrainingData, n_components: Any, options: Any, why: str) -> Found:
    gram = gram_of_rows(data, options.n_jobs, options._steps)
    C, mean, scale, spreads = covariance_of(gram, bool(options.standardize))
    found = of_covariance(C, n_components if isinstance(n_components, int) else None)
    where = where_computed(data.source)
    sentence = (
        f"covariance: one pass over {gram.n_rows:,} rows ({where}), eigenvectors of {data.p:,} × {data.p:,}; {why}"
    )
    return found, mean, scale, spreads, sentence


def _by_svd(data: TrainingData, n_components: Any, options: Any, why: str, rng: np.random.Generator) -> Found:
    del n_components, rng
    X, n = data.matrix, data.n
    share = np.full(n, 1 / n) if data.weight is None else data.weight / data.weight.sum()
    mean, variance = _complete(moments, X, share, data)
    scale, spreads = _scale(variance, n, options.standardize)
    centred = (X - mean) / scale * np.sqrt(n * share)[:, None]
    centred[:, variance == 0] = 0.0
    found = of_rows(centred.astype(X.dtype, copy=False), n - 1)
    return found, mean, scale, spreads, f"svd: of {n:,} × {data.p:,} rows; {why}"


def _by_krylov(data: TrainingData, n_components: Any, options: Any, why: str, rng: np.random.Generator) -> Found:
    n, p = data.n, data.p
    B, mean, scale, spreads = centred_rows(data, options.n_jobs, options.standardize)
    found = _grown(B, n_components, n, float(spreads.sum()), rng, options.tol)
    return found, mean, scale, spreads, f"krylov: products with {n:,} × {p:,} rows; {why}"


def centred_rows(data: TrainingData, n_jobs: int | None, standardize: Any) -> tuple[Any, Any, Any, Any]:
    """Rows as products, centred, divided by the scale and weighted to a sum of n; mean, scale, variances of columns."""
    A = _operator(data, n_jobs)
    mean, variance = _complete(lambda A, s: A.moments(s), A, data.weight, data)
    scale, spreads = _scale(variance, data.n, standardize)
    moved, shift = about_means(A, data.weight)
    B: Any = Standardised(moved, mean - shift, scale)
    if data.weight is not None:
        B = Diagonal(np.sqrt(data.n * data.weight / data.weight.sum())) @ B
    return B, mean, scale, spreads


def _operator(data: TrainingData, n_jobs: int | None) -> Any:
    A = as_operator(data.matrix if data.in_memory else data.source, n_jobs=n_jobs)
    return SparseBothWays(A.X, n_jobs) if isinstance(A, Sparse) else A


def _grown(B: Any, n_components: Any, n: int, total: float, rng: np.random.Generator, tol: float | None) -> Spectrum:
    """As many components as are asked for; for a share of the variance twice as many each time, until it is reached."""
    most = min(B.shape)
    k = n_components if isinstance(n_components, int) else min(most, 10) if isinstance(n_components, float) else most
    while True:
        found = of_operator(B, k, n - 1, total, rng, tol)
        if not isinstance(n_components, float) or k == most:
            return found
        if count_for_share(found.shares, n_components) < k or found.shares.sum() >= n_components:
            return found
        k = min(most, 2 * k)


def _complete(measure: Any, X: Any, weight: Any, data: TrainingData) -> tuple[np.ndarray, np.ndarray]:
    with np.errstate(invalid="ignore", over="ignore"):
        mean, variance = measure(X, weight)
    require_finite_squares(data.source, variance)
    return mean, real_variance(variance, mean)


def _scale(variance: np.ndarray, n: int, standardize: Any) -> tuple[np.ndarray, np.ndarray]:
    """What columns are divided by, and their variances after it, both with n − 1 as divisor."""
    spreads = variance * (n / (n - 1))
    if not standardize:
        return np.ones(len(spreads)), spreads
    return np.sqrt(np.where(spreads > 0, spreads, 1.0)), np.where(spreads > 0, 1.0, 0.0)
