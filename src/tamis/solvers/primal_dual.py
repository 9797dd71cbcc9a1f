"""The primal-dual method of Chambolle and Pock: min g(x) + f₁(x) + f₂(x) + …, each with a prox.

x⁺ = prox_{τg}(x − τ Σ zᵢ), zᵢ⁺ = prox_{σᵢfᵢ*}(zᵢ + σᵢ(2x⁺ − x)), with τ Σ σᵢ < 1 (Chambolle & Pock 2011; a step of its
own for each zᵢ: Pock & Chambolle 2011).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tamis._core.evidence import Diagnostics, Status
from tamis._core.progress import Steps, silent
from tamis.solvers.iteration_limits import IterationLimits

CHECK = 10  # steps between looks at the gap


@dataclass(frozen=True)
class ConjugateProx:
    """(z, σ) ↦ prox_{σf*}(z) of one f, and its step σ."""

    apply: Callable[[np.ndarray, float], np.ndarray]
    sigma: float


@dataclass(frozen=True)
class PrimalDual:
    """x, how it ended, and the movement and relative gap of the last step."""

    x: np.ndarray
    status: Status
    n_iter: int
    diagnostics: Diagnostics
    certificate = None


def primal_dual(
    prox: Callable[[np.ndarray, float], np.ndarray],
    conjugates: Sequence[ConjugateProx],
    gap: Callable[[np.ndarray, list[np.ndarray]], float],
    start: np.ndarray,
    limits: IterationLimits,
    *,
    steps: Steps = silent,
) -> PrimalDual:
    """Until x moves by at most tol of its size and the relative ``gap`` of x and the zᵢ is at most tol."""
    tau = 0.99 / sum(f.sigma for f in conjugates)
    x, duals = start, [np.zeros_like(start) for _ in conjugates]
    status, moves, relative = Status.MAX_ITER, [], np.inf
    for k in steps(range(1, limits.max_iter + 1), "primal-dual"):
        new = prox(x - tau * np.sum(duals, axis=0), tau)
        ahead = 2 * new - x
        duals = [f.apply(z + f.sigma * ahead, f.sigma) for f, z in zip(conjugates, duals, strict=True)]
        moves.append(_moved(new, x))
        x = new
        if k == limits.max_iter or (k % CHECK == 0 and moves[-1] <= limits.tol):
            relative = gap(x, duals)
        status = limits.status(moves[-1] <= limits.tol and relative <= limits.tol)
        if status is not Status.MAX_ITER:
            break
    return PrimalDual(x, status, k, Diagnostics({"residual": moves[-1], "gap": relative}, np.array(moves)))


def _moved(new: np.ndarray, old: np.ndarray) -> float:
    size, moved = float(np.linalg.norm(new)), float(np.linalg.norm(new - old))
    return moved / size if size > 0 else (0.0 if moved == 0 else np.inf)
