"""Lasso codes of many signals on one dictionary: zᵢ = argmin ½‖xᵢ − zD‖² + α‖z‖₁, each with its duality gap.

Signals are the rows of X (n, d), atoms the rows of D (k, d), codes the rows of Z (n, k). All that is asked of them is
in G = D Dᵀ, Q = X Dᵀ and the squares ‖xᵢ‖².
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csr_array

from tamis._core.checks import check_number
from tamis._core.errors import InputError
from tamis._core.evidence import Certificate, Diagnostics, Status
from tamis._core.threads import blas_threads, free_thread, thread_count
from tamis._kernels import kernels
from tamis._kernels.interruption import InterruptibleThreads
from tamis.solvers.omp import LANE, _matrix, _parts

TOLERANCE = {4: 1e-4, 8: 1e-7}  # of ½‖x‖², by bytes of a number


@dataclass(frozen=True, repr=False)
class CodeGaps(Certificate):
    """½‖xᵢ − zᵢD‖² + α‖zᵢ‖₁ is at most ``gaps[i]`` above its minimum over z (over z ≥ 0, where ``positive``)."""

    gaps: np.ndarray
    Z: csr_array = field(repr=False)
    D: np.ndarray = field(repr=False)
    alpha: float
    positive: bool = False

    def verify(self, X: Any, y: Any = None) -> CodeGaps:
        """The gaps again, from the rows themselves: with r = x − zD, θ = s r is feasible for s ≤ α/max |⟨dⱼ, r⟩|, and
        the dual value is ½‖x‖² − ½‖x − θ‖².
        """
        X = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
        D, Z = np.asarray(self.D, dtype=np.float64), self.Z.toarray().astype(np.float64)
        R = X - Z @ D
        C = R @ D.T
        most = (C if self.positive else np.abs(C)).max(axis=1)
        rr, xr = (R * R).sum(axis=1), (X * R).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.fmin(np.where(most > 0, self.alpha / most, np.inf), np.where(rr > 0, xr / rr, 1.0))
        share = np.maximum(share, 0.0)
        dual = share * xr - 0.5 * share**2 * rr
        gaps = np.maximum(0.0, 0.5 * rr + self.alpha * np.abs(Z).sum(axis=1) - dual)
        return CodeGaps(gaps, self.Z, self.D, self.alpha, self.positive)


@dataclass(frozen=True)
class LassoCodes:
    """Z (n, k) in CSR and the duality gap of each row."""

    Z: csr_array
    gaps: np.ndarray
    status: Status
    certificate: CodeGaps | None = None

    n_iter = 1

    @property
    def diagnostics(self) -> Diagnostics:
        return Diagnostics({"largest_gap": float(self.gaps.max(initial=0.0))}, self.gaps)


def lasso_codes(
    X: Any,
    D: Any,
    alpha: float,
    *,
    positive: bool = False,
    start: Any = None,
    tol: float | None = None,
    n_jobs: int | None = None,
) -> LassoCodes:
    """Codes zᵢ = argmin ½‖xᵢ − zD‖² + α‖z‖₁ (z ≥ 0, where ``positive``) of the rows of X (n, d) on those of D (k, d).

    Feature-sign search on the Gram (Lee, Battle, Raina & Ng 2007): the atom with the largest |⟨dⱼ, r⟩| > α joins, z
    moves to G_AA⁻¹(q_A − α s_A), whoever meets zero on the way leaves. The search is done in float32 and confirmed in
    float64 from Cholesky factors, so that codes are exact to rounding; should atoms all but depend on each other,
    coordinate descent takes over. A row is done when its gap is at most ``tol`` ½‖x‖² (1e-7; 1e-4 in float32). The gaps
    of codes in float32 are those after rounding, computed in float64.

    ``start`` (n, k), sparse codes of nearby atoms, is where the search begins. X may be a sparse array. The result is
    the same for any number of threads.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.solvers.lasso_codes import lasso_codes
    >>> lasso_codes([[3.0, 0.5], [0.2, -2.0]], np.eye(2), 1.0).Z.toarray()
    array([[ 2.,  0.],
           [ 0., -1.]])
    """
    X = X if sp.issparse(X) else _matrix("X", X)
    D = _matrix("D", D)
    dtype = np.result_type(X.dtype if X.dtype in (np.float32, np.float64) else np.float64, D)
    if X.shape[1] != D.shape[1]:
        raise InputError(f"X must be (n, d) and D (k, d) with atoms in rows, got {X.shape} and {D.shape}")
    alpha = check_number("alpha", alpha, at_least=0.0)
    tol = TOLERANCE[dtype.itemsize] if tol is None else check_number("tol", tol, at_least=0.0)
    X, D = X.astype(dtype, copy=False), np.ascontiguousarray(D, dtype=dtype)
    X = X.tocsr() if sp.issparse(X) else X
    before = None if start is None else _start(start, len(D), X.shape[0], dtype)
    gram = _GramOfAtoms.of(D)

    def coded(part: slice) -> _Codes:
        Q = np.ascontiguousarray(X[part] @ D.T)
        return _code(gram, Q, row_squares(X[part]), alpha, positive, tol, before, part)

    with InterruptibleThreads(thread_count(n_jobs), free_thread) as pool, blas_threads(1):
        pieces = list(pool.map(coded, _parts(X.shape[0], len(D))))
    Z, gaps = _joined(pieces, D)
    if dtype == np.float32:
        Z, gaps = _recoded(X, D, Z, alpha, positive, tol, n_jobs)
    return _certified(X, D, Z, gaps, alpha, positive, tol)


def proved(X: Any, D: np.ndarray, Z: csr_array, alpha: float, positive: bool, tol: float) -> LassoCodes:
    """Codes that others found, with the gaps that they have."""
    gaps = _gaps_of_rows(X, D.astype(np.float64), Z, alpha, positive, None)
    return _certified(X, D, Z, gaps, alpha, positive, tol)


def _certified(
    X: Any, D: np.ndarray, Z: csr_array, gaps: np.ndarray, alpha: float, positive: bool, tol: float
) -> LassoCodes:
    done = (gaps <= tol * row_squares(X) / 2 + np.finfo(float).tiny).all()
    status = Status.CONVERGED if done else Status.MAX_ITER
    return LassoCodes(Z, gaps, status, CodeGaps(gaps, Z, D, alpha, positive))


def row_squares(X: Any) -> np.ndarray:
    """‖xᵢ‖² in float64."""
    if sp.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
    return np.einsum("ij,ij->i", X, X, dtype=np.float64)


@dataclass(frozen=True)
class _GramOfAtoms:
    """G = D Dᵀ, rows padded with zeros, and the same in float32; no code needs more than ``room`` atoms."""

    G: np.ndarray
    rough: np.ndarray
    room: int

    @classmethod
    def of(cls, D: np.ndarray) -> _GramOfAtoms:
        k = len(D)
        G = np.zeros((k, -(-k // LANE) * LANE), D.dtype)
        np.matmul(D, D.T, out=G[:, :k])
        return cls(G, G.astype(np.float32, copy=False), min(D.shape))


@dataclass
class _Codes:
    indices: np.ndarray
    values: np.ndarray
    counts: np.ndarray
    gaps: np.ndarray


def _code(
    gram: _GramOfAtoms,
    Q: np.ndarray,
    xx: np.ndarray,
    alpha: float,
    positive: bool,
    tol: float,
    before: csr_array | None,
    part: slice,
) -> _Codes:
    n = len(Q)
    counts, gaps = np.empty(n, np.int64), np.empty(n)
    if before is None:
        start = np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, Q.dtype)
    else:
        start = before.indptr[part.start : part.stop + 1], before.indices, before.data
    indices, values = kernels.lasso_codes(
        gram.G, gram.rough, Q, xx, alpha, bool(positive), tol, gram.room, *start, counts, gaps
    )  # fmt: skip
    return _Codes(indices, values, counts, gaps)


def _start(start: Any, k: int, n: int, dtype: np.dtype) -> csr_array:
    Z = csr_array(start)
    if Z.shape != (n, k):
        raise InputError(f"start must hold codes of shape {(n, k)}, got {Z.shape}", argument="start")
    parts = Z.data.astype(dtype, copy=False), Z.indices.astype(np.int32, copy=False), Z.indptr.astype(np.int64)
    return _raw_csr(*parts, shape=(n, k))


def _raw_csr(data: np.ndarray, indices: np.ndarray, indptr: np.ndarray, shape: tuple[int, int]) -> csr_array:
    """SciPy would choose the index types itself."""
    Z = csr_array(shape, dtype=data.dtype)
    Z.data, Z.indices, Z.indptr = data, indices, indptr
    return Z


def _joined(pieces: list[_Codes], D: np.ndarray) -> tuple[csr_array, np.ndarray]:
    def joined(name: str, of: Any) -> np.ndarray:
        return np.concatenate([np.empty(0, of), *(getattr(piece, name) for piece in pieces)], dtype=of)

    counts = joined("counts", np.int64)
    parts = joined("values", D.dtype), joined("indices", np.int32), np.append(0, np.cumsum(counts))
    return csr_array(parts, shape=(len(counts), len(D))), joined("gaps", np.float64)


def _recoded(
    X: Any, D: np.ndarray, Z: csr_array, alpha: float, positive: bool, tol: float, n_jobs: int | None
) -> tuple[csr_array, np.ndarray]:
    """Codes in float32 with the gaps that they have, not those of codes on a rounded Gram; rows whose gap is too large
    are coded in float64 and rounded, where that is better.
    """
    D64 = D.astype(np.float64)
    gaps = _gaps_of_rows(X, D64, Z, alpha, positive, n_jobs)
    above = np.flatnonzero(gaps > tol * row_squares(X) / 2)
    if len(above) == 0:
        return Z, gaps
    rows = X[above]
    again = lasso_codes(
        rows.astype(np.float64), D64, alpha, positive=positive, start=Z[above], tol=tol, n_jobs=n_jobs
    ).Z.astype(np.float32)  # fmt: skip
    smaller = _gaps_of_rows(rows, D64, again, alpha, positive, n_jobs)
    better = smaller < gaps[above]
    gaps[above[better]] = smaller[better]
    order = np.arange(Z.shape[0])
    order[above[better]] = Z.shape[0] + np.arange(int(better.sum()))
    return sp.vstack([Z, again[better]], format="csr")[order], gaps


def _gaps_of_rows(X: Any, D: np.ndarray, Z: csr_array, alpha: float, positive: bool, n_jobs: int | None) -> np.ndarray:
    """The duality gaps of codes, from the residuals of the rows in float64, some rows at a time."""

    def of(part: slice) -> np.ndarray:
        rows = X[part].toarray() if sp.issparse(X) else X[part]
        rows, z = rows.astype(np.float64), Z[part].astype(np.float64)
        R = rows - z @ D
        C = R @ D.T
        most = np.maximum(C.max(axis=1), 0.0 if positive else -C.min(axis=1))
        rr, xr = np.einsum("ij,ij->i", R, R), np.einsum("ij,ij->i", rows, R)
        feasible = np.divide(alpha, most, out=np.full(len(most), np.inf), where=most > 0)
        best = np.divide(xr, rr, out=np.ones(len(rr)), where=rr > 0)
        share = np.maximum(0.0, np.minimum(feasible, best))
        norms = np.asarray(abs(z).sum(axis=1)).ravel()
        return np.maximum(0.0, 0.5 * rr + alpha * norms - share * xr + 0.5 * share**2 * rr)

    with InterruptibleThreads(thread_count(n_jobs), free_thread) as pool, blas_threads(1):
        return np.concatenate([np.empty(0), *pool.map(of, _parts(X.shape[0], len(D)))])
