"""Orthonormal columns of a tall matrix with few of them."""

from __future__ import annotations

import numpy as np

NEAR = 0.1  # of the second Gram from the identity, entry by entry: beyond it the first lost its digits


def thin_qr(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A = Q R by Cholesky factors of Grams, twice (Yamamoto et al. 2015): products, where Householder's takes steps.

    Columns that are dependent to rounding, which a Gram cannot tell apart, go to Householder's.
    """
    n, k = A.shape
    if n < k or k == 0:
        return np.linalg.qr(A)
    B = A.astype(np.float64, copy=False)
    sizes = np.sqrt(np.einsum("ij,ij->j", B, B))
    if not sizes.all() or not np.isfinite(sizes).all():
        return np.linalg.qr(A)
    try:
        Q, first, _ = _orthogonalised(B / sizes)
        Q, second, apart = _orthogonalised(Q)
    except np.linalg.LinAlgError:
        return np.linalg.qr(A)
    if apart > NEAR:
        return np.linalg.qr(A)
    return Q.astype(A.dtype, copy=False), ((second @ first) * sizes).astype(A.dtype, copy=False)


def _orthogonalised(B: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """B R⁻¹ and R with RᵀR = BᵀB, and how far that Gram is from the identity."""
    G = B.T @ B
    R = np.linalg.cholesky(G).T
    apart = float(np.abs(G - np.eye(len(G))).max())
    return B @ np.linalg.inv(R), R, apart
