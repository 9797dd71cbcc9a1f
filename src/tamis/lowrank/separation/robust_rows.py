"""New rows on known components: scores that gross errors do not move, and the entries in which these are."""

from __future__ import annotations

import numpy as np

from tamis._kernels import kernels
from tamis._kernels.interruption import check_interrupted

DECAY = 0.6  # of the limit in each step, from the largest residual down to that of the fit
MOST = 60  # steps
BLOCK_BYTES = 1 << 24


def robust_scores(X: np.ndarray, components: np.ndarray, limit: float, n_threads: int) -> tuple[np.ndarray, np.ndarray]:
    """(scores (n, k), S (n, p)) with X ≈ scores · components + S, S = 0 where |X − scores · components| ≤ limit.

    Entries within a limit that shrinks to the given one are projected on the components (orthonormal rows); those
    beyond it, or missing, count as what the scores say.
    """
    n, p = X.shape
    scores, S = np.zeros((n, len(components)), X.dtype), np.empty_like(X)
    step = max(1, BLOCK_BYTES // (X.itemsize * max(1, p)))
    for first in range(0, n, step):
        rows = slice(first, min(n, first + step))
        scores[rows], S[rows] = _block(X[rows], components, limit, n_threads)
    return scores, S


def _block(X: np.ndarray, V: np.ndarray, limit: float, n_threads: int) -> tuple[np.ndarray, np.ndarray]:
    C = np.zeros((len(X), len(V)), X.dtype)
    now = float(np.nanmax(np.abs(X), initial=0.0))
    W = np.zeros_like(X)
    for _ in range(MOST):
        check_interrupted()
        np.matmul(C, V, out=W)
        kernels.keep_near(X, W, max(now, limit), n_threads)
        before, C = C, W @ V.T
        moved, size = float(np.linalg.norm(C - before)), float(np.linalg.norm(C))
        if now <= limit and moved <= 1e-6 * size:
            break
        now *= DECAY
    np.matmul(C, V, out=W)
    kernels.keep_near(X, W, limit, n_threads)
    return C, np.nan_to_num(X - W)
