"""½‖y − A s‖² + Σ bⱼ|sⱼ| by proximal gradient steps of spectral length, and conjugate gradients on the support.

A step s ← soft(s + Aᴴr/β, b/β), r = y − A s, takes β = ‖A d‖²/‖d‖² of the last step d, the curvature that was met there
(Barzilai & Borwein 1988): for sparse codes far below ‖A‖². It counts where the objective falls below the largest of the
last few; else β grows (Wright, Nowak & Figueiredo 2009). Where hardly a sign changes any more, the equations
A_Eᵀ(y − A_E z) = b_E sign(s_E) of the support E are solved (Wen, Yin, Goldfarb & Zhang 2010).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from tamis._core.evidence import Status
from tamis._kernels.interruption import check_interrupted
from tamis.solvers.l1_least_squares import L1LeastSquares, L1Point
from tamis.solvers.thresholds import soft_threshold

REMEMBERED = 5  # objectives, below the largest of which a step has to stay
ENOUGH = 1e-3  # of β‖d‖²/2: what a step has to lower the objective by
FLATTEST = 1e-3  # of the largest curvature that was met: the least β
SETTLED = 0.1  # relative length of a step that ends a solution on the way
STEADY = 0.003  # of the support: so few signs that change in a step let the support be tried
EXACT = 1e-10  # of the bounds: what conjugate gradients leave of the equations of the support
OUTSIDE = 1e-3  # of a bound: a correlation that is as far beyond it shows that the support is another
WAIT = 5  # steps from a support that was wrong to the next that is tried
TINY = 1e-14  # relative: a change of the objective that is rounding

Goal = Callable[[float, float], bool]


class SpectralDescent:
    """The descent of one problem; ``n_iter`` counts products with A and Aᴴ, each pair once."""

    def __init__(
        self, problem: L1LeastSquares, s: np.ndarray | None, max_iter: int, over: Callable[[], bool] = lambda: False
    ) -> None:
        self.problem, self.A, self.y = problem, problem.A, problem.y
        self.max_iter, self.over, self.n_iter = max_iter, over, 0
        self.s = np.zeros(self.A.shape[1], np.result_type(self.y, self.A.dtype)) if s is None else s
        self.r = self.y - self.A @ self.s if np.any(self.s) else self.y
        self.c = self.A.H @ self.r
        self.beta = self.steepest = self._curvature(self.c)
        self.trace: list[float] = []

    def _curvature(self, d: np.ndarray) -> float:
        length = float(np.vdot(d, d).real)
        q = self.A @ d
        return float(np.vdot(q, q).real) / length if length > 0 else 1.0

    def to(self, bounds: Any, goal: Goal | None = None) -> L1Point:
        """The solution for these bounds: where ``goal(gap, value)`` holds, or, on the way to others, about so."""
        problem = self.problem = self.problem.at(bounds)
        value = problem.value(self.s, self.r)
        recent, wait = deque([value], REMEMBERED), 0
        while True:
            check_interrupted()
            gap = problem.gap(self.s, self.r, self.c)
            self.trace.append(gap)
            if goal is not None and goal(gap, value):
                return self._point(gap, Status.CONVERGED)
            if self.over() or self.n_iter >= self.max_iter:
                return self._point(gap, Status.TIME_LIMIT if self.over() else Status.MAX_ITER)
            before = self.s
            moved, value = self._step(max(recent))
            if goal is None and moved <= SETTLED * float(np.linalg.norm(self.s)):
                return self._point(gap, Status.CONVERGED)
            if moved == 0:
                return self._point(gap, Status.STALLED)
            wait -= 1
            if goal is not None and wait <= 0 and self._steady(before):
                wait = 0 if self._on_support(value) else WAIT
                value = problem.value(self.s, self.r)
            recent.append(value)

    def _point(self, gap: float, status: Status) -> L1Point:
        return L1Point(self.s, self.r, gap, status, self.n_iter, np.array(self.trace))

    def _step(self, highest: float) -> tuple[float, float]:
        """Its length and the objective there, which is to stay below ``highest``."""
        problem, slack = self.problem, TINY * abs(highest)
        while True:
            new = soft_threshold(self.s + self.c / self.beta, problem.bounds / self.beta)
            d = new - self.s
            length = float(np.vdot(d, d).real)
            r = self.y - self.A @ new
            value = problem.value(new, r)
            if value <= highest - 0.5 * ENOUGH * self.beta * length + slack:
                break
            self.beta *= 2.0
        q = r - self.r
        curvature = float(np.vdot(q, q).real) / length if length > 0 else self.steepest
        self.s, self.r, self.c = new, r, self.A.H @ r
        self.steepest = max(self.steepest, curvature)
        self.beta = max(curvature, FLATTEST * self.steepest)
        self.n_iter += 1
        return float(np.sqrt(length)), value

    def _steady(self, before: np.ndarray) -> bool:
        """Whether the support may be the last: real, no larger than m, and hardly a sign changed."""
        support = np.count_nonzero(self.s)
        if self.s.dtype.kind == "c" or not 0 < support <= len(self.y):
            return False
        return bool(np.count_nonzero(np.sign(self.s) != np.sign(before)) <= STEADY * support)

    def _on_support(self, value: float) -> bool:
        """Conjugate gradients on A_Eᵀ(y − A_E z) = b_E sign(s_E), until the equations hold or E proves another one;
        whether the objective fell. Entries whose signs would change are 0.
        """
        E = np.flatnonzero(self.s)
        sign, whole = np.sign(self.s[E]), np.zeros_like(self.s)
        bounds = np.broadcast_to(self.problem.bounds, self.s.shape)
        target, outside = bounds[E] * sign, np.ones(len(self.s), bool)
        outside[E] = False
        z, r, c = self.s[E], self.r, self.c
        g = c[E] - target
        d, gg = g, float(g @ g)
        goal, coarse = EXACT * float(np.linalg.norm(target)), OUTSIDE * float(np.linalg.norm(target))
        while np.sqrt(gg) > goal and self.n_iter < self.max_iter and not self.over():
            check_interrupted()
            whole[E] = d
            q = self.A @ whole
            step = gg / float(q @ q)
            z, r = z + step * d, r - step * q
            c = self.A.H @ r
            self.n_iter += 1
            g = c[E] - target
            gg, last = float(g @ g), gg
            d = g + (gg / last) * d
            beyond = np.sqrt(gg) <= coarse and (np.abs(c[outside]) > (1 + OUTSIDE) * bounds[outside]).any()
            if beyond or bool((np.sign(z) != sign).any()):
                break
        return self._take(E, z, sign, r, c, value)

    def _take(self, E: np.ndarray, z: np.ndarray, sign: np.ndarray, r: np.ndarray, c: np.ndarray, value: float) -> bool:
        s = np.zeros_like(self.s)
        s[E] = np.where(np.sign(z) == sign, z, 0.0)
        if bool((np.sign(z) != sign).any()):
            r = self.y - self.A @ s
            c = self.A.H @ r
            self.n_iter += 1
        if self.problem.value(s, r) > value + TINY * abs(value):
            return False
        self.s, self.r, self.c = s, r, c
        return True
