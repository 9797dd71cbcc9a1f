"""A lasso path on a Gram matrix in single precision, corrected on the rows in double, with a proof in double.

1. The path w̃ on Ĝ is wrong by its rounding.
2. One pass over the rows gives c = Xᵀ(y − Xw̃)/n in double, at the columns that may matter. Where signs stay the same
   the path is a line in α, and so is c: it is computed at the two ends of the line.
3. The path is walked again with q + c − (q − Ĝw̃) for q. Its residual c − Ĝ(w − w̃) is that of the rows but for
   (Ĝ − G)(w − w̃): the rounding of what was small already.
4. A column for which |r| and the bound on its rounding together stay below α is out. With these bounds the residual
   gives a feasible dual point, and so a gap.

Where a bound is not met nothing is returned, and the path belongs on a Gram matrix in double.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tamis._kernels import kernels
from tamis._kernels.room import square
from tamis.solvers.path_segments import PathSegments
from tamis.solvers.paths import SolvedPath
from tamis.stats.half_gram import HalfGram

SMALL = 1e-5  # of the largest coefficient: a correction up to it leaves its square, 1e-10


@dataclass
class MixedPrecisionPath:
    """min 1/(2n) ‖y − Xw‖² + α ‖w‖₁ with y and the columns of X about their means."""

    tol: float
    max_iter: int
    n_threads: int

    def path(self, half: HalfGram, X: np.ndarray, y: np.ndarray, alphas: np.ndarray) -> SolvedPath | None:
        """Solutions for descending alphas, or None where they could not be proven."""
        first, residuals, factor = self._walk(half, alphas)
        if not first.converged.all():
            return None
        segments = PathSegments.of(first)
        for V in (first.coefs, residuals):
            segments.straighten(V)
        S, begins = _may_matter(half, first, residuals, alphas)
        c = self._exact(half, X, y, first.coefs, S, begins, segments)
        again = self._walk_again(half, first, residuals, S, c, factor)
        moved = again.coefs - first.coefs
        corrected = np.zeros(moved.shape, bool)
        corrected[:, S] = ~np.isnan(c)
        doubt = half.spread * np.where(corrected, half.doubt(moved), half.doubt(again.coefs))
        again.gaps[:] = _gaps(half, again.coefs, residuals, doubt, alphas)
        small = np.abs(moved).max(initial=0.0) <= SMALL * np.abs(again.coefs).max(initial=0.0)
        proven = again.converged.all() and (again.gaps <= self.tol * 0.5 * half.yy).all()
        return again if small and proven else None

    def _walk(self, half: HalfGram, alphas: np.ndarray) -> tuple[SolvedPath, np.ndarray, tuple[np.ndarray, ...]]:
        """The path on Ĝ with its residuals q − Ĝw and the factor of its last support."""
        p = len(half.q)
        out, residuals = SolvedPath.empty(alphas, p), np.empty((len(alphas), p))
        members, n_members, L = np.zeros(p, np.int64), np.zeros(1, np.int64), square(p)
        kernels.lasso_steps(
            half.G, half.q, half.yy, alphas, np.ones(p), np.zeros(p), False, -1, np.zeros(p), members, n_members, L,
            self.tol, self.max_iter, out.coefs, out.gaps, out.n_iter, out.converged, residuals,
        )  # fmt: skip
        return out, residuals, (members[: n_members[0]], L)

    def _exact(
        self,
        half: HalfGram,
        X: np.ndarray,
        y: np.ndarray,
        W: np.ndarray,
        S: np.ndarray,
        begins: np.ndarray,
        segments: PathSegments,
    ) -> np.ndarray:
        """Xᵀ(y − Xw)/n at the columns S for each row w of W; NaN at some of the α before a column begins to matter."""
        ends = segments.ends
        at_ends, c = np.empty((len(ends), len(S))), np.empty((len(W), len(S)))
        begins = np.searchsorted(ends, begins, side="right") - 1
        kernels.path_residuals(X, y, half.y_mean, S, half.mean[S], begins, W[ends], at_ends, self.n_threads)
        c[ends] = at_ends / len(y)
        segments.straighten(c)
        return c

    def _walk_again(
        self,
        half: HalfGram,
        first: SolvedPath,
        residuals: np.ndarray,
        S: np.ndarray,
        exact: np.ndarray,
        factor: tuple[np.ndarray, ...],
    ) -> SolvedPath:
        """The path with exact residuals at the columns S; ``residuals`` become those of the solutions."""
        p, m = len(half.q), len(first.alphas)
        out = SolvedPath(
            first.alphas, first.coefs.copy(), np.zeros(m), np.empty(m), first.n_iter.copy(), np.empty(m, bool)
        )
        kernels.lasso_again(
            half.G, half.q, half.yy, first.alphas, np.ones(p), np.zeros(p), False, S, exact, out.coefs, residuals,
            *factor, self.tol, self.max_iter, out.converged, self.n_threads,
        )  # fmt: skip
        out.intercepts[:] = half.y_mean - out.coefs @ half.mean
        return out


def _may_matter(
    half: HalfGram, first: SolvedPath, residuals: np.ndarray, alphas: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Columns that rounding may keep from being seen to be out at some α, and the number of the first such α; ascending
    in this.
    """
    near = np.abs(residuals) + half.doubt(first.coefs) * half.spread >= alphas[:, None]
    near |= first.coefs != 0
    S = np.flatnonzero(near.any(axis=0))
    begins = near[:, S].argmax(axis=0)
    order = np.argsort(begins, kind="stable")
    return S[order], begins[order]


def _gaps(half: HalfGram, W: np.ndarray, R: np.ndarray, doubt: np.ndarray, alphas: np.ndarray) -> np.ndarray:
    """Primal minus dual at the best multiple s ≤ α / maxⱼ (|rⱼ| + doubtⱼ) of the residual y − Xw, for each row w of W:
    D(s) = s (yy − qᵀw) − s²/2 ‖y − Xw‖²/n. The bound on wᵀr comes on top.
    """
    wq = W @ half.q
    yr = half.yy - wq
    rr = np.maximum(yr - np.einsum("ij,ij->i", W, R), 0.0)
    tiny = np.finfo(float).tiny
    most = alphas / np.maximum((np.abs(R) + doubt).max(axis=1), tiny)
    s = np.clip(yr / np.maximum(rr, tiny), 0.0, most)
    gaps = 0.5 * rr + alphas * np.abs(W).sum(axis=1) - (s * yr - 0.5 * s**2 * rr)
    rounding: np.ndarray = 0.5 * (1 + s**2) * np.einsum("ij,ij->i", np.abs(W), doubt)
    return np.maximum(gaps, 0.0) + rounding
