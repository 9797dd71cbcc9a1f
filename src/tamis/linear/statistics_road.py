"""The statistics road: one pass leaves the Gram matrix, and everything else happens on it.

Memory does not depend on the number of rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tamis._core.far_columns import CONSTANT, exact_sum, real_variance
from tamis._core.progress import Steps, silent
from tamis.linear.degrees import effective_number, ridge_of
from tamis.linear.door import Rows
from tamis.linear.plan import Plan
from tamis.linear.standing import Several
from tamis.operators import as_operator
from tamis.penalties import L1, Penalty
from tamis.solvers.certificates import DualityGap
from tamis.solvers.gram_problem import GramProblem
from tamis.solvers.paths import SolvedPath
from tamis.stats import collect
from tamis.stats.cross_products import cross_products, given_gram
from tamis.stats.gram import Gram, check_room, checked


@dataclass(frozen=True)
class GramStanding:
    """A problem on statistics, and the way back to the columns as they were given.

    The problem's columns are divided by ``divisor`` (all ones without standardising), so its α |wⱼ| is
    α divisorⱼ |coefⱼ|.
    """

    gram: Gram
    problem: GramProblem
    divisor: np.ndarray
    y_mean: float
    plan: Plan

    n_outputs = 1

    @property
    def weight_sum(self) -> float:
        return self.gram.weight

    @property
    def scale(self) -> np.ndarray:
        return _deviations(self.gram)

    def alpha_max(self) -> float:
        return self.problem.alpha_max()

    def null_value(self) -> float:
        return self.problem.null()[1]

    def path(self, alphas: np.ndarray, start: np.ndarray | None = None, steps: Steps = silent) -> SolvedPath:
        w = None if start is None else start * self.divisor
        solved = self.plan.gram_solver(len(self.divisor)).path(self.problem, alphas, w, steps)
        coefs = solved.coefs / self.divisor
        return replace(solved, coefs=coefs, intercepts=self.intercepts(coefs))

    def solve(self, alpha: float, start: np.ndarray, steps: Steps = silent) -> tuple[np.ndarray, Any]:
        path = self.path(np.array([alpha]), start, steps)
        return path.coefs[0], path.intercepts[0]

    def intercepts(self, coefs: np.ndarray) -> Any:
        if not self.plan.fit_intercept:
            return np.zeros(coefs.shape[:-1])
        return self.y_mean - coefs @ self.gram.mean

    def losses(self, path: SolvedPath) -> np.ndarray:
        w = path.coefs * self.divisor
        return np.maximum(self.problem.yy - 2 * w @ self.problem.q + np.einsum("ij,ij->i", w @ self.problem.G, w), 0.0)

    def degrees(self, path: SolvedPath) -> np.ndarray:
        l2 = ridge_of(self.plan.penalty, len(self.divisor))
        return np.array(
            [self._degrees(np.flatnonzero(w), a * l2) for w, a in zip(path.coefs, path.alphas, strict=True)]
        )

    def _degrees(self, S: np.ndarray, ridge: np.ndarray) -> float:
        return effective_number(self.problem.gram(S, S), ridge[S])

    def certificate(self, coef: np.ndarray, intercept: Any, alpha: float) -> DualityGap:
        """In terms of the columns as given, ready to be verified on the rows."""
        bound = self.problem.at(alpha).gap(coef * self.divisor)
        scale = self.divisor if self.plan.standardize else None
        primal = bound.primal + 0.5 * self._off(coef, float(intercept)) ** 2
        bound = replace(bound, primal=primal, scale=scale, standardized=self.plan.standardize)
        return replace(bound, w=coef, intercept=float(intercept), fit_intercept=self.plan.fit_intercept)

    def _off(self, coef: np.ndarray, intercept: float) -> float:
        """How far rounding left the intercept from the best one, ȳ − wᵀm: it counts with half of its square."""
        if not self.plan.fit_intercept:
            return 0.0
        p = self.gram.n_features
        parts = self.y_mean, -self.gram.centre[:p], -self.gram.offset[:p]
        return exact_sum(-intercept, np.concatenate([[1.0], coef, coef]), np.concatenate([parts[:1], *parts[1:]]))

    def rounding(self, coef: np.ndarray, intercept: Any, alpha: float) -> float:
        return self.problem.rounding(coef * self.divisor)

    def kkt(self, coef: np.ndarray, intercept: Any, alpha: float) -> float:
        w = coef * self.divisor
        distance = self.problem.omega.subdifferential_distance(w, self.problem.gradient(w), alpha)
        return float(distance.max(initial=0.0))

    def relaxed(self, coef: np.ndarray, steps: Steps = silent) -> tuple[np.ndarray, Any]:
        S = np.flatnonzero(coef)
        free = L1(weights=np.zeros(len(S)), positive=bool(getattr(self.plan.penalty, "positive", False)))
        whole = self.problem
        w = np.zeros(len(coef))
        w[S] = GramProblem(whole.gram(S, S), whole.q[S], whole.yy, whole.n, free, 0.0).null()[0]
        relaxed = w / self.divisor
        return relaxed, float(self.intercepts(relaxed))

    def with_tol(self, tol: float) -> GramStanding:
        return replace(self, plan=self.plan.with_tol(tol))

    def with_penalty(self, penalty: Penalty) -> GramStanding:
        whole = self.problem
        problem = GramProblem(whole.G, whole.q, whole.yy, whole.n, penalty, 0.0)
        return replace(self, problem=problem, plan=self.plan.with_penalty(penalty))


def gram_of(rows: Rows, plan: Plan, steps: Steps = silent) -> Gram:
    """One pass; complains about missing and infinite values by column."""
    check_room(rows.p, copies=3)
    if isinstance(plan.precompute, np.ndarray):
        given = precomputed_gram(rows, plan.precompute)
        if given is not None:
            return checked(given, rows.source)
    (gram,) = collect(rows.source, Gram(n_jobs=plan.n_jobs), n_jobs=plan.n_jobs, steps=steps)
    return checked(gram, rows.source)


def precomputed_gram(rows: Rows, G: np.ndarray) -> Gram | None:
    """The statistics of the rows with G for the products of the columns, None where G has not the digits."""
    moments = as_operator(rows.source).moments(rows.weight)
    return given_gram(rows.source, rows.y, rows.weight, moments, G)


def stand(gram: Gram, plan: Plan) -> GramStanding:
    """The problem of a Gram matrix."""
    G, q, yy = gram.normalised()
    if yy <= (CONSTANT * gram.y_mean) ** 2:  # what rounding left of a constant target
        q, yy = np.zeros_like(q), 0.0
    if not plan.fit_intercept:
        mean = gram.mean
        G += np.multiply.outer(mean, mean)
        q = q + mean * gram.y_mean
        yy = yy + gram.y_mean**2
    deviations = _deviations(gram)
    constant = np.flatnonzero(deviations == 0) if plan.fit_intercept else np.zeros(0, np.intp)
    if len(constant):  # what rounding left of a constant column: it cannot enter
        G[constant] = G[:, constant] = 0.0
        q[constant] = 0.0
    divisor = np.ones(len(q))
    if plan.standardize:
        divisor = np.where(deviations > 0, deviations, 1.0)
        G /= divisor[:, None]
        G /= divisor
        q = q / divisor
    problem = GramProblem(G, q, yy, gram.weight, plan.penalty, 0.0)
    return GramStanding(gram, problem, divisor, gram.y_mean, plan)


def _deviations(gram: Gram) -> np.ndarray:
    """Standard deviations of the columns: exactly 0 for what rounding left of a constant one."""
    variance = gram.scatter.diagonal()[: gram.n_features] / gram.weight
    return np.sqrt(real_variance(variance, gram.mean))


def stand_targets(gram: Gram, plan: Plan, rows: Rows) -> Several:
    """One problem for each target on the one Gram matrix of the columns."""
    first = stand(gram, plan)
    known = cross_products(rows.source, rows.y, rows.weight, (gram.mean, _deviations(gram) ** 2))
    Q, yy = known.xy / known.weight, known.yy / known.weight
    if not plan.fit_intercept:
        Q = Q + np.multiply.outer(gram.mean, known.y_mean)
        yy = yy + known.y_mean**2
    Q[first.problem.G.diagonal() == 0] = 0.0
    Q /= first.divisor[:, None]
    G, n = first.problem.G, gram.weight
    problems = [
        GramProblem(G, np.ascontiguousarray(q), y2, n, plan.penalty, 0.0) for q, y2 in zip(Q.T, yy, strict=True)
    ]
    return Several([replace(first, problem=p, y_mean=float(m)) for p, m in zip(problems, known.y_mean, strict=True)])


def describe(rows: Rows, gram: Gram, why: str) -> str:
    """Which road was taken and why, in a sentence."""
    p, size = gram.n_features, 8 * gram.scatter.size / 1e6
    where = "in memory" if rows.in_memory else "streamed"
    return (
        f"statistics: one pass over {gram.n_rows:,} rows ({where}) leaves a {p:,} × {p:,} Gram matrix of "
        f"{size:.3g} MB; {why}"
    )
