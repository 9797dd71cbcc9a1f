"""Least squares on a working set: several alphas are solved at once, and checked in one reading of the columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.threads import thread_count
from tamis._kernels.interruption import check_interrupted
from tamis.solvers.batched_path import BatchedPath
from tamis.solvers.paths import SolvedPath
from tamis.solvers.quadratic import FeatureQuadratic
from tamis.solvers.working_set_state import CorrelationTrend, WorkingSetState, dual_scale

FIRST, TRIES = 1e-2, 4  # an inexact inner solver's own bound, as a share of the gap asked for; then hundredths of it


class LeastSquaresPath(BatchedPath):
    """½ Σ hᵢ (yᵢ − xᵢᵀw)² + α Ω(w), h = s/Σs, columns and y centred where there is an intercept."""

    def __init__(self, problem: Any, solver: Any, start: np.ndarray | None) -> None:
        self.tol, self.max_iter = solver.tol, solver.max_iter
        self.state = state = WorkingSetState(
            problem, solver.max_iter, solver.seed, thread_count(solver.n_jobs), solver.screening, solver.tol
        )
        self.h = state.share
        self.centre = float(problem.datafit.null_prediction(problem.y, problem.s)) if state.centred else 0.0
        self.y = problem.y - self.centre
        self.yy = float((self.h * self.y) @ self.y)
        self.q = state.first_correlations(self.h * self.y)
        self.slack = 1e-12 * float(np.abs(self.q).max(initial=0.0))  # what n rounded products leave in a correlation
        self.trend = CorrelationTrend(self.q, state.terms.alpha_max(-self.q))
        self.w = np.zeros(0)
        self._admit(state.free_units())
        self.goal = self.tol * self._null()
        self.exact = isinstance(state.quadratic, FeatureQuadratic) and state.columns.dtype != np.float32
        self.inner_tol, self.patience = FIRST * self.goal, TRIES
        self._begin(start)

    def finish(self, alpha: float, out: SolvedPath) -> None:
        """Nothing is left to do: the residual of a solution is its own proof."""

    def _advance(self, alphas: np.ndarray, out: SolvedPath, k: int) -> int:
        """Solve for alphas; how many of the leading ones hold on every column. These are written to ``out``."""
        check_interrupted()
        state = self.state
        self._admit(state.candidates(self.trend.at(alphas[-1]), alphas[-1], self.most_new(len(alphas))))
        start = self.w.copy()
        coefs, n_iter, exact = self._solve(alphas)
        R = self.y - state.columns.product(coefs)
        C = state.correlations(self.h * R, alphas)
        good, missing = 0, []
        for alpha, w, r, c in zip(alphas, coefs, R, C, strict=True):
            bound, violators = state.terms.survey(c, alpha, self.slack, state.inside)
            missing.append(violators)
            primal, gap, t = self._gap(alpha, w, r, c, bound)
            if good < len(missing) - 1:
                continue
            left = len(violators) > 0 or not self._fine(gap)
            screened = state.prove(self.h * r, c, t, alpha, primal, gap, keep=left)
            if left:
                continue
            out.put(k + good, state.features, w, state.intercept(w, self.centre))
            converged = gap <= self.goal or (bool(exact[good]) and self.exact)
            out.record(k + good, n_iter[good], gap, converged, screened)
            good += 1
        self.w = coefs[good - 1].copy() if good else start
        if good:
            self.trend.update(C[:good], alphas[:good])
        self._admit(np.unique(np.concatenate(missing)))
        return good

    def _fine(self, gap: float) -> bool:
        """Whether the gap is as asked; else the inner solver is held to less, a few times."""
        if gap <= self.goal or isinstance(self.state.quadratic, FeatureQuadratic) or not self.patience:
            self.patience = TRIES
            return True
        self.patience -= 1
        self.inner_tol *= 1e-2
        return False

    def _solve(self, alphas: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        state, inner = self.state, self.state.quadratic
        q = self.q[state.features]
        if isinstance(inner, FeatureQuadratic):  # exact, several alphas at a time
            return inner.path(state.H, q, self.yy, self.w, alphas, self.tol)
        coefs, n_iter = np.empty((len(alphas), len(q))), np.empty(len(alphas), np.int64)
        for k, alpha in enumerate(alphas):
            n_iter[k], _ = inner.minimise(state.H, q, self.w, alpha, self.inner_tol)
            coefs[k] = self.w
        return coefs, n_iter, np.zeros(len(alphas), bool)

    def _gap(self, alpha: float, w: np.ndarray, r: np.ndarray, c: np.ndarray, bound: float) -> tuple[float, ...]:
        """P, P − D at the best feasible multiple t of the residual, and t."""
        hr = self.h * r
        rr, yr = float(hr @ r), float(hr @ self.y)
        t, conjugate = dual_scale(self.state.terms, c, alpha, bound)
        primal = 0.5 * rr + alpha * self.state.local.value(w)
        return primal, max(0.0, primal - (t * yr - 0.5 * t * t * rr - conjugate)), t

    def _null(self) -> float:
        """The objective with the unpenalised columns only."""
        w, *_ = np.linalg.lstsq(self.state.H, self.q[self.state.features])
        return 0.5 * max(0.0, self.yy - float(w @ self.q[self.state.features]))

    def _admit(self, units: np.ndarray) -> None:
        if len(units):
            rows = self.state.admit(units)
            self.w = np.append(self.w, np.zeros(rows.stop - rows.start))
            h = self.h if len(self.h) > 1 else float(self.h[0])
            self.state.write(rows, self.state.columns.gram(rows.start, h))

    def _begin(self, start: np.ndarray | None) -> None:
        """From given coefficients: their units join, and the correlations are those of their residual."""
        if start is None or not np.any(start):
            return
        state = self.state
        self._admit(state.units_of(start))
        self.w = np.ascontiguousarray(start[state.features], dtype=np.float64)
        c = state.correlate(self.h * (self.y - state.columns.product(self.w)))
        self.trend = CorrelationTrend(c, state.terms.alpha_max(-c))
