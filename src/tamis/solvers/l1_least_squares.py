"""½‖y − A s‖² + λ Σ vⱼ|sⱼ| on any operator, real or complex: proximal gradient steps with a gap at each, an exact
finish on the support, and points of the dual.

With r = y − A s, every multiple t r with t|Aᴴr| ≤ λ v bounds the minimum from below by t Re⟨y, r⟩ − t²‖r‖²/2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from tamis._core.evidence import Status
from tamis._kernels.interruption import check_interrupted
from tamis.solvers.homotopy import lasso_homotopy
from tamis.solvers.support_least_squares import NORM_MARGIN, gathered, in_memory, operator_norm
from tamis.solvers.thresholds import soft_threshold

PATIENCE = 2_000  # iterations without a smaller gap
DIVERGED = 1e6  # times the first gap: a step that was given is too long
ROUNDED = 1e-28  # of a squared vector
OUTSIDE = 1e-9  # relative: a correlation beyond its bound by less is at it
ROUNDS = 60  # of the active set of a dual point


def signs(v: np.ndarray) -> np.ndarray:
    """v/|v|, 0 where v is."""
    size = np.abs(v)
    return v / np.where(size > 0, size, 1.0)


@dataclass(frozen=True)
class L1Point:
    """A code, its residual, how far it is from the minimum at most, and how it was found."""

    s: np.ndarray
    r: np.ndarray
    gap: float
    status: Status
    n_iter: int
    trace: np.ndarray


@dataclass
class L1LeastSquares:
    """The problem: bounds = λ v (a number, or one for each entry), and L ≥ ‖A‖², None until it is needed."""

    A: Any
    y: np.ndarray
    bounds: Any
    L: float | None = None

    def ready(self) -> L1LeastSquares:
        """With L."""
        if self.L is None:
            norm = operator_norm(self.A)
            self.L = (NORM_MARGIN * norm) ** 2 if norm > 0 else 1.0
        return self

    def at(self, bounds: Any) -> L1LeastSquares:
        return L1LeastSquares(self.A, self.y, bounds, self.L)

    def value(self, s: np.ndarray, r: np.ndarray) -> float:
        return 0.5 * float(np.vdot(r, r).real) + float((self.bounds * np.abs(s)).sum())

    def gap(self, s: np.ndarray, r: np.ndarray, c: np.ndarray) -> float:
        """What s can be above the minimum at most; c = Aᴴ r."""
        rr, yr = float(np.vdot(r, r).real), float(np.vdot(r, self.y).real)
        beyond = float((np.abs(c) / self.bounds).max(initial=0.0))
        t = min(yr / rr, 1 / beyond if beyond > 0 else np.inf) if rr > 0 and yr > 0 else 0.0
        return self.value(s, r) - (t * yr - 0.5 * t**2 * rr)

    def descend(
        self,
        s: np.ndarray | None = None,
        *,
        goal: Callable[[float, float], bool],
        max_iter: int = 10_000,
        accelerate: bool = True,
        step: float | None = None,
        over: Callable[[], bool] = lambda: False,
    ) -> L1Point:
        """Proximal gradient steps s ← soft(s + Aᴴ(y − A s)/L, λ v/L), from an extrapolated point where they are
        accelerated (Beck & Teboulle 2009; started anew where they point uphill, O'Donoghue & Candès 2015), until
        ``goal(gap, value)`` holds.
        """
        A, y = self.ready().A, self.y
        x = np.zeros(A.shape[1], np.result_type(y, A.dtype)) if s is None else s
        Ax = A @ x
        z, Az, t = x, Ax, 1.0
        trace: list[float] = []
        best, age, size = np.inf, 0, float(np.vdot(y, y).real)
        for k in range(max_iter + 1):
            check_interrupted()
            r = y - Az
            c = A.H @ r
            gap = self.gap(z, r, c)
            trace.append(gap)
            best, age = (gap, 0) if gap < best else (best, age + 1)
            reached = goal(gap, self.value(z, r))
            lost = age > PATIENCE or not gap <= DIVERGED * max(trace[0], size)
            status = _ended(reached, lost, k == max_iter, over())
            if status is not None:
                return L1Point(z, r, gap, status, k, np.array(trace))
            new, A_new = self._step(z, Az, c, step)
            uphill = float(np.vdot(z - new, new - x).real) > 0
            t = 1.0 if uphill or not accelerate else t
            after = 0.5 * (1 + np.sqrt(1 + 4 * t**2)) if accelerate else 1.0
            push = 0.0 if uphill else (t - 1) / after
            z, Az = new + push * (new - x), A_new + push * (A_new - Ax)
            x, Ax, t = new, A_new, after
        raise AssertionError("the last iteration returns")

    def _step(self, z: np.ndarray, Az: np.ndarray, c: np.ndarray, step: float | None) -> tuple[np.ndarray, np.ndarray]:
        """From z; L rises where it proves less than ‖A‖², unless the step is given."""
        assert self.L is not None
        rounding = ROUNDED * float(np.vdot(Az, Az).real)  # of ‖A d‖² where d is next to nothing
        while True:
            length = 1 / self.L if step is None else step
            new = soft_threshold(z + length * c, length * self.bounds)
            A_new = self.A @ new
            d, Ad = new - z, A_new - Az
            moved, dd = float(np.vdot(Ad, Ad).real), float(np.vdot(d, d).real)
            if step is not None or moved <= self.L * dd * (1 + 1e-9) + rounding:
                return new, A_new
            self.L = max(1.1 * self.L, 1.02 * moved / dd)

    def finish(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """The minimiser with the support and signs of s, real, and its residual: A_Eᵀ(y − A_E z) = λ v sign(s). None
        where its signs differ or its columns depend on each other.
        """
        E = np.flatnonzero(s)
        if s.dtype.kind == "c" or not 0 < len(E) <= self.A.shape[0]:
            return None
        sign = np.sign(s[E])
        bounds = self.bounds if np.ndim(self.bounds) == 0 else self.bounds[E]
        z = SupportNormal(self.A, E).solve(self.A.H.__matmul__(self.y)[E] - bounds * sign, s[E])
        if z is None or (np.sign(z) != sign).any():
            return None
        whole = np.zeros_like(s)
        whole[E] = z
        return whole, self.y - self.A @ whole


def _ended(reached: bool, lost: bool, last: bool, over: bool) -> Status | None:
    if reached:
        return Status.CONVERGED
    if lost:
        return Status.STALLED
    return Status.TIME_LIMIT if over else Status.MAX_ITER if last else None


class SupportNormal:
    """A_EᴴA_E: by Cholesky where columns are in memory, else by conjugate gradients."""

    def __init__(self, A: Any, E: np.ndarray) -> None:
        self.A, self.E = A, E
        self.factor: Any = None
        self.singular = False
        if in_memory(A):
            X = gathered(A, E)
            self.G = X.conj().T @ X
            try:
                self.factor = cho_factor(self.G, lower=True, check_finite=False)
            except LinAlgError:
                self.singular = True

    def solve(self, b: np.ndarray, start: np.ndarray | None = None) -> np.ndarray | None:
        """z with A_EᴴA_E z = b; None where columns depend on each other."""
        if self.singular:
            return None
        if self.factor is not None:
            z = cho_solve(self.factor, b, check_finite=False)
            better: np.ndarray = z + cho_solve(self.factor, b - self.G @ z, check_finite=False)
            return better
        return self._conjugate_gradients(b, start)

    def _conjugate_gradients(self, b: np.ndarray, start: np.ndarray | None, max_iter: int = 500) -> np.ndarray:
        whole = np.zeros(self.A.shape[1], np.result_type(b, self.A.dtype))

        def times(z: np.ndarray) -> np.ndarray:
            whole[self.E] = z
            product: np.ndarray = (self.A.H @ (self.A @ whole))[self.E]
            return product

        z = np.zeros(len(b), whole.dtype) if start is None else start.astype(whole.dtype)
        g = b - times(z) if start is not None else b.astype(whole.dtype)
        d, gg = g, float(np.vdot(g, g).real)
        goal = 1e-14 * float(np.linalg.norm(b))
        for _ in range(max_iter):
            check_interrupted()
            if np.sqrt(gg) <= goal:
                break
            Md = times(d)
            step = gg / float(np.vdot(d, Md).real)
            z, g = z + step * d, g - step * Md
            gg, before = float(np.vdot(g, g).real), gg
            d = g + (gg / before) * d
        return z


def dual_point(
    A: Any, s: np.ndarray, v: Any = 1.0, L: float | None = None, also: np.ndarray | None = None
) -> np.ndarray:
    """The shortest w with A_Sᴴw = v sign(s_S) and |Aᴴw| ≤ v elsewhere, S the support of s: proof that s has the least
    Σ vⱼ|sⱼ| among all codes with the same measurements. Where none exists, or it is not found, a w that violates this.

    The least-squares dual A_S(A_SᴴA_S)⁻¹ v sign(s_S) is the answer only if it happens to satisfy the bounds elsewhere;
    in general columns outside S are at their bounds. Where a real A is in memory, w is the dual point of the last
    segment of the lasso's path; elsewhere these columns are found by an active set. ``also`` are guesses of
    them, with their signs (n,).
    """
    if not s.any():
        return np.zeros(A.shape[0], s.dtype)
    if s.dtype.kind != "c" and in_memory(A) and np.ndim(v) == 0:
        return float(v) * lasso_homotopy(A, A @ s).q
    v = np.broadcast_to(np.asarray(v, dtype=np.float64), s.shape)
    target = signs(s) * v
    nonzero = s != 0
    if also is not None:
        target = np.where(nonzero, target, also * v)
    inside = nonzero | (target != 0)
    for _ in range(ROUNDS):
        E = np.flatnonzero(inside)
        if len(E) > A.shape[0]:
            break
        z = SupportNormal(A, E).solve(target[E])
        if z is None:
            break
        whole = np.zeros(s.shape, s.dtype)
        whole[E] = z
        w: np.ndarray = A @ whole
        c = A.H @ w
        wrong = inside & ~nonzero & ((whole.conj() * target).real > 0)  # those at a bound push w back from it
        beyond = ~inside & (np.abs(c) > v * (1 + OUTSIDE))
        if not wrong.any() and not beyond.any():
            return w
        if s.dtype.kind == "c":
            break  # bounds are circles: what is held there turns
        inside = (inside & ~wrong) | beyond
        target = np.where(beyond, np.sign(c) * v, np.where(inside, target, 0.0))
    return _descended_dual(A, s, v, L)


def _descended_dual(A: Any, s: np.ndarray, v: np.ndarray, L: float | None) -> np.ndarray:
    """w = A z with z the minimiser of ½‖A z‖² − Re⟨v sign(s_S), z_S⟩ + Σ_{outside S} vⱼ|zⱼ|, by accelerated proximal
    gradient steps.
    """
    nonzero, target = s != 0, signs(s) * v
    L = (NORM_MARGIN * operator_norm(A)) ** 2 if L is None else L
    x = z = np.zeros_like(s)
    Ax = Az = A @ x
    t = 1.0
    for _ in range(DUAL_STEPS):
        check_interrupted()
        c = A.H @ Az
        worst = float((np.where(nonzero, np.abs(c - target), np.maximum(np.abs(c) - v, 0.0)) / v).max())
        if worst <= OUTSIDE:
            break
        ahead = z - (c - target) / L
        new = np.where(nonzero, ahead, soft_threshold(ahead, v / L))
        uphill = float(np.vdot(z - new, new - x).real) > 0
        t = 1.0 if uphill else t
        after = 0.5 * (1 + np.sqrt(1 + 4 * t**2))
        push = 0.0 if uphill else (t - 1) / after
        A_new = A @ new
        z, Az = new + push * (new - x), A_new + push * (A_new - Ax)
        x, Ax, t = new, A_new, after
    w: np.ndarray = Az
    return w


DUAL_STEPS = 3_000
