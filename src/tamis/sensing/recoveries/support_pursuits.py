"""Recoveries that move from support to support, with least squares on each: htp, cosamp, subspace_pursuit.

Choices are made on columns of unit length, as in `niht`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from tamis._core.evidence import Status
from tamis.sensing.convergence import Finished
from tamis.sensing.recoveries.base import RecoveryMethod
from tamis.sensing.recoveries.hard_thresholding import Best, PursuitOptions, UnitColumns
from tamis.sensing.recovery import Recovery
from tamis.sensing.system import Found, System
from tamis.solvers.thresholds import keep_largest, largest


def htp(
    A: Any,
    y: Any,
    n_nonzero: int | None = None,
    *,
    noise: float | None = None,
    tol: float = 1e-7,
    max_iter: int = 200,
    time_limit: float | None = None,
    basis: Any = None,
    start: Any = None,
) -> Recovery:
    """Hard thresholding pursuit: S ← support of H_k(s + Aᴴ(y − A s)), s ← least squares on S (Foucart 2011).

    It is converged where ‖y − A s‖ ≤ max(tol ‖y‖, noise) or where S stays as it was, and stalled where supports
    repeat without either, or where the residual of a support before S was smaller, whose code is given then. The step
    is 1 on columns of unit length, and halved where the residual would grow. Arguments are those of `iht`.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.sensing import htp
    >>> rng = np.random.default_rng(0)
    >>> A, s = rng.standard_normal((40, 80)), np.zeros(80)
    >>> s[[5, 60]] = 2.0, -1.0
    >>> htp(A, A @ s, n_nonzero=2).support
    array([ 5, 60])
    """
    return _by_supports(A, y, n_nonzero, noise, tol, max_iter, time_limit, basis, start, _HTP)


class HTP(RecoveryMethod, function=htp):
    """Hard thresholding pursuit. Parameters are those of `htp`."""


def cosamp(
    A: Any,
    y: Any,
    n_nonzero: int | None = None,
    *,
    noise: float | None = None,
    tol: float = 1e-7,
    max_iter: int = 200,
    time_limit: float | None = None,
    basis: Any = None,
    start: Any = None,
) -> Recovery:
    """Compressive sampling matching pursuit (Needell & Tropp 2009).

    The 2k largest correlations join the support, least squares on these at most 3k columns (m of them where that is
    less), and the k largest of its entries are kept. The code is the least-squares one of the support that is found.
    It ends as `htp` does and takes the arguments of `iht`.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.sensing import cosamp
    >>> rng = np.random.default_rng(0)
    >>> A, s = rng.standard_normal((40, 80)), np.zeros(80)
    >>> s[[5, 60]] = 2.0, -1.0
    >>> cosamp(A, A @ s, n_nonzero=2).support
    array([ 5, 60])
    """
    return _by_supports(A, y, n_nonzero, noise, tol, max_iter, time_limit, basis, start, _CoSaMP)


class CoSaMP(RecoveryMethod, function=cosamp):
    """Compressive sampling matching pursuit. Parameters are those of `cosamp`."""


def subspace_pursuit(
    A: Any,
    y: Any,
    n_nonzero: int | None = None,
    *,
    noise: float | None = None,
    tol: float = 1e-7,
    max_iter: int = 200,
    time_limit: float | None = None,
    basis: Any = None,
    start: Any = None,
) -> Recovery:
    """Subspace pursuit: `cosamp` with k instead of 2k new columns, refitted before every look (Dai & Milenkovic 2009).

    It ends as `htp` does and takes the arguments of `iht`.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.sensing import subspace_pursuit
    >>> rng = np.random.default_rng(0)
    >>> A, s = rng.standard_normal((40, 80)), np.zeros(80)
    >>> s[[5, 60]] = 2.0, -1.0
    >>> subspace_pursuit(A, A @ s, n_nonzero=2).support
    array([ 5, 60])
    """
    return _by_supports(A, y, n_nonzero, noise, tol, max_iter, time_limit, basis, start, _SubspacePursuit)


class SubspacePursuit(RecoveryMethod, function=subspace_pursuit):
    """Subspace pursuit. Parameters are those of `subspace_pursuit`."""


class _SupportStep:
    """How one support follows another; x is on columns of unit length."""

    def __init__(self, unit: UnitColumns, y: np.ndarray, k: int) -> None:
        self.unit, self.y, self.k = unit, y, k

    def next(self, x: np.ndarray, r: np.ndarray) -> np.ndarray:
        """The next x, with at most k entries."""
        raise NotImplementedError


class _HTP(_SupportStep):
    def __init__(self, unit: UnitColumns, y: np.ndarray, k: int) -> None:
        super().__init__(unit, y, k)
        self.step = 1.0

    def next(self, x: np.ndarray, r: np.ndarray) -> np.ndarray:
        g, size = self.unit.correlate(r), float(np.linalg.norm(r))
        before = np.flatnonzero(x)
        while True:
            S = largest(x + self.step * g, self.k)
            new = self.unit.fit(S, self.y, x)
            if np.array_equal(S, before) or self.step < SMALLEST:
                return new
            if float(np.linalg.norm(self.y - self.unit.times(new))) <= size:
                return new
            self.step *= 0.5


LEFT = 1e-9  # of ‖y‖: what columns of unit length may see of the residual of their least squares
SMALLEST = 1e-3  # step of hard thresholding pursuit: below it supports only differ by near zeros


def joined(x: np.ndarray, S: np.ndarray) -> np.ndarray:
    """The support of x with S."""
    inside = x != 0
    inside[S] = True
    return np.flatnonzero(inside)


class _CoSaMP(_SupportStep):
    def next(self, x: np.ndarray, r: np.ndarray) -> np.ndarray:
        room = max(self.k, min(2 * self.k, self.unit.A.shape[0] - self.k))
        T = joined(x, largest(self.unit.correlate(r), room))
        return keep_largest(self.unit.fit(T, self.y, x), self.k)


class _SubspacePursuit(_SupportStep):
    def next(self, x: np.ndarray, r: np.ndarray) -> np.ndarray:
        T = joined(x, largest(self.unit.correlate(r), self.k))
        S = largest(self.unit.fit(T, self.y, x), self.k)
        return self.unit.fit(S, self.y, x)


def _by_supports(
    A: Any, y: Any, n_nonzero: Any, noise: Any, tol: Any, max_iter: Any, time_limit: Any, basis: Any, start: Any,
    kind: Callable[..., _SupportStep],
) -> Recovery:  # fmt: skip
    system = System.of(A, y, basis, start, time_limit)
    options = PursuitOptions.of(system, n_nonzero, tol, noise, max_iter)
    unit = UnitColumns(system.A)

    def least_squares(end: Finished) -> bool:
        """Nothing of y that the columns of the support see is left."""
        left = unit.correlate(end.y - system.A @ end.s)[end.s != 0]
        return left.size > 0 and float(np.abs(left).max()) <= LEFT * end.size

    return system.each(
        lambda y, s: _supports(kind(unit, y, options.k), y, s, options), replace(options.small, otherwise=least_squares)
    )


def _supports(way: _SupportStep, y: np.ndarray, s: np.ndarray | None, options: PursuitOptions) -> Found:
    unit, best, goal, seen = way.unit, Best(y), options.small.goal(y), set()
    x = (
        np.zeros(unit.A.shape[1], np.result_type(y, unit.dtype))
        if s is None
        else keep_largest(unit.scaled(s), options.k)
    )
    r = y - unit.times(x)
    best.see(unit.code(x), r)
    S = np.flatnonzero(x)
    for k in range(1, options.max_iter + 1):
        if options.limits.late:
            return best.found(Status.TIME_LIMIT, k - 1)
        x = way.next(x, r)
        before, S = S, np.flatnonzero(x)
        r = y - unit.times(x)
        small = best.see(unit.code(x), r) <= goal
        if small or (len(S) and np.array_equal(S, before)):
            return _refitted(way, best, S, Status.CONVERGED, k)
        if not len(S) or S.tobytes() in seen or best.stalled:  # no column sees y, or nothing new comes
            return _refitted(way, best, S, Status.STALLED, k)
        seen.add(S.tobytes())
    return _refitted(way, best, S, Status.MAX_ITER, options.max_iter)


def _refitted(way: _SupportStep, best: Best, S: np.ndarray, status: Status, n_iter: int) -> Found:
    """Least squares on S, or on the support of the best code so far where that is better: then S is not the answer, and
    it is stalled.
    """
    unit, y = way.unit, way.y
    E = np.flatnonzero(best.s)
    last = unit.fit(S, y, None)
    other = last if np.array_equal(S, E) else unit.fit(E, y, None)
    norms = [float(np.linalg.norm(y - unit.times(x))) for x in (last, other)]
    if norms[1] < norms[0] * (1 - 1e-9):
        status = Status.STALLED if status is Status.CONVERGED else status
        last, norms[0] = other, norms[1]
    trace = np.array([*best.trace, norms[0]])
    return Found(unit.code(last), status, n_iter, {"residual_norm": norms[0]}, trace)
