"""Penalties with groups on a Gram matrix, along a path of α."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator

from tamis._core.progress import Steps, silent
from tamis._kernels.interruption import check_interrupted
from tamis.penalties import CompiledPenalty
from tamis.solvers.block_descent import BlockQuadratic
from tamis.solvers.duality import require_terms
from tamis.solvers.gram_problem import GramProblem
from tamis.solvers.paths import SolvedPath
from tamis.solvers.requirements import require

FIRST = 1e-3  # of the gap asked for: what the quadratic's own bound is held to before the gap is looked at
TRIES = 4  # each asks for a hundredth of the bound before


class GramBlockDescent(BaseEstimator):
    """min ½ wᵀGw − qᵀw + α Ω(w) for any built-in penalty, by block descent with Newton steps on the support.

    Stops when the duality gap is at most ``tol`` times the null model's objective; ``max_iter`` bounds the rounds at
    each α. ``seed`` ≥ 0 draws a random order of the groups for each round.
    """

    needs = (GramProblem, CompiledPenalty)

    def __init__(self, tol: float = 1e-7, max_iter: int = 1000, seed: int = -1) -> None:
        self.tol = tol
        self.max_iter = max_iter
        self.seed = seed

    def path(
        self, problem: GramProblem, alphas: np.ndarray, start: np.ndarray | None = None, steps: Steps = silent
    ) -> SolvedPath:
        """Solutions for descending alphas, each warm-started from the one before, the first from ``start``."""
        require(self, problem)
        terms = require_terms(problem.omega)
        order = np.arange(len(problem.q)) if terms.labels is None else np.argsort(terms.labels, kind="stable")
        sorted_G, sorted_q = np.ascontiguousarray(problem.gram(order, order)), problem.q[order]
        quadratic = BlockQuadratic(terms, self.max_iter, seed=self.seed)
        quadratic.grow(order)
        w = (problem.null()[0] if start is None else np.asarray(start, dtype=np.float64))[order]
        back = np.argsort(order)
        limit = self.tol * problem.null()[1]
        out = SolvedPath.empty(alphas, len(w))
        for k in steps(range(len(alphas)), "path"):
            at, bound, rounds = problem.at(float(alphas[k])), FIRST * limit, 0
            before = w.copy()
            for _ in range(TRIES):
                check_interrupted()
                n_iter, _ = quadratic.minimise(sorted_G, sorted_q, w, at.alpha, bound)
                rounds, bound = rounds + n_iter, 1e-2 * bound
                gap, rose = _gap(at, w[back], before[back], limit)
                if rose:
                    w[:], gap = before, at.gap(before[back]).gap
                if gap <= limit or rose or rounds >= self.max_iter:
                    break
            out.coefs[k], out.gaps[k], out.n_iter[k], out.converged[k] = w[back], gap, rounds, gap <= limit
        return out


def _gap(problem: GramProblem, w: np.ndarray, before: np.ndarray, limit: float) -> tuple[float, bool]:
    """The gap of w, and whether its objective is no number or above that of where it began.

    It can be: columns whose means are 1e8 of their spreads have a Gram matrix of rank 1 to rounding, on which a Newton
    step goes anywhere.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        found = problem.gap(w)
        if found.gap <= limit:
            return found.gap, False
        return found.gap, not found.primal <= problem.gap(before).primal
