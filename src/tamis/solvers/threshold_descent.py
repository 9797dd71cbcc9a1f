"""Powers |w|^q with q < 1 of the coefficients, and their number (q = 0), along a path of α.

Squares are descended coordinate by coordinate on a working set, each coordinate to its global minimum, which is 0 up to
a threshold that α and the column's curvature give. For L0 columns are then spliced: one comes or goes, or some are
exchanged, where that lowers the objective. Other losses are minimised by squares above them, h/2 (z − z₀ + g/h)² with
the curvature h at z₀, doubled until the objective does not rise.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tamis._core.progress import Steps, silent
from tamis._kernels.interruption import check_interrupted
from tamis.datafits import ForClasses, HasCurvature, HasNull, LeastSquares, Squared
from tamis.operators import as_operator
from tamis.penalties import L1, ThresholdPenalty
from tamis.solvers.concave_descent import ConcaveLeastSquaresPath, StationaryDescent
from tamis.solvers.paths import SolvedPath
from tamis.solvers.problem import OperatorProblem
from tamis.solvers.requirements import require
from tamis.solvers.splicing import spliced_for
from tamis.solvers.subset_statistics import SubsetStatistics

DOUBLINGS = 60
MANY = 200  # columns in the model, up to which they are spliced


class ThresholdDescent(StationaryDescent):
    """Coordinate descent on working sets; other losses by squares above them.

    Parameters
    ----------
    tol : float
        The distance to stationarity to reach, relative to that of the null model.
    max_iter, seed, n_jobs
        As in WorkingSet; ``seed`` has no effect.
    """

    needs = (OperatorProblem, ThresholdPenalty, HasCurvature, HasNull)

    def path(
        self, problem: Any, alphas: np.ndarray, start: np.ndarray | None = None, steps: Steps = silent
    ) -> SolvedPath:
        """For descending alphas, each from the one before."""
        require(self, problem)
        alphas = np.asarray(alphas, dtype=np.float64)
        if isinstance(problem.datafit, LeastSquares):
            return self._of_squares(problem, alphas, start, steps)
        out = SolvedPath.empty(alphas, problem.A.shape[1])
        w, b, _ = problem.null()
        limit = self.tol * max(1e-300, float(np.abs(problem.gradient(w, b)).max(initial=0.0)))
        w = w if start is None else np.asarray(start, dtype=np.float64)
        for k, alpha in enumerate(steps(alphas, "path")):
            w, b, rounds, fine = self._by_squares_above(problem.at(float(alpha)), w, b, limit)
            out.coefs[k], out.intercepts[k] = w, b
            out.record(k, rounds, np.nan, fine, 0)
        return out

    def _of_squares(self, problem: Any, alphas: np.ndarray, start: Any, steps: Steps) -> SolvedPath:
        levels = alphas**problem.penalty.root
        path = replace(ConcaveLeastSquaresPath(problem, self, start).run(levels, steps), alphas=alphas)
        if problem.penalty.power == 0 and len(set(problem.penalty.weights_of(problem.A.shape[1]).tolist())) == 1:
            self._splice(problem, path)
        return path

    def _splice(self, problem: Any, path: SolvedPath) -> None:
        """Supports that no column more or less and no exchange improves, in place; each α also tries that before."""
        statistics, before = SubsetStatistics(problem, 0.0), None
        each = float(problem.penalty.weights_of(problem.A.shape[1])[0])
        for k, alpha in enumerate(path.alphas):
            S = np.flatnonzero(path.coefs[k])
            if len(S) > MANY or alpha == 0:
                break
            found = [spliced_for(statistics, T, float(alpha) * each) for T in (S, before) if T is not None]
            best, _ = min(found, key=lambda end: end[1])
            before = best
            if set(best.tolist()) == set(S.tolist()):
                continue
            w = statistics.solve(best)[0]
            path.coefs[k] = 0.0
            path.coefs[k][best] = w
            path.intercepts[k] = statistics.centre - float(statistics.mean[best] @ w)

    def _by_squares_above(self, problem: Any, w: np.ndarray, b: Any, limit: float) -> tuple[np.ndarray, Any, int, bool]:
        """Least squares with the curvature at the last point, until nothing moves."""
        value, steepness = problem.value(w, b), 1.0
        for k in range(1, self.max_iter + 1):
            check_interrupted()
            before = w
            w, b, new, steepness = self._step(problem, w, b, value, steepness)
            if problem.penalty.power == 0 and np.array_equal(w != 0, before != 0):
                w, b, new = self._refitted(problem, w, b, new)
            settled = value - new <= 1e-14 * abs(value)
            value = new
            if self._separates(problem, w, b):
                break
            if settled and self._missed(problem, w, b) <= limit:
                return w, b, k, True
            if settled and k > 1:
                break
        return w, b, k, self._missed(problem, w, b) <= max(limit, SETTLED * limit)

    @staticmethod
    def _refitted(problem: Any, w: np.ndarray, b: Any, value: float) -> tuple[np.ndarray, Any, float]:
        """L0 does not shrink: the columns in the model fitted without a penalty, where that is no worse."""
        S = np.flatnonzero(w)
        columns = as_operator(problem.A.columns(S))
        alone = replace(problem, A=columns, penalty=L1(weights=np.zeros(len(S))), alpha=0.0)
        coef, intercept, _ = alone.null()
        new = np.zeros_like(w)
        new[S] = coef
        reached = problem.value(new, intercept)
        return (new, intercept, reached) if reached <= value else (w, b, value)

    def _step(
        self, problem: Any, w: np.ndarray, b: Any, value: float, steepness: float
    ) -> tuple[np.ndarray, Any, float, float]:
        """To the stationary point of the squares, their curvature doubled until the objective does not rise."""
        Z = problem.prediction(w, b)
        g, h = problem.datafit.gradient(problem.y, Z, problem.s), problem.curvature(Z)
        for _ in range(DOUBLINGS):
            bend = steepness * h
            y = Z - np.divide(g, bend, out=np.zeros(len(g)), where=bend > 0)
            squares = replace(problem, y=y, datafit=Squared(), s=bend)
            level = np.array([problem.alpha / float(bend.sum())]) ** problem.penalty.root
            found = ConcaveLeastSquaresPath(squares, self, w).run(level, silent)
            new = problem.value(found.coefs[0], found.intercepts[0])
            if new <= value:
                return found.coefs[0], float(found.intercepts[0]), new, max(0.5 * steepness, 1.0)
            steepness *= 2
        return w, b, value, 1.0

    def _separates(self, problem: Any, w: np.ndarray, b: Any) -> bool:
        """Whether the columns in the model tell the classes apart, so that ever larger coefficients are better."""
        fit: Any = problem.datafit
        vanishes = isinstance(fit, ForClasses) and fit.vanishes_at_infinity
        loss = problem.datafit.value(problem.y, problem.prediction(w, b), problem.s) if vanishes else np.inf
        return bool(loss <= self.tol * problem.null_value())

    @staticmethod
    def _missed(problem: Any, w: np.ndarray, b: Any) -> float:
        g = problem.datafit.gradient(problem.y, problem.prediction(w, b), problem.s)
        distance = problem.penalty.subdifferential_distance(w, problem.A.T @ g, problem.alpha).max(initial=0.0)
        return max(float(distance), abs(float(g.sum())) if problem.fit_intercept else 0.0)


SETTLED = 10.0  # times the limit is near enough where rounding lets nothing move any more
