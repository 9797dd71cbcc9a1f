"""The least ‖s‖₁ with A s = y on any operator, real or complex, by alternating directions on the dual problem.

The dual asks for the largest Re⟨w, y⟩ with |Aᴴw| ≤ 1. With z = Aᴴw as a variable of its own, whose multiplier is s
(Yang & Zhang 2011):

    z ← v / max(|v|, 1),  v = Aᴴw + μ s
    w ← (AAᴴ)⁻¹(A z + μ (y − A s))
    s ← s + γ (Aᴴw − z)/μ

AAᴴ is a multiple of the identity for rows of an orthonormal transform, and is factored where A is in memory; else its
equations are solved by conjugate gradients. What is returned measures y: it is s moved to the nearest such code.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from tamis._core.evidence import Status
from tamis._kernels.interruption import check_interrupted
from tamis.solvers.support_least_squares import in_memory

GOLDEN = 1.618  # γ: any below (1 + √5)/2 converges
EVERY = 10  # steps from one gap to the next
FALLING, WITHIN = 0.9, 3000  # the gap falls to this share in so many steps, or it stalls
TIGHT = 1e-10  # relative: AAᴴ u is κ u but for rounding
FACTORED = 2048  # rows of a matrix whose AAᴴ is factored
INNER, PRECISE = 1e-2, 1e-13  # what conjugate gradients leave: of the change of w, and of y at least


class RowNormal:
    """(AAᴴ)⁻¹ b."""

    def __init__(self, A: Any, dtype: np.dtype) -> None:
        self.A, self.kappa, self.factor = A, 0.0, None
        u = np.random.default_rng(0).standard_normal(A.shape[0]).astype(dtype)
        v = self._times(u)
        kappa = float(np.vdot(u, v).real / np.vdot(u, u).real)
        if float(np.linalg.norm(v - kappa * u)) <= TIGHT * float(np.linalg.norm(v)):
            self.kappa = kappa
        elif in_memory(A) and A.shape[0] <= FACTORED:
            with suppress(LinAlgError):  # rows depend on each other: conjugate gradients stay within their span
                self.factor = cho_factor(self._times(np.eye(A.shape[0], dtype=dtype)), lower=True)

    def solve(self, b: np.ndarray, start: np.ndarray | None, left: float) -> np.ndarray:
        """From ``start``, to a residual of norm ``left`` where it is not exact."""
        if self.kappa > 0:
            return b / self.kappa
        if self.factor is not None:
            w: np.ndarray = cho_solve(self.factor, b, check_finite=False)
            return w
        return self._conjugate_gradients(b, start, left)

    def _times(self, u: np.ndarray) -> np.ndarray:
        product: np.ndarray = self.A @ (self.A.H @ u)
        return product

    def _conjugate_gradients(self, b: np.ndarray, w: np.ndarray | None, left: float) -> np.ndarray:
        w = np.zeros_like(b) if w is None else w
        r = b - self._times(w) if w.any() else b
        d, rr = r, float(np.vdot(r, r).real)
        for _ in range(2 * len(b)):
            if np.sqrt(rr) <= left:
                break
            q = self._times(d)
            curvature = float(np.vdot(d, q).real)
            if curvature <= 0:  # b is outside the span of the rows
                break
            w, r = w + rr / curvature * d, r - rr / curvature * q
            rr, last = float(np.vdot(r, r).real), rr
            d = r + (rr / last) * d
        return w


class EqualityL1:
    """One operator and its signals, one after the other."""

    def __init__(self, A: Any, dtype: np.dtype) -> None:
        self.A, self.dtype = A, dtype
        self.normal = RowNormal(A, dtype)

    def solve(
        self,
        y: np.ndarray,
        s: np.ndarray | None,
        *,
        tol: float,
        max_iter: int,
        over: Callable[[], bool] = lambda: False,
    ) -> tuple[np.ndarray, np.ndarray, Status, int]:
        """A code that measures y, w with |Aᴴw| ≤ 1, how it ended and after how many steps."""
        size = float(np.linalg.norm(y))
        least = self.A.H @ self.normal.solve(y, None, PRECISE * size)
        if float(np.linalg.norm(y - self.A @ least)) > tol * size:
            return least, np.zeros_like(y), Status.STALLED, 0  # no code measures y
        mu = 1.0 / float(np.abs(least).mean())
        s = np.zeros_like(least) if s is None else s
        w, c, change = np.zeros_like(y), np.zeros_like(s), np.sqrt(len(s))
        best, since, ended = np.inf, 0, None
        k = 0
        while ended is None:
            check_interrupted()
            v = c + mu * s
            z = v / np.maximum(np.abs(v), 1.0)
            w = self.normal.solve(self.A @ (z - mu * s) + mu * y, w, INNER * change)
            c = self.A.H @ w
            d = c - z
            s, change, k = s + (GOLDEN / mu) * d, float(np.linalg.norm(d)), k + 1
            last = k == max_iter
            if k % EVERY and not last:
                continue
            code, dual, gap = self._pair(y, s, w, c, size)
            if gap < FALLING * best:
                best, since = gap, k
            late = Status.TIME_LIMIT if over() else Status.MAX_ITER if last else None
            ended = Status.CONVERGED if gap <= tol else Status.STALLED if k - since > WITHIN else late
        return code, dual, ended, k

    def _pair(
        self, y: np.ndarray, s: np.ndarray, w: np.ndarray, c: np.ndarray, size: float
    ) -> tuple[np.ndarray, np.ndarray, float]:
        """The nearest code to s that measures y, w within its bounds, and their relative gap."""
        code = s + self.A.H @ self.normal.solve(y - self.A @ s, None, PRECISE * size)
        dual = w / max(1.0, float(np.abs(c).max()))
        value = float(np.abs(code).sum())
        return code, dual, (value - float(np.vdot(dual, y).real)) / value
