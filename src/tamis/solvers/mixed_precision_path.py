"""A lasso or elastic net path on a Gram matrix in single precision, corrected on the rows in double, with a proof in
double.

1. The path w̃ on Ĝ is wrong by its rounding.
2. One pass over the rows gives c = Xᵀ(y − Xw̃)/n in double, at the columns that may matter. Where signs stay the same
   and no square is penalised, the path is a line in α, and so is c: it is computed at the two ends of the line.
3. The path is solved again with q + c − (q − Ĝw̃) for q. Its residual c − Ĝ(w − w̃) is that of the rows but for
   (Ĝ − G)(w − w̃): the rounding of what was small already.
4. A column for which |r| and the bound on its rounding together stay below α l1 is out. With these bounds the residual
   gives a feasible dual point, and so a gap.

Where a bound is not met nothing is returned, and the path belongs on a Gram matrix in double.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from tamis._kernels import kernels
from tamis._kernels.workspace import square
from tamis.penalties import Terms
from tamis.solvers.paths import SolvedPath
from tamis.stats.single_precision_gram import SinglePrecisionGram

SMALL = 1e-5  # of the largest coefficient: a correction up to it leaves its square, 1e-10
ROUNDING = 16 * np.finfo(float).eps  # of c, which is in double


@dataclass(frozen=True)
class PathSegments:
    """Segments of a lasso path on which no sign changes: coefficients and residuals are linear in α there (Efron et
    al. 2004). Their ``ends``, ascending, and for each α ``inside`` one where its two ends are and how far from the
    first it is.
    """

    ends: np.ndarray
    inside: np.ndarray
    before: np.ndarray
    after: np.ndarray
    share: np.ndarray

    @classmethod
    def of(cls, path: SolvedPath) -> Self:
        signs = np.sign(path.coefs)
        same = (signs[1:] == signs[:-1]).all(axis=1)
        inner = np.zeros(len(signs), bool)
        inner[1:-1] = same[1:] & same[:-1]
        ends, inside = np.flatnonzero(~inner), np.flatnonzero(inner)
        place = np.searchsorted(ends, inside)
        before, after = ends[place - 1], ends[place]
        length = path.alphas[before] - path.alphas[after]
        share = (path.alphas[before] - path.alphas[inside]) / np.where(length > 0, length, 1.0)
        return cls(ends, inside, before, after, share[:, None])

    @classmethod
    def single(cls, path: SolvedPath) -> Self:
        """Every α an end: of a path that bends between kinks."""
        none = np.zeros(0, np.intp)
        return cls(np.arange(len(path.alphas)), none, none, none, np.zeros((0, 1)))

    def straighten(self, V: np.ndarray) -> None:
        """Puts rows of V, one for each α, on the line between those at its ends."""
        V[self.inside] = (1 - self.share) * V[self.before] + self.share * V[self.after]


@dataclass
class MixedPrecisionPath:
    """min 1/(2n) Σ sᵢ (yᵢ − xᵢᵀw)² + α Σ (l1ⱼ|wⱼ| + ½ l2ⱼwⱼ²), over w ≥ 0 where asked, n = Σ sᵢ, with y and the columns
    of X about the points that the Gram matrix is about. Every l1ⱼ is positive, and there are no groups.
    """

    tol: float
    max_iter: int
    n_threads: int

    def path(
        self,
        gram: SinglePrecisionGram,
        X: np.ndarray,
        y: np.ndarray,
        weight: np.ndarray | None,
        terms: Terms,
        alphas: np.ndarray,
    ) -> SolvedPath | None:
        """Solutions for descending alphas, or None where they could not be proven."""
        first, residuals, factor = self._solve(gram, terms, alphas)
        if not first.converged.all():
            return None
        segments = PathSegments.single(first) if terms.ridged else PathSegments.of(first)
        for V in (first.coefs, residuals):
            segments.straighten(V)
        S, begins = _may_matter(gram, terms, first, residuals)
        c = self._on_rows(gram, X, y, weight, first.coefs, S, begins, segments)
        second = self._solve_again(gram, terms, first, residuals, S, c, factor)
        moved = second.coefs - first.coefs
        corrected = np.zeros(moved.shape, bool)
        corrected[:, S] = ~np.isnan(c)
        doubt = np.where(corrected, gram.rounding(moved), gram.rounding(second.coefs))
        doubt += ROUNDING * np.multiply.outer(np.sqrt(gram.yy) + np.abs(second.coefs) @ gram.size, gram.size)
        second.gaps[:] = _gaps(gram, terms, alphas, second.coefs, residuals, doubt)
        small = np.abs(moved).max(initial=0.0) <= SMALL * np.abs(second.coefs).max(initial=0.0)
        proven = second.converged.all() and (second.gaps <= self.tol * 0.5 * gram.yy).all()
        return second if small and proven else None

    def _solve(
        self, gram: SinglePrecisionGram, terms: Terms, alphas: np.ndarray
    ) -> tuple[SolvedPath, np.ndarray, tuple[np.ndarray, ...]]:
        """The path on Ĝ with its residuals q − Ĝw and the factor of its last support."""
        p = len(gram.q)
        out, residuals = SolvedPath.empty(alphas, p), np.empty((len(alphas), p))
        members, n_members, L = np.zeros(p, np.int64), np.zeros(1, np.int64), square(p)
        kernels.lasso_path(
            gram.G, gram.q, gram.yy, alphas, terms.l1, terms.l2, terms.positive, -1, np.zeros(p), members, n_members, L,
            self.tol, self.max_iter, out.coefs, out.gaps, out.n_iter, out.converged, residuals,
        )  # fmt: skip
        return out, residuals, (members[: n_members[0]], L)

    def _on_rows(
        self,
        gram: SinglePrecisionGram,
        X: np.ndarray,
        y: np.ndarray,
        weight: np.ndarray | None,
        W: np.ndarray,
        S: np.ndarray,
        begins: np.ndarray,
        segments: PathSegments,
    ) -> np.ndarray:
        """Xᵀ(y − Xw)/n at the columns S for each row w of W; NaN at some of the α before a column begins to matter."""
        ends = segments.ends
        at_ends, c = np.empty((len(ends), len(S))), np.empty((len(W), len(S)))
        begins = np.searchsorted(ends, begins, side="right") - 1
        kernels.path_residuals(X, y, gram.y_mean, weight, S, gram.mean[S], begins, W[ends], at_ends, self.n_threads)
        c[ends] = at_ends / gram.weight
        segments.straighten(c)
        return c

    def _solve_again(
        self,
        gram: SinglePrecisionGram,
        terms: Terms,
        first: SolvedPath,
        residuals: np.ndarray,
        S: np.ndarray,
        on_rows: np.ndarray,
        factor: tuple[np.ndarray, ...],
    ) -> SolvedPath:
        """The path with the rows' residuals at the columns S; ``residuals`` become those of the solutions."""
        m = len(first.alphas)
        out = SolvedPath(
            first.alphas, first.coefs.copy(), np.zeros(m), np.empty(m), first.n_iter.copy(), np.empty(m, bool)
        )
        kernels.correct_lasso_path(
            gram.G, gram.q, gram.yy, first.alphas, terms.l1, terms.l2, terms.positive, S, on_rows, out.coefs, residuals,
            *factor, self.tol, self.max_iter, out.converged, self.n_threads,
        )  # fmt: skip
        out.intercepts[:] = gram.y_mean - out.coefs @ gram.mean
        return out


def _strength(terms: Terms, alphas: np.ndarray, W: np.ndarray, R: np.ndarray) -> np.ndarray:
    """|r − α l2 w|, or its positive part where w ≥ 0 is asked for: what α l1 bounds at a solution."""
    slope = R - alphas[:, None] * terms.l2 * W if terms.ridged else R
    return np.maximum(slope, 0.0) if terms.positive else np.abs(slope)


def _may_matter(
    gram: SinglePrecisionGram, terms: Terms, first: SolvedPath, residuals: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Columns that rounding may keep from being seen to be out at some α, and the number of the first such α; ascending
    in this.
    """
    most = _strength(terms, first.alphas, first.coefs, residuals) + gram.rounding(first.coefs)
    near = most >= np.multiply.outer(first.alphas, terms.l1)
    near |= first.coefs != 0
    S = np.flatnonzero(near.any(axis=0))
    begins = near[:, S].argmax(axis=0)
    order = np.argsort(begins, kind="stable")
    return S[order], begins[order]


def _gaps(
    gram: SinglePrecisionGram, terms: Terms, alphas: np.ndarray, W: np.ndarray, R: np.ndarray, doubt: np.ndarray
) -> np.ndarray:
    """Primal minus dual at the best multiple t ≤ α minⱼ l1ⱼ / (strengthⱼ + doubtⱼ) of the residual of the rows and of
    √(α l2) w, taken as further rows with target 0: D(t) = t (yy − qᵀw) − t²/2 (‖y − Xw‖²/n + α Σ l2 w²). The bound on
    wᵀr comes on top.
    """
    yr = gram.yy - W @ gram.q
    square = np.maximum(yr - np.einsum("ij,ij->i", W, R), 0.0) + alphas * (W**2 @ terms.l2)
    tiny = np.finfo(float).tiny
    most = alphas / np.maximum(((_strength(terms, alphas, W, R) + doubt) / terms.l1).max(axis=1), tiny)
    t = np.clip(yr / np.maximum(square, tiny), 0.0, most)
    gaps = 0.5 * square + alphas * (np.abs(W) @ terms.l1) - (t * yr - 0.5 * t**2 * square)
    rounding: np.ndarray = 0.5 * (1 + t**2) * np.einsum("ij,ij->i", np.abs(W), doubt)
    return np.maximum(gaps, 0.0) + rounding
