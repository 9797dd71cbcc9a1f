"""Principal directions and variances: of a covariance matrix, of rows, of rows that can only be multiplied.

With centred rows X (n, p), C = XᵀX/d: the directions are the eigenvectors of C, or the right singular vectors of X,
whose singular values are √(d λ).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg

from tamis._core.errors import ConvergenceWarning
from tamis._core.warn import warn
from tamis.solvers.block_lanczos import is_block_small, largest_directions
from tamis.solvers.svd import partial_svd, signed

FEW = 6  # eigenvectors are computed alone where there are this many times as many
MAX_ITER = 300  # steps of a block
TOLERANCE = {4: 1e-5, 8: 1e-9}  # of partial_svd, by bytes of a number: an angle is about the residual over the gap


@dataclass(frozen=True)
class Spectrum:
    """The largest ``variances``, descending, their ``directions`` (k, p) in rows, the ``total`` of all variances."""

    variances: np.ndarray
    directions: np.ndarray
    total: float

    @property
    def shares(self) -> np.ndarray:
        """Of the total; zeros where there is no variance at all."""
        return self.variances / self.total if self.total > 0 else np.zeros_like(self.variances)

    def beyond(self, k: int) -> float:
        """The variances of all directions but the first k, summed; exactly 0 for what rounding leaves."""
        p, eps = self.directions.shape[1], float(np.finfo(self.directions.dtype).eps)
        rest = self.total - float(self.variances[:k].sum())
        return rest if rest > 10 * max(np.sqrt(p) * float(np.finfo(np.float64).eps), eps) * self.total else 0.0


def of_covariance(C: np.ndarray, k: int | None = None) -> Spectrum:
    """Eigenvectors of C (p, p): the k first where they are few, else all."""
    p, total = len(C), float(np.trace(C))
    some = (p - k, p - 1) if k is not None and FEW * k < p else None
    values, vectors = scipy.linalg.eigh(C, subset_by_index=some)
    return Spectrum(_real(values[::-1], p), signed(vectors.T[::-1]), total)


def of_rows(X: np.ndarray, d: float) -> Spectrum:
    """All min(n, p) directions of centred rows, by LAPACK's SVD."""
    _, s, Vt = scipy.linalg.svd(X, full_matrices=False, overwrite_a=True, check_finite=False)
    variances = s.astype(np.float64) ** 2 / d
    return Spectrum(_real(variances, max(X.shape), s.dtype), signed(Vt), float(np.vdot(s, s)) / d)


def of_operator(A: Any, k: int, d: float, total: float, rng: np.random.Generator, tol: float | None = None) -> Spectrum:
    """The k first directions of centred rows behind products, by a Krylov space: of blocks, where there is room."""
    tol = TOLERANCE[np.dtype(A.dtype).itemsize] if tol is None else tol
    if is_block_small(k, A.shape):
        found = largest_directions(A, k, tol, MAX_ITER, rng)
        s, directions, residual, converged = found.s, found.V.T, found.residuals.max(), found.converged
    else:
        all_ = partial_svd(A, k, tol=tol, random_state=rng)
        s, directions, residual = all_.s, all_.Vt, all_.diagnostics["residual"]
        converged = all_.status == "converged"
    if not converged:
        warn(
            f"the {k} principal directions are found to a residual of {residual:.2g} only: ask for fewer, or use "
            "solver='svd'",
            ConvergenceWarning,
        )
    variances = s.astype(np.float64) ** 2 / d
    return Spectrum(_real(variances, max(A.shape), np.dtype(A.dtype)), signed(directions), total)


def _real(variances: np.ndarray, size: int, dtype: Any = np.float64) -> np.ndarray:
    """Exactly 0 for what rounding left of a variance beyond the rank.

    Eigenvalues computed in float64 have errors of size ε λ₁, singular values of rows in ``dtype`` of size ε s₁, whose
    square is that of a variance.
    """
    largest = float(variances.max(initial=0.0))
    of_singular_values = (10 * np.sqrt(size) * float(np.finfo(dtype).eps)) ** 2
    return np.where(
        variances > max(size * float(np.finfo(np.float64).eps), of_singular_values) * largest, variances, 0.0
    )
