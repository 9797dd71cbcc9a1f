"""Proximal gradient descent and its accelerated form, for any datafit with a gradient and any penalty with a prox.

The problem is min f(x) + Ω_α(x), (11.8), where f has an L-Lipschitz gradient, (11.9). Around x_k the quadratic
f(x_k) + ⟨∇f(x_k), x − x_k⟩ + L/2 ‖x − x_k‖² lies above f, (11.10); minimising it with the penalty, (11.12), means

    z = x_k − ∇f(x_k)/L,    x_{k+1} = argmin L/2 ‖x − z‖² + Ω_α(x) = prox(z, 1/L, α),    (11.13), (11.14).

Columns are centred by a view where there is an intercept, which then has the step 1/ℓ'' of its own: centred columns and
the constant one are orthogonal, so neither slows the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from tamis._core.errors import InputError
from tamis._core.evidence import Diagnostics, Solution, Status
from tamis._core.progress import Steps, silent
from tamis._kernels.interruption import check_interrupted
from tamis.datafits import Datafit, HasCurvature
from tamis.datafits.base import shares
from tamis.operators import Operator, Standardised
from tamis.penalties import HasEntry, Penalty
from tamis.solvers.paths import SolvedPath
from tamis.solvers.problem import OperatorProblem
from tamis.solvers.requirements import check_options, require

CHECK = 10  # iterations between two looks at the gap, each of which costs as much as an iteration
POWER_STEPS = 30
DOUBLINGS = 100  # of L within one step: 2¹⁰⁰ is no Lipschitz constant
EPS = 16 * np.finfo(float).eps  # relative, of a sum over rows
SAFETY = 1.05  # the power method comes from below; what still lacks is found by backtracking


class Point(NamedTuple):
    """Coefficients of the centred columns, the intercept there, and the prediction."""

    w: np.ndarray
    b: Any
    Z: np.ndarray


class _Proximal(BaseEstimator):
    needs = (OperatorProblem, Datafit, Penalty)
    moves_intercept = True  # a start is (w, b)

    def __init__(self, tol: float = 1e-7, max_iter: int = 10_000) -> None:
        self.tol = tol
        self.max_iter = max_iter

    def path(
        self, problem: OperatorProblem, alphas: np.ndarray, start: Any = None, steps: Steps = silent
    ) -> SolvedPath:
        """Solutions for descending alphas, each warm-started from the one before, the first from ``start`` (w, b)."""
        alphas = np.asarray(alphas, dtype=np.float64)
        found, end = [], start
        for alpha in steps(alphas, "path"):
            found.append(self.solve(problem.at(float(alpha)), end))
            end = found[-1].w, found[-1].intercept
        gaps = np.array([solution.diagnostics["gap"] for solution in found])
        return SolvedPath(
            alphas[: len(found)],
            np.array([solution.w.T for solution in found]),
            np.array([solution.intercept for solution in found]),
            gaps,
            np.array([solution.n_iter for solution in found]),
            np.array([solution.status == Status.CONVERGED for solution in found]),
        )

    def solve(self, problem: OperatorProblem, start: Any = None, on_step: Steps = silent) -> Solution:
        """The solution at ``problem.alpha`` from ``start`` (w, b), or from the null model."""
        require(self, problem)
        check_options(self)
        descent = _Descent(problem, start)
        goal = (
            _MovementRule(problem, self.tol, descent)
            if isinstance(problem.omega, HasEntry)
            else _StoppingRule(problem, self.tol)
        )
        measures, status, k = [goal.measure(descent.given())], Status.CONVERGED, 0
        if not goal.reached(measures[-1]):
            status = Status.MAX_ITER
            for k in on_step(range(1, self.max_iter + 1), "iterations"):
                check_interrupted()
                self._step(descent)
                if k % CHECK == 0 or k == self.max_iter:
                    measures.append(goal.measure(descent.given()))
                    if goal.reached(measures[-1]):
                        status = Status.CONVERGED
                        break
        w, b = descent.given()
        certificate = problem.gap(w, b) if goal.has_gap else None
        return Solution(w, status, k, certificate, goal.diagnostics(measures), b)

    def _step(self, descent: _Descent) -> None:
        raise NotImplementedError


class ProximalGradient(_Proximal):
    """Gradient steps on the datafit, proximal steps on the penalty.

    x_{k+1} = prox(x_k − ∇f(x_k)/L, 1/L, α), the iteration (11.10)–(11.14).

    L comes from the datafit's curvature and the largest singular value of the columns, and is doubled should (11.10)
    ever fail. Stops when the duality gap is at most ``tol`` times the null model's objective; where none is known, when
    the distance to the subdifferential is at most ``tol`` times the null model's.
    """

    def _step(self, descent: _Descent) -> None:
        descent.x = descent.forward_backward(descent.x)


class Fista(_Proximal):
    """Proximal gradient from an extrapolated point, with backtracking (Beck and Teboulle 2009).

    The momentum starts anew whenever it points uphill (O'Donoghue and Candès 2015). Stops as ProximalGradient does.
    """

    def _step(self, descent: _Descent) -> None:
        new = descent.forward_backward(descent.ahead)
        uphill = np.vdot(descent.ahead.w - new.w, new.w - descent.x.w) > 0
        t = 1.0 if uphill else descent.t
        descent.t = 0.5 * (1 + np.sqrt(1 + 4 * t**2))
        push = 0.0 if uphill else (t - 1) / descent.t
        old, descent.x = descent.x, new
        descent.ahead = Point(*(a + push * (a - before) for a, before in zip(new, old, strict=True)))


class _Descent:
    """The state of a descent: where it is, where it looks from, and L."""

    def __init__(self, problem: OperatorProblem, start: Any) -> None:
        self.problem = problem
        kept = problem._kept
        if "centred" not in kept:
            kept["centred"] = _centred(problem)
        self.A, self.mean, self.largest = kept["centred"]
        datafit = problem.datafit
        bounded = isinstance(datafit, HasCurvature) and np.isfinite(datafit.lipschitz)
        self.curvature = datafit.lipschitz if bounded else 1.0  # type: ignore[attr-defined]
        w, b = problem.null()[:2] if start is None else start
        self.x = self._at(np.array(w, dtype=np.float64), b + self.mean @ w)
        self.ahead = self.x
        self.t = 1.0

    def _at(self, w: np.ndarray, b: Any) -> Point:
        return Point(w, b, self.A @ w + b)

    def given(self) -> tuple[np.ndarray, Any]:
        """Coefficients and intercept for the columns as given."""
        return self.x.w, self.x.b - self.mean @ self.x.w

    def forward_backward(self, at: Point) -> Point:
        """The minimum of the quadratic (11.10) at a point plus the penalty; L is doubled until it lies above f."""
        problem, fit = self.problem, self.problem.datafit
        value, g = fit.value(problem.y, at.Z, problem.s), fit.gradient(problem.y, at.Z, problem.s)
        slope, intercept_slope = self.A.T @ g, g.sum(axis=0)
        for _ in range(DOUBLINGS):
            L = self.curvature * self.largest
            w = problem.omega.prox(at.w - slope / L, 1 / L, problem.alpha)
            b = at.b - intercept_slope / self.curvature if problem.fit_intercept else at.b
            new = self._at(w, b)
            d, e = w - at.w, np.asarray(b - at.b)
            most = value + np.vdot(slope, d) + np.vdot(intercept_slope, e)
            most += 0.5 * L * np.vdot(d, d) + 0.5 * self.curvature * np.vdot(e, e)
            if fit.value(problem.y, new.Z, problem.s) <= most + self._rounding(value, g, at):
                return new
            self.curvature *= 2
        raise InputError(
            f"the value of {fit!r} is {value} at a step where no quadratic bounds it: is it smooth and finite?"
        )

    def _rounding(self, value: float, g: np.ndarray, at: Point) -> float:
        """What the prediction's rounding can do to the value: centring by a view adds that of the means."""
        problem, eps = self.problem, 64 * np.finfo(float).eps
        moved = eps * (np.abs(problem.y) + np.abs(at.Z) + np.abs(self.mean) @ np.abs(at.w))
        squares = 0.5 * self.curvature * float((shares(problem.y, problem.s) * moved**2).sum())
        return float(eps * abs(value) + np.vdot(np.abs(g), moved)) + squares


class _StoppingRule:
    """When to stop: the duality gap, or where none is known the distance to the subdifferential."""

    def __init__(self, problem: OperatorProblem, tol: float) -> None:
        self.problem = problem
        self.has_gap = problem.has_gap()
        w, b, _ = problem.null()
        self.limit = (
            tol * problem.null_value() if self.has_gap else max(tol * self._distance(w, b), self._rounding(w, b))
        )

    def measure(self, point: tuple[np.ndarray, Any]) -> float:
        return self.problem.gap(*point).gap if self.has_gap else self._distance(*point)

    def reached(self, measure: float) -> bool:
        return measure <= self.limit

    def diagnostics(self, measures: list[float]) -> Diagnostics:
        last = measures[-1]
        named = {"gap": last} if self.has_gap else {"gap": np.nan, "stationarity": last}
        return Diagnostics(named, np.array(measures))

    def _distance(self, w: np.ndarray, b: Any) -> float:
        problem = self.problem
        g = problem.datafit.gradient(problem.y, problem.prediction(w, b), problem.s)
        distance = problem.omega.subdifferential_distance(w, problem.A.T @ g, problem.alpha)
        along = g.sum(axis=0) if problem.fit_intercept else 0.0
        return float(np.sqrt(np.sum(distance**2) + np.sum(np.square(along))))

    def _rounding(self, w: np.ndarray, b: Any) -> float:
        """What rounding alone leaves of the distance, which at α_max is all there is of it: ε of the numbers that
        slopes are sums of. |xⱼ|ᵀ|g| is at most ‖xⱼ‖‖g‖, here with the rows' shares.
        """
        problem = self.problem
        g = np.abs(problem.datafit.gradient(problem.y, problem.prediction(w, b), problem.s))
        share = shares(problem.y, problem.s)
        size = np.sqrt(np.divide(g**2, share, out=np.zeros(g.shape), where=share > 0).sum())
        columns = problem.norms() + (np.abs(problem.means()) if problem.fit_intercept else 0.0)
        return float(EPS * size * np.sqrt(np.sum(columns**2) + problem.fit_intercept))


class _MovementRule(_StoppingRule):
    """Where 0 is stationary at every α the distance to the subdifferential says nothing there: what is measured is how
    far a step leads, times L, which for smooth terms is the gradient.
    """

    def __init__(self, problem: OperatorProblem, tol: float, descent: _Descent) -> None:
        self.descent = descent
        super().__init__(problem, tol)
        w, b, _ = problem.null()
        size = np.linalg.norm(problem.gradient(w, b))
        self.limit = max(tol * float(size), self._rounding(w, b))

    def _distance(self, w: np.ndarray, b: Any) -> float:
        problem, L = self.problem, self.descent.curvature * self.descent.largest
        g = problem.datafit.gradient(problem.y, problem.prediction(w, b), problem.s)
        moved = w - problem.omega.prox(w - (problem.A.T @ g) / L, 1 / L, problem.alpha)
        along = g.sum(axis=0) if problem.fit_intercept else 0.0
        return float(np.sqrt(L**2 * np.sum(moved**2) + np.sum(np.square(along))))


def _centred(problem: OperatorProblem) -> tuple[Operator, np.ndarray, float]:
    """The centred columns where there is an intercept, their means, and the largest eigenvalue of XᵀSX."""
    A, p = problem.A, problem.A.shape[1]
    mean = A.moments(problem.s)[0] if problem.fit_intercept else np.zeros(p)
    view: Operator = Standardised(A, mean, np.ones(p)) if mean.any() else A
    n = A.shape[0]
    share = np.full(n, 1.0 / n) if problem.s is None else problem.s / problem.s.sum()
    largest = max((norm for norm in _growth(view, share)), default=0.0)
    return view, mean, SAFETY * largest if largest > 0 else 1.0


def _growth(A: Operator, share: np.ndarray) -> Iterator[float]:
    """The power method on XᵀSX, from a fixed vector without symmetry."""
    v = np.cos(np.arange(1, A.shape[1] + 1))
    for _ in range(POWER_STEPS):
        norm = float(np.linalg.norm(v))
        if norm == 0:
            return
        v = v / norm
        v = A.T @ (share * (A @ v))
        yield float(np.linalg.norm(v))
