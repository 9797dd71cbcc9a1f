"""The largest singular values of A and its right singular vectors, by a block Krylov space on the smaller side of A.

A block wider than what is asked for steps together: C V₁, C²V₁, … with C = AᵀA or AAᵀ, each step two products with many
columns at once, which is what dense and sparse matrices are fastest at. Nothing on the longer side is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis._kernels.interruption import check_interrupted

BESIDE = 4  # columns at least beyond those asked for
EIGHT = 8  # widths are multiples of it, as products like them
STEPS = 12  # of a block before the space is cut back, where there is room
ROOM_BYTES = 1 << 28  # of a space that may be wider than three blocks
PART = 4  # a block is at most this part of the smaller side


@dataclass
class Directions:
    """s (k,) descending, V (p, k) with orthonormal columns, and ``residuals`` ‖Aᵀu − s v‖, as they were estimated."""

    s: np.ndarray
    V: np.ndarray
    residuals: np.ndarray
    n_iter: int
    n_passes: int
    converged: bool


def block_width(k: int) -> int:
    """Columns that step together for k triplets."""
    return -(-(k + BESIDE) // EIGHT) * EIGHT


def is_block_small(k: int, shape: tuple[int, ...]) -> bool:
    """Whether a Krylov space of such blocks fits the smaller side of A."""
    return PART * block_width(k) <= min(shape)


def largest_directions(A: Any, k: int, tol: float, max_iter: int, rng: np.random.Generator) -> Directions:
    """The k largest of A (n, p), until every residual is at most tol s₁: block Lanczos with full orthogonalisation and
    thick restarts (Golub & Underwood 1977; Musco & Musco 2015).

    A random block of more than k columns meets every copy of a singular value, so none is missed for its multiplicity.
    Values far below s₁ are refined by one product at the end: C knows them to ε s₁²/s only.
    """
    n, p = A.shape
    turned, m, b = n < p, min(n, p), block_width(k)
    product = (lambda B: A @ (A.T @ B)) if turned else (lambda B: A.T @ (A @ B))
    room = max(3 * b, min(STEPS * b, ROOM_BYTES // (8 * m), m // 2))
    space = _Space(np.linalg.qr(rng.standard_normal((m, b)))[0])
    converged, n_iter, limit = False, 0, 50 * np.finfo(np.float64).eps
    while n_iter < max_iter and not converged:
        check_interrupted()
        n_iter += 1
        step = space.step(product)
        theta, Y, error = space.ritz(step, k)
        scale = np.sqrt(np.maximum(theta[:k], 0.0) * theta[0])  # ‖Cv − θv‖ is s times the residual of a triplet
        converged = bool((error <= np.maximum(tol * scale, limit * theta[0])).all())
        if not converged and n_iter < max_iter:
            space.grow(step, theta, Y, k + b // 2, room)
    V, values = space.V @ Y[:, :k], np.sqrt(np.maximum(theta[:k], 0.0))
    residuals = np.divide(error, values, out=np.zeros(k), where=values > 0)
    s, V = _refined(A, V, turned)
    return Directions(s, V, residuals, n_iter, 2 * n_iter + 1, converged)


def _refined(A: Any, V: np.ndarray, turned: bool) -> tuple[np.ndarray, np.ndarray]:
    """Singular values, and right singular vectors, of A on the span of V: of its rows, or of its columns if turned."""
    if turned:
        Q, R = np.linalg.qr(np.asarray(A.T @ V))
        left, s, _ = np.linalg.svd(R)
        return s, Q @ left
    _, s, right = np.linalg.svd(np.linalg.qr(np.asarray(A @ V), mode="r"))
    return s, V @ right.T


class _Space:
    """Orthonormal V (m, w), whose last ``fresh`` columns C has not met yet, and T = VᵀCV of the others."""

    def __init__(self, V: np.ndarray) -> None:
        self.V, self.T, self.fresh = V, np.empty((0, 0)), V.shape[1]

    def step(self, product: Any) -> tuple[np.ndarray, np.ndarray]:
        """(N, S) with C V = V T + N S on the fresh columns, N orthonormal; T gains them."""
        V = self.V
        W = np.asarray(product(V[:, V.shape[1] - self.fresh :]))
        H = V.T @ W
        N, S = np.linalg.qr(W - V @ H)
        again = V.T @ N  # digits were lost, or a column is rounding: once more is enough (Parlett 1980)
        N, R = np.linalg.qr(N - V @ again)
        H, S = H + again @ S, R @ S
        old = len(self.T)
        self.T = np.block([[self.T, H[:old]], [H[:old].T, 0.5 * (H[old:] + H[old:].T)]])
        return N, S

    def ritz(self, step: tuple[np.ndarray, np.ndarray], k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Ritz values, largest first, their vectors in V, and ‖Cv − θv‖ of the first k."""
        theta, Y = np.linalg.eigh(self.T)
        theta, Y = theta[::-1], Y[:, ::-1]
        return theta, Y, np.linalg.norm(step[1] @ Y[len(Y) - self.fresh :, :k], axis=0)

    def grow(self, step: tuple[np.ndarray, np.ndarray], theta: np.ndarray, Y: np.ndarray, keep: int, room: int) -> None:
        """V gains the new block; where there is no room for it, V is cut back to its best Ritz vectors first."""
        N, _ = step
        if self.V.shape[1] + N.shape[1] > room:
            self.V, self.T = self.V @ Y[:, :keep], np.diag(theta[:keep])
        self.V, self.fresh = np.hstack([self.V, N]), N.shape[1]
