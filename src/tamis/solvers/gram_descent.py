"""Coordinate descent on a Gram matrix, finished exactly on its support, along a path of α."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator

from tamis._core.errors import InputError
from tamis._core.evidence import Diagnostics, Solution, Status
from tamis._core.progress import Steps, silent
from tamis._kernels import kernels
from tamis._kernels.interruption import check_interrupted
from tamis._kernels.workspace import square
from tamis.penalties import CompiledPenalty
from tamis.solvers.duality import require_terms
from tamis.solvers.gram_problem import GramProblem
from tamis.solvers.paths import SolvedPath
from tamis.solvers.requirements import require


class GramDescent(BaseEstimator):
    """min ½ wᵀGw − qᵀw + α Σ (l1ⱼ|wⱼ| + ½ l2ⱼwⱼ²), over w ≥ 0 where asked, by coordinate descent with an exact finish.

    While the support and its signs s stand, the minimum is w_S = (G_SS + α diag l2)⁻¹(q_S − α l1 s), kept through an
    updated Cholesky factor; columns that violate |q − Gw| ≤ α l1 are then let in by a coordinate step, and the
    solution is accepted when none does. A column that depends on the support takes the place of one that it drives
    to zero. Should rounding keep this from ending, sweeps go on until the gap is at most ``tol`` times the null
    model's objective. ``max_iter`` bounds the rounds at each α. Coordinates take turns, or with ``seed`` ≥ 0 come in a
    random order drawn from it.
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
        if terms.group is not None:
            raise InputError(f"GramDescent takes no groups, got {problem.penalty!r}: use GramBlockDescent")
        p, m = len(problem.q), len(alphas)
        out = SolvedPath.empty(alphas, p)
        w = np.zeros(p) if start is None else np.array(start, dtype=np.float64)
        members, n_members = np.zeros(p, np.int64), np.zeros(1, np.int64)
        L = square(p)
        for k in steps(range(0, m, CHUNK), "path"):
            check_interrupted()
            part = slice(k, k + CHUNK)
            kernels.lasso_path(
                problem.G, problem.q, problem.yy, alphas[part], terms.l1, terms.l2, terms.positive, self.seed, w,
                members, n_members, L, self.tol, self.max_iter,
                out.coefs[part], out.gaps[part], out.n_iter[part], out.converged[part], None,
            )  # fmt: skip
        return out

    def solve(self, problem: GramProblem, start: np.ndarray | None = None, on_step: Steps = silent) -> Solution:
        """The solution at ``problem.alpha``: from ``start``, or down a short path from α_max."""
        alphas = descent_to(problem.alpha, problem.alpha_max()) if start is None else np.array([problem.alpha])
        path = self.path(problem, alphas, start, on_step)
        w = path.coefs[-1]
        kkt = problem.omega.subdifferential_distance(w, problem.gradient(w), problem.alpha).max(initial=0.0)
        status = Status.CONVERGED if path.converged[-1] else Status.MAX_ITER
        return Solution(w, status, int(path.n_iter.sum()), problem.gap(w), Diagnostics({"kkt": float(kkt)}, path.gaps))


CHUNK = 10  # alphas between two reports of progress


def descent_to(alpha: float, alpha_max: float, per_decade: int = 10) -> np.ndarray:
    """So many values per decade from α_max down to α; α alone when it is not below α_max."""
    if not 0 < alpha < alpha_max < np.inf:
        return np.array([alpha])
    return np.geomspace(alpha_max, alpha, 2 + int(per_decade * np.log10(alpha_max / alpha)))
