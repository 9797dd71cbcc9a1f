"""Alternating least squares on the observed entries: X_ij ≈ ⟨uᵢ, vⱼ⟩, every row solved exactly.

min ½ Σ (X_ij − ⟨uᵢ, vⱼ⟩)² + α/2 (‖U‖² + ‖V‖²), which with enough columns has the minimum of the nuclear-norm problem
½‖P_Ω(X − M)‖² + α‖M‖_* (Hastie, Mazumder, Lee & Zadeh 2015). Between sweeps the factors are rotated and balanced,
U = A√s and V = B√s from the singular value decomposition of U Vᵀ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy.sparse import csr_array

from tamis._core.evidence import Diagnostics, Status
from tamis._core.progress import Steps, silent
from tamis._kernels import kernels
from tamis.solvers.completion_gap import gap_of_residual
from tamis.solvers.iteration_limits import IterationLimits
from tamis.solvers.multipliers import leading_triplets
from tamis.solvers.nuclear_completion import PAD, Completion, narrow, padded, with_values
from tamis.solvers.svd import Factors
from tamis.solvers.thin_qr import thin_qr

LEAST = 1e-10  # of the diagonal of a row's normal equations: a ridge that decides nothing
ZERO = 1e-7  # of the largest singular value: one that small is gone

MORE = 6  # directions that may join at one α


@dataclass
class FactorPair:
    """U (m, k) and V (n, k)."""

    U: np.ndarray
    V: np.ndarray

    @property
    def rank(self) -> int:
        return self.U.shape[1]

    def factors(self) -> Factors:
        """The singular value decomposition of U Vᵀ."""
        QU, RU = thin_qr(self.U)
        QV, RV = thin_qr(self.V)
        left, s, right = np.linalg.svd(RU @ RV.T)
        k = int(np.count_nonzero(s > ZERO * s.max(initial=0.0)))
        return Factors(QU @ left[:, :k], s[:k], (QV @ right.T[:, :k]).T)

    def balanced(self) -> FactorPair:
        M = self.factors()
        root = np.sqrt(M.s)
        return FactorPair(M.U * root, M.Vt.T * root)

    def widened(self, U: np.ndarray, V: np.ndarray) -> FactorPair:
        return FactorPair(np.hstack([self.U, U]), np.hstack([self.V, V]))


class ObservedEntries(Protocol):
    """What alternating least squares asks of the entries, wherever they are."""

    @property
    def shape(self) -> tuple[int, int]: ...

    @property
    def nnz(self) -> int: ...

    def row_factors(self, V: np.ndarray, alpha: float) -> np.ndarray:
        """U: the ridge regression of each row on the columns' factors."""
        ...

    def column_factors(self, U: np.ndarray, alpha: float) -> np.ndarray: ...

    def row_levels(self, offset: np.ndarray, ridge: float) -> np.ndarray:
        """A number for each row: the shrunk mean of its values, the columns' offsets taken off."""
        ...

    def column_levels(self, offset: np.ndarray, ridge: float) -> np.ndarray: ...

    def matrix(self) -> Any:
        """X with 0 for what is not observed: a sparse array or an operator."""
        ...

    def residual(self, pair: FactorPair) -> Any:
        """X − U Vᵀ at the observed entries, 0 elsewhere: the same."""
        ...

    def vanishes(self, R: Any) -> bool:
        """Whether such a residual is 0."""
        ...

    def inner(self, R: Any) -> tuple[float, float]:
        """‖R‖² and ⟨X, R⟩ of such a residual."""
        ...


@dataclass
class Entries:
    """The observed entries in memory, by rows and by columns."""

    by_rows: csr_array
    by_columns: csr_array  # of the transpose
    n_threads: int

    @classmethod
    def of(cls, X: csr_array, n_threads: int) -> Entries:
        return cls(X, narrow(X.T.tocsr()), n_threads)

    @property
    def shape(self) -> tuple[int, int]:
        return self.by_rows.shape

    @property
    def nnz(self) -> int:
        return int(self.by_rows.nnz)

    def row_factors(self, V: np.ndarray, alpha: float) -> np.ndarray:
        return half_sweep(self.by_rows, V, alpha, self.n_threads)

    def column_factors(self, U: np.ndarray, alpha: float) -> np.ndarray:
        return half_sweep(self.by_columns, U, alpha, self.n_threads)

    def row_levels(self, offset: np.ndarray, ridge: float) -> np.ndarray:
        return levels(self.by_rows, offset, ridge, self.n_threads)

    def column_levels(self, offset: np.ndarray, ridge: float) -> np.ndarray:
        return levels(self.by_columns, offset, ridge, self.n_threads)

    def matrix(self) -> csr_array:
        return self.by_rows

    def residual(self, pair: FactorPair) -> csr_array:
        X = self.by_rows
        fitted = np.empty(X.nnz, X.dtype)
        kernels.observed_products(X.indptr, X.indices, padded(pair.U), padded(pair.V), fitted, self.n_threads)
        return with_values(X, X.data - fitted)

    def vanishes(self, R: csr_array) -> bool:
        return not np.any(R.data)

    def inner(self, R: csr_array) -> tuple[float, float]:
        r, x = R.data.astype(np.float64, copy=False), self.by_rows.data.astype(np.float64, copy=False)
        return float(r @ r), float(x @ r)


def start_pair(entries: ObservedEntries, rank: int, rng: np.random.Generator) -> FactorPair:
    """Leading triplets of X with zeros for what is not observed, scaled up to the share that is."""
    m, n = entries.shape
    rank = min(rank, m, n)
    share = max(entries.nnz, 1) / (m * n)
    if rank == 0:
        return FactorPair(np.zeros((m, 0)), np.zeros((n, 0)))
    few, X = entries.nnz < 5_000_000, entries.matrix()
    V, steps = rng.standard_normal((n, rank)), 2 if few else 1
    U, s, V = leading_triplets(X.astype(np.float64) if few else X, V, rank, steps, rng)
    root = np.sqrt(np.maximum(s / share, 1e-12 * s.max(initial=0.0) + 1e-300))
    return FactorPair(np.asarray(U * root, np.float64), np.asarray(V * root, np.float64))


def als(
    entries: ObservedEntries, alpha: float, pair: FactorPair, limits: IterationLimits, *, steps: Steps = silent
) -> tuple[FactorPair, Status, int]:
    """Sweeps until U Vᵀ moves by at most tol of its size."""
    status = Status.MAX_ITER
    k = 0
    for k in steps(range(1, limits.max_iter + 1), "alternating least squares"):  # noqa: B007 (told at the end)
        before = pair
        U = entries.row_factors(pair.V, alpha)
        pair = FactorPair(U, entries.column_factors(U, alpha))
        moved = _moved(pair, before)
        pair = pair.balanced() if pair.rank else pair
        status = limits.status(moved <= limits.tol)
        if status is not Status.MAX_ITER:
            break
    return pair, status, k


def half_sweep(X: csr_array, V: np.ndarray, alpha: float, n_threads: int) -> np.ndarray:
    """U: the ridge regression of each row on the others' factors."""
    out = np.zeros((X.shape[0], padded(V).shape[1]))
    ridge = ridge_of(V, alpha)
    kernels.solve_rows(X.indptr, X.indices, X.data, np.zeros(X.shape[1]), padded(V), ridge, out, n_threads)
    return np.ascontiguousarray(out[:, : V.shape[1]])


def ridge_of(V: np.ndarray, alpha: float) -> np.ndarray:
    """α for each column of V, and never less than what keeps a row's normal equations regular at the size of V."""
    return np.full(V.shape[1], max(alpha, LEAST * _mean_square(V)))


def solve_biases(entries: ObservedEntries, ridge: float, sweeps: int = 20) -> tuple[np.ndarray, np.ndarray]:
    """(b, c) of min ½ Σ (X_ij − bᵢ − cⱼ)² + ridge/2 (‖b‖² + ‖c‖²), by sweeps over rows and columns."""
    m, n = entries.shape
    b, c = np.zeros(m), np.zeros(n)
    for _ in range(sweeps):
        before = c
        b = entries.row_levels(c, ridge)
        c = entries.column_levels(b, ridge)
        if np.abs(c - before).max(initial=0.0) <= 1e-6 * np.abs(c).max(initial=0.0):
            break
    return b, c


def levels(X: csr_array, offset: np.ndarray, ridge: float, n_threads: int) -> np.ndarray:
    """A number for each row: the shrunk mean of its values, the columns' offsets taken off."""
    ones, out = padded(np.ones((X.shape[1], 1))), np.zeros((X.shape[0], PAD))
    kernels.solve_rows(X.indptr, X.indices, X.data, offset, ones, np.array([ridge]), out, n_threads)
    return out[:, 0].copy()


def als_of_growing_rank(
    entries: ObservedEntries, alpha: float, pair: FactorPair, most: int, limits: IterationLimits,
    rng: np.random.Generator, rounds: int = 2, more: int = MORE,
) -> tuple[FactorPair, Status, int]:  # fmt: skip
    """ALS, widened by directions of the residual above α and run again, up to ``most`` columns."""
    total = 0
    for _ in range(rounds):
        wider = missing_directions(entries, pair, alpha, min(more, most - pair.rank), rng) if most > pair.rank else None
        if wider is None and total:
            break
        pair, status, n_iter = als(entries, alpha, pair if wider is None else wider, limits)
        total += n_iter
    return pair, status, total


def certified(entries: ObservedEntries, pair: FactorPair, alpha: float, rng: np.random.Generator) -> Completion:
    """What is proved of the factors about the nuclear-norm problem at α."""
    R, M = entries.residual(pair), pair.factors()
    square, along = entries.inner(R)
    gap = gap_of_residual(R, square, along, M, alpha, rng) if alpha > 0 else None
    rms = float(np.sqrt(square / entries.nnz)) if entries.nnz else 0.0
    return Completion(M, Status.CONVERGED, 0, certificate=gap, diagnostics=Diagnostics({"residual_rms": rms}))


def missing_directions(
    entries: ObservedEntries, pair: FactorPair, alpha: float, most: int, rng: np.random.Generator
) -> FactorPair | None:
    """The factors with triplets of the residual above α joined, at most so many; None where there are none.

    M is optimal only if σ₁ of the residual is at most α.
    """
    R = entries.residual(pair)
    most = min(most, *R.shape)
    if most <= 0 or entries.vanishes(R):
        return None
    U, s, V = leading_triplets(R.astype(np.float64), None, min(most + 4, *R.shape), 4, rng)
    new = np.flatnonzero(s[:most] > alpha * (1 + 1e-6))
    if not len(new):
        return None
    root = np.sqrt(s[new] - alpha)
    return pair.widened(U[:, new] * root, V[:, new] * root)


def _moved(new: FactorPair, old: FactorPair) -> float:
    """‖M − M'‖/‖M‖ with M − M' = (U − U')Vᵀ + U'(V − V')ᵀ: the factors move little, so that no digits cancel."""
    size = _product_norm(new.U, new.V)
    moved = _product_norm(np.hstack([new.U - old.U, old.U]), np.hstack([new.V, new.V - old.V]))
    return moved / size if size > 0 else 0.0


def _product_norm(A: np.ndarray, B: np.ndarray) -> float:
    """‖A Bᵀ‖ from two Grams."""
    return float(np.sqrt(max(0.0, float(np.sum((A.T @ A) * (B.T @ B))))))


def _mean_square(V: np.ndarray) -> float:
    return float(np.square(V).mean()) if V.size else 1.0
