"""The Gram strategy: one pass leaves the Gram matrix, and everything else happens on it.

Memory does not depend on the number of rows. Of a path, most of the work may be the Gram matrix itself: for a lasso or
an elastic net (any weights that are not zero, of rows and of columns) on a dense float64 table in memory, of at least
400 columns, 8 rows for each of them and 4 columns for each α, the matrix is in single precision and the path is
corrected in double. The matrix costs n p² flops, of which single precision saves half, and the residuals of m alphas at
most 4 n p m.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tamis._core.far_columns import CONSTANT, FAR, beyond, exact_sum, real_variance
from tamis._core.progress import Steps, silent
from tamis._core.threads import thread_count
from tamis.base.training_data import TrainingData
from tamis.linear.alpha_choice import alpha_grid, degrees_of_freedom, ridge_of
from tamis.linear.fit_problem import SeparateTargets
from tamis.linear.plan import Plan
from tamis.operators import as_operator
from tamis.penalties import L1, CompiledPenalty, Penalty, Terms
from tamis.solvers.certificates import DualityGap
from tamis.solvers.gram_problem import GramProblem
from tamis.solvers.mixed_precision_path import MixedPrecisionPath
from tamis.solvers.paths import SolvedPath
from tamis.sources.base import matrix_of, where_computed
from tamis.stats import collect
from tamis.stats.cross_products import cross_products, given_gram
from tamis.stats.gram import Gram, check_room, checked
from tamis.stats.single_precision_gram import SinglePrecisionGram

# where two precisions save time
COLUMNS = 400
ROWS_PER_COLUMN = 8
COLUMNS_PER_ALPHA = 4
FAR_APART = 100.0  # standard deviations: what such columns differ by is stored with 2 digits less, squared 4 less
LOOKED_AT = 64  # rows that tell whether columns lie far from zero


@dataclass(frozen=True)
class GramFitProblem:
    """A problem on statistics, and the way back to the columns as they were given.

    The columns of ``scaled`` are divided by ``divisor`` (all ones without standardising), so its α |wⱼ| is
    α divisorⱼ |coefⱼ|.
    """

    gram: Gram
    scaled: GramProblem
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

    @property
    def means(self) -> np.ndarray:
        return self.gram.mean

    def alpha_max(self) -> float:
        return self.scaled.alpha_max()

    def null_value(self) -> float:
        return self.scaled.null()[1]

    def path(self, alphas: np.ndarray, start: np.ndarray | None = None, steps: Steps = silent) -> SolvedPath:
        w = None if start is None else start * self.divisor
        solved = self.plan.gram_solver(len(self.divisor)).path(self.scaled, alphas, w, steps)
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
        return np.maximum(self.scaled.yy - 2 * w @ self.scaled.q + np.einsum("ij,ij->i", w @ self.scaled.G, w), 0.0)

    def degrees(self, path: SolvedPath) -> np.ndarray:
        l2 = ridge_of(self.plan.penalty, len(self.divisor))
        return np.array(
            [self._degrees(np.flatnonzero(w), a * l2) for w, a in zip(path.coefs, path.alphas, strict=True)]
        )

    def _degrees(self, S: np.ndarray, ridge: np.ndarray) -> float:
        return degrees_of_freedom(self.scaled.gram(S, S), ridge[S])

    def certificate(self, coef: np.ndarray, intercept: Any, alpha: float) -> DualityGap:
        """In terms of the columns as given, ready to be verified on the rows."""
        bound = self.scaled.at(alpha).gap(coef * self.divisor)
        scale = self.divisor if self.plan.standardize else None
        primal = bound.primal + 0.5 * self._intercept_error(coef, float(intercept)) ** 2
        bound = replace(bound, primal=primal, scale=scale, standardized=self.plan.standardize)
        return replace(bound, w=coef, intercept=float(intercept), fit_intercept=self.plan.fit_intercept)

    def _intercept_error(self, coef: np.ndarray, intercept: float) -> float:
        """How far rounding left the intercept from the best one, ȳ − wᵀm: it counts with half of its square."""
        if not self.plan.fit_intercept:
            return 0.0
        p = self.gram.n_features
        parts = self.y_mean, -self.gram.centre[:p], -self.gram.offset[:p]
        return exact_sum(-intercept, np.concatenate([[1.0], coef, coef]), np.concatenate([parts[:1], *parts[1:]]))

    def rounding(self, coef: np.ndarray, intercept: Any, alpha: float) -> float:
        return self.scaled.rounding(coef * self.divisor)

    def kkt(self, coef: np.ndarray, intercept: Any, alpha: float) -> float:
        w = coef * self.divisor
        distance = self.scaled.omega.subdifferential_distance(w, self.scaled.gradient(w), alpha)
        return float(distance.max(initial=0.0))

    def relaxed(self, coef: np.ndarray, steps: Steps = silent) -> tuple[np.ndarray, Any]:
        S = np.flatnonzero(coef)
        free = L1(weights=np.zeros(len(S)), positive=bool(getattr(self.plan.penalty, "positive", False)))
        whole = self.scaled
        w = np.zeros(len(coef))
        w[S] = GramProblem(whole.gram(S, S), whole.q[S], whole.yy, whole.n, free, 0.0).null()[0]
        relaxed = w / self.divisor
        return relaxed, float(self.intercepts(relaxed))

    def with_tol(self, tol: float) -> GramFitProblem:
        return replace(self, plan=self.plan.with_tol(tol))

    def with_penalty(self, penalty: Penalty) -> GramFitProblem:
        whole = self.scaled
        scaled = GramProblem(whole.G, whole.q, whole.yy, whole.n, penalty, 0.0, whole.far)
        return replace(self, scaled=scaled, plan=self.plan.with_penalty(penalty))


def read_gram(data: TrainingData, plan: Plan, steps: Steps = silent) -> Gram:
    """One pass; complains about missing and infinite values by column."""
    check_room(data.p, copies=3)
    if isinstance(plan.precompute, np.ndarray):
        given = precomputed_gram(data, plan.precompute)
        if given is not None:
            return checked(given, data.source)
    (gram,) = collect(data.source, Gram(n_jobs=plan.n_jobs), n_jobs=plan.n_jobs, steps=steps)
    return checked(gram, data.source)


def precomputed_gram(data: TrainingData, G: np.ndarray) -> Gram | None:
    """The statistics of the rows with G for the products of the columns, None where G has not the digits."""
    moments = as_operator(data.source).moments(data.weight)
    return given_gram(data.source, data.y, data.weight, moments, G)


def problem_of(gram: Gram, plan: Plan) -> GramFitProblem:
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
    far = beyond(gram.mean, deviations**2, FAR_APART)
    far[constant] = False
    scaled = GramProblem(G, q, yy, gram.weight, plan.penalty, 0.0, far)
    return GramFitProblem(gram, scaled, divisor, gram.y_mean, plan)


def _deviations(gram: Gram) -> np.ndarray:
    """Standard deviations of the columns: exactly 0 for what rounding left of a constant one."""
    variance = gram.scatter.diagonal()[: gram.n_features] / gram.weight
    return np.sqrt(real_variance(variance, gram.mean))


def problem_of_targets(gram: Gram, plan: Plan, data: TrainingData) -> SeparateTargets:
    """One problem for each target on the one Gram matrix of the columns."""
    first = problem_of(gram, plan)
    products = cross_products(data.source, data.y, data.weight, (gram.mean, _deviations(gram) ** 2))
    Q, yy = products.xy / products.weight, products.yy / products.weight
    if not plan.fit_intercept:
        Q = Q + np.multiply.outer(gram.mean, products.y_mean)
        yy = yy + products.y_mean**2
    Q[first.scaled.G.diagonal() == 0] = 0.0
    Q /= first.divisor[:, None]
    G, n, far = first.scaled.G, gram.weight, first.scaled.far
    each = zip(Q.T, yy, products.y_mean, strict=True)
    scaled = ((GramProblem(G, np.ascontiguousarray(q), y2, n, plan.penalty, 0.0, far), float(m)) for q, y2, m in each)
    return SeparateTargets([replace(first, scaled=one, y_mean=m) for one, m in scaled])


def describe(data: TrainingData, gram: Gram, why: str) -> str:
    """Which strategy was taken and why, in a sentence."""
    p, size = gram.n_features, 8 * gram.scatter.size / 1e6
    where = where_computed(data.source)
    return (
        f"gram: one pass over {gram.n_rows:,} rows ({where}) leaves a {p:,} × {p:,} Gram matrix of {size:.3g} MB; {why}"
    )


def two_precision_path(
    data: TrainingData, plan: Plan, alphas: Any, eps: float, why: str
) -> tuple[SolvedPath, str] | None:
    """The path from a Gram matrix in single precision, corrected in double, and a sentence on it; None where that saves
    no time, or it did not reach its end.
    """
    X = matrix_of(data.source)
    if (
        not SinglePrecisionGram.takes(X)
        or not _suits_two_precisions(data, plan)
        or not _saves_time(X, len(alpha_grid(alphas, lambda: 1.0, eps)))
        or not (plan.fit_intercept or _near_zero(X))
    ):
        return None
    check_room(data.p, copies=3)
    n_threads, y = thread_count(plan.n_jobs), np.ascontiguousarray(data.y, dtype=np.float64)
    weight = None if data.weight is None else np.ascontiguousarray(data.weight, dtype=np.float64)
    gram = SinglePrecisionGram.of(
        X, y, weight, about_means=plan.fit_intercept, deviations=plan.standardize, n_threads=n_threads
    )
    if not gram.usable:
        return None
    terms = _terms_as_given(plan.penalty, gram)
    chosen = alpha_grid(alphas, lambda: terms.alpha_max(-gram.q), eps)
    solved = MixedPrecisionPath(plan.tol, plan.max_iter, n_threads).path(gram, X, y, weight, terms, chosen)
    return None if solved is None else (solved, _describe_two_precisions(data, why))


def _suits_two_precisions(data: TrainingData, plan: Plan) -> bool:
    """Whether a path is that of one target with every |wⱼ| penalised, each by itself, and nobody asks for a solver."""
    free_to_choose = plan.solver == "auto" and isinstance(plan.precompute, str)
    if not (free_to_choose and plan.squared and isinstance(plan.penalty, CompiledPenalty)):
        return False
    terms = plan.penalty.terms(data.p)
    return not plan.adaptive and data.targets is None and terms.group is None and bool((terms.l1 > 0).all())


def _terms_as_given(penalty: Any, gram: SinglePrecisionGram) -> Terms:
    """The penalty of the columns as given: that of wⱼ dⱼ where they are standardised by dⱼ."""
    terms: Terms = penalty.terms(len(gram.q))
    if gram.deviations is None:
        return terms
    divisor = np.where(gram.deviations > 0, gram.deviations, 1.0)
    return replace(terms, l1=terms.l1 * divisor, l2=terms.l2 * divisor**2)


def _near_zero(X: np.ndarray) -> bool:
    """Whether, about zero, columns can be told apart in single precision, by a few rows."""
    some = X[:: max(1, len(X) // LOOKED_AT)]
    return not beyond(some.mean(axis=0), some.var(axis=0), FAR).any()


def _saves_time(X: np.ndarray, n_alphas: int) -> bool:
    n, p = X.shape
    return p >= COLUMNS and n >= ROWS_PER_COLUMN * p and p >= COLUMNS_PER_ALPHA * n_alphas


def _describe_two_precisions(data: TrainingData, why: str) -> str:
    size = 8 * data.p**2 / 1e6
    return (
        f"gram: one pass over {data.n:,} rows (in memory) leaves a {data.p:,} × {data.p:,} Gram matrix of "
        f"{size:.3g} MB in single precision, a second corrects the path in double; {why}"
    )
