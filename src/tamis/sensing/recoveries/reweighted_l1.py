"""Reweighted ℓ₁: basis pursuit whose weights come from the last code."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.checks import check_count, check_number
from tamis._core.evidence import Status
from tamis.operators import Dense, Diagonal, as_operator
from tamis.sensing.convergence import WithinRadius
from tamis.sensing.recoveries.base import RecoveryMethod
from tamis.sensing.recoveries.basis_pursuit import basis_pursuit, bpdn
from tamis.sensing.recovery import Recovery
from tamis.sensing.system import Found, System

SHARE = 0.1  # of the mean modulus of the largest m/(4 log(n/m)) entries: ε where it is not given


def reweighted_l1(
    A: Any,
    y: Any,
    *,
    noise: float | None = None,
    epsilon: float | None = None,
    max_iter: int = 8,
    tol: float = 1e-7,
    time_limit: float | None = None,
    basis: Any = None,
    start: Any = None,
) -> Recovery:
    """The least Σ vⱼ|sⱼ| with ‖y − A s‖ ≤ noise, again and again with vⱼ = 1/(|sⱼ| + ε) of the last code.

    The first weights are 1, or those of ``start``. This lowers Σ log(|sⱼ| + ε), which is nearer to the number of
    non-zeros than ‖s‖₁, and recovers from fewer measurements (Candès, Wakin & Boyd 2008). Each problem is solved as
    `bpdn` solves it; the sum of logarithms is not convex, so that nothing is proved. It is converged where a round
    changes the code by at most √tol ‖s‖.

    Parameters
    ----------
    A : (m, n) array, sparse array or operator
    y : (m,) or (m, signals)
    noise : float, optional
        Radius of ‖y − A s‖; 0 by default.
    epsilon : float, optional
        ε; by default a tenth of the size of the code's m/(4 log(n/m)) largest entries, in the mean.
    max_iter : int
        Rounds.
    tol : float
        Of every problem.
    time_limit, basis, start
        As for `basis_pursuit`.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.sensing import reweighted_l1
    >>> rng = np.random.default_rng(0)
    >>> A, s = rng.standard_normal((40, 80)), np.zeros(80)
    >>> s[[5, 60]] = 2.0, -1.0
    >>> reweighted_l1(A, A @ s).support
    array([ 5, 60])
    """
    system = System.of(A, y, basis, start, time_limit)
    radius = 0.0 if noise is None else check_number("noise", noise, at_least=0.0)
    eps = None if epsilon is None else check_number("epsilon", epsilon, above=0.0)
    rounds, tol = check_count("max_iter", max_iter), check_number("tol", tol, above=0.0)

    def one(y: np.ndarray, s: np.ndarray | None) -> Found:
        for k in range(1, rounds + 1):
            if system.limits.late:
                return Found(np.zeros(system.A.shape[1]) if s is None else s, Status.TIME_LIMIT, k - 1)
            before = s
            scale = (
                np.ones(system.A.shape[1]) if s is None else np.abs(s) + (_epsilon(s, len(y)) if eps is None else eps)
            )
            found = _weighted(system, y, scale, radius, tol)
            s = scale * found.code
            if found.status is not Status.CONVERGED:
                return Found(s, found.status, k)
            if before is not None and np.linalg.norm(s - before) <= np.sqrt(tol) * np.linalg.norm(s):
                return Found(s, Status.CONVERGED, k)
        return Found(s, Status.MAX_ITER, rounds)  # type: ignore[arg-type]

    return system.each(one, WithinRadius(tol, radius))


class ReweightedL1(RecoveryMethod, function=reweighted_l1):
    """Reweighted ℓ₁. Parameters are those of `reweighted_l1`."""


def _epsilon(s: np.ndarray, m: int) -> float:
    largest = np.sort(np.abs(s))[::-1][: max(1, int(m / (4 * np.log(max(len(s) / m, 1.5)))))]
    return max(SHARE * float(largest.mean()), np.finfo(float).tiny)


def _weighted(system: System, y: np.ndarray, scale: np.ndarray, radius: float, tol: float) -> Recovery:
    """x = s/scale of the least Σ |sⱼ|/scaleⱼ: columns are scaled instead."""
    A = system.A
    B = as_operator(np.asarray(A.X * scale, dtype=np.float64)) if isinstance(A, Dense) else A @ Diagonal(scale)
    left = system.limits.seconds_left
    limit = None if np.isinf(left) else max(left, 1e-9)  # where the time is over, it says so
    if radius > 0:
        return bpdn(B, y, noise=radius, tol=tol, time_limit=limit)
    return basis_pursuit(B, y, tol=tol, time_limit=limit)
