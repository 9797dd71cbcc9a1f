"""Prox-Newton on a working set, for smooth losses other than squares.

At the point (w, b) the datafit is replaced by its quadratic model; b is eliminated from it (a Schur complement), the
rest is solved exactly on the working set, and a line search makes sure of progress. Curvature that has gone stale still
gives descent directions, so H is computed anew only once the steps it would have saved cost more than it does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tamis._core.threads import thread_count
from tamis._kernels.interruption import check_interrupted
from tamis.solvers.batched_path import BatchedPath
from tamis.solvers.paths import SolvedPath
from tamis.solvers.prox_newton_iterates import Iterate, LossOnColumns, QuadraticModel
from tamis.solvers.quadratic import FeatureQuadratic
from tamis.solvers.working_set_state import CorrelationTrend, WorkingSetState, dual_scale

MOST_STALLS = 3  # looks at all columns that do not halve the gap, before rounding is blamed
FIRST_HALVES = 1e-8  # of the null model's loss: down to this tolerance the gradient on single precision columns leads
INNER_GAP = 1.0  # of the gap asked for: the decrease that the model may still predict when the steps on W end
INNER_GAP_WHEN_STRICT = 1e-5  # the gradient is a dual point only once it is orthogonal to the unpenalised columns
CERTAIN = 1e-150  # a sum of curvatures, whose products are no numbers: every row is certain and no step leads anywhere
STEPS_WHEN_FRESH = 3  # what an α takes with exact curvature
STEP_PER_ENTRY, STEP_FIXED = 30.0, 1e7  # flops that a step could do instead: its products wait for memory


@dataclass
class Attempt:
    """What was tried at the α that is next: rounds, the tolerance on W, the least gap seen, looks in vain."""

    inner_tol: float
    rounds: int = 0
    least: float = np.inf
    stalls: int = 0


class ProxNewtonPath(BatchedPath):
    """f(X̃w + b) + α Ω(w) with f smooth; W's columns are centred where there is an intercept."""

    def __init__(self, problem: Any, solver: Any, start: np.ndarray | None) -> None:
        self.tol, self.max_iter = solver.tol, solver.max_iter
        self.strict = False  # whether the gap must be that of the gradient itself, as certificates keep it
        self.y, self.s, self.datafit, self.floor = problem.y, problem.s, problem.datafit, problem.floor()
        n_threads = thread_count(solver.n_jobs)
        self.state = state = WorkingSetState(
            problem, solver.max_iter, solver.seed, n_threads, solver.screening, solver.tol
        )
        self.loss = LossOnColumns(state.columns, self.datafit, self.y, self.s, n_threads)
        self.model: QuadraticModel | None = None
        self.wasted = 0.0
        centre = float(self.datafit.null_prediction(self.y, self.s)) if state.centred else 0.0
        self.at = self._with_best_intercept(self.loss.at(np.zeros(0), 0.0, centre, np.full(len(self.y), centre)))
        self.null = self.at.loss
        self._fit_free()
        self._begin(start)
        c = state.first_correlations(-self.at.g)
        self.trend = CorrelationTrend(c, state.terms.alpha_max(-c))
        self.attempt = self._attempt()

    @property
    def goal(self) -> float:
        return float(self.tol * (self.null - self.floor))

    def _attempt(self) -> Attempt:
        return Attempt((INNER_GAP_WHEN_STRICT if self.strict else INNER_GAP) * self.goal)

    def finish(self, alpha: float, out: SolvedPath) -> None:
        """The last solution once more, so that its own gradient proves it."""
        self.strict = True
        self.at, self.attempt = self.loss.with_exact_gradient(self.at), self._attempt()
        last, before = len(out.alphas) - 1, out.n_iter[-1]
        out.coefs[last] = 0.0  # a coefficient that was not zero before may be now
        while not self._advance(np.array([alpha]), out, last):
            pass
        out.n_iter[last] += before

    def _advance(self, alphas: np.ndarray, out: SolvedPath, k: int) -> int:
        """Descend on W for each α, look at all columns once, let in who violates; how many α are done."""
        self._admit(self.state.candidates(self.trend.at(alphas[-1]), alphas[-1], self.most_new(len(alphas))))
        points: list[Iterate] = []
        rounds: list[int] = []
        for alpha in alphas:
            attempt = self.attempt if not points else self._attempt()
            rounds.append(attempt.rounds + self._descend(alpha, attempt.inner_tol, self.max_iter - attempt.rounds))
            self.at = self._with_best_intercept(self.at) if self.strict or self.at.theta is None else self.at
            points.append(self.at)
        points = self.loss.with_exact_prediction(points)
        C = self.state.correlations(
            -np.array([point.g if point.theta is None else point.theta for point in points]), alphas
        )
        good, missing = 0, []
        for i, alpha in enumerate(alphas):
            gap, t, C[i], violators = self._gap(alpha, points[i], C[i])
            missing.append(violators)
            if good < i:
                continue
            fine = gap <= self.goal
            left = not (fine or (i == 0 and self._gives_up(points[0], gap, rounds[0], len(violators))))
            screened = self._prove(points[i], C[i], t, alpha, gap, left)
            if left:
                continue
            out.record(k + i, rounds[i], gap, fine, screened)
            out.put(k + i, self.state.features, points[i].w, self.state.intercept(points[i].w, points[i].b))
            good += 1
        self.at = points[min(good, len(points) - 1)]  # where the next α begins, or this one goes on
        if good:
            self.trend.update(C[:good], alphas[:good])
            self.attempt = self._attempt()
        self._admit(np.unique(np.concatenate(missing)))
        return good

    def _gives_up(self, point: Iterate, gap: float, rounds: int, n_violators: int) -> bool:
        """Whether to leave this α with the gap it has; else what the next attempt does better."""
        self.at, attempt = point, self.attempt
        attempt.rounds = rounds
        if rounds >= self.max_iter or attempt.stalls > MOST_STALLS or point.h_sum <= CERTAIN:
            return True
        if not n_violators:
            attempt.stalls = 0 if gap < 0.5 * attempt.least else attempt.stalls + 1
            attempt.inner_tol, attempt.least = 0.1 * attempt.inner_tol, min(gap, attempt.least)
            if attempt.stalls:  # the decrease is small and the gap is not: only exact curvature brings the last digits
                self._refresh()
        return False

    def _descend(self, alpha: float, inner_tol: float, most: int) -> int:
        """Newton steps on W until the decrease that the model predicts is at most ``inner_tol``."""
        self.loss.exact = inner_tol < FIRST_HALVES * self.null
        for step in range(1, most + 1):
            check_interrupted()
            if self.at.h_sum <= CERTAIN:
                return step
            if self.model is None or self._stale(step):
                self._refresh()
            decrease = self._step(alpha, self.model)  # type: ignore[arg-type]
            if decrease <= inner_tol:
                return step
        return most

    def _stale(self, step: int) -> bool:
        """Whether the steps that fresh curvature would have saved since it was computed cost more than it does."""
        n, k = len(self.y), len(self.state.features)
        if step > STEPS_WHEN_FRESH:
            self.wasted += STEP_PER_ENTRY * n * k + STEP_FIXED
        return self.wasted > n * k * k + k**3 / 3

    def _step(self, alpha: float, model: QuadraticModel) -> float:
        """One step towards the minimum of the model; the decrease that the model promised."""
        at = self.at
        w, shift, omega, slope = self._minimum(alpha, model)
        fall = slope + alpha * (omega - at.omega)
        noise = 1e-14 * abs(at.loss)  # changes below it cannot be told from rounding: the step is trusted
        if not fall < noise:
            return 0.0
        new = self.loss.step(at, w, omega, shift, model)
        if new.loss - at.loss + alpha * (omega - at.omega) > 1e-4 * fall + noise:
            new = self._backtrack(new, fall, alpha, noise)
        self.at = new
        return max(-fall, 0.0) if new is not at else 0.0

    def _minimum(self, alpha: float, model: QuadraticModel) -> tuple[np.ndarray, float, float, float]:
        """Of the model: coefficients, shift of b, Ω(w), and how far the loss would fall if it were a straight line."""
        state, at, tol = self.state, self.at, 1e-3 * self.goal
        if isinstance(state.quadratic, FeatureQuadratic):
            w, facts = state.quadratic.newton(state.H, at, model, alpha, tol)
            return (w, *facts)
        ratio = at.h_sum / model.h_sum  # the model's curvature is ratio · H
        w = at.w.copy()
        gradient = at.correlations - at.g_sum / model.h_sum * model.along if state.centred else at.correlations
        state.quadratic.minimise(state.H, state.H @ w - gradient / ratio, w, alpha / ratio, tol)
        d = w - at.w
        shift = -(at.g_sum / ratio + float(model.along @ d)) / model.h_sum if state.centred else 0.0
        return w, shift, state.local.value(w), float(at.correlations @ d) + at.g_sum * shift

    def _backtrack(self, new: Iterate, fall: float, alpha: float, noise: float) -> Iterate:
        """The first of half, a quarter, … of the step that brings what it should; the point before where none does."""
        at, t = self.at, 0.5
        while t >= 1e-10:
            w, z, unapplied = (
                a + t * (b - a) for a, b in ((at.w, new.w), (at.z, new.z), (at.unapplied, new.unapplied))
            )
            omega = self.state.local.value(w)
            loss = self.datafit.local(self.y, z, self.s)[0]
            if loss - at.loss + alpha * (omega - at.omega) <= 1e-4 * t * fall + noise:
                return self.loss.at(w, omega, at.b + t * (new.b - at.b), z, unapplied)
            t *= 0.5
        return at

    def _with_best_intercept(self, point: Iterate) -> Iterate:
        """The point with the best intercept; its own gradient is then a dual point."""
        return replace(self.loss.with_best_intercept(point) if self.state.centred else point, theta=None)

    def _refresh(self) -> None:
        self.wasted = 0.0
        self.model = QuadraticModel(self.at.h, np.zeros(0), self.at.h_sum)
        self.state.quadratic.reset()
        self._write(slice(0, len(self.state.features)))

    def _admit(self, units: np.ndarray) -> None:
        if len(units):
            rows = self.state.admit(units)
            self.at = self.loss.widened(self.at)
            if self.model is not None:
                self._write(rows)

    def _write(self, rows: slice) -> None:
        """Rows of X̃ᵀ diag(h) X̃ with the intercept eliminated: − (X̃ᵀh)(X̃ᵀh)ᵀ/Σh."""
        model, columns = self.model, self.state.columns
        assert model is not None
        H = columns.gram(rows.start, model.h)
        if self.state.centred:
            along = np.append(model.along, columns.along(model.h, rows.start))
            H -= np.outer(along[rows] / model.h_sum, along)
            self.model = replace(model, along=along)
        self.state.write(rows, H)

    def _gap(self, alpha: float, point: Iterate, c: np.ndarray) -> tuple[float, float, np.ndarray, np.ndarray]:
        """P − D at the best feasible multiple t of the dual point, t, its correlations and who violates.

        Where the model's dual point lies outside the domain of the loss's conjugate, the gradient takes its place.
        """
        theta = point.g if point.theta is None else point.theta
        bound, violators = self.state.terms.survey(c, alpha, 0.0, self.state.inside)
        t, conjugate = dual_scale(self.state.terms, c, alpha, bound)
        dual = -self.datafit.conjugate(self.y, t * theta, self.s) - conjugate
        gap = max(0.0, point.loss + alpha * point.omega - dual)
        if np.isfinite(gap) or point.theta is None:
            return gap, t, c, violators
        best = self._with_best_intercept(point)
        c = self.state.correlations(-best.g[None], np.array([alpha]))[0]
        gap, t, c, violators = self._gap(alpha, best, c)
        return gap + (point.loss - best.loss), t, c, violators

    def _prove(self, point: Iterate, c: np.ndarray, t: float, alpha: float, gap: float, keep: bool) -> int:
        theta = point.g if point.theta is None else point.theta
        return self.state.prove(-theta, c, t, alpha, point.loss + alpha * point.omega, gap, keep)

    def _fit_free(self) -> None:
        """The null model: intercept and unpenalised columns only."""
        units = self.state.free_units()
        if len(units):
            self._admit(units)
            self._descend(0.0, 1e-3 * self.goal, self.max_iter)
            self.at = self._with_best_intercept(self.loss.with_exact_prediction([self.at])[0])
            self.null = self.at.loss

    def _begin(self, start: np.ndarray | None) -> None:
        """From given coefficients: their units join, and the centre is the best for them."""
        if start is None or not np.any(start):
            return
        self._admit(self.state.units_of(start))
        w = np.ascontiguousarray(start[self.state.features], dtype=np.float64)
        z = self.at.z + self.state.columns.product(w - self.at.w)
        self.at = self._with_best_intercept(self.loss.at(w, self.state.local.value(w), self.at.b, z))
