"""Orthogonal matching pursuit of one signal on any operator, real or complex, without a Gram matrix.

A matrix in memory is pursued by the kernel ``pursue``; any other operator multiplies by Aᴴ once for each column.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import solve_triangular

from tamis._core.errors import InputError
from tamis._core.evidence import Diagnostics, Solution, Status
from tamis._core.threads import blas_threads
from tamis._kernels import kernels
from tamis._kernels.interruption import check_interrupted
from tamis.operators import ComplexDense, Dense, as_operator
from tamis.operators.base import wide
from tamis.solvers.dense_columns import dense_columns
from tamis.solvers.omp import PursuitStatus, StoppingRule
from tamis.solvers.support_least_squares import WRITTEN_OUT, estimated_lengths, in_memory

DEPENDS = 1e-13  # of a column's square: what lies beyond the span of others is rounding
ZERO = 64 * np.finfo(float).eps  # of ‖y‖: a residual or correlation that is rounding
MUCH = 0.5  # of a column's square: what is beyond the span of others lost no digits
TIED = 1e-12  # relative: correlations that differ by less are equal
AT_ONCE = 2**27  # entries of A that the kernel reads before it is asked about the time
PAUSED = 0  # what the kernel tells where it was
OUTCOMES = {1: PursuitStatus.REACHED, 2: PursuitStatus.FULL, 3: PursuitStatus.EXHAUSTED}


@dataclass(frozen=True)
class Pursuit(Solution):
    """The code w of one signal; ``reason`` says why the pursuit ended, the trace has ‖r‖ after each atom, and ``path``
    the code after each of them in its columns, (p, atoms), where it was asked for.
    """

    reason: PursuitStatus = PursuitStatus.REACHED
    path: sp.csc_array | None = None


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
    return_path: bool = False,
) -> Pursuit:
    """The code of one signal y (m,) on the columns of A (m, p), anything that ``as_operator`` takes, real or complex:
    y ≈ A w.

    The column with the largest |⟨aⱼ, r⟩|/‖aⱼ‖ joins, and the residual r is projected off it: r = y − QQᵀy with Q an
    orthonormal basis of the columns taken, which are the only ones gathered (Pati, Rezaiifar & Krishnaprasad 1993). It
    ends as `batch_omp` does, but resolves ‖r‖ to rounding, for no Gram is formed. ``column_norms`` are the ‖aⱼ‖ where
    they are known, a number where all are equal; else every column is computed once. The columns ``first`` are taken
    before any other; ``over()`` tells, between two of the others, whether the time is over. ``return_path`` keeps the
    code after each column.

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
    rule = StoppingRule.of(n_nonzero, tol, noise, min(m, p))
    yy = float(np.vdot(y, y).real)
    goal = max(float(rule.limits(np.array([yy]))[0]), (ZERO**2) * yy)
    in_kernel = isinstance(A, Dense) and y.dtype == np.float64
    search = (_KernelSearch if in_kernel else _Search)(A, y, column_norms_of(A, column_norms), rule.most)
    status, reason = search.run(np.asarray(first, dtype=np.intp), goal, ZERO * np.sqrt(yy), over or (lambda: False))
    measured = Diagnostics({"residual_norm": search.trace[-1]}, np.array(search.trace))
    path = search.path() if return_path else None
    return Pursuit(search.code(), status, len(search.members), None, measured, reason=reason, path=path)


class _Search:
    """Columns A_S = Qᵀ Rᵀ taken one by one, rows of Q orthonormal, and the residual r they leave."""

    def __init__(self, A: Any, y: np.ndarray, lengths: np.ndarray, most: int) -> None:
        self.A, self.y, self.r, self.most = A, y, np.array(y), most
        self.possible = lengths > 0
        self.inverse = np.where(lengths > 0, 1 / np.where(lengths > 0, lengths, 1.0), 0.0)
        self.members: list[int] = []
        self.trace = [float(np.sqrt(np.vdot(y, y).real))]
        self.Q, self.R = np.zeros((most, len(y)), y.dtype), np.zeros((most, most), y.dtype)

    def run(self, first: Any, goal: float, rounding: float, over: Any) -> tuple[Status, PursuitStatus]:
        with blas_threads(1):  # the columns taken are few: threads would wait for each other longer than they add
            for j in first:
                self._take(int(j))
            while True:
                check_interrupted()
                if self.trace[-1] ** 2 <= goal:
                    return Status.CONVERGED, PursuitStatus.REACHED
                if len(self.members) == self.most:
                    return Status.CONVERGED, PursuitStatus.FULL
                if over():
                    return Status.TIME_LIMIT, PursuitStatus.EXHAUSTED
                scores = np.where(self.possible, np.abs(self.A.H @ self.r), 0.0) * self.inverse
                highest = float(scores.max())
                if not highest > rounding:
                    return Status.CONVERGED, PursuitStatus.EXHAUSTED
                self._take(int((scores >= highest * (1 - TIED)).argmax()))

    def _take(self, j: int) -> None:
        """Column j joins, unless it depends on those inside."""
        self.possible[j] = False
        q = dense_columns(self.A, [j])[:, 0].astype(self.y.dtype)
        k = len(self.members)
        Q, along = self.Q[:k], np.zeros(k, q.dtype)
        whole = float(np.vdot(q, q).real)
        for _ in range(2):  # the second removes what rounding in the first left, where little is left of a
            h = Q.conj() @ q
            q, along = q - h @ Q, along + h
            square = float(np.vdot(q, q).real)
            if square > MUCH * whole:
                break
        if k == self.most or square <= DEPENDS * whole:
            return
        length = float(np.sqrt(square))
        q = q / length
        self.Q[k], self.R[k, :k], self.R[k, k] = q, along, length
        self.members.append(j)
        self.r -= np.vdot(q, self.r) * q  # off the others it is already
        self.trace.append(float(np.sqrt(np.vdot(self.r, self.r).real)))

    def code(self) -> np.ndarray:
        w, k = np.zeros(self.A.shape[1], self.y.dtype), len(self.members)
        if k:
            w[self.members] = solve_triangular(self.R[:k, :k].T, self.Q[:k].conj() @ self.y, check_finite=False)
        return w

    def path(self) -> sp.csc_array:
        """The code after each column that joined: R of the first ones is the first part of R."""
        k, b = len(self.members), self.Q[: len(self.members)].conj() @ self.y
        steps = [solve_triangular(self.R[:i, :i].T, b[:i], check_finite=False) for i in range(1, k + 1)]
        starts = np.arange(k + 1) * np.arange(1, k + 2) // 2
        rows = np.concatenate([np.array(self.members[:i]) for i in range(1, k + 1)] or [np.zeros(0, np.intp)])
        values = np.concatenate(steps or [np.zeros(0, self.y.dtype)])
        found = sp.csc_array((values, rows, starts), shape=(self.A.shape[1], k))
        found.sort_indices()
        return found


class _KernelSearch(_Search):
    """The same on a real matrix in memory, by the kernel, which is asked about the time after some columns."""

    def run(self, first: Any, goal: float, rounding: float, over: Any) -> tuple[Status, PursuitStatus]:
        members, norms = np.zeros(self.most, np.int64), np.zeros(self.most + 1)
        lengths = np.sqrt(self.A.column_squares())
        state, outcome = np.zeros(1, np.int64), PAUSED
        norms[0] = self.trace[0]
        each = AT_ONCE // max(1, self.A.X.size)
        limit = 0 if len(first) else max(1, each)  # first ones join though the time is over
        while outcome == PAUSED and (len(first) or not over()):
            outcome = kernels.pursue(
                self.A.X, lengths, self.inverse, self.possible, self.Q, self.R, self.r, members, norms, state, first,
                goal, rounding, limit, self.A.n_threads,
            )  # fmt: skip
            first, limit = first[:0], max(1, each)
        k = int(state[0])
        self.members, self.trace = members[:k].tolist(), norms[: k + 1].tolist()
        if outcome == PAUSED:
            return Status.TIME_LIMIT, PursuitStatus.EXHAUSTED
        return Status.CONVERGED, OUTCOMES[outcome]


def column_norms_of(A: Any, column_norms: Any) -> np.ndarray:
    """‖aⱼ‖ (p,): those given, one number for all columns, computed from the columns, or estimated where these are many
    and not in memory.
    """
    p = A.shape[1]
    if column_norms is None and isinstance(A, Dense):
        return np.sqrt(A.column_squares())
    if column_norms is None and isinstance(A, ComplexDense):
        return np.sqrt(np.einsum("ij,ij->j", A.X.conj(), A.X, dtype=wide(A.dtype)).real)
    if column_norms is None and not in_memory(A) and p > WRITTEN_OUT:
        return estimated_lengths(A)
    if column_norms is None:
        mean, variance = A.moments()
        return np.sqrt(A.shape[0] * (variance + np.abs(mean) ** 2))
    lengths = np.broadcast_to(np.asarray(column_norms, dtype=np.float64), (p,)).copy()
    if not (np.isfinite(lengths) & (lengths >= 0)).all():
        raise InputError("column_norms must be finite and ≥ 0: give ‖aⱼ‖ of every column, or leave it out")
    return lengths
