"""Sparse multinomial regression on working sets, one for each class where the penalty lets classes stand alone.

Steps on the models of :mod:`tamis.solvers.multinomial_model` decide who is zero; Newton steps on what is not, with the
true curvature, bring the last digits. Their systems are solved by conjugate gradients that the models precondition, so
that models may go stale for a long time. Vectors of length n or k stand in rows, one for each class.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tamis._core.threads import thread_count
from tamis._kernels.interruption import check_interrupted
from tamis.penalties import Terms
from tamis.solvers.block_descent import BlockQuadratic
from tamis.solvers.duality import largest_scale, penalty_conjugate
from tamis.solvers.multinomial_model import MultinomialModel
from tamis.solvers.paths import SolvedPath
from tamis.solvers.quadratic import FeatureQuadratic
from tamis.solvers.working_set_state import WorkingSetState

ACCURACY = 0.1  # of a Newton direction
MOST_PRODUCTS = 30  # conjugate gradient steps in one direction
HALVINGS = 20  # of a step before it is given up
PATIENCE = 10  # steps without a smaller gap or objective before rounding is taken to be the reason
ROUNDING = 1e-13  # of the objective: falls by less tell nothing
STALE = 10  # conjugate gradient steps after which the models are computed anew
FLAT = np.finfo(float).eps  # of the model's curvature: a direction with less is flat, as those of separated classes are
FARTHEST = 1e3  # for an intercept to go at once: log-odds beyond 745 are certainty
LEAST = 1e-6  # probability in a model: with less a class that is nearly nowhere would have steps of any length


class MultinomialPath:
    """Σᵢ hᵢ (log Σₖ e^zᵢₖ − ⟨yᵢ, zᵢ⟩) + α Ω(W), zᵢ = Wxᵢ + b, h = s/Σs; the intercepts sum to 0."""

    def __init__(self, problem: Any, solver: Any, start: np.ndarray | None) -> None:
        self.max_iter = solver.max_iter
        self.state = state = WorkingSetState(
            problem, solver.max_iter, n_threads=thread_count(solver.n_jobs), screening=solver.screening, tol=solver.tol
        )
        self.terms = state.terms
        self.Y = np.ascontiguousarray(problem.y.T, dtype=np.float64)
        self.K, n = self.Y.shape
        self.h = np.broadcast_to(state.share, n)
        w0, b0, null = problem.null()
        # the null model's loss is near 0 where unpenalised columns separate the classes; without any it is log K
        self.goal = max(solver.tol * null, ROUNDING * float(np.log(self.K)))
        self.b = np.zeros(self.K) + (b0 if state.centred else 0.0)
        self.W = np.zeros((self.K, 0))
        self.models = self._models(solver)
        self.inside = np.zeros((self.K, problem.A.shape[1]), bool)
        self._move(np.repeat(self.b[:, None], n, axis=1))
        self._refresh()
        first = w0.T if start is None else np.asarray(start, dtype=np.float64)
        self._admit(np.broadcast_to(self.terms.free, self.inside.shape) | (first != 0))
        if first.any():
            self.W = np.ascontiguousarray(first[:, state.features])
            self.b = self.b + (state.mean @ w0 if start is None else 0.0)
            self._move(state.columns.product(self.W) + self.b[:, None])
        self._fit_intercepts()
        self.c = state.first_correlations(-self.g)

    def solve_each(self, out: SolvedPath) -> Iterator[int]:
        """Number of each α as it is done."""
        before = float(self.terms.entry_alphas(-self.c.T).max(initial=0.0))
        for k, alpha in enumerate(out.alphas):
            self._admit(self._violators(max(2 * alpha - before, 0.5 * alpha)))  # the strong rule
            out.record(k, *self._solve(alpha))
            b = self.state.intercept(self.W, self.b)
            out.put(k, self.state.features, self.W, b - b.mean() if self.state.centred else 0.0)
            before = alpha
            yield k

    def _models(self, solver: Any) -> list[MultinomialModel]:
        state = self.state
        if self.terms.group is not None:
            shared = BlockQuadratic(self.terms, solver.max_iter, thread_count(solver.n_jobs))
            return [MultinomialModel(slice(0, self.K), state.columns, shared, state.centred)]
        own = [FeatureQuadratic(self.terms, max_iter=solver.max_iter) for _ in range(self.K)]
        return [
            MultinomialModel(slice(k, k + 1), state.columns, quadratic, state.centred)
            for k, quadratic in enumerate(own)
        ]

    def _model_weights(self, model: MultinomialModel) -> np.ndarray:
        """h q of one class; of several that share a model the largest."""
        return self.h * np.maximum(self.P[model.classes].max(axis=0), LEAST)

    def _violators(self, alpha: float) -> np.ndarray:
        """(K, p) entries that cannot all be zero at α, by class, or by group where there are groups."""
        if self.terms.group is None:
            c = np.maximum(self.c, 0.0) if self.terms.positive else np.abs(self.c)
            return c > alpha * self.terms.l1
        return np.broadcast_to((self.terms.violation(-self.c.T, alpha) > 0)[self.terms.labels], self.c.shape)

    def _admit(self, candidates: np.ndarray) -> bool:
        """Let entries into the working set of their class; whether any was not there."""
        state, labels = self.state, self.terms.labels
        if labels is not None:  # groups enter whole, in every class
            candidates = np.broadcast_to(np.isin(labels, labels[candidates.any(axis=0)]), candidates.shape)
        new = candidates & ~self.inside
        if not new.any():
            return False
        units = state.units_of(new.any(axis=0))
        if len(units):
            rows = state.admit(units)
            self.W = np.pad(self.W, ((0, 0), (0, rows.stop - rows.start)))
        self.inside |= new
        for model in self.models:
            positions = np.flatnonzero(new[model.classes][0][state.features])
            model.admit(positions, state.features[positions])
        return True

    def _solve(self, alpha: float) -> tuple[int, float, bool, int]:
        """Descend on W, look at all columns, let in who violates.

        Steps, gap, whether it converged, and how many columns the gap proves to be zero.
        """
        rounds, inner_tol, least = 0, 0.3 * self.goal, np.inf
        while True:
            rounds += self._descend(alpha, inner_tol, self.max_iter - rounds)
            self.c = self.state.correlations(-self.g[None], np.array([alpha]))[0]
            gap, t = self._gap(alpha, self.terms, self.c, self.state.features)
            screened = self.state.prove(-self.g, self.c, t, alpha, self._value(alpha), gap, keep=True)
            if gap <= self.goal:
                return rounds, gap, True, screened
            grown = self._admit(self._violators(alpha))
            if rounds >= self.max_iter or (not grown and gap >= least):
                return rounds, gap, False, screened
            if not grown:
                inner_tol, least = 0.1 * inner_tol, gap

    def _descend(self, alpha: float, inner_tol: float, most: int) -> int:
        """Model and Newton steps until the gap of the problem on W is at most ``inner_tol``."""
        best, lowest, idle = np.inf, np.inf, 0
        for step in range(most):
            check_interrupted()
            self._fit_intercepts()
            G, value = self._gradient(), self._value(alpha)
            gap = self._gap_here(alpha, G)
            idle = 0 if gap < 0.9 * best or value < (1 - ROUNDING) * lowest else idle + 1
            best, lowest = min(best, gap), min(lowest, value)
            if gap <= inner_tol or idle == PATIENCE:
                return step
            if not self._model_step(alpha, G, gap):
                self._refresh()
            self._newton_step(alpha)
        return most

    def _gap_here(self, alpha: float, G: np.ndarray) -> float:
        """Of the problem on W."""
        return self._gap(alpha, self.state.local, -G, slice(None))[0]

    def _gradient(self) -> np.ndarray:
        return self.state.columns.correlate(self.g.T).T

    def _model_step(self, alpha: float, G: np.ndarray, gap: float) -> bool:
        """To the minimum of every model at once; halved until the objective falls. Whether it did."""
        target, shift = self.W.copy(), np.zeros(self.K)
        for model in self.models:
            k, S = model.classes, model.positions
            target[k, S] = model.minimise(G[k, S], self.W[k, S], alpha, 1e-3 * self.goal)
            if self.state.centred:
                shift[k] = -(self.g[k].sum(axis=1) + (target[k, S] - self.W[k, S]) @ model.a) / model.total
        return self._search(alpha, target - self.W, shift, gap)

    def _newton_step(self, alpha: float) -> None:
        """Along the Newton direction on what is not zero; an entry that would change its sign stops at zero."""
        D, e, n_products = self._direction(alpha)
        self._search(alpha, D, e)
        if n_products > STALE:
            self._refresh()

    def _refresh(self) -> None:
        for model in self.models:
            model.refresh(self._model_weights(model))

    def _direction(self, alpha: float) -> tuple[np.ndarray, np.ndarray, int]:
        """(D, d) with curvature · (D, d) = −gradient, by conjugate gradients, and how many products they took."""
        bend = PenaltyCurvature(self.state.local.times(alpha), self.W)
        E = bend.inside * (-self._gradient() - bend.slope)
        e = -self.g.sum(axis=1) * self.state.centred
        D, d = np.zeros_like(E), np.zeros_like(e)
        V, v, rho, first = D, d, np.inf, 0.0
        for model in self.models:
            k, S = model.classes, model.positions
            model.factorise(bend.inside[k][:, S], bend.diagonal[S])
        for n in range(MOST_PRODUCTS):
            check_interrupted()
            M, m = self._precondition(E, e)
            now = float((M * E).sum() + m @ e)
            first = max(first, now) if n == 0 else first
            if not now > ACCURACY**2 * first:
                break
            V, v, rho = M + now / rho * V, m + now / rho * v, now
            C, c = self._curve(V, v)
            C = bend.inside * (C + bend.times(V))
            length = float((V * C).sum() + v @ c)
            if not length > FLAT * now:
                break
            D, d = D + rho / length * V, d + rho / length * v
            E, e = E - rho / length * C, e - rho / length * c
        return D, d, n

    def _precondition(self, E: np.ndarray, e: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        M, m = np.zeros_like(E), np.zeros_like(e)
        for model in self.models:
            k, S = model.classes, model.positions
            M[k, S], m[k] = model.precondition(E[k, S], e[k])
        return M, m

    def _curve(self, V: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The second derivative times (V, v)."""
        U = self.state.columns.product(V) + v[:, None]
        U -= (self.P * U).sum(axis=0)
        U *= self.P
        U *= self.h
        return self.state.columns.correlate(U.T).T, U.sum(axis=1) * self.state.centred

    def _search(self, alpha: float, D: np.ndarray, e: np.ndarray, gap: float | None = None) -> bool:
        """W + tD, b + te for the first t of 1, ½, ¼ … that leads down. Whether there is one.

        Where rounding hides which way the objective went, the gap on W must have fallen below ``gap``. Without one the
        step is Newton's: there it is trusted, and entries that would change their sign stop at zero.
        """
        W, Z, before = self.W, self.Z, self._value(alpha)
        U = self.state.columns.product(D) + e[:, None]
        bound = (self.terms.l1[self.state.features] > 0) | self.terms.positive
        for t in 0.5 ** np.arange(HALVINGS):
            self.W = W + t * D
            crossed = (gap is None) & (self.W * W < 0) & bound
            if crossed.any():
                self.W[crossed] = 0.0
                self._move(self.state.columns.product(self.W) + (self.b + t * e)[:, None])
            else:
                self._move(Z + t * U)
            fall = before - self._value(alpha)
            hidden = abs(fall) <= ROUNDING * abs(before)
            if fall > 0 if not hidden else gap is None or self._gap_here(alpha, self._gradient()) < gap:
                self.b = self.b + t * e
                return True
        self.W = W
        self._move(Z)
        return False

    def _value(self, alpha: float) -> float:
        return self.loss + alpha * self.state.local.value(self.W.T)

    def _move(self, Z: np.ndarray) -> None:
        """To the predictions Z: probabilities, loss and its slope, to all digits where a row is nearly certain."""
        away = Z - (self.Y * Z).sum(axis=0)
        top = away.max(axis=0)
        E = np.exp(away - top)
        self.Z, self.P = Z, E / E.sum(axis=0)
        np.put_along_axis(E, away.argmax(axis=0)[None], 0.0, axis=0)
        self.loss = float(self.h @ (top + np.log1p(E.sum(axis=0))))
        wrong = self.P * (1 - self.Y)
        self.g = self.h * (wrong - self.Y * wrong.sum(axis=0))

    def _fit_intercepts(self) -> None:
        """The best intercepts at these coefficients, so that the slopes of every class sum to nothing."""
        for _ in range(50 * self.state.centred):
            total = self.g.sum(axis=1)
            if np.abs(total).max() <= 1e-15:
                return
            hP = self.h * self.P
            M = np.diag(hP.sum(axis=1)) - hP @ self.P.T
            move = np.clip(-np.linalg.lstsq(M, total, rcond=1e-12)[0], -FARTHEST, FARTHEST)
            Z, before = self.Z, self.loss
            self._move(Z + move[:, None])
            if self.loss > (1 + ROUNDING) * before:  # rows are so certain that their curvature tells nothing
                self._move(Z)
                return
            self.b = self.b + move
            if np.abs(move).max() <= 1e-15 * (1 + np.abs(self.b).max()) or not self.loss < before:
                return

    def _diagonal(self) -> np.ndarray:
        """(K, k) curvature of the models in each entry; infinite where an entry has none or is not in its class."""
        diagonal = np.full(self.W.shape, np.inf)
        for model in self.models:
            h = model.H.diagonal()
            diagonal[model.classes, model.positions] = np.where(h > 0, h, np.inf)
        return diagonal

    def _gap(self, alpha: float, terms: Any, c: np.ndarray, here: Any) -> tuple[float, float]:
        """P − D at the largest feasible multiple t ≤ 1 of the slope, held against the columns ``terms`` are about; t.

        ``here`` are the working columns among them. Unpenalised ones are to be orthogonal to the slope: what is left of
        their c counts with the |W c| and the decrease it stands for.
        """
        scaled = terms.times(alpha)
        free = self.state.local.times(alpha).free
        left = np.abs(c[:, here])[:, free]
        loose = float((left * (np.abs(self.W)[:, free] + left / self._diagonal()[:, free])).sum()) if left.size else 0.0
        c = np.where(scaled.free, 0.0, c).T
        t = min(1.0, largest_scale(scaled, c))
        q = (1 - t) * self.Y + t * self.P
        entropy = float(self.h @ (q * np.log(np.maximum(q, 1e-300))).sum(axis=0))
        return max(0.0, self._value(alpha) + entropy + penalty_conjugate(scaled, t * c)) + loose, t


class PenaltyCurvature:
    """Slope and curvature of αΩ where it has them: at the entries of W that are ``inside``, off zero or free.

    Of a group with u = W_g/‖W_g‖ they are group_g u and pull_g (I − uuᵀ), pull_g = group_g/‖W_g‖.
    """

    def __init__(self, scaled: Terms, W: np.ndarray) -> None:
        group_curvature, active = np.zeros(W.shape[1]), np.ones(W.shape[1], bool)
        self.labels, self.W = scaled.labels, W
        if scaled.group is not None:
            norms = scaled.norms(W.T)
            self.square = np.where(norms > 0, norms, 1.0)[self.labels] ** 2
            group_curvature = scaled.group[self.labels] / np.sqrt(self.square)
            active = (norms > 0)[self.labels] | (group_curvature == 0)
        self.group_curvature, self.diagonal = group_curvature, scaled.l2 + group_curvature
        self.inside = (W != 0) | (active & (scaled.l1 == 0) & (not scaled.positive))
        self.slope = scaled.l1 * np.sign(W) + self.diagonal * W

    def times(self, V: np.ndarray) -> np.ndarray:
        if self.labels is None:
            return self.diagonal * V
        along = np.bincount(self.labels, weights=(self.W * V).sum(axis=0))[self.labels] / self.square
        return self.diagonal * V - self.group_curvature * along * self.W
