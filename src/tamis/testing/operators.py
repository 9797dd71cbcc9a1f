"""The laws of an operator."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis.operators import Operator
from tamis.operators.base import Linear, is_complex, wide

TOLERANCE = 1e-12  # relative to ‖A‖ ‖u‖ ‖v‖: sums of a few thousand float64 products
SINGLE = 1e-6  # gathered float32 columns that were centred or scaled are rounded to float32


def check_operator(A: Operator, *, seed: int = 0) -> None:
    """Raise AssertionError with the law that the operator breaks.

    * ⟨A u, v⟩ = ⟨u, Aᴴ v⟩, for complex u and v too; Aᴴᴴ = Aᵀᵀ = A; Aᵀ v is the conjugate of Aᴴ v̄;
    * A is linear, and a matrix of vectors gives the matrix of the products, in whatever order it lies in memory;
    * vectors that are given are not changed;
    * ``columns(S)`` are A eⱼ for j in S, in the order of S, and ``adjoint_at(v, S)`` of the library's own operators
      are the entries S of Aᴴ v;
    * ``moments(s)`` are the weighted means of the columns and their variances E|x − mean|²;
    * products are float64, and complex128 where A or the vector is complex.
    """
    rng = np.random.default_rng(seed)
    n, p = A.shape
    full = A @ np.eye(p)
    assert full.shape == (n, p), f"A @ eye({p}) has shape {full.shape}, not {(n, p)}"
    assert full.dtype == wide(A.dtype), f"products are {full.dtype}, not {wide(A.dtype)}, for a dtype of {A.dtype}"
    size = TOLERANCE * max(1.0, float(np.abs(full).max(initial=0.0))) * (n + p)
    for _ in range(5):
        u, u2, v = (_drawn(A, length, rng) for length in (p, p, n))
        _check_adjoint(A, u, v, size)
        _check_products(A, full, u, u2, v, size)
        S = rng.permutation(p)[: int(rng.integers(0, p + 1))]
        _check_columns(A, full, S, size)
        if isinstance(A, Linear):
            assert _near(A.adjoint_at(v, S), (A.H @ v)[S], size * len(v)), f"adjoint_at(v, {S}) is not (Aᴴ v)[S]"
    _check_complex_vectors(A, full, rng, size)
    _check_layouts(A, full, rng, size)
    _check_moments(A, full, rng, size)


def _drawn(A: Operator, length: int, rng: np.random.Generator) -> np.ndarray:
    u = rng.standard_normal(length)
    return u + 1j * rng.standard_normal(length) if is_complex(A) else u


def _check_adjoint(A: Operator, u: np.ndarray, v: np.ndarray, size: float) -> None:
    forth, back = np.vdot(v, A @ u), np.vdot(A.H @ v, u)
    assert abs(forth - back) <= size * np.linalg.norm(u) * np.linalg.norm(v), f"⟨Au, v⟩ = {forth} but ⟨u, Aᴴv⟩ = {back}"
    for name, B in (("T", A.T), ("H", A.H)):
        assert B.shape == A.shape[::-1], f"A.{name} has shape {B.shape}, A has {A.shape}"
        assert B.dtype == A.dtype, f"A.{name} has dtype {B.dtype}, A has {A.dtype}"
    assert _near(A.T.T @ u, A @ u, size * len(u)), "A.T.T is not A"
    assert _near(A.H.H @ u, A @ u, size * len(u)), "A.H.H is not A"
    assert _near(A.T @ v, (A.H @ v.conj()).conj(), size * len(v)), "Aᵀ v is not the conjugate of Aᴴ v̄"


def _check_products(A: Operator, full: Any, u: np.ndarray, u2: np.ndarray, v: np.ndarray, size: float) -> None:
    assert _near(A @ (2 * u - 3 * u2), 2 * (A @ u) - 3 * (A @ u2), 10 * size), "A is not linear"
    assert _near(A @ u, full @ u, size * len(u)), "A u is not the sum of the columns A eⱼ uⱼ"
    both = np.column_stack([u, u2])
    assert _near(A @ both, np.column_stack([A @ u, A @ u2]), size), "A @ (u, u2) is not (A @ u, A @ u2)"
    both = np.column_stack([v, 2 * v])
    assert _near(A.H @ both, np.column_stack([A.H @ v, 2 * (A.H @ v)]), size * len(v)), "A.H of a matrix is wrong"


def _check_complex_vectors(A: Operator, full: np.ndarray, rng: np.random.Generator, size: float) -> None:
    """Nothing of a complex vector is lost."""
    for name, B, matrix in (("A", A, full), ("A.H", A.H, full.conj().T)):
        for shape in ((B.shape[1],), (B.shape[1], 2)):
            z = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
            found = B @ z
            assert found.dtype == np.complex128, f"{name} @ z is {found.dtype} for complex z, not complex128"
            assert _near(found, matrix @ z, size * len(z)), f"{name} @ z is wrong for complex z"


def _check_layouts(A: Operator, full: np.ndarray, rng: np.random.Generator, size: float) -> None:
    """C order, Fortran order, strides, read-only memory, no vector at all; what is given stays as it is."""
    for name, B, matrix in (("A", A, full), ("A.H", A.H, full.conj().T)):
        wider = rng.standard_normal((2 * B.shape[1], 6))
        for U in (wider[::2, :3], np.asfortranarray(wider[::2, :3]), wider[::-2, ::-2], wider[::2, 1]):
            before = U.copy()
            U.flags.writeable = False
            assert _near(B @ U, matrix @ before, size * len(U)), f"{name} @ U is wrong for strides {U.strides}"
            assert np.array_equal(U, before), f"{name} @ U changes U"
        none = (B @ np.empty((B.shape[1], 0))).shape
        assert none == (B.shape[0], 0), f"{name} @ empty(({B.shape[1]}, 0)) has shape {none}"


def _check_columns(A: Operator, full: np.ndarray, S: np.ndarray, size: float) -> None:
    found = A.columns(S)
    assert sp.issparse(found) or found.flags.f_contiguous, "gathered columns are F-ordered or sparse"
    dense = found.toarray() if sp.issparse(found) else found
    precise = size if A.dtype == wide(A.dtype) else SINGLE * max(1.0, float(np.abs(full).max(initial=0.0)))
    assert dense.shape == (A.shape[0], len(S)), f"columns({S}) have shape {dense.shape}"
    assert _near(dense, full[:, S], precise), f"columns({S}) are not A eⱼ"


def _check_moments(A: Operator, full: np.ndarray, rng: np.random.Generator, size: float) -> None:
    for s in (None, rng.uniform(0, 2, len(full)), np.eye(1, len(full)).ravel()):
        mean, variance = A.moments(s)
        expected = np.average(full, axis=0, weights=s)
        spread = np.average(np.abs(full - expected) ** 2, axis=0, weights=s)
        assert variance.dtype == np.float64, f"the variances are {variance.dtype}, not float64"
        assert _near(mean, expected, size), f"the means are {mean}, not {expected}"
        assert _near(variance, spread, size * max(1.0, np.abs(full).max(initial=0.0))), (
            f"the variances are {variance}, not {spread}"
        )


def _near(a: Any, b: Any, size: float) -> bool:
    return a.shape == b.shape and bool((np.abs(a - b) <= size).all())
