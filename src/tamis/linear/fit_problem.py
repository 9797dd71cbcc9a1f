"""The problem of a fit, posed and solved in the columns as the user gave them, whatever the strategy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from tamis._core.progress import Steps, silent
from tamis.linear.plan import Plan
from tamis.penalties import CompiledPenalty, Penalty
from tamis.solvers.gram_descent import descent_to
from tamis.solvers.paths import SolvedPath


class FitProblem(Protocol):
    """What an estimator needs of a problem: on a Gram matrix, on rows in memory, or on streamed rows."""

    @property
    def scale(self) -> np.ndarray:
        """Standard deviations of the columns."""
        ...

    @property
    def means(self) -> np.ndarray:
        """Of the columns, rows weighted."""
        ...

    @property
    def weight_sum(self) -> float: ...

    @property
    def n_outputs(self) -> int: ...

    def alpha_max(self) -> float: ...

    def null_value(self) -> float:
        """The objective of the model with nothing but an intercept and unpenalised columns."""
        ...

    def path(self, alphas: np.ndarray, start: np.ndarray | None = None, steps: Steps = silent) -> SolvedPath: ...

    def solve(self, alpha: float, start: np.ndarray, steps: Steps = silent) -> tuple[np.ndarray, Any]:
        """Coefficients and intercept at one α from ``start``."""
        ...

    def losses(self, path: SolvedPath) -> np.ndarray:
        """The mean loss of every α on the rows fitted: squared errors, or log loss."""
        ...

    def degrees(self, path: SolvedPath) -> np.ndarray:
        """Degrees of freedom of every α, without the intercept."""
        ...

    def certificate(self, coef: np.ndarray, intercept: Any, alpha: float) -> Any:
        """The proof of how far this model can be from the best; one per target where targets are problems apart."""
        ...

    def rounding(self, coef: np.ndarray, intercept: Any, alpha: float) -> float:
        """How far rounding alone may move the objective of this model."""
        ...

    def kkt(self, coef: np.ndarray, intercept: Any, alpha: float) -> float:
        """The largest violation of the optimality conditions."""
        ...

    def relaxed(self, coef: np.ndarray, steps: Steps = silent) -> tuple[np.ndarray, Any]:
        """Coefficients and intercept on the support of ``coef``, without the penalty."""
        ...

    def with_penalty(self, penalty: Penalty) -> FitProblem: ...

    def with_tol(self, tol: float) -> FitProblem: ...


def solve_at(problem: FitProblem, alpha: float, start: np.ndarray | None, steps: Steps) -> SolvedPath:
    """The path from α_max, or from ``start``, that ends at α; its last entry is the solution."""
    alone = start is not None or getattr(problem, "descends", False)
    stops = {} if alone else getattr(problem, "stops", {})
    alphas = np.array([alpha]) if alone else descent_to(alpha, problem.alpha_max(), **stops)
    return problem.path(alphas, start, steps)


def last_gap(problem: FitProblem, path: SolvedPath) -> float:
    """The gap of the last entry; 0 without a certificate."""
    certificate = problem.certificate(path.coefs[-1], path.intercepts[-1], float(path.alphas[-1]))
    return 0.0 if certificate is None else gap_of(certificate)


def gap_is_within(problem: FitProblem, path: SolvedPath, tol: float) -> bool:
    """Whether the gap of the last entry is at most tol times the null model's objective, rounding not forgiven."""
    return last_gap(problem, path) <= tol * problem.null_value()


def is_resolved(problem: FitProblem, path: SolvedPath, plan: Plan, p: int) -> bool:
    """Whether a Gram matrix had the digits for this: the gap of the last entry is within tol.

    Without an intercept, columns far from zero differ in its last digits only; with one, columns that are not penalised
    may, and rounding is forgiven.
    """
    alpha = float(path.alphas[-1])
    if plan.fit_intercept and alpha > 0 and not leaves_free(plan.penalty, p):
        return True
    forgiven = problem.rounding(path.coefs[-1], path.intercepts[-1], alpha) if plan.fit_intercept else 0.0
    return last_gap(problem, path) <= max(plan.tol * problem.null_value(), forgiven)


def leaves_free(penalty: Penalty, p: int) -> bool:
    """Whether a column is not penalised."""
    return isinstance(penalty, CompiledPenalty) and bool(penalty.terms(p).free.any())


def with_certified_gaps(problem: FitProblem, path: SolvedPath, unpenalised: bool, tol: float) -> SolvedPath:
    """The path with the gaps of certificates where columns are unpenalised, or all of them are at α = 0.

    Solvers take these columns to be solved for. Where columns nearly agree that need not be so.
    """
    gaps, converged = path.gaps.copy(), path.converged.copy()
    for k in np.flatnonzero(unpenalised | (path.alphas == 0)):
        coef, intercept, alpha = path.coefs[k], path.intercepts[k], float(path.alphas[k])
        certificate = problem.certificate(coef, intercept, alpha)
        if certificate is not None:
            gaps[k] = [c.gap for c in certificate] if isinstance(certificate, tuple) else certificate.gap
            limit = max(tol * problem.null_value(), problem.rounding(coef, intercept, alpha))
            converged[k] &= gap_of(certificate) <= limit
    return replace(path, gaps=gaps, converged=converged)


SHARPER = (1.0, 1e-2, 1e-4)  # of tol


def certify(problem: FitProblem, path: SolvedPath, k: int, tol: float, steps: Steps) -> tuple[Any, bool]:
    """The certificate of entry k, and whether its gap is at most tol times the null model's objective, or what rounding
    alone may move the objective by, where that is more.

    Along a path a solver may stop by a dual point that is not the residual of its coefficients: then this α is solved
    by itself, in place, and more sharply if need be, until its coefficients are the proof.
    """
    alpha, limit = float(path.alphas[k]), tol * problem.null_value()
    certificate = problem.certificate(path.coefs[k], path.intercepts[k], alpha)
    if certificate is not None and not gap_of(certificate) <= limit:
        limit = max(limit, problem.rounding(path.coefs[k], path.intercepts[k], alpha))
    for factor in SHARPER if path.converged[k] and certificate is not None else ():
        if gap_of(certificate) <= limit:
            break
        coef, intercept = problem.with_tol(factor * tol).solve(alpha, path.coefs[k], steps)
        sharper = problem.certificate(coef, intercept, alpha)
        if gap_of(sharper) < gap_of(certificate):
            path.coefs[k], path.intercepts[k], certificate = coef, intercept, sharper
    return certificate, bool(path.converged[k]) if certificate is None else gap_of(certificate) <= limit


def sharpen(problem: FitProblem, path: SolvedPath, k: int, tol: float, steps: Steps) -> None:
    """Entry k solved by itself to a gap of ``SHARPER[-1]`` of tol, in place, where that brings it nearer.

    A path stops at a gap of tol, which leaves √tol in coefficients: the one that is kept gets more digits, so
    that a weight of two and a row given twice are the same to seven of them.
    """
    alpha = float(path.alphas[k])
    before = problem.certificate(path.coefs[k], path.intercepts[k], alpha)
    if before is None or not path.converged[k]:
        return
    coef, intercept = problem.with_tol(SHARPER[-1] * tol).solve(alpha, path.coefs[k], steps)
    if gap_of(problem.certificate(coef, intercept, alpha)) < gap_of(before):
        path.coefs[k], path.intercepts[k] = coef, intercept


def rounded(
    problem: FitProblem, coef: np.ndarray, intercept: Any, dtype: np.dtype, fit_intercept: bool
) -> tuple[np.ndarray, Any]:
    """The model with coefficients that ``dtype`` can hold; the intercept, in double, makes up for what columns far from
    zero lose by that."""
    short = coef.astype(dtype).astype(np.float64)
    return short, intercept + (coef - short) @ problem.means if fit_intercept else intercept


def bounded_by(certificate: Any, other: Any) -> Any:
    """The certificate of a model, with the dual point of another where its bound is better."""
    if isinstance(certificate, tuple):
        return tuple(one.bounded_by(its) for one, its in zip(certificate, other, strict=True))
    return certificate if certificate is None else certificate.bounded_by(other)


def unfinished(problem: FitProblem, path: SolvedPath) -> int:
    """How many alphas of a path did not converge: their gaps are more than asked and more than rounding."""
    return sum(not _within_rounding(problem, path, int(k)) for k in np.flatnonzero(~path.converged))


def _within_rounding(problem: FitProblem, path: SolvedPath, k: int) -> bool:
    gap = float(np.sum(path.gaps[k]))
    if not np.isfinite(gap):  # no bound is known
        return False
    return gap <= problem.rounding(path.coefs[k], path.intercepts[k], float(path.alphas[k]))


def gap_of(certificate: Any) -> float:
    """Of targets apart, the sum."""
    return sum(c.gap for c in certificate) if isinstance(certificate, tuple) else certificate.gap


@dataclass(frozen=True)
class SeparateTargets:
    """Targets that share rows and penalty but nothing else: one problem each, answers stacked."""

    parts: Sequence[Any]

    @property
    def n(self) -> int:
        return self.parts[0].n

    @property
    def weight(self) -> np.ndarray | None:
        return self.parts[0].weight

    @property
    def scale(self) -> np.ndarray:
        return self.parts[0].scale

    @property
    def means(self) -> np.ndarray:
        return self.parts[0].means

    @property
    def weight_sum(self) -> float:
        return self.parts[0].weight_sum

    @property
    def n_outputs(self) -> int:
        return len(self.parts)

    def alpha_max(self) -> float:
        return max(part.alpha_max() for part in self.parts)

    def null_value(self) -> float:
        return sum(part.null_value() for part in self.parts)

    def path(self, alphas: np.ndarray, start: np.ndarray | None = None, steps: Steps = silent) -> SolvedPath:
        starts = [None] * len(self.parts) if start is None else start
        paths = [part.path(alphas, w, steps) for part, w in zip(self.parts, starts, strict=True)]
        stacked = (np.stack([getattr(p, f) for p in paths], axis=1) for f in ("coefs", "intercepts", "gaps", "n_iter"))
        coefs, intercepts, gaps, n_iter = stacked
        converged = np.all([p.converged for p in paths], axis=0)
        counts = [p.screened for p in paths if p.screened is not None]
        screened = np.sum(counts, axis=0) if counts else None
        return SolvedPath(alphas, coefs, intercepts, gaps, n_iter, converged, screened)

    def solve(self, alpha: float, start: np.ndarray, steps: Steps = silent) -> tuple[np.ndarray, Any]:
        each = [part.solve(alpha, w, steps) for part, w in zip(self.parts, start, strict=True)]
        return np.stack([w for w, _ in each]), np.array([b for _, b in each])

    def losses(self, path: SolvedPath, *held_out_errors: Any) -> np.ndarray:
        """Averaged over the targets."""
        return np.mean([part.losses(one, *held_out_errors) for part, one in self._each(path)], axis=0)

    def degrees(self, path: SolvedPath) -> np.ndarray:
        return np.sum([part.degrees(one) for part, one in self._each(path)], axis=0)

    def _each(self, path: SolvedPath) -> Iterator[tuple[Any, SolvedPath]]:
        for k, part in enumerate(self.parts):
            yield part, replace(path, coefs=path.coefs[:, k], intercepts=path.intercepts[:, k])

    def reweighted(self, *given: Any) -> SeparateTargets:
        return SeparateTargets([part.reweighted(*given) for part in self.parts])

    def certificate(self, coef: np.ndarray, intercept: Any, alpha: float) -> tuple[Any, ...]:
        each = zip(self.parts, coef, intercept, strict=True)
        return tuple(part.certificate(w, b, alpha) for part, w, b in each)

    def rounding(self, coef: np.ndarray, intercept: Any, alpha: float) -> float:
        return sum(part.rounding(w, b, alpha) for part, w, b in zip(self.parts, coef, intercept, strict=True))

    def kkt(self, coef: np.ndarray, intercept: Any, alpha: float) -> float:
        return max(part.kkt(w, b, alpha) for part, w, b in zip(self.parts, coef, intercept, strict=True))

    def relaxed(self, coef: np.ndarray, steps: Steps = silent) -> tuple[np.ndarray, Any]:
        each = [part.relaxed(w, steps) for part, w in zip(self.parts, coef, strict=True)]
        return np.stack([w for w, _ in each]), np.array([b for _, b in each])

    def with_tol(self, tol: float) -> SeparateTargets:
        return SeparateTargets([part.with_tol(tol) for part in self.parts])

    def with_penalty(self, penalty: Penalty) -> SeparateTargets:
        return SeparateTargets([part.with_penalty(penalty) for part in self.parts])
