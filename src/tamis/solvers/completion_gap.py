"""How far a completed matrix can be from the best one: the duality gap of its nuclear-norm problem.

F(M) = ½‖P_Ω(X − M)‖² + α‖M‖_* is, for every Θ that is 0 outside of Ω with ‖Θ‖₂ ≤ α, at least ⟨X, Θ⟩ − ½‖Θ‖². Ours is
a multiple of the residual. Where the model has a mean and biases, they are fixed first, and X is what they leave.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse
from scipy.sparse.linalg import svds

from tamis._core.evidence import ObjectiveGap
from tamis.solvers.svd import Factors, partial_svd

DENSE = 2000  # a side up to which ``verify`` writes the residual out


@dataclass(frozen=True, repr=False)
class CompletionGap(ObjectiveGap):
    """F − D ≥ F − min F. ``mean`` and biases (None where the model has none) are taken off X first."""

    primal: float
    dual: float
    alpha: float
    low_rank: Factors
    row_bias: np.ndarray | None = None
    column_bias: np.ndarray | None = None
    mean: float = 0.0

    def verify(self, X: Any, y: Any = None) -> CompletionGap:
        """The same two numbers from X, NaN or absent where not observed, in plain NumPy and SciPy.

        The largest singular value is LAPACK's up to 2,000 rows or columns, else ARPACK's.
        """
        rows, columns, x = _entries(X)
        x = x - self.mean
        if self.row_bias is not None and self.column_bias is not None:
            x = x - self.row_bias[rows] - self.column_bias[columns]
        M = self.low_rank
        r = x - np.einsum("ek,ek->e", (M.U * M.s)[rows], M.Vt.T[columns])
        shape = (len(M.U), M.Vt.shape[1])
        R = csr_array((r, (rows, columns)), shape=shape)
        nuclear = float(np.linalg.svd(np.linalg.qr(M.U * M.s)[1] @ np.linalg.qr(M.Vt.T)[1].T, compute_uv=False).sum())
        primal = 0.5 * float(r @ r) + self.alpha * nuclear
        quadratic = float(r @ r)
        t = _best_scale(float(x @ r), quadratic, _largest(R), self.alpha)
        return replace(self, primal=primal, dual=max(0.0, t * float(x @ r) - 0.5 * t * t * quadratic))


def completion_gap(
    R: csr_array, X: csr_array, low_rank: Factors, alpha: float, rng: np.random.Generator
) -> CompletionGap:
    """Of M with residual R at the observed entries of X."""
    r, x = R.data.astype(np.float64, copy=False), X.data.astype(np.float64, copy=False)
    return gap_of_residual(R, float(r @ r), float(x @ r), low_rank, alpha, rng)


def gap_of_residual(
    R: Any, square: float, along: float, low_rank: Factors, alpha: float, rng: np.random.Generator
) -> CompletionGap:
    """The same from ‖R‖², ⟨X, R⟩ and products with R, which may be an operator."""
    primal = 0.5 * square + alpha * float(low_rank.s.sum())
    sigma = float(partial_svd(R, 1, tol=1e-9, random_state=rng).s[0]) if square > 0 else 0.0
    t = _best_scale(along, square, sigma * (1 + 1e-9), alpha)
    return CompletionGap(primal, max(0.0, t * along - 0.5 * t * t * square), alpha, low_rank)


def _best_scale(along: float, quadratic: float, sigma: float, alpha: float) -> float:
    """t with the largest t·along − ½t²·quadratic among those with t σ₁(R) ≤ α."""
    best = along / quadratic if quadratic > 0 else 0.0
    return max(0.0, min(best, alpha / sigma if sigma > 0 else np.inf))


def _entries(X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    if issparse(X):
        X = X.tocoo()
        return X.row, X.col, X.data.astype(np.float64)
    X = np.asarray(X, dtype=np.float64)
    rows, columns = np.nonzero(np.isfinite(X))
    return rows, columns, X[rows, columns]


def _largest(R: csr_array) -> float:
    if min(R.shape) <= DENSE:
        return float(np.linalg.norm(R.toarray(), 2))
    return float(svds(R, k=1, return_singular_vectors=False, tol=1e-10)[0]) * (1 + 1e-8)
