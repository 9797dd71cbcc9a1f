"""The largest singular triplets of anything that can be multiplied: Krylov spaces with thick restarts.

A (n, p) with n ≥ p; the space lives on the side of p.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import qr

from tamis.operators.products import narrow_product

ROOM = 20  # columns of the Krylov space beyond twice those asked for
BESIDE = 4  # random columns beside a warm start
NEAR = 8  # steps that a whole warm start may take together
CONFIRM = 4  # steps of a random block that must not change triplets found from a warm start


@dataclass
class Triplets:
    """A V ≈ U diag(s), AᵀU ≈ V diag(s): the first to rounding, the second to ``residuals``."""

    U: np.ndarray
    s: np.ndarray
    V: np.ndarray
    residuals: np.ndarray
    n_iter: int
    n_passes: int
    converged: bool


def largest_triplets(
    A: Any, k: int, V: np.ndarray | None, tol: float, max_iter: int, rng: np.random.Generator
) -> Triplets:
    """From the columns of V as long as that is quick, else from one random mixture of what they led to."""
    A = _CountingOperator(A)
    if V is None:
        return _restarted_lanczos(A, k, None, tol, max_iter, rng)
    near = _block_iteration(A, k, V, tol, max_iter, rng)
    if near.converged or near.n_iter == max_iter:
        return near
    mixture = near.V @ rng.standard_normal((k, 1)).astype(A.dtype)
    found = _restarted_lanczos(A, k, mixture, tol, max_iter - near.n_iter, rng)
    return replace(found, n_iter=near.n_iter + found.n_iter)


def _block_iteration(
    A: _CountingOperator, k: int, V: np.ndarray, tol: float, max_iter: int, rng: np.random.Generator
) -> Triplets:
    """All of V, and some random columns beside it, step together as long as ``NEAR`` steps will do at the pace seen."""
    p = A.shape[1]
    space = _Subspace(A, _start_block(V, p, min(p, max(k, V.shape[1]) + BESIDE), A.dtype, rng))
    error = np.inf
    for n_iter in range(1, min(NEAR, max_iter) + 1):
        new, S = space.next_block()
        ritz = space.ritz(S, k)
        last, error = error, ritz.error
        too_slow = n_iter > 1 and error * (error / last) ** (NEAR - n_iter) > tol
        if error <= tol or too_slow or not new.shape[1]:
            break
        space.grow(new)
    if error > tol:
        return _triplets(space, ritz, k, n_iter, False, rng)
    confirmed = _probe(space, ritz, k, rng)
    same = confirmed.error <= tol and np.abs(confirmed.s[:k] - ritz.s[:k]).max() <= tol * ritz.s[0]
    return _triplets(space, confirmed, k, n_iter, bool(same), rng)


def _probe(space: _Subspace, ritz: _Ritz, k: int, rng: np.random.Generator) -> _Ritz:
    """The triplets after some steps of a random block beside them: a start may lie in a lower part of A."""
    space.cut(ritz, k)
    new = space.joined(space.V[:, :0], rng, BESIDE)
    for _ in range(CONFIRM):
        if new.shape[1]:
            space.grow(new)
        new, S = space.next_block()
    return space.ritz(S, k)


def _restarted_lanczos(
    A: _CountingOperator, k: int, V: np.ndarray | None, tol: float, max_iter: int, rng: np.random.Generator
) -> Triplets:
    """One column grows a long way, the space is cut back to its best triplets, and grows again.

    The triplets are believed when a random column let in after they have converged changes none of them: a Krylov space
    sees no more copies of a singular value than it has started from.
    """
    p = A.shape[1]
    room, before, done = min(p, 2 * k + ROOM), np.full(k, -np.inf), False
    space = _Subspace(A, _start_block(V, p, 1, A.dtype, rng))
    target = min(room, k + ROOM // 2)
    for n_iter in range(1, max_iter + 1):
        new, S = space.fill(target, rng)
        ritz = space.ritz(S, k)
        converged = ritz.error <= tol
        done = space.width == p or (converged and np.abs(ritz.s[:k] - before).max() <= tol * ritz.s[0])
        if done or n_iter == max_iter:
            break
        if converged:
            before = ritz.s[:k]
        if converged or target == room:
            space.cut(ritz, k + (room - k) // 3)
        target = room
        space.grow(space.joined(new, rng) if converged or not new.shape[1] else new)
    return _triplets(space, ritz, k, n_iter, bool(done), rng)


def _triplets(
    space: _Subspace, ritz: _Ritz, k: int, n_iter: int, converged: bool, rng: np.random.Generator
) -> Triplets:
    space.cut(ritz, k)
    U, s, V = _completed(space.Q, k, rng), ritz.s[:k], space.V
    residuals = np.linalg.norm(space.A.adjoint(U) - V * s, axis=0)
    return Triplets(U, s, V, residuals, n_iter, space.A.n_passes, converged)


class _CountingOperator:
    """A as its two products, counting them."""

    def __init__(self, A: Any) -> None:
        self.A, self.T, self.shape, self.dtype, self.n_passes = A, A.T, A.shape, A.dtype, 0

    def forward(self, B: np.ndarray) -> np.ndarray:
        self.n_passes += 1
        return np.asarray(narrow_product(self.A, B), dtype=B.dtype)

    def adjoint(self, B: np.ndarray) -> np.ndarray:
        self.n_passes += 1
        return np.asarray(narrow_product(self.T, B), dtype=B.dtype)


class _Subspace:
    """A V = Q R with orthonormal V (p, m), Q (n, r) and R (r, m), r ≤ m: A as the subspace sees it.

    AᵀQ lies in the span of V but for the last ``fresh`` columns of Q.
    """

    def __init__(self, A: _CountingOperator, V: np.ndarray) -> None:
        self.A = A
        self._V, self._Q = _Columns(A.shape[1], A.dtype), _Columns(A.shape[0], A.dtype)
        self.R = np.empty((0, 0), A.dtype)
        self.grow(V)

    @property
    def V(self) -> np.ndarray:
        return self._V.get()

    @property
    def Q(self) -> np.ndarray:
        return self._Q.get()

    @property
    def width(self) -> int:
        return self.R.shape[1]

    def grow(self, new: np.ndarray) -> None:
        """V gains orthonormal columns."""
        Q, H, R = _orthogonalised(self.Q, self.A.forward(new))
        below = np.zeros((len(R), self.width), R.dtype)
        self.R = np.block([[self.R, H], [below, R]])
        self._V.append(new)
        self._Q.append(Q)
        self.fresh = Q.shape[1]

    def next_block(self) -> tuple[np.ndarray, np.ndarray]:
        """(new, S) with AᵀQ = V Rᵀ + new S on the fresh columns: where the Krylov space goes next."""
        new, _, S = _orthogonalised(self.V, self.A.adjoint(self.Q[:, len(self.R) - self.fresh :]))
        return new, S

    def fill(self, room: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Grows until one more step would need more than ``room`` columns; that step's (new, S)."""
        while True:
            new, S = self.next_block()
            if self.width + max(1, new.shape[1]) > room:
                return new, S
            self.grow(new if new.shape[1] else self.joined(new, rng))

    def joined(self, new: np.ndarray, rng: np.random.Generator, more: int = 1) -> np.ndarray:
        """``new`` and, where there is room, random columns beyond V and it."""
        basis = np.hstack([self.V, new])
        return _completed(basis, min(basis.shape[1] + more, len(basis)), rng)[:, self.width :]

    def ritz(self, S: np.ndarray, k: int) -> _Ritz:
        X, s, Yt = np.linalg.svd(self.R, full_matrices=True)
        residuals = np.zeros(k, s.dtype)
        newest = X[len(X) - self.fresh :, :k]
        residuals[: newest.shape[1]] = np.linalg.norm(S @ newest, axis=0)
        return _Ritz(X, np.pad(s, (0, len(Yt) - len(s))), Yt.T, residuals)

    def cut(self, ritz: _Ritz, most: int) -> None:
        """Keeps the span of the best Ritz vectors; what AᵀQ has beyond V is to follow."""
        r, m = min(most, ritz.X.shape[1]), min(most, self.width)
        self._V.replace(self.V @ ritz.Y[:, :m])
        self._Q.replace(self.Q @ ritz.X[:, :r])
        self.R = np.eye(r, m, dtype=ritz.s.dtype) * ritz.s[:m]
        self.fresh = 0


class _Columns:
    """A matrix that gains columns in place."""

    def __init__(self, n: int, dtype: np.dtype) -> None:
        self.storage, self.width = np.empty((n, 0), dtype, order="F"), 0

    def get(self) -> np.ndarray:
        return self.storage[:, : self.width]

    def append(self, new: np.ndarray) -> None:
        width = self.width + new.shape[1]
        if width > self.storage.shape[1]:
            wider = np.empty((len(self.storage), 2 * width), self.storage.dtype, order="F")
            wider[:, : self.width] = self.get()
            self.storage = wider
        self.storage[:, self.width : width] = new
        self.width = width

    def replace(self, columns: np.ndarray) -> None:
        self.width = 0
        self.append(columns)


@dataclass
class _Ritz:
    """R = X diag(s) Yᵀ, s padded with zeros; ``residuals`` of the first k triplets Q X, s, V Y."""

    X: np.ndarray
    s: np.ndarray
    Y: np.ndarray
    residuals: np.ndarray

    @property
    def error(self) -> float:
        """The largest residual relative to s₁."""
        return float(self.residuals.max() / self.s[0]) if self.s[0] > 0 else 0.0


def _orthogonalised(Q: np.ndarray, W: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(N, H, R) with W = Q H + N R, N orthonormal and orthogonal to Q: what W adds to the span of Q, to rounding."""
    size = np.linalg.norm(W, axis=0).max(initial=0.0)
    H = Q.T @ W
    N, R, order = qr(W - Q @ H, mode="economic", pivoting=True, overwrite_a=True, check_finite=False)
    pivots = np.abs(np.diag(R))
    rank = int(np.count_nonzero(pivots > 10 * np.finfo(W.dtype).eps * size))
    N, R = N[:, :rank], R[:rank][:, np.argsort(order)]
    if Q.shape[1] and (pivots[:rank] < 0.7 * size).any():  # digits were lost: once more is enough (Parlett 1980)
        again = Q.T @ N
        N, T = qr(N - Q @ again, mode="economic", overwrite_a=True, check_finite=False)
        H, R = H + again @ R, T @ R
    return N, H, R


def _completed(Q: np.ndarray, b: int, rng: np.random.Generator) -> np.ndarray:
    """Q with random orthonormal columns up to b: left vectors of Ritz values 0, which look for what A has elsewhere."""
    while Q.shape[1] < b:
        more = rng.standard_normal((len(Q), b - Q.shape[1])).astype(Q.dtype)
        Q = np.hstack([Q, _orthogonalised(Q, more)[0]])
    return Q


def _start_block(V: np.ndarray | None, p: int, b: int, dtype: np.dtype, rng: np.random.Generator) -> np.ndarray:
    """An orthonormal start (p, b): V, as far as it goes, then random."""
    none = np.empty((p, 0), dtype)
    return _completed(none if V is None else _orthogonalised(none, V[:, :b].astype(dtype, copy=False))[0], b, rng)
