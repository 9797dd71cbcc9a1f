"""The primal-dual method of Condat and Vũ: min f(x) + g(x) + h(x), f smooth, g and h with a prox each.

x⁺ = prox_{τg}(x − τ(∇f(x) + z)), z⁺ = prox_{σh*}(z + σ(2x⁺ − x)), with 1/τ − σ ≥ β/2 for a gradient that is
β-Lipschitz (Condat 2013; Vũ 2013).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tamis._core.evidence import Diagnostics, Status
from tamis._core.progress import Steps, silent
from tamis.solvers.iteration_limits import IterationLimits


@dataclass(frozen=True)
class PrimalDual:
    """x, the dual z, how it ended; the residual is the larger relative movement of the two in the last step."""

    x: np.ndarray
    z: np.ndarray
    status: Status
    n_iter: int
    diagnostics: Diagnostics
    certificate = None


def primal_dual(
    gradient: Callable[[np.ndarray], np.ndarray],
    lipschitz: float,
    prox: Callable[[np.ndarray, float], np.ndarray],
    prox_conjugate: Callable[[np.ndarray, float], np.ndarray],
    start: np.ndarray,
    limits: IterationLimits,
    *,
    sigma: float,
    steps: Steps = silent,
) -> PrimalDual:
    """Until x and z both move by at most tol of their size; ``prox`` is of g, ``prox_conjugate`` of h*."""
    tau = 0.99 / (lipschitz / 2 + sigma)
    x, z = start, np.zeros_like(start)
    status, moves = Status.MAX_ITER, []
    for k in steps(range(1, limits.max_iter + 1), "primal-dual"):  # noqa: B007 (told at the end)
        new = prox(x - tau * (gradient(x) + z), tau)
        dual = prox_conjugate(z + sigma * (2 * new - x), sigma)
        moves.append(max(_moved(new, x), _moved(dual, z)))
        x, z = new, dual
        status = limits.status(moves[-1] <= limits.tol)
        if status is not Status.MAX_ITER:
            break
    return PrimalDual(x, z, status, k, Diagnostics({"residual": moves[-1]}, np.array(moves)))


def _moved(new: np.ndarray, old: np.ndarray) -> float:
    size = float(np.linalg.norm(new))
    return float(np.linalg.norm(new - old)) / size if size > 0 else 0.0
