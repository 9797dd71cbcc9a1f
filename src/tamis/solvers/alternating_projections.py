"""Low rank + sparse by alternating projections on the tangent space: for data that are so up to noise, at any size.

With L = U diag(s) Vᵀ of rank k, W = X − S keeps the entries of X within ζ of L and has L elsewhere, missing entries
included. W is projected on the tangent space of the matrices of rank k at L, which takes the products W V and WᵀU and a
2k × 2k singular value decomposition, and ζ shrinks with the singular values (Cai, Cai & Wei 2019). W is made a block
of rows at a time from X and the factors, so that beside X nothing of its size is held.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tamis._core.evidence import Diagnostics, Status
from tamis._core.progress import Steps, silent
from tamis._kernels import kernels
from tamis.operators.products import narrow_product
from tamis.solvers.iteration_limits import IterationLimits
from tamis.solvers.multipliers import Separation
from tamis.solvers.svd import Factors
from tamis.solvers.thin_qr import thin_qr

BLOCK_BYTES = 1 << 23  # of W at a time
DECAY = (0.5, 0.7, 0.85)  # of ζ in each step; the next where the last one fails
SPREAD = 4.0  # standard deviations of the noise within which an entry belongs to L
SAMPLE = 20_000  # entries that the noise is measured on
POWER_STEPS = 4
RESTARTS = 3  # with a wider limit, where rows or columns were lost


def alternating_projections(
    X: np.ndarray,
    rank: int,
    limits: IterationLimits,
    *,
    n_threads: int,
    rng: np.random.Generator,
    steps: Steps = silent,
) -> Separation:
    """L of the given rank and S = X − L where that is beyond ζ, until ‖X − L − S‖ ≤ tol‖X‖ or it no longer falls.

    X has NaN where an entry is missing.
    """
    problem = _Problem(X, n_threads, rng)
    best: Separation | None = None
    for decay in DECAY:
        found = _descend(problem, rank, decay, limits, steps)
        if best is None or found.diagnostics["misfit"] < best.diagnostics["misfit"]:
            best = found
        if found.status != Status.MAX_ITER:
            break
    assert best is not None
    return best


def _descend(problem: _Problem, rank: int, decay: float, limits: IterationLimits, steps: Steps) -> Separation:
    beta = 0.5 / (problem.X.shape[0] * problem.X.shape[1]) ** 0.25
    L, level, again = problem.beginning(rank, 4 * beta), 1.0, RESTARTS
    limit = beta * float(L.s[0])
    residuals: list[float] = []
    status = Status.MAX_ITER
    for k in steps(range(1, limits.max_iter + 1), "alternating projections"):  # noqa: B007 (told at the end)
        products = problem.products(L, limit)
        residuals.append(products.residual)
        L, beyond, moved = _projected(L, products)
        small = limit <= 100 * limits.tol * problem.root_mean_square  # gross errors below it would go unseen
        if (small and max(products.residual, moved / problem.norm) <= limits.tol) or _settled(residuals):
            trapped = problem.trapped(L, limit) if again else 0.0
            if trapped == 0:
                status = Status.CONVERGED
                break
            again, decay, level = again - 1, max(decay, DECAY[1]), SPREAD * trapped / (beta * float(L.s[0]))
            residuals.clear()
        if limits.late:
            status = limits.reason
            break
        level *= decay
        limit = max(beta * (beyond + level * float(L.s[0])), SPREAD * problem.noise(L))
    S, misfit = problem.sparse(L, limit), problem.noise(L)
    measured = {"residual": products.residual, "threshold": limit, "misfit": misfit, "share": _share(S)}
    return Separation(L, S, status, k, Diagnostics(measured, np.array(residuals)))


def _share(S: np.ndarray) -> float:
    return np.count_nonzero(S) / S.size


def _settled(residuals: list[float]) -> bool:
    """Whether ten steps have not lowered the residual by a hundredth: what is left is dense noise."""
    return len(residuals) > 25 and min(residuals[-10:]) > 0.99 * min(residuals[:-10])


@dataclass
class _Products:
    """W V (n, k), UᵀW (k, p), and the norm of X − L over entries within ζ relative to that of X."""

    WV: np.ndarray
    UW: np.ndarray
    residual: float


class _Problem:
    """X by blocks of rows."""

    def __init__(self, X: np.ndarray, n_threads: int, rng: np.random.Generator) -> None:
        self.X, self.n_threads, self.rng = X, n_threads, rng
        n, p = X.shape
        self.norm = float(np.sqrt(sum(np.nansum(np.square(X[rows], dtype=np.float64)) for rows in self._blocks())))
        self.norm = self.norm or 1.0
        self.root_mean_square = self.norm / np.sqrt(n * p)
        at = rng.integers(0, n * p, min(SAMPLE, n * p))
        self.at = at // p, at % p
        self.sample = X[self.at]

    def _blocks(self) -> Iterator[slice]:
        n, p = self.X.shape
        step = max(16, BLOCK_BYTES // (self.X.itemsize * p))
        return (slice(i, min(n, i + step)) for i in range(0, n, step))

    def beginning(self, rank: int, factor: float) -> Factors:
        """The first ``rank`` triplets of X without its entries beyond ``factor`` σ₁(X)."""
        n, p = self.X.shape
        none = Factors(np.zeros((n, 1), self.X.dtype), np.zeros(1, self.X.dtype), np.zeros((1, p), self.X.dtype))
        _, s, _ = self._power(none, np.inf, 1)
        return Factors(*self._power(none, factor * float(s[0]), rank))

    def _power(self, L: Factors, limit: float, rank: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Triplets of W by the power method on a block of columns."""
        p = self.X.shape[1]
        width = min(rank + 5, *self.X.shape)
        V = thin_qr(self.rng.standard_normal((p, width)).astype(self.X.dtype))[0]
        for _ in range(POWER_STEPS):
            V, R, Q = self._power_step(L, limit, V)
        left, s, right = np.linalg.svd(R.T)
        return (Q @ left)[:, :rank], s[:rank], (V @ right.T).T[:rank]

    def _power_step(self, L: Factors, limit: float, V: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        Q = thin_qr(np.vstack([narrow_product(W, V) for _, W, _ in self._kept(L, limit)]))[0]
        B = sum(narrow_product(W.T, Q[rows]) for rows, W, _ in self._kept(L, limit))
        return (*thin_qr(B), Q)

    def _kept(self, L: Factors, limit: float) -> Iterator[tuple[slice, np.ndarray, float]]:
        """Blocks of W = X − S."""
        for rows in self._blocks():
            W = (L.U[rows] * L.s) @ L.Vt
            yield rows, W, kernels.keep_near(self.X[rows], W, float(limit), self.n_threads)

    def products(self, L: Factors, limit: float) -> _Products:
        """One reading of X."""
        WV, UW, square = np.empty_like(L.U), np.zeros_like(L.Vt), 0.0
        V = np.ascontiguousarray(L.Vt.T)
        for rows, W, near in self._kept(L, limit):
            WV[rows] = narrow_product(W, V)
            UW += L.U[rows].T @ W
            square += near
        return _Products(WV, UW, float(np.sqrt(square)) / self.norm)

    def noise(self, L: Factors) -> float:
        """The standard deviation of X − L at its middle: 1.4826 times the median size, over a sample of entries."""
        i, j = self.at
        fitted = np.einsum("ik,ki->i", L.U[i] * L.s, L.Vt[:, j])
        return float(1.4826 * np.nanmedian(np.abs(self.sample - fitted)))

    def trapped(self, L: Factors, limit: float) -> float:
        """The largest median of |X − L| over rows and columns most of whose entries count as gross; 0 without any.

        The limit has shrunk faster there than L came near, so that L does not see them any more.
        """
        E = np.abs(self.sparse(L, limit))
        observed, worst = np.isfinite(self.X), 0.0
        for axis in (0, 1):
            mostly = np.flatnonzero(2 * np.count_nonzero(E, axis=axis) > observed.sum(axis=axis))
            sizes = np.take(E, mostly, axis=1 - axis)
            sizes[~np.take(observed, mostly, axis=1 - axis)] = np.nan
            seen = np.isfinite(sizes).any(axis=axis)
            sizes = np.compress(seen, sizes, axis=1 - axis)
            worst = max(worst, float(np.nanmedian(sizes, axis=axis).max(initial=0.0)))
        return worst if worst > limit else 0.0

    def sparse(self, L: Factors, limit: float) -> np.ndarray:
        """X − L where that is beyond the limit, else 0."""
        S = np.empty_like(self.X)
        for rows, W, _ in self._kept(L, limit):
            np.subtract(self.X[rows], W, out=S[rows])
        return np.nan_to_num(S, copy=False)


def _projected(L: Factors, products: _Products) -> tuple[Factors, float, float]:
    """The best matrix of rank k to the projection of W on the tangent space at L, the next singular value, and how far
    the projection is from L.
    """
    U, V, k = L.U, L.Vt.T, len(L.s)
    core = U.T @ products.WV
    QU, RU = thin_qr(products.WV - U @ core)
    QV, RV = thin_qr(products.UW.T - V @ core.T)
    left, s, right = np.linalg.svd(np.block([[core, RV.T], [RU, np.zeros((len(RU), len(RV)), core.dtype)]]))
    new = np.hstack([U, QU]) @ left[:, :k], s[:k], (np.hstack([V, QV]) @ right.T[:, :k]).T
    moved = np.hypot(np.linalg.norm(core - np.diag(L.s)), np.hypot(np.linalg.norm(RU), np.linalg.norm(RV)))
    return Factors(*new), float(s[k]) if len(s) > k else 0.0, float(moved)
