"""Orthogonal matching pursuit of many signals at once, on the Gram of the atoms.

Signals are the rows of X (n, d), atoms the rows of D (k, d), codes the rows of Z (n, k): X ≈ Z D. All that the pursuit
asks of them is in G = D Dᵀ, Q = X Dᵀ and the squares ‖xᵢ‖² (Rubinstein, Zibulevsky & Elad 2008).
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from tamis._core.checks import check_count, check_finite, check_number, check_real
from tamis._core.errors import InputError
from tamis._core.evidence import Diagnostics, Status
from tamis._core.threads import thread_count
from tamis._kernels import kernels
from tamis.solvers.dense_columns import written_out

LANE = 32  # the kernel wants rows padded to a multiple of it
RESOLVED = 1e10  # times eps of ‖x‖²: below it ‖r‖² = ‖x‖² − Σ c² has lost ten digits or more
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
    rule = StoppingRule.of(n_nonzero, tol, noise, len(G))
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
    rule = StoppingRule.of(n_nonzero, tol, noise, min(D.shape))
    atoms = _Atoms.of(D @ D.T)
    yy = np.einsum("ij,ij->i", X, X, dtype=np.float64)
    piece = _Piece.empty(len(X), rule.most, dtype)
    kernels.omp_rows(
        atoms.G, atoms.scale, _padded(D.T), np.ascontiguousarray(D), np.ascontiguousarray(X), yy, rule.limits(yy),
        RESOLVED * np.finfo(dtype).eps, thread_count(n_jobs), *piece.arrays,
    )  # fmt: skip
    return _join([piece.stored()], len(D), dtype)


@dataclass(frozen=True)
class StoppingRule:
    """When a signal is done: ``most`` atoms, or ‖r‖² ≤ max(relative · ‖x‖², absolute)."""

    most: int
    relative: float
    absolute: float

    @classmethod
    def of(cls, n_nonzero: int | None, tol: float | None, noise: float | None, rank: int) -> StoppingRule:
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


def _pursue(atoms: _Atoms, Q: np.ndarray, yy: np.ndarray, rule: StoppingRule, threads: int) -> _Piece:
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
    check_finite(name, A)
    return A
