"""A fit on rows: what those in memory and those that are streamed share.

The solver needs products with X and the columns that matter, never all of X at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis._core.far_columns import exact_sum
from tamis._core.progress import Steps, silent
from tamis._kernels.interruption import check_interrupted
from tamis.base.training_data import TrainingData
from tamis.datafits import HasSmoothing
from tamis.linear.alpha_choice import degrees_of_freedom, joint_hessian, minimised_over, ridge_of
from tamis.linear.fit_problem import SeparateTargets, gap_is_within
from tamis.linear.plan import PROXIMAL_STEPS, Plan
from tamis.linear.separation import separates_all
from tamis.operators import Operator, Standardised, as_operator
from tamis.operators.shifted import about_means
from tamis.penalties import L1, Box, ConcavePenalty, Penalty
from tamis.solvers.paths import SolvedPath
from tamis.solvers.problem import OperatorProblem
from tamis.solvers.proximal import Fista
from tamis.solvers.screening import screens
from tamis.solvers.working_set import WorkingSet
from tamis.sources.base import where_computed

CHUNK_BYTES = 1 << 26  # of predictions at a time
FEW_STOPS = 3  # in a decade of α: Newton steps go far from each


@dataclass(frozen=True)
class RowsFitProblem:
    """A problem on rows, and the way back to the columns as they were given.

    The columns of ``scaled`` are divided by ``divisor`` (all ones without standardising), so its α |wⱼ| is
    α divisorⱼ |coefⱼ|. Where there is an intercept, columns far from zero are moved by ``shift`` before, and its
    intercept is b + shiftᵀcoef.
    """

    A: Operator
    y: np.ndarray
    weight: np.ndarray | None
    plan: Plan

    @property
    def n(self) -> int:
        return self.A.shape[0]

    @property
    def weight_sum(self) -> float:
        return float(self.n) if self.weight is None else float(self.weight.sum())

    @property
    def n_outputs(self) -> int:
        return 1 if self.y.ndim == 1 else self.y.shape[1]

    @cached_property
    def _about_means(self) -> tuple[Operator, np.ndarray]:
        return about_means(self.A, self.weight) if self.plan.fit_intercept else (self.A, np.zeros(self.A.shape[1]))

    @property
    def shift(self) -> np.ndarray:
        """By how much each column is moved: 0 but for those far from zero."""
        return self._about_means[1]

    @cached_property
    def scale(self) -> np.ndarray:
        return np.sqrt(self._about_means[0].moments(self.weight)[1])

    @property
    def means(self) -> np.ndarray:
        return self.scaled.means() * self.divisor + self.shift

    @cached_property
    def divisor(self) -> np.ndarray:
        """Standard deviations where they standardise, with or without an intercept; 1 elsewhere and for constants."""
        if not self.plan.standardize:
            return np.ones(self.A.shape[1])
        return np.where(self.scale > 0, self.scale, 1.0)

    @cached_property
    def scaled(self) -> OperatorProblem:
        A, plan = self._about_means[0], self.plan
        if plan.standardize:
            A = Standardised(A, np.zeros(A.shape[1]), self.divisor)
        return OperatorProblem(A, self.y, plan.datafit, plan.penalty, 0.0, self.weight, plan.fit_intercept)

    @property
    def descends(self) -> bool:
        """Whether the solver finds its own way down to one α."""
        return bool(getattr(self.plan.rows_solver(self.n_outputs), "descends", False))

    @property
    def stops(self) -> dict[str, int]:
        """How many values of α a decade has on the way down to one: where each takes Newton steps, few."""
        return {"per_decade": FEW_STOPS} if by_newton(self.plan, self.n_outputs) else {}

    def alpha_max(self) -> float:
        return self.scaled.alpha_max()

    def null_value(self) -> float:
        return self.scaled.null_value()

    def path(self, alphas: np.ndarray, start: np.ndarray | None = None, steps: Steps = silent) -> SolvedPath:
        if separates_all(self.plan.datafit, self.null_value(), self.y, self.weight):
            return self._null_path(alphas)
        solver = self.solver(alphas)
        solved = solver.path(self.scaled, alphas, self._begin(solver, start), steps)
        coefs = solved.coefs / self.divisor if self.plan.standardize else solved.coefs
        solved = replace(solved, coefs=coefs, intercepts=self._given(coefs, solved.intercepts))
        if alphas[-1] == 0 and self._least_squares_is_better(solved):
            solved.coefs[-1], solved.intercepts[-1] = self.relaxed(np.ones(solved.coefs.shape[1:]))
            solved.converged[-1] = True
        return solved

    def solver(self, alphas: np.ndarray) -> Any:
        """Who solves a path of these."""
        return self.plan.rows_solver(self.n_outputs)

    def columns_read(self) -> str:
        """Which columns the working set is held against."""
        solver = self.plan.rows_solver(self.n_outputs)
        if not hasattr(solver, "screening"):
            return ""
        screened, why = screens(self.scaled.A, solver.screening)
        return f"; {'columns proved zero are left unread' if screened else 'every column is read'}: {why}"

    def _least_squares_is_better(self, solved: SolvedPath) -> bool:
        """Whether, without a penalty, the columns all at once are to be fitted: for several outputs, as no column stays
        out and there is nothing for working sets to do; for one where they missed, as they do of columns that differ
        by less than their products tell.
        """
        if self.n_outputs > 1:
            return True
        chosen = isinstance(self.plan.solver, str) and self.plan.solver in ("auto", "working_set")
        return chosen and self.plan.squared and not gap_is_within(self, solved, self.plan.tol)

    def _null_path(self, alphas: np.ndarray) -> SolvedPath:
        """Where unpenalised columns alone bring the loss as near 0 as one likes, no penalised one has a part in that.

        0 is the one bound there is, so the gap is the objective.
        """
        w, b, value = self.scaled.null()
        m, shape = len(alphas), np.shape(w.T)
        w, b = w.T / self.divisor, self._given(w.T / self.divisor, b)
        coefs, intercepts = np.broadcast_to(w, (m, *shape)), np.broadcast_to(b, (m, *np.shape(b)))
        gaps, n_iter, converged = np.full(m, value), np.zeros(m, np.int64), np.zeros(m, bool)
        return SolvedPath(alphas, coefs.copy(), intercepts.copy(), gaps, n_iter, converged)

    def solve(self, alpha: float, start: np.ndarray, steps: Steps = silent) -> tuple[np.ndarray, Any]:
        solver = self.solver(np.array([alpha]))
        solved = solver.solve(self.scaled.at(alpha), self._begin(solver, start), steps)
        coef = solved.w.T / self.divisor
        return coef, self._given(coef, solved.intercept)

    def _given(self, coefs: np.ndarray, b: Any) -> Any:
        """Intercepts for the columns as given, of those for the columns as they were moved."""
        return b - coefs @ self.shift if self.shift.any() else b

    def _inner(self, coef: np.ndarray, intercept: Any) -> Any:
        """The way back, in which no digit is lost: b and shiftᵀw may be large and nearly cancel."""
        if not self.shift.any():
            return intercept
        moved = np.flatnonzero(self.shift)
        each = [
            exact_sum(b, w[moved], self.shift[moved])
            for b, w in zip(np.atleast_1d(intercept), np.atleast_2d(coef), strict=True)
        ]
        return np.array(each) if np.ndim(intercept) else each[0]

    def _begin(self, solver: Any, start: np.ndarray | None) -> Any:
        """Where a solver begins, in the form it takes: proximal steps move the intercept too."""
        if start is None:
            return None
        w = (start * self.divisor).T
        return (w, self.scaled.null()[1]) if getattr(solver, "moves_intercept", False) else w

    def certificate(self, coef: np.ndarray, intercept: Any, alpha: float) -> Any:
        """In terms of the columns as given, ready to be verified on the rows."""
        if not self.scaled.at(alpha).has_gap():
            return None
        bound = self.scaled.at(alpha).gap((coef * self.divisor).T, self._inner(coef, intercept))
        scale = self.divisor if self.plan.standardize else None
        bound = replace(bound, w=coef, intercept=intercept, scale=scale, standardized=self.plan.standardize)
        return replace(bound, classes=self.plan.classes, class_weight=self.plan.class_weight)

    def rounding(self, coef: np.ndarray, intercept: Any, alpha: float) -> float:
        return self.scaled.at(alpha).rounding((coef * self.divisor).T, self._inner(coef, intercept))

    def kkt(self, coef: np.ndarray, intercept: Any, alpha: float) -> float:
        w = (coef * self.divisor).T
        gradient = self.scaled.gradient(w, self._inner(coef, intercept))
        distance = self.scaled.omega.subdifferential_distance(w, gradient, alpha)
        return float(distance.max(initial=0.0))

    def relaxed(self, coef: np.ndarray, steps: Steps = silent) -> tuple[np.ndarray, Any]:
        S = np.flatnonzero(np.atleast_2d(coef).any(axis=0))
        columns, plan = as_operator(self._about_means[0].columns(S), n_jobs=self.plan.n_jobs), self.plan
        free: Penalty = L1(weights=np.zeros(len(S)), positive=bool(getattr(plan.penalty, "positive", False)))
        alone = OperatorProblem(columns, self.y, plan.datafit, free, 0.0, self.weight, plan.fit_intercept)
        if isinstance(plan.penalty, Box):  # whose bounds are no part of the pull towards 0
            bounds = replace(alone, penalty=plan.penalty.at_columns(S, self.divisor))
            found = Fista(plan.tol, PROXIMAL_STEPS * plan.max_iter).solve(bounds)
            w, b = found.w, found.intercept
        else:
            w, b, _ = alone.null()
        relaxed = np.zeros_like(coef)
        relaxed[..., S] = w.T
        return relaxed, self._given(relaxed, b)

    def with_penalty(self, penalty: Penalty) -> RowsFitProblem:
        return replace(self, plan=self.plan.with_penalty(penalty))

    def with_tol(self, tol: float) -> RowsFitProblem:
        return replace(self, plan=self.plan.with_tol(tol))

    def reweighted(self, weight: np.ndarray, plan: Plan) -> RowsFitProblem:
        """The same rows with other weights; a smoothing that suits the target stays what it is."""
        kept = replace(plan, datafit=self.plan.datafit) if isinstance(plan.datafit, HasSmoothing) else plan
        return replace(self, weight=weight, plan=kept)

    def losses(self, path: SolvedPath, test: np.ndarray | None = None, weight: np.ndarray | None = None) -> np.ndarray:
        """Mean loss of every α on some rows or all: squared errors, averaged over targets, or log loss."""
        y = self.y if test is None else self.y[test]
        s = self.weight if test is None else weight
        factor = 2.0 / self.n_outputs if self.plan.squared else 1.0
        return factor * np.array([self.plan.datafit.value(y, Z, s) for Z in self._predictions(path, test)])

    def degrees(self, path: SolvedPath) -> np.ndarray:
        l2 = ridge_of(self.plan.penalty, self.A.shape[1])
        if not l2.any():
            return np.count_nonzero(path.coefs.reshape(len(path.alphas), -1), axis=1).astype(np.float64)
        each = zip(path.coefs, path.alphas, self._predictions(path, None), strict=True)
        degrees = self._degrees if self.n_outputs == 1 else self._joint_degrees
        return np.array([degrees(w, alpha * l2, Z) for w, alpha, Z in each])

    def _degrees(self, w: np.ndarray, ridge: np.ndarray, Z: np.ndarray) -> float:
        S = np.flatnonzero(w)
        X = self._scaled_columns(S)
        datafit: Any = self.plan.datafit
        h = datafit.hessian(self.y, Z, self.weight)
        if self.plan.fit_intercept:
            X = X - h @ X / h.sum()
        return degrees_of_freedom(X.T @ (h[:, None] * X), ridge[S])

    def _joint_degrees(self, W: np.ndarray, ridge: np.ndarray, Z: np.ndarray) -> float:
        """The same for all outputs together. The intercepts are a column of ones."""
        S = np.flatnonzero(W.any(axis=0))
        X, used = self._scaled_columns(S), W[:, S] != 0
        each = np.broadcast_to(ridge[S], used.shape)[used]
        if not self.plan.fit_intercept:
            return degrees_of_freedom(joint_hessian(self.plan.datafit, self.y, Z, self.weight, X, used), each)
        X, used = np.column_stack([np.ones(len(X)), X]), np.column_stack([np.ones(len(W), bool), used])
        H = joint_hessian(self.plan.datafit, self.y, Z, self.weight, X, used)
        return degrees_of_freedom(minimised_over(H, np.nonzero(used)[1] == 0), each)

    def _scaled_columns(self, S: np.ndarray) -> np.ndarray:
        X = self._about_means[0].columns(S)
        scaled: np.ndarray = (X.toarray() if sp.issparse(X) else X.astype(np.float64)) / self.divisor[S]
        return scaled

    def _some_rows(self, test: np.ndarray, used: np.ndarray) -> Any:
        """X at some rows and columns as they were given; None where they are had by products only."""
        return None

    def _predictions(self, path: SolvedPath, test: np.ndarray | None) -> Any:
        """Z = Xw + b of every α in turn, some α at a time."""
        n, p = self.A.shape
        coefs = path.coefs.reshape(len(path.alphas), -1, p)
        used = np.flatnonzero(coefs.any(axis=(0, 1)))
        step = max(1, CHUNK_BYTES // (8 * n * coefs.shape[1]))
        A, X = self._about_means[0], None if test is None else self._some_rows(test, used)
        for k in range(0, len(coefs), step):
            check_interrupted()
            part = coefs[k : k + step]
            W = part.reshape(-1, p)
            Z = (A @ W.T)[slice(None) if test is None else test] if X is None else X @ W[:, used].T
            for j, (w, b) in enumerate(zip(path.coefs[k : k + step], path.intercepts[k : k + step], strict=True)):
                check_interrupted()
                columns = Z[:, j * coefs.shape[1] : (j + 1) * coefs.shape[1]] + self._inner(w, b)
                yield columns[:, 0] if self.y.ndim == 1 else columns


def by_newton(plan: Plan, n_outputs: int) -> bool:
    """Whether quadratic models of the loss are solved on working sets."""
    return n_outputs == 1 and not plan.squared and type(plan.rows_solver(1)) is WorkingSet


def targets_are_separate(data: TrainingData, plan: Plan) -> bool:
    """Whether the targets have nothing to do with each other but the rows and the penalty, and are fitted so.

    Sharply bent losses are: each target has a smoothing of its own.
    """
    if data.n_outputs == 1:
        return False
    by_column = plan.compiled and not plan.grouped(data.p)
    if isinstance(plan.datafit, HasSmoothing):
        return isinstance(plan.solver, str) and (by_column or isinstance(plan.penalty, ConcavePenalty))
    return plan.squared and by_column


def one_per_target(make: Callable[..., RowsFitProblem], data: TrainingData, plan: Plan) -> SeparateTargets:
    return SeparateTargets(
        [make(y, data.weight, plan.for_target(y, data.weight)) for y in np.ascontiguousarray(data.y.T)]
    )


def describe(data: TrainingData, name: str, why: str, problem: RowsFitProblem | SeparateTargets) -> str:
    """Which strategy was taken and why, in a sentence."""
    stored = "" if data.density == 1 else f", {data.density:.2g} of the entries stored,"
    how = "in memory" if data.in_memory else f"{where_computed(data.source)} in several passes"
    one = problem.parts[0] if isinstance(problem, SeparateTargets) else problem
    return f"{name}: {data.n:,} × {data.p:,} rows{stored} {how}; {why}{one.columns_read()}"
