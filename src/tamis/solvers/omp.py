"""Orthogonal matching pursuit: of many signals at once on the Gram of the atoms, or of one on any operator.

Signals are the rows of X (n, d), atoms the rows of D (k, d), codes the rows of Z (n, k): X ≈ Z D. All that the pursuit
asks of them is in G = D Dᵀ, Q = X Dᵀ and the squares ‖xᵢ‖² (Rubinstein, Zibulevsky & Elad 2008).
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.sparse import csr_array

from tamis._core.checks import check_count, check_number, check_real
from tamis._core.errors import InputError
from tamis._core.evidence import Diagnostics, Solution, Status
from tamis._core.threads import blas_threads, thread_count
from tamis._kernels import kernels
from tamis._kernels.interruption import check_interrupted
from tamis.operators import ComplexDense, Dense, as_operator
from tamis.operators.base import wide
from tamis.solvers.dense_columns import written_out
from tamis.solvers.pursuit_correlations import LOST, SHORT, Correlations, Direction

LANE = 32  # the kernel wants rows padded to a multiple of it
DEPENDS = 1e-13  # of a column's square: what lies beyond the span of others is rounding
ZERO = 64 * np.finfo(float).eps  # of ‖y‖: a residual or correlation that is rounding
MUCH = 0.5  # of a column's square: what is beyond the span of others lost no digits
OUT_OF_DIGITS = 3  # the kernel's word that Aᵀr has to be computed anew
RESOLVED = 1e10  # times eps of ‖x‖²: below it ‖r‖² = ‖x‖² − Σ c² has lost ten digits or more
TIED = 1e-12  # relative: correlations that differ by less are equal
AT_ONCE = 2**17  # numbers of a piece of Q: what a core's cache keeps between the product and the pursuit


class PursuitStatus(enum.IntEnum):
    """Why the pursuit of a signal ended."""

    REACHED = 0  # ‖r‖ is small enough, or zero to working precision
    FULL = 1  # n_nonzero atoms are in use
    EXHAUSTED = 2  # every atom depends on those in use or is orthogonal to the residual, to working precision


@dataclass(frozen=True)
class SparseCodes:
    """Z (n, k) in CSR, the residual norms ‖xᵢ − zᵢD‖ (n,) and why each pursuit ended, a `PursuitStatus` (n,).

    No pursuit is cut short, so that ``status`` is "converged"; a greedy choice proves nothing.
    """

    Z: csr_array
    residual_norms: np.ndarray
    statuses: np.ndarray

    status = Status.CONVERGED
    certificate = None

    @property
    def n_iter(self) -> int:
        """Atoms taken by the longest pursuit."""
        return int(np.diff(self.Z.indptr).max(initial=0))

    @property
    def diagnostics(self) -> Diagnostics:
        return Diagnostics({"residual_norm": float(self.residual_norms.max(initial=0.0))}, self.residual_norms)


@dataclass(frozen=True)
class Pursuit(Solution):
    """The code w of one signal; ``reason`` says why the pursuit ended, the trace has ‖r‖ after each atom."""

    reason: PursuitStatus = PursuitStatus.REACHED


def batch_omp(
    G: Any,
    Q: Any,
    yy: Any,
    *,
    n_nonzero: int | None = None,
    tol: float | None = None,
    noise: float | None = None,
    n_jobs: int | None = None,
) -> SparseCodes:
    """Codes of many signals from G = D Dᵀ (k, k), Q = X Dᵀ (n, k) and yy = ‖xᵢ‖² (n,).

    From z = 0 on, the atom with the largest |⟨dⱼ, r⟩|/‖dⱼ‖ of the residual r = x − zD joins and z is refitted to the
    atoms in use, G_AA z_A = q_A, through a Cholesky factor that grows by a row. It ends at ``n_nonzero`` atoms, at
    ‖r‖ ≤ ``tol`` ‖x‖ or at ‖r‖ ≤ ``noise``, whichever comes first; at least one of them has to be given. Atoms that
    depend on those in use (1e-13 of their square beyond the span in float64, 6e-5 in float32) are never taken, nor any
    once nothing correlates with the residual: fewer atoms are then in use than ``n_nonzero``. Among equals the lowest
    index is taken. Atoms need not have unit length; zero atoms are never taken.

    A Gram resolves ‖r‖ down to about √eps ‖x‖, 1e-8 in float64 and 3e-4 in float32; ask for no less. The result is the
    same for any number of threads.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.solvers.omp import batch_omp
    >>> D = np.array([[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.0, 0.0, 1.0]])
    >>> X = np.array([[0.0, 0.0, 3.0], [1.6, 0.8, 0.0]])
    >>> codes = batch_omp(D @ D.T, X @ D.T, (X**2).sum(axis=1), n_nonzero=2)
    >>> codes.Z.toarray().round(12)
    array([[0., 0., 3.],
           [1., 1., 0.]])
    """
    G, Q = _matrix("G", G), _matrix("Q", Q)
    dtype = np.result_type(G, Q)
    if G.shape[0] != G.shape[1] or Q.shape[1] != len(G):
        raise InputError(f"G must be (k, k) and Q (n, k), got {G.shape} and {Q.shape}")
    if not np.allclose(G, G.T, rtol=0, atol=1e-5 * np.abs(G).max(initial=0.0)):
        raise InputError("G must be symmetric: give G = D @ D.T")
    yy = np.asarray(yy, dtype=np.float64)
    if yy.shape != (len(Q),) or not (np.isfinite(yy) & (yy >= 0)).all():
        raise InputError(f"yy must hold the {len(Q)} squares ‖x‖² of the signals, finite and ≥ 0, got shape {yy.shape}")
    rule = _Rule.of(n_nonzero, tol, noise, len(G))
    atoms = _Atoms.of(G.astype(dtype, copy=False))
    Q = np.ascontiguousarray(Q, dtype=dtype)
    threads = thread_count(n_jobs)
    pieces = [_pursue(atoms, Q[part], yy[part], rule, threads) for part in _parts(len(Q), len(G))]
    return _join(pieces, len(G), dtype)


def omp_codes(
    X: Any,
    D: Any,
    *,
    n_nonzero: int | None = None,
    tol: float | None = None,
    noise: float | None = None,
    n_jobs: int | None = None,
) -> SparseCodes:
    """`batch_omp` of the rows of X (n, d) on the atoms in the rows of D (k, d); Q is formed for a few rows at a time.

    X and D are arrays, or anything that ``as_operator`` takes: these are written out, as the Gram is too. Residual
    norms that the Gram cannot resolve are computed again from the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.solvers.omp import PursuitStatus, omp_codes
    >>> codes = omp_codes([[2.0, 1.0]], np.eye(2), tol=0.5)
    >>> codes.Z.toarray(), codes.residual_norms, PursuitStatus(codes.statuses[0])
    (array([[2., 0.]]), array([1.]), <PursuitStatus.REACHED: 0>)
    """
    X, D = _matrix("X", written_out(X)), _matrix("D", written_out(D))
    dtype = np.result_type(X, D)
    if X.shape[1] != D.shape[1]:
        raise InputError(f"X must be (n, d) and D (k, d) with atoms in rows, got {X.shape} and {D.shape}")
    X, D = X.astype(dtype, copy=False), D.astype(dtype, copy=False)
    rule = _Rule.of(n_nonzero, tol, noise, min(D.shape))
    atoms = _Atoms.of(D @ D.T)
    yy = np.einsum("ij,ij->i", X, X, dtype=np.float64)
    piece = _Piece.empty(len(X), rule.most, dtype)
    kernels.omp_rows(
        atoms.G, atoms.scale, _padded(D.T), np.ascontiguousarray(D), np.ascontiguousarray(X), yy, rule.limits(yy),
        RESOLVED * np.finfo(dtype).eps, thread_count(n_jobs), *piece.arrays,
    )  # fmt: skip
    return _join([piece.stored()], len(D), dtype)


def orthogonal_matching_pursuit(
    A: Any,
    y: Any,
    *,
    n_nonzero: int | None = None,
    tol: float | None = None,
    noise: float | None = None,
    column_norms: Any = None,
    first: Any = (),
    over: Callable[[], bool] | None = None,
) -> Pursuit:
    """The code of one signal y (m,) on the columns of A (m, p), anything that ``as_operator`` takes, real or complex:
    y ≈ A w.

    The column with the largest |⟨aⱼ, r⟩|/‖aⱼ‖ joins, and the residual r is projected off it: r = y − QQᵀy with Q an
    orthonormal basis of the columns taken, which are the only ones gathered (Pati, Rezaiifar & Krishnaprasad 1993). It
    ends as `batch_omp` does, but resolves ‖r‖ to rounding, for no Gram is formed. ``column_norms`` are the ‖aⱼ‖ where
    they are known, a number where all are equal; else every column is computed once. The columns ``first`` are taken
    before any other; ``over()`` tells, before each of the others, whether the time is over.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.operators import DCT
    >>> from tamis.solvers import orthogonal_matching_pursuit
    >>> w = np.zeros(64)
    >>> w[[3, 20]] = 2.0, -1.0
    >>> found = orthogonal_matching_pursuit(DCT(64), DCT(64) @ w, n_nonzero=2, column_norms=1.0)
    >>> np.flatnonzero(found.w).tolist(), found.status.value, bool(found.diagnostics["residual_norm"] < 1e-12)
    ([3, 20], 'converged', True)
    """
    A = as_operator(A, complex_ok=True)
    m, p = A.shape
    y = np.asarray(y)
    y = y.astype(wide(np.result_type(y, A.dtype)), copy=False)
    if y.shape != (m,) or not np.isfinite(y).all():
        raise InputError(f"y must hold {m} finite numbers, one for each row of A, got shape {y.shape}")
    rule = _Rule.of(n_nonzero, tol, noise, min(m, p))
    yy = float(np.vdot(y, y).real)
    goal = max(float(rule.limits(np.array([yy]))[0]), (ZERO**2) * yy)
    search = _Search(A, y, column_norms_of(A, column_norms), _Basis(m, rule.most, y.dtype))
    for j in first:
        search.take(int(j))
    status, reason = Status.CONVERGED, None
    with blas_threads(1):  # the columns taken are few: threads would wait for each other longer than they add
        while reason is None:
            check_interrupted()
            reason = search.ended(goal, rule.most)
            if reason is None and over is not None and over():
                status, reason = Status.TIME_LIMIT, PursuitStatus.EXHAUSTED
            if reason is None and not search.take_best(ZERO * np.sqrt(yy), goal):
                reason = PursuitStatus.EXHAUSTED
    measured = Diagnostics({"residual_norm": search.trace[-1]}, np.array(search.trace))
    return Pursuit(search.code(), status, search.basis.size, None, measured, reason=reason)


class _Search:
    """The columns taken so far and the residual r they leave."""

    def __init__(self, A: Any, y: np.ndarray, lengths: np.ndarray, basis: _Basis) -> None:
        self.A, self.y, self.basis, self.r = A, y, basis, y
        self.possible = lengths > 0
        self.inverse = np.where(lengths > 0, 1 / np.where(lengths > 0, lengths, 1.0), 0.0)
        self.trace = [float(np.linalg.norm(y))]
        self.correlations = Correlations(A, y, basis.most)

    def ended(self, goal: float, most: int) -> PursuitStatus | None:
        if self.trace[-1] ** 2 <= goal:
            return PursuitStatus.REACHED
        return PursuitStatus.FULL if self.basis.size == most else None

    def take_best(self, rounding: float, goal: float) -> bool:
        """Whether there was a column that correlates with r beyond rounding; where the products of several are known,
        all these are taken.
        """
        if self.correlations.in_kernel and self._take_known(rounding, goal):
            return True
        scores = np.where(self.possible, np.abs(self.correlations.c), 0.0) * self.inverse
        highest = float(scores.max())
        if highest <= rounding:
            return False
        j = int((scores >= highest * (1 - TIED)).argmax())
        self.correlations.prepare(j, scores, self.basis.most - self.basis.size)
        self.take(j)
        return True

    def _take_known(self, rounding: float, goal: float) -> bool:
        """Whether columns were taken; the next one has to be looked for here."""
        basis, known = self.basis, self.correlations
        k, most = basis.size, basis.most
        members, norms, state = np.zeros(most, np.int64), np.zeros(most + 1), np.array([k, -1])
        norms[k], self.r = self.trace[-1], np.array(self.r)
        outcome = kernels.pursue(
            known.columns, known.products, known.slot, self.inverse, self.possible, basis._Q, basis._R.T, known.AQ,
            known.c, self.r, members, norms, state, goal, rounding, LOST * known.size, DEPENDS, MUCH, SHORT**2, TIED,
        )  # fmt: skip
        after = int(state[0])
        basis.members += members[k:after].tolist()
        self.trace += norms[k + 1 : after + 1].tolist()
        if outcome == OUT_OF_DIGITS:
            known.refresh(self.r, self.trace[-1])
        return after > k

    def take(self, j: int) -> None:
        self.possible[j] = False
        direction = self.basis.take(j, self.correlations.column(j))
        if direction is not None:
            amount = np.vdot(direction.q, self.r)
            self.r = self.r - amount * direction.q  # off the others it is already
            self.trace.append(float(np.sqrt(np.vdot(self.r, self.r).real)))
            self.correlations.project(j, direction, amount, self.r, self.trace[-1])

    def code(self) -> np.ndarray:
        w = np.zeros(self.A.shape[1], self.y.dtype)
        w[self.basis.members] = self.basis.coefficients(self.y)
        return w


class _Basis:
    """Columns A_S = Qᵀ R, rows of Q orthonormal, grown one by one."""

    def __init__(self, m: int, most: int, dtype: Any = np.float64) -> None:
        self.members: list[int] = []
        self.most = most
        self._Q, self._R = np.empty((most, m), dtype), np.zeros((most, most), dtype).T

    @property
    def size(self) -> int:
        return len(self.members)

    def take(self, j: int, a: np.ndarray) -> Direction | None:
        """The direction that joined; None for a column that depends on those inside."""
        k, q = self.size, a.astype(self._Q.dtype)
        Q, along = self._Q[:k], np.zeros(k, self._Q.dtype)
        whole = float(np.vdot(a, a).real)
        for _ in range(2):  # the second removes what rounding in the first left, where little is left of a
            h = Q.conj() @ q
            q, along = q - h @ Q, along + h
            square = float(np.vdot(q, q).real)
            if square > MUCH * whole:
                break
        if k == len(self._Q) or square <= DEPENDS * whole:
            return None
        length = float(np.sqrt(square))
        self._Q[k], self._R[:k, k], self._R[k, k] = q / length, along, length
        self.members.append(j)
        return Direction(k, self._Q[k], along, length)

    def coefficients(self, y: np.ndarray) -> np.ndarray:
        k = self.size
        return solve_triangular(self._R[:k, :k], self._Q[:k].conj() @ y) if k else np.zeros(0)


def column_norms_of(A: Any, column_norms: Any) -> np.ndarray:
    """‖aⱼ‖ (p,): those given, one number for all columns, or computed from the columns."""
    p = A.shape[1]
    if column_norms is None and isinstance(A, (Dense, ComplexDense)):
        return np.sqrt(np.einsum("ij,ij->j", A.X.conj(), A.X, dtype=wide(A.dtype)).real)
    if column_norms is None:
        mean, variance = A.moments()
        return np.sqrt(A.shape[0] * (variance + np.abs(mean) ** 2))
    lengths = np.broadcast_to(np.asarray(column_norms, dtype=np.float64), (p,)).copy()
    if not (np.isfinite(lengths) & (lengths >= 0)).all():
        raise InputError("column_norms must be finite and ≥ 0: give ‖aⱼ‖ of every column, or leave it out")
    return lengths


@dataclass(frozen=True)
class _Rule:
    """When a signal is done: ``most`` atoms, or ‖r‖² ≤ max(relative · ‖x‖², absolute)."""

    most: int
    relative: float
    absolute: float

    @classmethod
    def of(cls, n_nonzero: int | None, tol: float | None, noise: float | None, rank: int) -> _Rule:
        if n_nonzero is None and tol is None and noise is None:
            raise InputError("give n_nonzero, tol or noise: nothing else says when a code is good enough")
        most = rank if n_nonzero is None else check_count("n_nonzero", n_nonzero)
        relative = 0.0 if tol is None else check_number("tol", tol, at_least=0.0)
        absolute = 0.0 if noise is None else check_number("noise", noise, at_least=0.0)
        return cls(min(most, rank), relative**2, absolute**2)

    def limits(self, yy: np.ndarray) -> np.ndarray:
        return np.maximum(self.relative * yy, self.absolute)


@dataclass(frozen=True)
class _Atoms:
    """The Gram of the atoms scaled to unit length, rows padded with zeros as the kernel wants them."""

    G: np.ndarray
    scale: np.ndarray

    @classmethod
    def of(cls, G: np.ndarray) -> _Atoms:
        squares = np.diag(G).astype(np.float64)
        scale = np.where(squares > 0, 1 / np.sqrt(np.where(squares > 0, squares, 1)), 0).astype(G.dtype)
        return cls(_padded(G * scale * scale[:, None]), scale)


def _padded(rows: np.ndarray) -> np.ndarray:
    out = np.zeros((len(rows), -(-rows.shape[1] // LANE) * LANE), rows.dtype)
    out[:, : rows.shape[1]] = rows
    return out


@dataclass
class _Piece:
    """The codes of consecutive signals: counts[i] entries of row i, and the evidence."""

    indices: np.ndarray
    values: np.ndarray
    counts: np.ndarray
    squares: np.ndarray
    statuses: np.ndarray

    @classmethod
    def empty(cls, n: int, most: int, dtype: Any) -> _Piece:
        """Room for ``most`` entries of each row."""
        room = np.empty((n, most), np.int32), np.empty((n, most), dtype)
        return cls(*room, np.empty(n, np.int64), np.empty(n), np.empty(n, np.int8))

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        return self.indices, self.values, self.counts, self.squares, self.statuses

    def stored(self) -> _Piece:
        """Only the entries that there are."""
        if (self.counts == self.indices.shape[1]).all():
            return replace(self, indices=self.indices.ravel(), values=self.values.ravel())
        used = np.arange(self.indices.shape[1]) < self.counts[:, None]
        return replace(self, indices=self.indices[used], values=self.values[used])


def _parts(n: int, k: int) -> Iterator[slice]:
    step = max(64, AT_ONCE // max(1, k))
    return (slice(i, min(n, i + step)) for i in range(0, n, step))


def _pursue(atoms: _Atoms, Q: np.ndarray, yy: np.ndarray, rule: _Rule, threads: int) -> _Piece:
    piece = _Piece.empty(len(Q), rule.most, Q.dtype)
    kernels.batch_omp(atoms.G, atoms.scale, Q, yy, rule.limits(yy), threads, *piece.arrays)
    return piece.stored()


def _join(pieces: list[_Piece], k: int, dtype: np.dtype) -> SparseCodes:
    def joined(name: str, of: Any) -> np.ndarray:
        return np.concatenate([np.empty(0, of), *(getattr(piece, name) for piece in pieces)], dtype=of)

    counts = joined("counts", np.int64)
    indptr = np.append(0, np.cumsum(counts))
    parts = joined("values", dtype), joined("indices", np.int32), indptr
    Z = csr_array(parts, shape=(len(counts), k))
    return SparseCodes(Z, np.sqrt(joined("squares", np.float64)), joined("statuses", np.int8))


def _matrix(name: str, given: Any) -> np.ndarray:
    A = np.asarray(given)
    check_real(name, A.dtype)
    A = A if A.dtype in (np.float32, np.float64) else A.astype(np.float64)
    if A.ndim != 2:
        raise InputError(f"{name} must be a matrix, got shape {A.shape}")
    if not np.isfinite(A).all():
        raise InputError(f"{name} holds NaN or infinite values: remove or impute them first")
    return A
