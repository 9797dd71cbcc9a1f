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
from tamis.components.base import signed
from tamis.solvers.svd import partial_svd

FEW = 6  # eigenvectors are computed alone where there are this many times as many
BLOCK = 8  # columns of a dense matrix's Krylov space that step together
TOLERANCE = {4: 1e-5, 8: 1e-9}  # of partial_svd, by bytes of a number: an angle is about the residual over the gap


@dataclass(frozen=True)
class Spectrum:
    """The largest ``variances``, descending, their ``directions`` (k, p) in rows, the ``total`` of all variances."""

    variances: np.ndarray
    directions: np.ndarray
    total: float

    def first(self, k: int) -> Spectrum:
        return Spectrum(self.variances[:k], self.directions[:k], self.total)

    @property
    def shares(self) -> np.ndarray:
        """Of the total; zeros where there is no variance at all."""
        return self.variances / self.total if self.total > 0 else np.zeros_like(self.variances)


def of_covariance(C: np.ndarray, k: int | None = None) -> Spectrum:
    """Eigenvectors of C (p, p), the k first or all."""
    p, total = len(C), float(np.trace(C))
    some = (p - k, p - 1) if k is not None and FEW * k < p else None
    values, vectors = scipy.linalg.eigh(C, subset_by_index=some)
    found = Spectrum(_real(values[::-1], p), signed(vectors.T[::-1]), total)
    return found if k is None else found.first(k)


def of_rows(X: np.ndarray, d: float) -> Spectrum:
    """All min(n, p) directions of centred rows, by LAPACK's SVD."""
    _, s, Vt = scipy.linalg.svd(X, full_matrices=False, overwrite_a=True, check_finite=False)
    variances = s.astype(np.float64) ** 2 / d
    return Spectrum(_real(variances, max(X.shape), s.dtype), signed(Vt), float(np.vdot(s, s)) / d)


def of_operator(A: Any, k: int, d: float, total: float, rng: np.random.Generator, tol: float | None = None) -> Spectrum:
    """The k first directions of centred rows behind products, by a block Krylov space."""
    bytes_each = np.dtype(A.dtype).itemsize
    block = BLOCK if not hasattr(getattr(A, "A", A), "stored") else 1
    found = partial_svd(A, k, tol=TOLERANCE[bytes_each] if tol is None else tol, random_state=rng, block=block)
    if found.status != "converged":
        warn(
            f"the {k} principal directions are found to a residual of {found.diagnostics['residual']:.2g} only: ask "
            "for fewer, or use solver='svd'",
            ConvergenceWarning,
        )
    variances = found.s.astype(np.float64) ** 2 / d
    return Spectrum(_real(variances, max(A.shape), np.dtype(A.dtype)), signed(found.Vt), total)


def _real(variances: np.ndarray, size: int, dtype: Any = np.float64) -> np.ndarray:
    """Exactly 0 for what rounding left of a variance beyond the rank: eigenvalues have errors of size ε λ₁."""
    largest = float(variances.max(initial=0.0))
    return np.where(variances > size * np.finfo(dtype).eps * largest, variances, 0.0)
