"""Newton steps for rows that memory does not hold: all α of a path go through the rows together.

A pass over the rows gives every α its objective and gradient, exactly. The curvature comes from a sample of the rows,
which memory does hold: with m sampled rows it is off by about √(p/m), and a pass leaves that share of the error, so
that few passes are needed, and their number does not grow with that of the alphas. The first coefficients are those of
the sample itself.

Bollapragada, Byrd and Nocedal (2019) call such steps subsampled Newton; the penalty stays as it is, and each model is
minimised by coordinate descent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from tamis._core.errors import InputError
from tamis._core.evidence import Diagnostics, Solution, Status
from tamis._core.progress import Steps, silent
from tamis._kernels.interruption import check_interrupted
from tamis.datafits import HasCurvature, HasDual, HasLocal
from tamis.operators import as_operator
from tamis.operators.base import row_blocks
from tamis.penalties import CompiledPenalty, Terms
from tamis.solvers.duality import dual_of, require_terms
from tamis.solvers.gram_descent import descent_to
from tamis.solvers.paths import SolvedPath
from tamis.solvers.problem import OperatorProblem
from tamis.solvers.quadratic import FeatureQuadratic
from tamis.solvers.requirements import require
from tamis.solvers.working_set import WorkingSet

SAMPLED = 50_000  # rows whose curvature stands for that of all
PER_COLUMN = 100  # of them for each column at least: curvature to about a tenth
TOGETHER = 32  # alphas whose predictions are held at a time, of one block of rows
NEAR = 0.8  # of α: correlations from which a column may enter the model of a step
MODEL = 1e-12  # how well the models of steps are minimised
ENOUGH = 0.5  # of tol: an expected gap that is worth two passes to be made sure of
STILL = 1e-15  # of a coefficient
ROUNDED = 1e-12  # of an objective
FLAT = 1e-3  # of the sample's curvature: steps along which all rows bend less are not learned from
MOST_WORSE = 20  # points that are no better, one after the other
REMEMBERED = 10  # steps and what they did to the gradient, for each α
LEAST = 1e-6  # below it, of tol, rounding is all there is


class SampledNewton(BaseEstimator):
    """min D(Xw + b) + α Ω(w), Ω made of ℓ₁ and ℓ₂ terms, by passes over rows and curvature from a sample of them.

    Each solution has its duality gap, computed from all rows: at most ``tol`` times the null model's objective.
    ``max_iter`` bounds the passes. ``seed`` draws the sample.
    """

    needs = (OperatorProblem, CompiledPenalty, HasCurvature, HasDual, HasLocal)

    def __init__(
        self, tol: float = 1e-7, max_iter: int = 100, seed: int = 0, n_jobs: int | None = None, n_sampled: int = SAMPLED
    ) -> None:
        self.tol = tol
        self.max_iter = max_iter
        self.seed = seed
        self.n_jobs = n_jobs
        self.n_sampled = n_sampled

    def path(
        self, problem: OperatorProblem, alphas: np.ndarray, start: np.ndarray | None = None, steps: Steps = silent
    ) -> SolvedPath:
        """Solutions of all alphas; ``start`` is not needed, the sample has better ones."""
        require(self, problem)
        terms = require_terms(problem.omega)
        if terms.group is not None or problem.y.ndim > 1 or terms.free.any() or not (alphas > 0).all():
            raise InputError(
                "SampledNewton takes one output, penalties made of ℓ₁ and ℓ₂ terms of every column, and alphas above 0"
            )
        sample = Sample.drawn(problem, self.sample_size(problem.A.shape[1]), self.seed)
        state = _State.beginning(problem, alphas, sample, self)
        limit = self.tol * problem.null_value()
        for _ in steps(range(max(1, self.max_iter)), "passes"):
            check_interrupted()
            if not state.advance(limit):
                state.certify(limit)
                if state.done.all():
                    break
        else:
            state.waits[:] = True
            state.certify(limit)
        n_iter = np.maximum(1, state.passes)
        return SolvedPath(alphas, state.W, state.b, np.maximum(state.gaps, 0.0), n_iter, state.gaps <= limit)

    def sample_size(self, p: int) -> int:
        """Rows to be sampled of a table of p columns."""
        return max(self.n_sampled, PER_COLUMN * p)

    def solve(self, problem: OperatorProblem, start: np.ndarray | None = None, on_step: Steps = silent) -> Solution:
        """The solution at ``problem.alpha``."""
        path = self.path(problem, descent_to(problem.alpha, problem.alpha_max()), start, on_step)
        status = Status.CONVERGED if path.converged[-1] else Status.MAX_ITER
        w, b = path.coefs[-1], float(path.intercepts[-1])
        evidence = problem.gap(w, b)
        return Solution(w, status, int(path.n_iter[-1]), evidence, Diagnostics({}, path.gaps), b)


@dataclass(frozen=True)
class Sample:
    """Some rows, each with the weight that makes them stand for all."""

    X: np.ndarray
    y: np.ndarray
    s: np.ndarray | None

    @classmethod
    def drawn(cls, problem: OperatorProblem, size: int, seed: int) -> Sample:
        n, p = problem.A.shape
        used = np.arange(n) if problem.s is None else np.flatnonzero(problem.s > 0)
        rows = used if len(used) <= size else np.sort(np.random.default_rng(seed).choice(used, size, replace=False))
        X = np.empty((len(rows), p))
        for part, A in row_blocks(problem.A):
            first, last = np.searchsorted(rows, (part.start, part.stop))
            if last > first:
                block = A.columns(np.arange(p))
                block = block[rows[first:last] - part.start]
                X[first:last] = block.toarray() if hasattr(block, "toarray") else block
        return cls(X, problem.y[rows], None if problem.s is None else problem.s[rows])


class _State:
    """Coefficients and intercepts of every α, the best so far of each, and what the last pass told of them."""

    def __init__(self, problem: OperatorProblem, alphas: np.ndarray, sample: Sample, W: np.ndarray, b: np.ndarray):
        self.problem, self.alphas, self.sample = problem, alphas, sample
        self.terms: Terms = require_terms(problem.omega)
        self.W, self.b = W, b  # the best known
        self.next_W, self.next_b = W.copy(), b.copy()  # where the next pass looks
        m = len(alphas)
        self.values, self.gaps = np.full(m, np.inf), np.full(m, np.inf)
        self.steps: list[list[tuple[np.ndarray, np.ndarray]]] = [[] for _ in alphas]
        self.slopes: list[Any] = [None for _ in alphas]
        self.enough, self.expected = np.full(m, ENOUGH), np.full(m, np.inf)
        self.passes, self.worse = np.zeros(m, np.int64), np.zeros(m, np.int64)
        self.done, self.waits = np.zeros(m, bool), np.zeros(m, bool)

    @classmethod
    def beginning(cls, problem: OperatorProblem, alphas: np.ndarray, sample: Sample, solver: SampledNewton) -> _State:
        small = OperatorProblem(
            as_operator(sample.X, n_jobs=solver.n_jobs), sample.y, problem.datafit, problem.penalty, 0.0, sample.s,
            problem.fit_intercept,
        )  # fmt: skip
        path = WorkingSet(max(solver.tol, 1e-5), 1000, n_jobs=solver.n_jobs).path(small, alphas)
        return cls(problem, alphas, sample, path.coefs.copy(), np.asarray(path.intercepts, dtype=float).copy())

    def advance(self, limit: float) -> bool:
        """A pass over the rows and a step of every α that is not there yet; False where there was none to take."""
        going = np.flatnonzero(~(self.done | self.waits))
        if not len(going):
            return False
        losses, G, g_b = self._slopes(self.next_W[going], self.next_b[going])
        for i, k in enumerate(going.tolist()):
            check_interrupted()
            self.passes[k] += 1
            self._learn(k, losses[i], np.append(G[i], g_b[i]), limit)
        return True

    def _learn(self, k: int, loss: float, g: np.ndarray, limit: float) -> None:
        """What a pass told of the point it looked at: whether it is better, and where to look next.

        Better is a lower objective, or where rounding hides the difference, a lower expected gap.
        """
        value = loss + self.terms.value(self.next_W[k], self.alphas[k])
        expected = self._expected_gap(k, self.next_W[k], g)
        if self.slopes[k] is not None:
            step = np.append(self.next_W[k] - self.W[k], self.next_b[k] - self.b[k])
            self.steps[k] = [*self.steps[k], (step, g - self.slopes[k])][-REMEMBERED:]
        known, hidden = self.values[k], ROUNDED * abs(value)
        if value < known - hidden or (value <= known + hidden and expected < self.expected[k]):
            self.W[k], self.b[k], self.values[k] = self.next_W[k], self.next_b[k], value
            self.expected[k], self.slopes[k], self.worse[k] = expected, g, 0
        else:
            self.worse[k] += 1
        w, b = self._model_minimum(k, self.slopes[k])
        share = 0.5 ** self.worse[k]
        self.next_W[k], self.next_b[k] = self.W[k] + share * (w - self.W[k]), self.b[k] + share * (b - self.b[k])
        near = self.expected[k] <= self.enough[k] * limit
        self.waits[k] = near or self._rests(k) or self.worse[k] > MOST_WORSE

    def _rests(self, k: int) -> bool:
        """Whether the next step is no longer than rounding."""
        still = np.abs(self.W[k] - self.next_W[k]) <= STILL * np.abs(self.W[k])
        return bool(still.all() and abs(self.b[k] - self.next_b[k]) <= STILL * abs(self.b[k]))

    def _expected_gap(self, k: int, w: np.ndarray, slope: np.ndarray) -> float:
        """About the duality gap of w with the gradient ``slope`` of (w, b), whose correlations are c = Xᵀθ.

        That of the penalty, Ω(w) + Ω*(tc) − t⟨w, c⟩, and what scaling θ by t, and its larger side for the intercept,
        takes off the bound.
        """
        alpha, c = self.alphas[k], -slope[:-1]
        dual = dual_of(self.terms, alpha)
        t = dual.scale(c)
        of_penalty = self.terms.value(w, alpha) + dual.conjugate(t * c) - t * float(w @ c)
        of_intercept = abs(slope[-1]) if self.problem.fit_intercept else 0.0
        return float(of_penalty + (1 - t) * self.problem.null_value() + of_intercept)

    def _model_minimum(self, k: int, slope: np.ndarray) -> tuple[np.ndarray, float]:
        """Where the quadratic model about W[k] is least, with its penalty.

        Columns that are in, or whose correlation is near α, are let in; the intercept follows them.
        """
        w, b, alpha, g, g_b = self.W[k], self.b[k], self.alphas[k], slope[:-1], slope[-1]
        S = np.flatnonzero((w != 0) | (np.abs(g) >= NEAR * alpha * self.terms.l1))
        H = self._curvature(k, S)
        q, total, along, g_S = len(S), float(H[-1, -1]), H[-1, :-1], g[S]
        H = H[:q, :q]
        if self.problem.fit_intercept and total > 0:
            H = H - np.multiply.outer(along, along) / total
            g_S = g_S - g_b / total * along
        quadratic, new_S = FeatureQuadratic(self.terms), w[S].copy()
        quadratic.grow(S)
        quadratic.minimise(np.ascontiguousarray(H), H @ new_S - g_S, new_S, alpha, MODEL)
        new = w.copy()
        new[S] = new_S
        if not (self.problem.fit_intercept and total > 0):
            return new, float(b)
        return new, float(b - (g_b + along @ (new_S - w[S])) / total)

    def _curvature(self, k: int, S: np.ndarray) -> np.ndarray:
        """Of (w_S, b): that of the sample, corrected to agree with what steps did to the gradient (BFGS)."""
        sample, fit, intercept = self.sample, self.problem.datafit, self.problem.fit_intercept
        X = np.column_stack([sample.X[:, S], np.full(len(sample.X), float(intercept))])
        h = fit.hessian(sample.y, sample.X @ self.W[k] + self.b[k], sample.s)  # type: ignore[attr-defined]
        H = X.T @ (h[:, None] * X)
        place = np.append(S, len(self.terms.l1)) if intercept else S
        n = len(place)
        for step, change in self.steps[k]:
            d, y = step[place], change[place]
            within = np.count_nonzero(d) == np.count_nonzero(step)
            Hd = H[:n, :n] @ d
            bends, bent = float(y @ d), float(d @ Hd)
            if within and bends > FLAT * bent > 0:
                H[:n, :n] += np.multiply.outer(y, y) / bends - np.multiply.outer(Hd, Hd) / bent
        return H

    def certify(self, limit: float) -> None:
        """The gaps of those that wait, by two passes; who is not within the limit goes on, but not for ever."""
        K = np.flatnonzero(self.waits & ~self.done)
        if not len(K):
            return
        W, b = self.W[K], self.b[K]
        up, down = self._sided_correlations(W, b)  # of the positive and the negative parts of θ, and their sums
        keep = np.ones((len(K), 2))
        if self.problem.fit_intercept:  # Σθ = 0: the larger side is made smaller
            least = np.minimum(up[1], -down[1])
            keep = np.column_stack([least / np.where(up[1] > 0, up[1], 1), least / np.where(down[1] < 0, -down[1], 1)])
        C = keep[:, :1] * up[0] + keep[:, 1:] * down[0]
        duals = [dual_of(self.terms, a) for a in self.alphas[K]]
        t = np.array([dual.scale(c) for dual, c in zip(duals, C, strict=True)])
        conjugates = self._conjugates(W, b, keep, t)
        for i, k in enumerate(K.tolist()):
            bound = -conjugates[i] - duals[i].conjugate(t[i] * C[i])
            self.gaps[k] = self.values[k] - max(self.problem.floor(), bound)
            self.enough[k] *= 0.1
            self.done[k] = self.gaps[k] <= limit or self.enough[k] < LEAST or self._rests(k)
            self.waits[k] = self.done[k]

    # ---- passes over the rows ----------------------------------------------------------------------------------------

    def _blocks(self, W: np.ndarray, b: np.ndarray) -> Iterator[tuple[Any, ...]]:
        """Of ``predicted_blocks`` also y, weights and the share of all weight; blocks without any are left out."""
        problem = self.problem
        total = float(len(problem.y)) if problem.s is None else float(problem.s.sum())
        for some, part, A, Z in predicted_blocks(problem.A, W, b, problem.s):
            y, s = problem.y[part], None if problem.s is None else problem.s[part]
            yield some, y, s, (float(len(y)) if s is None else float(s.sum())) / total, A, Z

    def _slopes(self, W: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Losses, and the gradients of w and of the intercept."""
        fit: Any = self.problem.datafit
        losses, G, g_b = np.zeros(len(W)), np.zeros(W.shape), np.zeros(len(W))
        for some, y, s, share, A, Z in self._blocks(W, b):
            for i in range(Z.shape[1]):
                loss, Z[:, i], _ = fit.local(y, Z[:, i], s)
                losses[some.start + i] += share * loss
            Z *= share
            G[some] += A.adjoint(Z).T
            g_b[some] += Z.sum(axis=0)
        return losses, G, g_b

    def _sided_correlations(self, W: np.ndarray, b: np.ndarray) -> tuple[Any, Any]:
        """Xᵀθ₊ and Σθ₊, Xᵀθ₋ and Σθ₋ of θ = −D'."""
        fit: Any = self.problem.datafit
        C, sums = np.zeros((2, *W.shape)), np.zeros((2, len(W)))
        for some, y, s, share, A, Z in self._blocks(W, b):
            for i in range(Z.shape[1]):
                Z[:, i] = -share * fit.gradient(y, Z[:, i], s)
            for side, theta in enumerate((np.maximum(Z, 0.0), np.minimum(Z, 0.0))):
                C[side, some] += A.adjoint(theta).T
                sums[side, some] += theta.sum(axis=0)
        return (C[0], sums[0]), (C[1], sums[1])

    def _conjugates(self, W: np.ndarray, b: np.ndarray, keep: np.ndarray, t: np.ndarray) -> np.ndarray:
        """D*(−t θ'), θ' having the sides of θ kept by so much: nearer to 0 than θ, and so where D* is finite too."""
        fit: Any = self.problem.datafit
        found = np.zeros(len(W))
        for some, y, s, share, _, Z in self._blocks(W, b):
            for i in range(Z.shape[1]):
                k = some.start + i
                slope = fit.gradient(y, Z[:, i], s)  # of this block alone, whose share is taken below
                slope *= t[k] * np.where(slope < 0, keep[k, 0], keep[k, 1])
                found[k] += share * fit.conjugate(y, slope, s)
        return found


def predicted_blocks(
    A: Any, W: np.ndarray, b: np.ndarray, s: np.ndarray | None = None
) -> Iterator[tuple[slice, slice, Any, np.ndarray]]:
    """Predictions with the coefficients W (m, p), some of them at a time and block by block of the rows.

    Which of W, which rows, their operator, and a column for each; blocks whose weights s are 0 are left out.
    """
    for part, block in row_blocks(A):
        if s is not None and not s[part].any():
            continue
        for first in range(0, len(W), TOGETHER):
            check_interrupted()
            some = slice(first, min(first + TOGETHER, len(W)))
            Z = np.asfortranarray(block @ np.ascontiguousarray(W[some].T))
            Z += b[some]
            yield some, part, block, Z
