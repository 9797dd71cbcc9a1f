"""The laws of an operator."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis.operators import Operator
from tamis.operators.base import Linear

TOLERANCE = 1e-12  # relative to ‖A‖ ‖u‖ ‖v‖: sums of a few thousand float64 products
SINGLE = 1e-6  # gathered float32 columns that were centred or scaled are rounded to float32


def check_operator(A: Operator, *, seed: int = 0) -> None:
    """Raise AssertionError with the law that the operator breaks.

    * ⟨A u, v⟩ = ⟨u, Aᵀ v⟩, and Aᵀᵀ = A;
    * A is linear, and a matrix of vectors gives the matrix of the products;
    * ``columns(S)`` are A eⱼ for j in S, in the order of S, and ``adjoint_at(v, S)`` of the library's own operators
      are the entries S of Aᵀ v;
    * ``moments(s)`` are the weighted means and variances of the columns;
    * products are float64.
    """
    rng = np.random.default_rng(seed)
    n, p = A.shape
    full = A @ np.eye(p)
    assert full.shape == (n, p), f"A @ eye({p}) has shape {full.shape}, not {(n, p)}"
    assert full.dtype == np.float64, f"products are {full.dtype}, not float64"
    size = TOLERANCE * max(1.0, float(np.abs(full).max(initial=0.0))) * (n + p)
    for _ in range(5):
        u, u2, v = rng.standard_normal(p), rng.standard_normal(p), rng.standard_normal(n)
        _check_products(A, full, u, u2, v, size)
        S = rng.permutation(p)[: int(rng.integers(0, p + 1))]
        _check_columns(A, full, S, size)
        if isinstance(A, Linear):
            assert _near(A.adjoint_at(v, S), (A.T @ v)[S], size * len(v)), f"adjoint_at(v, {S}) is not (Aᵀ v)[S]"
    _check_moments(A, full, rng, size)


def _check_products(A: Operator, full: Any, u: np.ndarray, u2: np.ndarray, v: np.ndarray, size: float) -> None:
    forth, back = (A @ u) @ v, u @ (A.T @ v)
    assert abs(forth - back) <= size * np.linalg.norm(u) * np.linalg.norm(v), f"⟨Au, v⟩ = {forth} but ⟨u, Aᵀv⟩ = {back}"
    assert A.T.shape == A.shape[::-1], f"A.T has shape {A.T.shape}, A has {A.shape}"
    assert _near(A.T.T @ u, A @ u, size), "A.T.T is not A"
    assert _near(A @ (2 * u - 3 * u2), 2 * (A @ u) - 3 * (A @ u2), 10 * size), "A is not linear"
    assert _near(A @ u, full @ u, size * len(u)), "A u is not the sum of the columns A eⱼ uⱼ"
    both = np.column_stack([u, u2])
    assert _near(A @ both, np.column_stack([A @ u, A @ u2]), size), "A @ (u, u2) is not (A @ u, A @ u2)"
    both = np.column_stack([v, 2 * v])
    assert _near(A.T @ both, np.column_stack([A.T @ v, 2 * (A.T @ v)]), size * len(v)), "A.T of a matrix is wrong"


def _check_columns(A: Operator, full: np.ndarray, S: np.ndarray, size: float) -> None:
    found = A.columns(S)
    assert sp.issparse(found) or found.flags.f_contiguous, "gathered columns are F-ordered or sparse"
    dense = found.toarray() if sp.issparse(found) else found
    precise = size if A.dtype == np.float64 else SINGLE * max(1.0, float(np.abs(full).max(initial=0.0)))
    assert dense.shape == (A.shape[0], len(S)), f"columns({S}) have shape {dense.shape}"
    assert _near(dense, full[:, S], precise), f"columns({S}) are not A eⱼ"


def _check_moments(A: Operator, full: np.ndarray, rng: np.random.Generator, size: float) -> None:
    for s in (None, rng.uniform(0, 2, len(full)), np.eye(1, len(full)).ravel()):
        mean, variance = A.moments(s)
        expected = np.average(full, axis=0, weights=s)
        spread = np.average((full - expected) ** 2, axis=0, weights=s)
        assert _near(mean, expected, size), f"the means are {mean}, not {expected}"
        assert _near(variance, spread, size * max(1.0, np.abs(full).max(initial=0.0))), (
            f"the variances are {variance}, not {spread}"
        )


def _near(a: Any, b: Any, size: float) -> bool:
    return a.shape == b.shape and bool((np.abs(a - b) <= size).all())
