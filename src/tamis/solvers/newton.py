"""Prox-Newton on a working set, for smooth losses other than squares.

At the point (w, b) the datafit is replaced by its quadratic model; b is eliminated from it (a Schur complement), the
rest is solved exactly on the working set, and a line search makes sure of progress. Curvature that has gone stale still
gives descent directions, so H is computed anew only when the steps it would save cost more than it does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tamis._core.progress import Steps
from tamis._core.threads import thread_count
from tamis.solvers.paths import SolvedPath
from tamis.solvers.working_state import Trend, WorkingState, dual_scale

MOST_STALLS = 3  # looks at all columns that do not halve the gap, before rounding is blamed
AIM = 0.3  # of the gap asked for: what the model may still promise when the steps on W end
STEP_PER_ENTRY, STEP_FIXED = 200.0, 4e7  # flops that a step could do instead: its products wait for memory


class NewtonPath:
    """f(X̃w + b) + α Ω(w) with f smooth; W's columns are centred where there is an intercept."""

    def __init__(self, problem: Any, solver: Any, start: np.ndarray | None) -> None:
        self.tol, self.max_iter = solver.tol, solver.max_iter
        self.strict = False  # whether the gap must be that of the gradient itself, as certificates keep it
        self.y, self.s, self.datafit = problem.y, problem.s, problem.datafit
        self.state = WorkingState(problem, solver.max_iter, solver.seed, thread_count(solver.n_jobs))
        self.H_at = np.zeros(0)  # the curvatures H was computed with
        centre = float(self.datafit.null_prediction(self.y, self.s)) if self.state.centred else 0.0
        self._move(np.full(len(self.y), centre))
        self._settle()
        self.null = self.loss
        self._fit_free()
        self.c = self.state.correlate(-self.g)
        self._begin(start)
        self.trend = Trend(self.c, self.state.terms.alpha_max(-self.c))

    def run(self, alphas: np.ndarray, steps: Steps) -> SolvedPath:
        out = SolvedPath.empty(alphas, self.state.A.shape[1])
        for _ in steps(self._walk(alphas, out), "path", len(alphas)):
            pass
        return out

    def finish(self, alpha: float, out: SolvedPath) -> None:
        """The last solution once more, so that its own gradient proves it."""
        self.strict = True
        n_iter, out.gaps[-1], out.converged[-1] = self._solve(alpha)
        out.n_iter[-1] += n_iter
        out.put(-1, self.state.features, self.state.w, self.state.intercept(self.state.w, self._centre()))

    def _walk(self, alphas: np.ndarray, out: SolvedPath) -> Iterator[int]:
        for k, alpha in enumerate(alphas):
            most = int(50 + 0.5 * len(self.state.features))
            self._admit(self.state.candidates(self.trend.at(alpha), alpha, most))
            out.n_iter[k], out.gaps[k], out.converged[k] = self._solve(alpha)
            out.put(k, self.state.features, self.state.w, self.state.intercept(self.state.w, self._centre()))
            self.trend.see(self.c[None], alphas[k : k + 1])
            yield k

    def _centre(self) -> float:
        """The intercept of the centred columns: what is left of z without them, the same in every row."""
        return float((self.z - self.state.columns.product(self.state.w)).mean())

    def _solve(self, alpha: float) -> tuple[int, float, bool]:
        """Descend on W, look at all columns, let in who violates; (steps, gap, whether it converged)."""
        goal = self.tol * self.null
        rounds, aim, least, stalls = 0, AIM * goal, np.inf, 0
        while True:
            rounds += self._descend(alpha, aim, self.max_iter - rounds)
            gap = self._look(alpha)
            if gap <= goal:
                return rounds, gap, True
            violators = self.violators
            if rounds >= self.max_iter or stalls > MOST_STALLS:
                return rounds, gap, False
            if not len(violators):
                stalls = 0 if gap < 0.5 * least else stalls + 1
                aim, least = 0.1 * aim, min(gap, least)
                if stalls:  # the promise is small and the gap is not: only exact curvature brings the last digits
                    self._refresh()
            self._admit(violators)

    def _descend(self, alpha: float, aim: float, most: int) -> int:
        """Newton steps on W until the model promises less than ``aim``."""
        last, fresh = np.inf, False
        for step in range(1, most + 1):
            if not len(self.H_at):
                self._refresh()
                fresh = True
            promise = self._step(alpha)
            if promise <= aim:
                return step
            if not fresh and self._worth_refreshing(promise, last, aim):
                self._refresh()
                fresh, last = True, np.inf
            else:
                fresh, last = False, promise
        return most

    def _step(self, alpha: float) -> float:
        """One step towards the minimum of the model; the decrease that the model promised."""
        state = self.state
        gradient = state.columns.correlate(self.g)
        ratio = self.h.sum() / self.H_at.sum()  # the model's curvature is ratio · H
        w = state.w.copy()
        q = state.H @ w - gradient / ratio
        state.quadratic.minimise(state.H, q, w, alpha / ratio, 1e-3 * self.tol * self.null)
        d = w - state.w
        omega = state.local.value(state.w)
        fall = float(gradient @ d) + alpha * (state.local.value(w) - omega)
        noise = 1e-14 * abs(self.loss)  # changes below it cannot be told from rounding: the step is trusted
        if not fall < noise:
            return 0.0
        u = state.columns.product(d)
        middle = (self.H_at @ u) / self.H_at.sum() if state.centred else 0.0
        theta = self.g + ratio * self.H_at * (u - middle)  # the model's gradient at its minimum: feasible on W
        if state.centred:
            u -= (self.h @ u) / self.h.sum()
        start, loss, t = self.z, self.loss, 1.0
        while True:
            there = w if t == 1.0 else state.w + t * d
            self._move(start + t * u)
            if self.loss - loss + alpha * (state.local.value(there) - omega) <= 1e-4 * t * fall + noise:
                break
            t *= 0.5
            if t < 1e-10:
                self._move(start)
                return 0.0
        state.w = there
        self._settle()
        if t == 1.0:
            self.theta = theta
        return max(-fall, 0.0)

    def _move(self, z: np.ndarray) -> None:
        self.z = z
        self.loss, self.g, self.h = self.datafit.local(self.y, z, self.s)

    def _settle(self) -> None:
        """The best intercept at these coefficients, so that the gradient sums to nothing."""
        for _ in range(50 if self.state.centred else 0):
            move = -float(self.g.sum()) / float(self.h.sum())
            if abs(move) <= 1e-14 * (1 + float(np.abs(self.z).max())):
                break
            self._move(self.z + move)
        self.theta = self.g

    def _worth_refreshing(self, promise: float, last: float, aim: float) -> bool:
        """Whether steps at the present rate cost more than fresh curvature and two of its steps."""
        if not np.isfinite(last):
            return False
        rate = min(promise / last, 0.99)
        n, k = len(self.y), len(self.state.features)
        a_step, refresh = STEP_PER_ENTRY * n * k + STEP_FIXED, n * k * k + k**3 / 3
        return bool(np.log(aim / promise) / np.log(rate) * a_step > refresh + 2 * a_step)

    def _refresh(self) -> None:
        self.H_at = self.h
        self.state.quadratic.forget()
        self._write(slice(0, len(self.state.features)))

    def _admit(self, units: np.ndarray) -> None:
        if len(units):
            rows = self.state.admit(units)
            if len(self.H_at):
                self._write(rows)

    def _write(self, rows: slice) -> None:
        """Rows of X̃ᵀ diag(h) X̃ with the intercept eliminated: − (X̃ᵀh)(X̃ᵀh)ᵀ/Σh."""
        H = self.state.columns.gram(rows.start, self.H_at)
        if self.state.centred:
            a = self.state.columns.correlate(self.H_at)
            H -= np.outer(a[rows], a) / self.H_at.sum()
        self.state.write(rows, H)

    def _look(self, alpha: float) -> float:
        """Correlations of every column with the dual point, and the gap; the gradient is it where that is infinite."""
        if self.strict:
            self.theta = self.g
        self.c = self.state.correlate(-self.theta)
        gap = self._gap(alpha)
        if not np.isfinite(gap) and self.theta is not self.g:
            self.theta = self.g
            self.c = self.state.correlate(-self.theta)
            gap = self._gap(alpha)
        return gap

    def _gap(self, alpha: float) -> float:
        """P − D at the best feasible multiple t of the dual point."""
        bound, self.violators = self.state.terms.survey(self.c, alpha, 0.0, self.state.inside)
        t, conjugate = dual_scale(self.state.terms, self.c, alpha, bound)
        dual = -self.datafit.conjugate(self.y, t * self.theta, self.s) - conjugate
        return max(0.0, self.loss + alpha * self.state.local.value(self.state.w) - dual)

    def _fit_free(self) -> None:
        """The null model: intercept and unpenalised columns only."""
        units = self.state.free_units()
        if len(units):
            self._admit(units)
            self._descend(0.0, 1e-3 * self.tol * self.null, self.max_iter)
            self.null = self.loss

    def _begin(self, start: np.ndarray | None) -> None:
        if start is None or not np.any(start):
            return
        state = self.state
        self._admit(state.units_of(start))
        before, state.w = state.w, np.ascontiguousarray(start[state.features], dtype=np.float64)
        self._move(self.z + state.columns.product(state.w - before))
        self._settle()
        self.c = state.correlate(-self.g)
