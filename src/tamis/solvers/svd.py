"""The few largest singular triplets, and what low-rank methods make of them: thresholding and Procrustes.

A (n, p) is an array, a SciPy sparse array or anything that ``as_operator`` takes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse

from tamis._core.checks import check_count, check_finite, check_number, check_real
from tamis._core.errors import InputError
from tamis._core.evidence import Diagnostics, Status
from tamis._core.random import as_rng
from tamis.operators import as_operator
from tamis.solvers.dense_columns import written_out
from tamis.solvers.krylov import BESIDE, Triplets, largest_triplets

TOLERANCE = {4: 1e-5, 8: 1e-10}  # by bytes of a number; about 100 · eps is what orthogonality to rounding leaves
SAME = 1e-6  # entries whose sizes differ by less may be in either order from one machine to the next
DIRECT = 6  # a dense matrix with fewer than this many times the wanted triplets goes to LAPACK whole


@dataclass(frozen=True)
class Factors:
    """U diag(s) Vt with orthonormal columns in U (n, k) and rows in Vt (k, p), s descending.

    Signs are such that the entry of largest size in each row of Vt is positive.
    """

    U: np.ndarray
    s: np.ndarray
    Vt: np.ndarray

    def toarray(self) -> np.ndarray:
        """The product, (n, p)."""
        return (self.U * self.s) @ self.Vt


@dataclass(frozen=True)
class PartialSVD(Factors):
    """Triplets and their ``residuals`` (k,): ‖Avᵢ − sᵢuᵢ‖ or ‖Aᵀuᵢ − sᵢvᵢ‖, the larger; the other is rounding.

    A singular value of A lies within residuals[i] of s[i]. That these are the largest is measured, not proved: a random
    column let in at the end found no larger one. ``n_passes`` counts the products with A or Aᵀ, of any width.
    """

    residuals: np.ndarray
    n_iter: int
    n_passes: int
    status: Status

    certificate = None

    @property
    def diagnostics(self) -> Diagnostics:
        return Diagnostics({"residual": float(self.residuals.max(initial=0.0)), "n_passes": self.n_passes})


@dataclass(frozen=True)
class ThresholdedSVD(Factors):
    """The prox of τ‖·‖_* at A, ``s`` already lowered by τ; ``next_value`` is the largest singular value left out.

    ``residuals`` are those of the triplets kept, as in `PartialSVD`.
    """

    next_value: float
    residuals: np.ndarray
    n_iter: int
    n_passes: int
    status: Status

    certificate = None

    @property
    def diagnostics(self) -> Diagnostics:
        largest = float(self.residuals.max(initial=0.0))
        return Diagnostics({"residual": largest, "next_value": self.next_value, "n_passes": self.n_passes})

    @property
    def rank(self) -> int:
        return len(self.s)


@dataclass(frozen=True)
class Procrustes:
    """Q, how far it is from A in the Frobenius norm, the singular values of A, and their number above rounding.

    The minimiser is unique when the rank is min(n, p).
    """

    Q: np.ndarray
    distance: float
    s: np.ndarray
    rank: int

    status = Status.CONVERGED
    n_iter = 0
    certificate = None

    @property
    def diagnostics(self) -> Diagnostics:
        return Diagnostics({"distance": self.distance})


def partial_svd(
    A: Any,
    k: int,
    *,
    start: Any = None,
    tol: float | None = None,
    max_iter: int = 300,
    random_state: Any = None,
) -> PartialSVD:
    """The k largest singular triplets of A, from ``start`` where there is one.

    A Krylov space of AᵀA grows, A restricted to it gives Ritz triplets, and it is cut back to the best of them when it
    has become wide: Lanczos bidiagonalisation with thick restarts (Golub & Kahan 1965; Baglama & Reichel 2005). It ends
    when every residual is at most ``tol`` s₁ (1e-10 in float64 and 1e-5 in float32 unless given), or after ``max_iter``
    looks at the triplets. Small dense matrices go to LAPACK whole.

    ``start`` is an earlier result, of a matrix near this one, or rows Vt (k', p): all of it steps together, in
    few passes over A where it is near, and is given up where the pace is too slow. float32 stays float32.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.solvers.svd import partial_svd
    >>> A = np.diag([5.0, 3.0, 1.0])
    >>> found = partial_svd(A, 2)
    >>> found.s
    array([5., 3.])
    >>> bool(found.residuals.max() < 1e-12)
    True
    """
    A = _as_matrix(A)
    n, p = A.shape
    k = check_count("k", k, at_most=min(n, p))
    tol = TOLERANCE[A.dtype.itemsize] if tol is None else check_number("tol", tol, at_least=0.0)
    max_iter = check_count("max_iter", max_iter)
    V = _start(A, start)
    if isinstance(A, np.ndarray) and DIRECT * (k + BESIDE) > min(n, p):
        return _direct(A, k)
    rng = as_rng(random_state)
    if n >= p:
        found = largest_triplets(A, k, V, tol, max_iter, rng)
        return _signed(found.U, found.V, found)
    found = largest_triplets(A.T, k, V, tol, max_iter, rng)
    return _signed(found.V, found.U, found)


def singular_value_threshold(
    A: Any, tau: float, *, start: Any = None, tol: float | None = None, max_iter: int = 300, random_state: Any = None
) -> ThresholdedSVD:
    """argmin_Z ½‖Z − A‖² + τ‖Z‖_* = U max(s − τ, 0) Vᵀ, the prox of the nuclear norm (Cai, Candès & Shen 2010).

    Triplets are asked for until the next singular value is at most ``tau``: first one more than ``start`` has, then
    twice as many each time, each search starting from the last. ``tol`` and ``max_iter`` are those of `partial_svd`.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.solvers.svd import singular_value_threshold
    >>> Z = singular_value_threshold(np.diag([5.0, 3.0, 1.0]), 2.0)
    >>> Z.s, Z.next_value
    (array([3., 1.]), 1.0)
    """
    A = _as_matrix(A)
    tau = check_number("tau", tau, at_least=0.0)
    rng = as_rng(random_state)
    most = min(A.shape)
    k = min(most, BESIDE if start is None else len(_rows(start, A.shape[1])) + 1)
    n_iter = n_passes = 0
    while True:
        found = partial_svd(A, k, start=start, tol=tol, max_iter=max_iter, random_state=rng)
        n_iter, n_passes = n_iter + found.n_iter, n_passes + found.n_passes
        if k == most or found.s[-1] <= tau:
            break
        start, k = found, min(most, 2 * k)
    rank = int(np.count_nonzero(found.s > tau))
    kept = found.U[:, :rank], found.s[:rank] - found.s.dtype.type(tau), found.Vt[:rank]
    next_value = float(found.s[rank]) if rank < k else 0.0
    return ThresholdedSVD(*kept, next_value, found.residuals[:rank], n_iter, n_passes, found.status)


def procrustes(A: Any) -> Procrustes:
    """The nearest matrix with orthonormal columns (rows, when A is wide): argmin ‖A − Q‖_F = U Vᵀ (Schönemann 1966).

    It also maximises trace(QᵀA). Where A has not full rank, the part of Q beyond the singular vectors of A is free: it
    is then the one nearest to the identity, so that Q = I for A = 0.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.solvers.svd import procrustes
    >>> procrustes([[0.0, -2.0], [3.0, 0.0]]).Q
    array([[ 0., -1.],
           [ 1.,  0.]])
    """
    A = _as_matrix(np.asarray(written_out(A)))
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    rank = int(np.count_nonzero(s > max(A.shape) * np.finfo(A.dtype).eps * s[0]))
    Q = U[:, :rank] @ Vt[:rank] + (_free_part(A, rank) if rank < min(A.shape) else 0)
    Q = Q.astype(A.dtype, copy=False) + A.dtype.type(0)  # no −0.0
    return Procrustes(Q, float(np.linalg.norm(A - Q)), s, rank)


def _free_part(A: np.ndarray, rank: int) -> np.ndarray:
    """U₀ W V₀ᵀ with U₀, V₀ the complements of the singular vectors and W the Procrustes solution of U₀ᵀ I V₀."""
    U, _, Vt = np.linalg.svd(A, full_matrices=True)
    U0, V0t = U[:, rank:], Vt[rank:]
    left, _, right = np.linalg.svd(U0.T @ np.eye(*A.shape, dtype=A.dtype) @ V0t.T, full_matrices=False)
    return U0 @ left @ right @ V0t


def _direct(A: np.ndarray, k: int) -> PartialSVD:
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    U, s, V = U[:, :k], s[:k], Vt[:k].T
    return _signed(U, V, Triplets(U, s, V, np.linalg.norm(A.T @ U - V * s, axis=0), 0, 0, True))


def signs_of_rows(Vt: np.ndarray) -> np.ndarray:
    """1 or −1 for each row, with which its largest entry is positive: the first of those that are as large."""
    size = np.abs(Vt)
    first = (size >= (1 - SAME) * size.max(axis=1, keepdims=True, initial=0.0)).argmax(axis=1)
    return np.where(Vt[np.arange(len(Vt)), first] < 0, -1, 1).astype(Vt.dtype)


def signed(Vt: np.ndarray) -> np.ndarray:
    """The rows of Vt with those signs."""
    return np.asarray(Vt * signs_of_rows(Vt)[:, None] + Vt.dtype.type(0))  # no −0.0


def _signed(U: np.ndarray, V: np.ndarray, found: Triplets) -> PartialSVD:
    sign = signs_of_rows(V.T)
    status = Status.CONVERGED if found.converged else Status.MAX_ITER
    return PartialSVD(U * sign, found.s, (V * sign).T, found.residuals, found.n_iter, found.n_passes, status)


def _start(A: Any, start: Any) -> np.ndarray | None:
    """The columns to begin with on the smaller side of A."""
    if start is None:
        return None
    n, p = A.shape
    Vt = _rows(start, p)
    if n >= p or not len(Vt):
        return Vt.T if len(Vt) else None
    return start.U if isinstance(start, Factors) and len(start.U) == n else np.asarray(A @ Vt.T)


def _rows(start: Any, p: int) -> np.ndarray:
    Vt = start.Vt if isinstance(start, Factors) else np.asarray(start)
    check_real("start", Vt.dtype)
    if Vt.ndim != 2 or Vt.shape[1] != p:
        raise InputError(f"start must be an earlier result or rows (k, {p}), got shape {Vt.shape}")
    check_finite("start", Vt)
    return Vt


def _as_matrix(A: Any) -> Any:
    if isinstance(A, (list, tuple)):
        A = np.asarray(A)
    elif not isinstance(A, np.ndarray) and not issparse(A):
        A = as_operator(A, complex_ok=True)  # refused below, by its name here
    if len(A.shape) != 2 or min(A.shape) == 0:
        raise InputError(f"A must be a matrix with at least one row and one column, got shape {tuple(A.shape)}")
    if isinstance(A, np.ndarray) or issparse(A):
        check_real("A", A.dtype)
        A = A if A.dtype in (np.float32, np.float64) else A.astype(np.float64)
        check_finite("A", A)
    elif A.dtype not in (np.float32, np.float64):
        raise InputError(f"A must be of float32 or float64 numbers, got {A.dtype}")
    return A
