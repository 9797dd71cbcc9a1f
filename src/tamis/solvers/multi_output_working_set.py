"""Several outputs at once: squares with a shared Gram matrix, and classes. Vectors of length n or k stand in rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from tamis._core.errors import InputError
from tamis._core.evidence import Diagnostics, Solution, Status
from tamis._core.progress import Steps, silent
from tamis._core.threads import thread_count
from tamis._kernels.interruption import check_interrupted
from tamis.datafits import LeastSquares, Multinomial
from tamis.penalties import CompiledPenalty
from tamis.solvers.block_descent import BlockQuadratic
from tamis.solvers.duality import best_scale, penalty_conjugate
from tamis.solvers.gram_descent import descent_to
from tamis.solvers.multinomial import MultinomialPath
from tamis.solvers.paths import SolvedPath
from tamis.solvers.problem import OperatorProblem
from tamis.solvers.requirements import require
from tamis.solvers.working_set_state import WorkingSetState


class MultiOutputWorkingSet(BaseEstimator):
    """Working sets for problems whose w has a column for each output: 2-D squares and multinomial classes.

    Parameters
    ----------
    tol : float
        The duality gap to reach, relative to the null model's objective.
    max_iter : int
        Rounds at most at each α.
    n_jobs : int or None
        Threads.
    screening : "auto", True or False
        As in WorkingSet.
    """

    needs = (OperatorProblem, CompiledPenalty, LeastSquares | Multinomial)

    def __init__(
        self, tol: float = 1e-7, max_iter: int = 1000, n_jobs: int | None = None, screening: bool | str = "auto"
    ) -> None:
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.screening = screening

    def path(
        self, problem: Any, alphas: np.ndarray, start: np.ndarray | None = None, steps: Steps = silent
    ) -> SolvedPath:
        """Solutions for descending alphas, coefs (m, K, p), each warm-started from the one before.

        ``start`` is a w of the problem, (p, K).
        """
        require(self, problem)
        if problem.y.ndim != 2:
            raise InputError(
                f"MultiOutputWorkingSet takes a y of two dimensions, got {problem.y.shape}: use WorkingSet"
            )
        alphas = np.asarray(alphas, dtype=np.float64)
        m, (p, K) = len(alphas), (problem.A.shape[1], problem.y.shape[1])
        algorithm = LeastSquaresOutputs if isinstance(problem.datafit, LeastSquares) else MultinomialPath
        solved: Any = algorithm(problem, self, None if start is None else np.asarray(start, float).T)
        out = SolvedPath(
            alphas, np.zeros((m, K, p)), np.zeros((m, K)), np.zeros(m), np.zeros(m, np.int64), np.zeros(m, bool),
            None if solved.state.screen is None else np.zeros(m, np.int64),
        )  # fmt: skip
        for _ in steps(solved.solve_each(out), "path", m):
            pass
        return out

    def solve(self, problem: Any, start: np.ndarray | None = None, on_step: Steps = silent) -> Solution:
        """The solution at ``problem.alpha``: from ``start``, or down a short path from α_max."""
        alphas = descent_to(problem.alpha, problem.alpha_max()) if start is None else np.array([problem.alpha])
        path = self.path(problem, alphas, start, on_step)
        w, b = path.coefs[-1].T, path.intercepts[-1]
        distance = problem.penalty.subdifferential_distance(w, problem.gradient(w, b), problem.alpha).max(initial=0.0)
        status = Status.CONVERGED if path.converged[-1] else Status.MAX_ITER
        kkt = Diagnostics({"kkt": float(distance)}, path.gaps)
        return Solution(w, status, int(path.n_iter.sum()), problem.gap(w, b), kkt, b)


class LeastSquaresOutputs:
    """½ Σ hᵢ ‖yᵢ − Wxᵢ‖² + α Ω(W), h = s/Σs, W (K, p); columns and y centred where there is an intercept."""

    def __init__(self, problem: Any, solver: MultiOutputWorkingSet, start: np.ndarray | None) -> None:
        self.state = state = WorkingSetState(
            problem, solver.max_iter, n_threads=thread_count(solver.n_jobs), screening=solver.screening, tol=solver.tol
        )
        state.quadratic = BlockQuadratic(state.terms, solver.max_iter, thread_count(solver.n_jobs))
        self.max_iter, self.goal = solver.max_iter, solver.tol * problem.null()[2]
        self.h = state.share
        Y = problem.y.T.astype(np.float64)
        self.centre = (self.h * Y).sum(axis=1) if state.centred else np.zeros(len(Y))
        self.Y = Y - self.centre[:, None]
        self.q = self.c = state.first_correlations(self.h * self.Y)
        self.W = np.zeros((len(Y), 0))
        self._admit(state.free_units())
        if start is not None and np.any(start):
            self._admit(state.units_of(np.any(start, axis=0)))
            self.W = np.ascontiguousarray(start[:, state.features], dtype=np.float64)
            self.c = state.correlate(self.h * self._residual())

    def solve_each(self, out: SolvedPath) -> Iterator[int]:
        """Number of each α as it is done."""
        before = float(self.state.terms.entry_alphas(-self.c.T).max(initial=0.0))
        for k, alpha in enumerate(out.alphas):
            self._admit(self._violators(max(2 * alpha - before, 0.5 * alpha)))  # the strong rule
            out.record(k, *self._solve(alpha))
            out.put(k, self.state.features, self.W, self.state.intercept(self.W, self.centre))
            before = alpha
            yield k

    def _solve(self, alpha: float) -> tuple[int, float, bool, int]:
        """Solve on the working set, look at all columns, let in who violates.

        Rounds, gap, whether it converged, and how many columns the gap proves to be zero.
        """
        state, rounds, least = self.state, 0, np.inf
        free = state.terms.times(alpha).free.any()
        inner_tol = (1e-3 if free else 0.3) * self.goal  # the gap takes unpenalised columns to be solved for
        while True:
            check_interrupted()
            rounds += state.quadratic.minimise(state.H, self.q[:, state.features], self.W, alpha, inner_tol)[0]
            R = self._residual()
            self.c = state.correlations((self.h * R)[None], np.array([alpha]))[0]
            primal, gap, t = self._gap(alpha, R)
            violators = self._violators(alpha)
            screened = state.prove(self.h * R, self.c, t, alpha, primal, gap, keep=True)
            if gap <= self.goal:
                return rounds, gap, True, screened
            if rounds >= self.max_iter or (not len(violators) and gap >= least):
                return rounds, gap, False, screened
            if not len(violators):
                inner_tol, least = 0.1 * inner_tol, gap
            self._admit(violators)

    def _violators(self, alpha: float) -> np.ndarray:
        """Units outside the working set that cannot stay at zero at α."""
        return self.state.terms.survey(self.c.T, alpha, 0.0, self.state.inside)[1]

    def _residual(self) -> np.ndarray:
        return self.Y - self.state.columns.product(self.W)

    def _gap(self, alpha: float, R: np.ndarray) -> tuple[float, float, float]:
        """P, P − D at the best feasible multiple t ≤ 1 of the residual, which unpenalised columns do not see, and t."""
        terms = self.state.terms.times(alpha)
        c = np.where(self.state.terms.free[:, None], 0.0, self.c.T)
        rr, yr = float((self.h * R**2).sum()), float((self.h * R * self.Y).sum())
        t = min(1.0, best_scale(yr, rr, terms, c))  # columns that were not read are known to allow no more
        primal = 0.5 * rr + alpha * self.state.local.value(self.W.T)
        return primal, max(0.0, primal - (t * yr - 0.5 * t * t * rr - penalty_conjugate(terms, t * c))), t

    def _admit(self, units: np.ndarray) -> None:
        if len(units):
            rows = self.state.admit(units)
            self.state.write(rows, self.state.columns.gram(rows.start, self.h if len(self.h) > 1 else self.h[0]))
            self.W = np.pad(self.W, ((0, 0), (0, rows.stop - rows.start)))
