"""Stationary points of a loss plus a penalty that flattens out (MCP, SCAD), along a path of α.

Squares are descended coordinate by coordinate on a working set, each coordinate to its global minimum: every column
outside is held against the slope αvⱼ at 0, as for the lasso, and those that violate it join. Other losses go by local
linear approximation (Zou and Li 2008): the concave penalty lies below its tangents, Ω(|w|) ≤ Ω(|w₀|) + Ω'(|w₀|)(|w| −
|w₀|), so that a lasso with weights Ω'(|w₀|) never raises the objective, and its fixed points are stationary.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from tamis._core.evidence import Diagnostics, Solution, Status
from tamis._core.progress import Steps, silent
from tamis._kernels import kernels
from tamis._kernels.interruption import check_interrupted
from tamis.datafits import HasCurvature, HasDual, HasLocal, HasNull, LeastSquares
from tamis.penalties import L1
from tamis.penalties.concave import ConcavePenalty
from tamis.solvers.gram_descent import descent_to
from tamis.solvers.least_squares_working_set import LeastSquaresPath
from tamis.solvers.paths import SolvedPath
from tamis.solvers.problem import OperatorProblem
from tamis.solvers.requirements import require
from tamis.solvers.working_set import WorkingSet

ROUNDING = 1e-12  # of the largest correlation with y: what is left in a sum of n rounded products
TANGENTS = 50  # lassos at most for each α


class StationaryDescent(BaseEstimator):
    """A solver whose paths are of stationary points: what it found is measured, never proved."""

    screening = False  # a duality gap proves nothing here

    def __init__(self, tol: float = 1e-7, max_iter: int = 1000, seed: int = -1, n_jobs: int | None = None) -> None:
        self.tol = tol
        self.max_iter = max_iter
        self.seed = seed
        self.n_jobs = n_jobs

    def path(
        self, problem: Any, alphas: np.ndarray, start: np.ndarray | None = None, steps: Steps = silent
    ) -> SolvedPath:
        """Stationary points for descending alphas, each from the one before."""
        raise NotImplementedError

    def solve(self, problem: Any, start: np.ndarray | None = None, on_step: Steps = silent) -> Solution:
        """The one at ``problem.alpha``: from ``start``, or down a short path from where the first column enters."""
        alphas = descent_to(problem.alpha, problem.alpha_max()) if start is None else np.array([problem.alpha])
        path = self.path(problem, alphas, start, on_step)
        w, b = path.coefs[-1], float(path.intercepts[-1])
        distance = problem.penalty.subdifferential_distance(w, problem.gradient(w, b), problem.alpha).max(initial=0.0)
        status = Status.CONVERGED if path.converged[-1] else Status.MAX_ITER
        return Solution(w, status, int(path.n_iter.sum()), None, Diagnostics({"kkt": float(distance)}), b)


class ConcaveDescent(StationaryDescent):
    """Coordinate descent on working sets for squares, local linear approximation for other losses.

    Parameters
    ----------
    tol : float
        The distance to stationarity to reach, relative to that of the null model.
    max_iter, seed, n_jobs
        As in WorkingSet; ``seed`` orders the coordinates of the lassos only.
    """

    needs = (OperatorProblem, ConcavePenalty, HasCurvature, HasDual, HasNull, HasLocal | LeastSquares)

    def path(
        self, problem: Any, alphas: np.ndarray, start: np.ndarray | None = None, steps: Steps = silent
    ) -> SolvedPath:
        """Stationary points for descending alphas, each from the one before."""
        require(self, problem)
        alphas = np.asarray(alphas, dtype=np.float64)
        if isinstance(problem.datafit, LeastSquares):
            return ConcaveLeastSquaresPath(problem, self, start).run(alphas, steps)
        return self._by_tangents(problem, alphas, start, steps)

    def _by_tangents(self, problem: Any, alphas: np.ndarray, start: np.ndarray | None, steps: Steps) -> SolvedPath:
        p = problem.A.shape[1]
        out = SolvedPath.empty(alphas, p)
        w, b, _ = problem.null()
        limit = self.tol * max(1e-300, float(np.abs(problem.gradient(w, b)).max(initial=0.0)))
        w = w if start is None else np.asarray(start, dtype=np.float64)
        inner = WorkingSet(self.tol, self.max_iter, self.seed, self.n_jobs, False)
        for k, alpha in enumerate(steps(alphas, "path")):
            w, b, rounds, fine = self._follow_tangents(problem, float(alpha), w, limit, inner)
            out.coefs[k], out.intercepts[k] = w, b
            out.record(k, rounds, np.nan, fine, 0)
        return out

    def _follow_tangents(
        self, problem: Any, alpha: float, w: np.ndarray, limit: float, inner: WorkingSet
    ) -> tuple[np.ndarray, float, int, bool]:
        """Lassos with the tangents' weights until their solution is stationary."""
        penalty, b, rounds = problem.penalty, 0.0, 0
        for _ in range(min(TANGENTS, self.max_iter)):
            check_interrupted()
            tangent = L1(weights=penalty.slope(w, alpha) / alpha if alpha > 0 else np.zeros(len(w)))
            lasso = replace(problem, penalty=tangent, alpha=alpha)
            found = inner.path(lasso, np.array([alpha]), w)
            w, b, rounds = found.coefs[0], float(found.intercepts[0]), rounds + int(found.n_iter[0])
            gradient = problem.gradient(w, b)
            if penalty.subdifferential_distance(w, gradient, alpha).max(initial=0.0) <= limit:
                return w, b, rounds, True
            inner = inner if found.converged[0] else WorkingSet(0.1 * inner.tol, self.max_iter, self.seed, self.n_jobs)
        return w, b, rounds, False


class ConcaveLeastSquaresPath(LeastSquaresPath):
    """The working sets of least squares with another inner problem: its stationary points instead of its minimum."""

    def __init__(self, problem: Any, solver: ConcaveDescent, start: np.ndarray | None) -> None:
        self.penalty = problem.penalty
        entry = self.penalty.entry_weights(problem.norms() ** 2)
        super().__init__(replace(problem, penalty=L1(weights=entry)), solver, start)
        top = float(np.abs(self.q).max(initial=0.0))
        self.limit = max(self.tol, ROUNDING) * top
        self.slack = max(self.slack, self.limit)
        self.exact = True  # whatever the storage: a round that ends at the limit has converged

    def _solve(self, alphas: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        state, m = self.state, len(alphas)
        q = self.q[state.features]
        coefs, n_iter, converged = np.empty((m, len(q))), np.empty(m, np.int64), np.empty(m, bool)
        kernels.concave_path(
            state.H, q, state.local.l1, alphas, self.penalty.kernel, self.penalty.knot(), self.limit, self.max_iter,
            self.w, coefs, n_iter, converged,
        )  # fmt: skip
        return coefs, n_iter, converged

    def _gap(self, alpha: float, w: np.ndarray, r: np.ndarray, c: np.ndarray, bound: float) -> tuple[float, ...]:
        return 0.0, np.nan, 1.0  # no bound is known

    def _fine(self, gap: float) -> bool:
        return True
