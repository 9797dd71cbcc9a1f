"""Least squares on some columns of an operator, and the choice of these columns: the steps of pursuits that keep a
support of fixed size.

Columns that are in memory are gathered and their normal equations solved by Cholesky, with a step of refinement; those
of other operators are never written out: conjugate gradients on the normal equations multiply by A and Aᴴ.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from tamis._kernels.interruption import check_interrupted
from tamis.operators import ComplexDense, ComplexSparse, Dense, Sparse

LANCZOS_STEPS = 40
SETTLED = 2e-3  # relative: a change of ‖A‖² that ends the estimate
NORM_MARGIN = 1.04  # times the estimate is at least ‖A‖
DEPENDS = 1e-13  # of a squared column: what lies beyond the span of others is rounding
WRITTEN_OUT = 2048  # columns of an operator that are written out for their lengths
PRECISE = 1e-14  # of ‖Aᴴy‖: what conjugate gradients may leave of the normal equations


def in_memory(A: Any) -> bool:
    """Whether columns of A are read rather than computed."""
    return isinstance(A, (Dense, Sparse, ComplexDense, ComplexSparse))


def gathered(A: Any, S: np.ndarray) -> np.ndarray:
    """The columns S as an F-ordered array of float64 or complex128."""
    X = A.columns(S)
    X = X.toarray(order="F") if hasattr(X, "toarray") else X
    return np.asfortranarray(X, dtype=np.result_type(X, np.float64))


def operator_norm(A: Any) -> float:
    """‖A‖₂, from below and within about 3 %, by Lanczos steps on AᴴA from a random vector, always the same.

    The largest eigenvalue of their tridiagonal matrix T comes as close as the power method's with fewer products. A
    step length made of it has to leave room for the rest, NORM_MARGIN, or to be verified as it is used.
    """
    v = np.random.default_rng(0).standard_normal(A.shape[1])
    v, before = v / float(np.linalg.norm(v)), np.zeros_like(v)
    diagonal, beside, found = [], [0.0], 0.0
    for _ in range(LANCZOS_STEPS):
        check_interrupted()
        w = A.H @ (A @ v)
        diagonal.append(float(np.vdot(v, w).real))
        T = np.diag(diagonal) + np.diag(beside[1:], 1) + np.diag(beside[1:], -1)
        last, found = found, float(np.linalg.eigvalsh(T)[-1])
        w = w - diagonal[-1] * v - beside[-1] * before
        beside.append(float(np.linalg.norm(w)))
        if found - last <= SETTLED * found or beside[-1] <= SETTLED * found:
            break
        v, before = w / beside[-1], v
    return float(np.sqrt(max(found, 0.0)))


def column_lengths(A: Any) -> np.ndarray:
    """‖aⱼ‖ of every column: as it is where columns are in memory or can be written out; one typical length for all
    where they are many, from the identity E‖Au‖² = Σ ‖aⱼ‖² for random signs u.
    """
    m, n = A.shape
    if isinstance(A, Dense):
        return np.sqrt(A.column_squares())
    if in_memory(A) or n <= WRITTEN_OUT:
        mean, variance = A.moments()
        return np.sqrt(m * (np.abs(mean) ** 2 + variance))
    u = np.where(np.random.default_rng(0).random((n, 2)) < 0.5, -1.0, 1.0)
    return np.full(n, float(np.linalg.norm(A @ u)) / np.sqrt(2 * n))


def estimated_lengths(A: Any) -> np.ndarray:
    """‖aⱼ‖ of every column from products of Aᴴ with random signs u, E|⟨aⱼ, u⟩|² = ‖aⱼ‖².

    PROBES of them leave a standard error of √(2/PROBES) in a square. Squares are drawn to their mean by the share of
    their spread that this explains: where all of it is explained, lengths are equal, as those of rows of a transform.
    """
    rng, squares = np.random.default_rng(0), np.zeros(A.shape[1])
    for _ in range(0, PROBES, AT_ONCE):
        u = np.where(rng.random((A.shape[0], AT_ONCE)) < 0.5, -1.0, 1.0)
        squares += (np.abs(A.H @ u) ** 2).sum(axis=1)
    squares /= PROBES
    seen = squares > 0
    mean = float(squares[seen].mean()) if seen.any() else 0.0
    spread = float(squares[seen].var()) if seen.any() else 0.0
    by_chance = 2 / PROBES * mean**2
    own = max(0.0, 1 - CHANCE * by_chance / spread) if spread > 0 else 0.0
    return np.sqrt(np.where(seen, mean + own * (squares - mean), 0.0))


PROBES, AT_ONCE = 128, 16
CHANCE = 1.2  # times the spread that is expected by chance is still chance


def support_least_squares(
    A: Any, S: np.ndarray, y: np.ndarray, start: np.ndarray | None = None, *, near: float = 0.0
) -> np.ndarray:
    """argmin ‖y − A_S z‖: z (|S|,). Among several the shortest, or for operators the one nearest to ``start``.

    ``near``: for operators, enough is a z that leaves r with ‖A_Sᴴr‖ ≤ near ‖r‖: these columns reach little of it.
    """
    if len(S) == 0:
        return np.zeros(0, np.result_type(y, A.dtype, np.float64))
    if in_memory(A):
        return dense_least_squares(gathered(A, S), y)
    return conjugate_gradients(A, S, y, start, near=near)


def dense_least_squares(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """argmin ‖y − X z‖ by Cholesky, refined once; by the pseudo-inverse where columns depend on each other."""
    try:
        factor = cho_factor(X.conj().T @ X, lower=True, check_finite=False)
    except LinAlgError:
        return np.linalg.lstsq(X, y, rcond=None)[0]
    pivots = np.abs(np.diag(factor[0])) ** 2
    squares = np.einsum("ij,ij->j", X.conj(), X).real
    if (pivots <= DEPENDS * squares).any():
        return np.linalg.lstsq(X, y, rcond=None)[0]
    z = cho_solve(factor, X.conj().T @ y, check_finite=False)
    return z + cho_solve(factor, X.conj().T @ (y - X @ z), check_finite=False)


def conjugate_gradients(
    A: Any,
    S: np.ndarray,
    y: np.ndarray,
    start: np.ndarray | None = None,
    *,
    tol: float = PRECISE,
    max_iter: int = 1000,
    near: float = 0.0,
) -> np.ndarray:
    """argmin ‖y − A_S z‖ by conjugate gradients on the normal equations (Hestenes & Stiefel 1952)."""
    whole = np.zeros(A.shape[1], np.result_type(y, A.dtype, np.float64))

    def times(z: np.ndarray) -> np.ndarray:
        whole[S] = z
        return A @ whole

    z = np.zeros(len(S), whole.dtype) if start is None else start.astype(whole.dtype)
    r = y - times(z) if start is not None else y.astype(whole.dtype)
    g = (A.H @ r)[S]
    goal = tol * float(np.linalg.norm(g)) if start is None else tol * float(np.linalg.norm((A.H @ y)[S]))
    d, gg = g, float(np.vdot(g, g).real)
    for _ in range(max_iter):
        check_interrupted()
        if np.sqrt(gg) <= max(goal, near * float(np.linalg.norm(r))):
            break
        Ad = times(d)
        step = gg / float(np.vdot(Ad, Ad).real)
        z, r = z + step * d, r - step * Ad
        g = (A.H @ r)[S]
        gg, before = float(np.vdot(g, g).real), gg
        d = g + (gg / before) * d
    return z
