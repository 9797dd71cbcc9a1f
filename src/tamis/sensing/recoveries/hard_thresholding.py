"""Hard thresholding, which keeps ``n_nonzero`` entries of the code at every step: iht, niht.

H_k keeps the k largest entries and makes the others 0. Steps and choices of all but `iht` are made on columns of unit
length, x = ‖aⱼ‖ sⱼ, so that the lengths of columns do not matter; those of operators with thousands of columns that are
not in memory are taken as equal, at their mean square.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tamis._core.checks import check_count, check_number
from tamis._core.evidence import Status
from tamis.operators import Dense
from tamis.sensing.convergence import SLACK, Finished, SmallResidual, small_residual, unmoved
from tamis.sensing.recoveries.base import RecoveryMethod
from tamis.sensing.recovery import Recovery
from tamis.sensing.system import Found, System
from tamis.solvers.iteration_limits import IterationLimits
from tamis.solvers.support_least_squares import (
    NORM_MARGIN,
    column_lengths,
    dense_least_squares,
    gathered,
    in_memory,
    operator_norm,
    support_least_squares,
)
from tamis.solvers.thresholds import keep_largest, largest

DIVERGED = 1e3  # times ‖y‖: a residual as large does not come back
PATIENCE = 25  # iterations without a smaller residual
FEW = 0.25  # of all columns: a code with fewer non-zeros is multiplied by its columns alone


@dataclass(frozen=True)
class PursuitOptions:
    """What these methods are asked for: k non-zeros, a small residual, and the limits."""

    k: int
    small: SmallResidual
    max_iter: int
    limits: IterationLimits

    @classmethod
    def of(cls, system: System, n_nonzero: Any, tol: Any, noise: Any, max_iter: Any) -> PursuitOptions:
        k = system.n_nonzero(n_nonzero)
        assert k is not None
        return cls(k, small_residual(tol, noise), check_count("max_iter", max_iter), system.limits)


class Best:
    """The code with the smallest residual so far, and the trace of residual norms."""

    def __init__(self, y: np.ndarray) -> None:
        self.norm, self.trace, self.age = np.inf, [], 0  # type: ignore[var-annotated]
        self.s: Any = None
        self.size = float(np.linalg.norm(y))

    def see(self, s: np.ndarray, r: np.ndarray) -> float:
        norm = float(np.linalg.norm(r))
        self.trace.append(norm)
        self.age = 0 if norm < (1 - 1e-14) * self.norm else self.age + 1
        if norm < self.norm:
            self.norm, self.s = norm, s
        return norm

    @property
    def stalled(self) -> bool:
        return self.age >= PATIENCE or not self.trace[-1] <= DIVERGED * self.size

    def found(self, status: Status, n_iter: int, last: np.ndarray | None = None) -> Found:
        """The best code, or the last one where its residual is as small."""
        s = self.s if last is None or self.trace[-1] > (1 + 1e-9) * self.norm else last
        return Found(s, status, n_iter, {"residual_norm": self.norm}, np.array(self.trace))


def iht(
    A: Any,
    y: Any,
    n_nonzero: int | None = None,
    *,
    step: float | None = None,
    noise: float | None = None,
    tol: float = 1e-7,
    max_iter: int = 5_000,
    time_limit: float | None = None,
    basis: Any = None,
    start: Any = None,
) -> Recovery:
    """Iterative hard thresholding: s ← H_k(s + μ Aᴴ(y − A s)) (Blumensath & Davies 2009).

    With μ = 1/‖A‖², the default, ‖y − A s‖ never grows; μ = 1 is the textbook's iteration, which diverges where ‖A‖ is
    larger than √2. It is converged where ‖y − A s‖ ≤ max(tol ‖y‖, noise), or where a step moves s by at most tol ‖s‖.

    Parameters
    ----------
    A : (m, n) array, sparse array or operator
    y : (m,) or (m, signals)
    n_nonzero : int
        k, at most m.
    step : float, optional
        μ; 1/‖A‖² by default.
    noise : float, optional
        A residual norm that is small enough.
    tol : float
    max_iter : int
    time_limit : float, optional
        Seconds.
    basis : operator, optional
        Ψ: the signal is Ψ s and is measured by A, y = A Ψ s.
    start : code or Recovery, optional
        Where to start from.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.sensing import iht
    >>> rng = np.random.default_rng(0)
    >>> A, s = rng.standard_normal((40, 80)), np.zeros(80)
    >>> s[[5, 60]] = 2.0, -1.0
    >>> found = iht(A, A @ s, n_nonzero=2)
    >>> found.support, found.status.value
    (array([ 5, 60]), 'converged')
    """
    system = System.of(A, y, basis, start, time_limit)
    options = PursuitOptions.of(system, n_nonzero, tol, noise, max_iter)
    mu = _inverse_square(system.A) if step is None else check_number("step", step, above=0.0)

    def stays(end: Finished) -> bool:
        new = keep_largest(end.s + mu * (system.A.H @ (end.y - system.A @ end.s)), options.k)
        return unmoved(end.s, new, options.small.tol * (1 + SLACK))

    rule = replace(options.small, otherwise=stays)
    return system.each(lambda y, s: _iht(system.A, y, s, mu, options), rule)


class IHT(RecoveryMethod, function=iht):
    """Iterative hard thresholding. Parameters are those of `iht`."""


def _inverse_square(A: Any) -> float:
    """1/‖A‖², a little less so that an estimate of ‖A‖ from below does no harm."""
    norm = operator_norm(A)
    return 1 / (NORM_MARGIN * norm) ** 2 if norm > 0 else 1.0


def _iht(A: Any, y: np.ndarray, s: np.ndarray | None, mu: float, options: PursuitOptions) -> Found:
    s = np.zeros(A.shape[1], np.result_type(y, A.dtype)) if s is None else keep_largest(s, options.k)
    r, best, goal = y - A @ s, Best(y), options.small.goal(y)
    best.see(s, r)
    for k in range(1, options.max_iter + 1):
        if options.limits.late:
            return best.found(Status.TIME_LIMIT, k - 1)
        new = keep_largest(s + mu * (A.H @ r), options.k)
        if unmoved(s, new, options.small.tol):
            return best.found(Status.CONVERGED, k, s)
        s, r = new, y - A @ new
        if best.see(s, r) <= goal:
            return best.found(Status.CONVERGED, k)
        if best.stalled or not s.any():  # no column sees y
            return best.found(Status.STALLED, k)
    return best.found(Status.MAX_ITER, options.max_iter)


class UnitColumns:
    """A with its columns scaled to unit length: x = ‖aⱼ‖ sⱼ. Zero columns stay 0.

    The columns of the last support are kept: codes on it, or on a part of it, are multiplied by them alone.
    """

    def __init__(self, A: Any) -> None:
        self.A, lengths = A, column_lengths(A)
        self.inverse = np.where(lengths > 0, 1 / np.where(lengths > 0, lengths, 1.0), 0.0)
        self.dtype = A.dtype
        self._S, self._X = np.zeros(0, np.intp), np.zeros((A.shape[0], 0))

    def times(self, x: np.ndarray) -> np.ndarray:
        S = np.flatnonzero(x)
        if not in_memory(self.A) or len(S) > FEW * len(x):
            product: np.ndarray = self.A @ (self.inverse * x)
            return product
        if not (np.array_equal(S, self._S) or np.isin(S, self._S).all()):
            self._columns(S)
        on_support: np.ndarray = self._X @ (self.inverse * x)[self._S]
        return on_support

    def _columns(self, S: np.ndarray) -> np.ndarray:
        if not np.array_equal(S, self._S):
            self._S, self._X = S, gathered(self.A, S)
        return self._X

    def correlate(self, r: np.ndarray) -> np.ndarray:
        A = self.A
        # BLAS takes half the time of our kernel, whose sums do not depend on the number of threads.
        seen: np.ndarray = A.X.T @ r if isinstance(A, Dense) and A.X.dtype == r.dtype else A.H @ r
        return self.inverse * seen

    def code(self, x: np.ndarray) -> np.ndarray:
        return self.inverse * x

    def scaled(self, s: np.ndarray) -> np.ndarray:
        return np.where(self.inverse > 0, s / np.where(self.inverse > 0, self.inverse, 1.0), 0.0)

    def fit(self, S: np.ndarray, y: np.ndarray, near: np.ndarray | None = None) -> np.ndarray:
        """Least squares on the columns S, as a whole x."""
        x = np.zeros(self.A.shape[1], np.result_type(y, self.dtype, np.float64))
        if in_memory(self.A) and len(S):
            z = dense_least_squares(self._columns(S), y)
        else:
            z = support_least_squares(self.A, S, y, None if near is None else self.inverse[S] * near[S])
        x[S] = z / self.inverse[S]
        return x


def niht(
    A: Any,
    y: Any,
    n_nonzero: int | None = None,
    *,
    noise: float | None = None,
    tol: float = 1e-7,
    max_iter: int = 1_000,
    time_limit: float | None = None,
    basis: Any = None,
    start: Any = None,
) -> Recovery:
    """Normalised iterative hard thresholding: `iht` with the best step on the support (Blumensath & Davies 2010).

    With g = Aᴴ(y − A s) and S the support, μ = ‖g_S‖²/‖A g_S‖²; where the support changes, μ is halved until
    μ ≤ 0.99 ‖s′ − s‖²/‖A(s′ − s)‖², so that the residual does not grow. It ends as `iht` does and takes its arguments.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.sensing import niht
    >>> rng = np.random.default_rng(0)
    >>> A, s = rng.standard_normal((40, 80)), np.zeros(80)
    >>> s[[5, 60]] = 2.0, -1.0
    >>> niht(A, A @ s, n_nonzero=2).support
    array([ 5, 60])
    """
    system = System.of(A, y, basis, start, time_limit)
    options = PursuitOptions.of(system, n_nonzero, tol, noise, max_iter)
    unit = UnitColumns(system.A)

    def stays(end: Finished) -> bool:
        x = unit.scaled(end.s)
        Ax = unit.times(x)
        return unmoved(x, _niht_step(unit, end.y, x, Ax, options.k)[0], options.small.tol * (1 + SLACK))

    return system.each(lambda y, s: _niht(unit, y, s, options), replace(options.small, otherwise=stays))


class NIHT(RecoveryMethod, function=niht):
    """Normalised iterative hard thresholding. Parameters are those of `niht`."""


def _niht(unit: UnitColumns, y: np.ndarray, s: np.ndarray | None, options: PursuitOptions) -> Found:
    best, goal = Best(y), options.small.goal(y)
    x = (
        np.zeros(unit.A.shape[1], np.result_type(y, unit.dtype))
        if s is None
        else keep_largest(unit.scaled(s), options.k)
    )
    Ax = unit.times(x)
    best.see(unit.code(x), y - Ax)
    for k in range(1, options.max_iter + 1):
        if options.limits.late:
            return best.found(Status.TIME_LIMIT, k - 1)
        new, A_new = _niht_step(unit, y, x, Ax, options.k)
        if unmoved(x, new, options.small.tol):
            return best.found(Status.CONVERGED, k, unit.code(x))
        x, Ax = new, A_new
        if best.see(unit.code(x), y - Ax) <= goal:
            return best.found(Status.CONVERGED, k)
        if best.stalled or not x.any():  # no column sees y
            return best.found(Status.STALLED, k)
    return best.found(Status.MAX_ITER, options.max_iter)


def _niht_step(
    unit: UnitColumns, y: np.ndarray, x: np.ndarray, Ax: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """The next x and A x; where the support stands, A x follows from A g_S without another product."""
    g, S = unit.correlate(y - Ax), np.flatnonzero(x)
    S = S if len(S) else largest(g, k)
    along = np.zeros_like(g)
    along[S] = g[S]
    A_along = unit.times(along)
    curvature = float(np.vdot(A_along, A_along).real)
    mu = float(np.vdot(along, along).real) / curvature if curvature > 0 else 1.0
    while True:
        new = keep_largest(x + mu * g, k)
        T = np.flatnonzero(new)
        if np.array_equal(T, S) and len(np.flatnonzero(x)) in (0, len(S)):
            return new, Ax + mu * A_along
        A_new = unit.times(new)
        d, Ad = new - x, A_new - Ax
        dd, Add = float(np.vdot(d, d).real), float(np.vdot(Ad, Ad).real)
        if mu * Add <= 0.99 * dd:
            return new, A_new
        mu = 0.5 * min(mu, dd / Add)
