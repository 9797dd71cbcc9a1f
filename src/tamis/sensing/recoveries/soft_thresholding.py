"""Iterative soft thresholding and its accelerated form, on 1/(2m)‖y − A s‖² + α‖s‖₁."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.checks import check_count, check_number
from tamis._core.errors import InputError
from tamis._core.evidence import Certificate
from tamis.sensing.convergence import ProvedPenalised
from tamis.sensing.gap_certificates import PenalisedGap
from tamis.sensing.recoveries.base import RecoveryMethod
from tamis.sensing.recovery import Recovery
from tamis.sensing.system import Found, System
from tamis.solvers.l1_least_squares import L1LeastSquares


def ista(
    A: Any,
    y: Any,
    alpha: float | None = None,
    *,
    step: float | None = None,
    tol: float = 1e-7,
    max_iter: int = 10_000,
    time_limit: float | None = None,
    basis: Any = None,
    start: Any = None,
) -> Recovery:
    """Iterative soft thresholding: s ← S_{μ m α}(s + μ Aᴴ(y − A s)) on 1/(2m)‖y − A s‖² + α‖s‖₁.

    S_t shrinks every entry towards 0 by t. μ = 1/‖A‖² by default; μ = 1 is the textbook's iteration, which diverges
    where ‖A‖ is larger than √2. It is converged where the duality gap is at most tol times the objective at s = 0.

    Parameters
    ----------
    A : (m, n) array, sparse array or operator
    y : (m,) or (m, signals)
    alpha : float
        α > 0.
    step : float, optional
        μ.
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
    >>> from tamis.sensing import ista
    >>> ista(np.eye(3), [3.0, -2.0, 0.5], alpha=1 / 3).code.round(6)
    array([ 2., -1.,  0.])
    """
    return _descended(A, y, alpha, step, tol, max_iter, time_limit, basis, start, accelerate=False)


class ISTA(RecoveryMethod, function=ista):
    """Iterative soft thresholding. Parameters are those of `ista`."""


def fista(
    A: Any,
    y: Any,
    alpha: float | None = None,
    *,
    tol: float = 1e-7,
    max_iter: int = 10_000,
    time_limit: float | None = None,
    basis: Any = None,
    start: Any = None,
) -> Recovery:
    """`ista` from an extrapolated point (Beck & Teboulle 2009), started anew whenever that points uphill.

    Ends as `ista` does and takes its arguments but ``step``.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.sensing import fista
    >>> found = fista(np.eye(3), [3.0, -2.0, 0.5], alpha=1 / 3)
    >>> found.code.round(6), bool(found.certificate.gap < 1e-6)
    (array([ 2., -1.,  0.]), True)
    """
    return _descended(A, y, alpha, None, tol, max_iter, time_limit, basis, start, accelerate=True)


class FISTA(RecoveryMethod, function=fista):
    """Accelerated iterative soft thresholding. Parameters are those of `fista`."""


def _descended(
    A: Any, y: Any, alpha: Any, step: Any, tol: Any, max_iter: Any, time_limit: Any, basis: Any, start: Any, *,
    accelerate: bool,
) -> Recovery:  # fmt: skip
    system = System.of(A, y, basis, start, time_limit)
    alpha = penalty_strength(alpha)
    step = None if step is None else check_number("step", step, above=0.0)
    tol, max_iter = check_number("tol", tol, at_least=0.0), check_count("max_iter", max_iter)
    problem = l1_problem(system, len(system.Y) * alpha)

    def one(y: np.ndarray, s: np.ndarray | None) -> Found:
        limit = tol * 0.5 * float(np.vdot(y, y).real)
        problem.y = y
        with np.errstate(over="ignore", invalid="ignore"):  # a step that is too long is told by the gap
            end = problem.descend(
                s,
                goal=lambda gap, _: gap <= limit,
                max_iter=max_iter,
                accelerate=accelerate,
                step=step,
                over=system.limits.over,
            )
        return Found(end.s, end.status, end.n_iter, {"gap": end.gap / len(y)}, end.trace / len(y), end.r)

    return system.each(one, ProvedPenalised(tol), lambda S, proofs: penalised_certificate(system, S, proofs, alpha))


def penalty_strength(alpha: Any) -> float:
    if alpha is None:
        raise InputError("alpha must be given: how much a non-zero costs in 1/(2m)‖y − A s‖² + α‖s‖₁", argument="alpha")
    return check_number("alpha", alpha, above=0.0)


def l1_problem(system: System, bounds: Any) -> L1LeastSquares:
    return L1LeastSquares(system.A, system.Y[:, 0] if system.Y.shape[1] else system.Y.sum(axis=1), bounds)


def penalised_certificate(
    system: System, S: np.ndarray, duals: list[Any], alpha: float, weights: np.ndarray | None = None
) -> Certificate | None:
    """From residuals as dual points; where they are none, 0 bounds the minimum."""
    if not np.isfinite(S).all():
        return None
    W = np.column_stack([np.zeros(len(system.Y), system.dtype) if w is None else w for w in duals])
    code, dual, y = (S[:, 0], W[:, 0], system.Y[:, 0]) if system.one else (S, W, system.Y)
    return PenalisedGap(code, dual, alpha, weights).verify(system.A, y)
