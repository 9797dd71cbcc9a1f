"""Datafit + penalty on the few columns that matter: working sets, screened by the strong rule and by the gap.

The working set W keeps its columns gathered and the Gram matrix H of these columns only. On W the problem (squares) or
its quadratic model (other losses, prox-Newton) is solved exactly; then every column outside is held against α ∂Ω(0),
those that violate it join, and the solution is accepted when none does. Along a path a rule sharper than the
sequential strong rule (Tibshirani et al. 2012) proposes who joins before: where that lets every correlation move by
α_before − α, ours carries on the straight line that each has followed. Where reading columns is most of the work,
:mod:`tamis.solvers.screening` proves most of them to be no concern, and these are not read.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from tamis._core.errors import InputError
from tamis._core.evidence import Diagnostics, Solution, Status
from tamis._core.progress import Steps, silent
from tamis.datafits import HasCurvature, HasDual, HasLocal, HasNull, LeastSquares
from tamis.penalties.base import CompiledPenalty
from tamis.solvers.gram_descent import descent_to
from tamis.solvers.least_squares_working_set import LeastSquaresPath
from tamis.solvers.paths import SolvedPath
from tamis.solvers.problem import OperatorProblem
from tamis.solvers.prox_newton import ProxNewtonPath
from tamis.solvers.requirements import require


class WorkingSet(BaseEstimator):
    """Working sets on columns, for any built-in penalty; exact for squares, prox-Newton for other smooth losses.

    Parameters
    ----------
    tol : float
        The duality gap to reach, relative to the null model's objective.
    max_iter : int
        Rounds at most at each α.
    seed : int
        −1: coordinates, or groups, are visited in turn; otherwise in a random order drawn from this seed.
    n_jobs : int or None
        Threads of the quadratic models of grouped penalties. Passes over all columns use those of the operator.
    screening : "auto", True or False
        Whether columns that are proved to stay at zero are left unread; "auto" where that pays, see
        :func:`tamis.solvers.screening.screens`.
    """

    needs = (OperatorProblem, CompiledPenalty, HasCurvature, HasDual, HasNull, HasLocal | LeastSquares)

    def __init__(
        self,
        tol: float = 1e-7,
        max_iter: int = 1000,
        seed: int = -1,
        n_jobs: int | None = None,
        screening: bool | str = "auto",
    ) -> None:
        self.tol = tol
        self.max_iter = max_iter
        self.seed = seed
        self.n_jobs = n_jobs
        self.screening = screening

    def path(
        self, problem: Any, alphas: np.ndarray, start: np.ndarray | None = None, steps: Steps = silent
    ) -> SolvedPath:
        """Solutions for descending alphas, each warm-started from the one before."""
        return self._algorithm(problem, start).run(np.asarray(alphas, dtype=np.float64), steps)

    def solve(self, problem: Any, start: np.ndarray | None = None, on_step: Steps = silent) -> Solution:
        """The solution at ``problem.alpha``: from ``start``, or down a short path from α_max."""
        alphas = descent_to(problem.alpha, problem.alpha_max()) if start is None else np.array([problem.alpha])
        algorithm = self._algorithm(problem, start)
        path = algorithm.run(alphas, on_step)
        algorithm.finish(problem.alpha, path)
        w, b = path.coefs[-1], float(path.intercepts[-1])
        distance = problem.penalty.subdifferential_distance(w, problem.gradient(w, b), problem.alpha).max(initial=0.0)
        status = Status.CONVERGED if path.converged[-1] else Status.MAX_ITER
        kkt = Diagnostics({"kkt": float(distance)}, path.gaps)
        return Solution(w, status, int(path.n_iter.sum()), problem.gap(w, b), kkt, b)

    def _algorithm(self, problem: Any, start: np.ndarray | None) -> LeastSquaresPath | ProxNewtonPath:
        require(self, problem)
        if problem.y.ndim != 1:
            raise InputError(f"WorkingSet takes a y of one dimension, got {problem.y.shape}: use MultiOutputWorkingSet")
        return (LeastSquaresPath if isinstance(problem.datafit, LeastSquares) else ProxNewtonPath)(problem, self, start)
