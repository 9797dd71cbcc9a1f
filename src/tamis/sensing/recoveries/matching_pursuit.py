"""Matching pursuits: one column at a time, the one that correlates best with what is left."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tamis._core.checks import check_count
from tamis._core.errors import InputError
from tamis._core.evidence import Status
from tamis.operators import Dense
from tamis.sensing.convergence import ROUNDING, Finished, small_residual
from tamis.sensing.recoveries.base import RecoveryMethod
from tamis.sensing.recovery import Recovery
from tamis.sensing.system import Found, System
from tamis.solvers.omp import PursuitStatus, omp_codes
from tamis.solvers.orthogonal_pursuit import column_norms_of, orthogonal_matching_pursuit
from tamis.solvers.support_least_squares import gathered

TOGETHER = 2**14  # signals whose pursuits are one step for who is interrupted
ROUNDED = 64 * np.finfo(float).eps  # of ‖y‖: a correlation that is rounding
UNSEEN = 1e-9  # of ‖r‖: a correlation with it that ends a pursuit among the columns in use


def mp(
    A: Any,
    y: Any,
    n_nonzero: int | None = None,
    *,
    noise: float | None = None,
    tol: float = 1e-7,
    max_iter: int = 10_000,
    time_limit: float | None = None,
    basis: Any = None,
    start: Any = None,
    column_norms: Any = None,
) -> Recovery:
    """Matching pursuit: sⱼ ← sⱼ + ⟨aⱼ, r⟩/‖aⱼ‖² at the j with the largest |⟨aⱼ, r⟩|/‖aⱼ‖ (Mallat & Zhang 1993).

    A column may be taken again and again. With ``n_nonzero``, no further column is taken once so many are in use, and
    the pursuit goes on among them. It is converged where ‖r‖ ≤ max(tol ‖y‖, noise), or where nothing correlates with r
    any more within the n_nonzero columns that were asked for.

    Parameters
    ----------
    A : (m, n) array, sparse array or operator
    y : (m,) or (m, signals)
    n_nonzero : int, optional
        Columns to use at most.
    noise, tol : float
        Residual norms that are small enough, as such and relative to ‖y‖.
    max_iter : int
    time_limit : float, optional
        Seconds.
    basis : operator, optional
        Ψ: the signal is Ψ s and is measured by A, y = A Ψ s.
    start : code or Recovery, optional
        Where to start from.
    column_norms : float or (n,), optional
        ‖aⱼ‖ where they are known; computed column by column otherwise, and estimated for operators of many columns.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.sensing import mp
    >>> mp(np.eye(3), [0.0, 2.0, -1.0], tol=0.5).code
    array([0., 2., 0.])
    """
    system = System.of(A, y, basis, start, time_limit)
    k, small = system.n_nonzero(n_nonzero, needed=False), small_residual(tol, noise)
    max_iter, lengths = check_count("max_iter", max_iter), column_norms_of(system.A, column_norms)
    inverse = np.where(lengths > 0, 1 / np.where(lengths > 0, lengths, 1.0), 0.0)

    def used_up(end: Finished) -> bool:
        """Of the columns in use, as many as were asked for, none sees anything of the residual."""
        left = (inverse * np.abs(system.A.H @ (end.y - system.A @ end.s)))[end.s != 0]
        return k is not None and float(left.max(initial=0.0)) <= max(
            ROUNDING * end.size, 2 * UNSEEN * end.residual_norm
        )

    rule = replace(small, otherwise=used_up)
    return system.each(lambda y, s: _mp(system, y, s, k, small.goal(y), max_iter, inverse), rule)


class MP(RecoveryMethod, function=mp):
    """Matching pursuit. Parameters are those of `mp`."""


def _mp(
    system: System,
    y: np.ndarray,
    s: np.ndarray | None,
    most: int | None,
    goal: float,
    max_iter: int,
    inverse: np.ndarray,
) -> Found:
    A, size = system.A, float(np.linalg.norm(y))
    s = np.zeros(A.shape[1], system.dtype) if s is None else s.copy()
    r, columns = y - A @ s, {}
    trace = [float(np.linalg.norm(r))]

    def found(status: Status, n_iter: int) -> Found:
        return Found(s, status, n_iter, {"residual_norm": trace[-1]}, np.array(trace))

    for k in range(max_iter):
        if trace[-1] <= goal:
            return found(Status.CONVERGED, k)
        if system.limits.late:
            return found(Status.TIME_LIMIT, k)
        c = inverse * (A.H @ r)
        full = most is not None and np.count_nonzero(s) >= most
        scores = np.where(s != 0, np.abs(c), 0.0) if full else np.abs(c)
        j = int(scores.argmax())
        if scores[j] <= max(ROUNDED * size, UNSEEN * trace[-1] if full else 0.0):
            return found(Status.CONVERGED if full else Status.STALLED, k)
        if j not in columns:
            columns[j] = gathered(A, np.array([j]))[:, 0]
        move = c[j] * inverse[j]
        s[j] += move
        r = r - move * columns[j]
        trace.append(float(np.linalg.norm(r)))
    return found(Status.CONVERGED if trace[-1] <= goal else Status.MAX_ITER, max_iter)


def omp(
    A: Any,
    y: Any,
    n_nonzero: int | None = None,
    *,
    noise: float | None = None,
    tol: float | None = None,
    time_limit: float | None = None,
    basis: Any = None,
    start: Any = None,
    column_norms: Any = None,
    return_path: bool = False,
) -> Recovery:
    """Orthogonal matching pursuit: the column with the largest |⟨aⱼ, r⟩|/‖aⱼ‖ joins, r = y − its projection on those
    taken (Pati, Rezaiifar & Krishnaprasad 1993).

    It ends at ``n_nonzero`` columns, at ‖r‖ ≤ noise or at ‖r‖ ≤ tol ‖y‖, whichever comes first; tol is 1e-7 where it
    is not given. It is stalled where no column is left that would lower the residual, and it is not small enough.
    Columns that depend on those taken, and zero columns, are never taken; of equal columns the first is.

    Parameters
    ----------
    A : (m, n) array, sparse array or operator
    y : (m,) or (m, signals)
    n_nonzero : int, optional
        Columns to take, at most m.
    noise, tol : float, optional
        Residual norms that are small enough, as such and relative to ‖y‖.
    time_limit : float, optional
        Seconds.
    basis : operator, optional
        Ψ: the signal is Ψ s and is measured by A, y = A Ψ s.
    start : code or Recovery, optional
        Its non-zeros are taken first.
    column_norms : float or (n,), optional
        ‖aⱼ‖ where they are known; computed column by column otherwise, and estimated for operators of many columns.
    return_path : bool
        Whether ``path`` of the result holds the code after each column that was taken.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.sensing import omp
    >>> rng = np.random.default_rng(0)
    >>> A, s = rng.standard_normal((40, 80)), np.zeros(80)
    >>> s[[5, 60]] = 2.0, -1.0
    >>> found = omp(A, A @ s)
    >>> found.support, found.code[found.support].round(12)
    (array([ 5, 60]), array([ 2., -1.]))
    """
    system = replace(System.of(A, y, basis, start, time_limit), keeps_path=bool(return_path))
    k = system.n_nonzero(n_nonzero, needed=False)
    small = small_residual(1e-7 if tol is None else tol, noise)
    rule = replace(small, otherwise=lambda end: k is not None and end.n_iter >= k and end.as_measured)
    radius, lengths = None if noise is None else small.noise, column_norms_of(system.A, column_norms)
    if k is not None and not system.keeps_path and _many(system, k, column_norms, time_limit):
        return system.together(_omp_of_many(system, k, small.tol, radius), rule)
    settings = {"tol": small.tol, "noise": radius, "column_norms": lengths, "return_path": system.keeps_path}
    return system.each(lambda y, s: _omp(system, y, s, k, settings), rule)


class OMP(RecoveryMethod, function=omp):
    """Orthogonal matching pursuit. Parameters are those of `omp`."""


def _many(system: System, k: int, column_norms: Any, time_limit: Any) -> bool:
    """Whether the Gram of a matrix in memory costs less than the pursuits of all signals without it."""
    plain = column_norms is None and time_limit is None and system.start is None and system.dtype == np.float64
    return plain and isinstance(system.A, Dense) and 2 * k * system.Y.shape[1] > system.A.shape[1]


def _omp_of_many(system: System, k: int, tol: float, noise: float | None) -> list[Found]:
    D, found = system.A.X.T.astype(np.float64, copy=False), []
    with system.limits.until_interrupted():
        for first in range(0, system.Y.shape[1], TOGETHER):
            Y = system.Y[:, first : first + TOGETHER]
            if system.limits.late:
                found += [_not_begun(y, D) for y in Y.T]
                continue
            codes = omp_codes(Y.T, D, n_nonzero=k, tol=tol, noise=noise)
            small = codes.statuses == PursuitStatus.EXHAUSTED
            rows, norms, counts = codes.Z.toarray(), codes.residual_norms, np.diff(codes.Z.indptr)
            found += [
                Found(s, Status.STALLED if bad else Status.CONVERGED, int(n), {"residual_norm": float(r)}, None)
                for s, bad, n, r in zip(rows, small, counts, norms, strict=True)
            ]
    return found


def _not_begun(y: np.ndarray, D: np.ndarray) -> Found:
    return Found(np.zeros(len(D)), Status.TIME_LIMIT, 0, {"residual_norm": float(np.linalg.norm(y))})


def _omp(system: System, y: np.ndarray, s: np.ndarray | None, most: int | None, settings: dict[str, Any]) -> Found:
    first = () if s is None else np.flatnonzero(s)
    if most is not None and len(first) > most:
        raise InputError(f"start has {len(first)} non-zeros, more than n_nonzero = {most}", argument="start")
    found = orthogonal_matching_pursuit(system.A, y, n_nonzero=most, first=first, over=system.limits.over, **settings)
    status = found.status
    as_many_as_given = found.reason is PursuitStatus.FULL and most is not None
    if status is Status.CONVERGED and found.reason is not PursuitStatus.REACHED and not as_many_as_given:
        status = Status.STALLED
    measured, trace = dict(found.diagnostics.measured), found.diagnostics.trace
    return Found(found.w, status, found.n_iter, measured, trace, path=found.path)
