"""What NMF minimises, seen from one factor: Div(X, W H) + l1 Σ W + l2/2 ‖W‖² over W ≥ 0, H given.

The other factor is the same problem of Xᵀ ≈ Hᵀ Wᵀ. A side has X in one of the two orientations, as what the losses
need of it: products for squares, entries for the Kullback–Leibler divergence, an observed part where entries are
missing. ``split`` gives the gradient of the divergence as a difference of parts that are not negative: what is taken
away, and what is added.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.linalg
import scipy.optimize
import scipy.sparse as sp

from tamis._kernels import kernels
from tamis._kernels.interruption import until_interrupted
from tamis.operators.products import narrow_product
from tamis.operators.sparse import sparse_times

SLAB = 1 << 20  # entries of a product W H at a time
UNSETTLED = 1e-9  # slope of a row relative to the terms it is the difference of


@dataclass(frozen=True)
class Weights:
    """Of Σ w and of ½ Σ w² in one factor; numbers, or (n, 1) where rows of W have weights of their own."""

    l1: Any = 0.0
    l2: Any = 0.0

    def value(self, W: np.ndarray) -> float:
        return float(np.vdot(self._rows(self.l1, W), W.sum(axis=1)) + 0.5 * np.vdot(self._rows(self.l2, W), squares(W)))

    def of_rows(self, W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """One l1 and one l2 for each row of W."""
        return self._rows(self.l1, W), self._rows(self.l2, W)

    @staticmethod
    def _rows(weight: Any, W: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(np.broadcast_to(weight, (len(W), 1))[:, 0], dtype=np.float64)


def squares(W: np.ndarray) -> np.ndarray:
    """Of each row, summed."""
    return np.einsum("ik,ik->i", W, W)


class SquaredSide:
    """½‖X − W H‖² of a dense X or a CSR array, by the products X Hᵀ and H Hᵀ."""

    def __init__(self, X: Any, penalty: Weights, n_threads: int) -> None:
        self.X, self.penalty, self.n_threads, self.shape = X, penalty, n_threads, X.shape

    @cached_property
    def norm2(self) -> float:
        """‖X‖²."""
        flat = (self.X.data if sp.issparse(self.X) else self.X).ravel(order="K")
        parts = (flat[start : start + SLAB].astype(np.float64, copy=False) for start in range(0, len(flat), SLAB))
        return sum(float(part @ part) for part in parts)

    def products(self, H: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """X Hᵀ and H Hᵀ."""
        Ht = np.ascontiguousarray(H.T)
        if sp.issparse(self.X):
            return sparse_times(self.X, Ht, self.n_threads), H @ Ht
        A = narrow_product(self.X, Ht.astype(self.X.dtype, copy=False))
        return np.ascontiguousarray(A, dtype=np.float64), H @ Ht

    def descend(self, W: np.ndarray, products: Any, sweeps: int, shrink: float = 0.0) -> np.ndarray:
        """Sweeps of coordinate descent over the rows of W."""
        A, B = products
        l1, l2 = self.penalty.l1, self.penalty.l2
        B = B + l2 * np.eye(len(B)) if l2 else B  # one quadratic for all rows: l2 is a number here
        out = np.array(W, order="C")
        kernels.nonnegative_rows(A - l1 if np.any(l1) else A, B, out, sweeps, shrink, self.n_threads)
        return out

    def polish(self, W: np.ndarray, products: Any) -> np.ndarray:
        """Rows at which sweeps have not ended, by the active set method of Lawson & Hanson."""
        A, B = products[0] - self.penalty.l1, products[1] + self.penalty.l2 * np.eye(len(products[1]))
        G = W @ B - A
        slope = np.where(W > 0, np.abs(G), np.maximum(-G, 0.0)).max(axis=1)
        late = np.flatnonzero(slope > UNSETTLED * np.abs(A).max(axis=1))
        try:
            R = scipy.linalg.cholesky(B)
        except np.linalg.LinAlgError:
            return W  # of the many minima one is as good as another
        for i in until_interrupted(late):
            w = scipy.optimize.nnls(R, scipy.linalg.solve_triangular(R, A[i], trans="T"))[0]
            if w @ (0.5 * B @ w - A[i]) < W[i] @ (0.5 * B @ W[i] - A[i]):
                W[i] = w
        return W

    def gradient(self, W: np.ndarray, products: Any) -> np.ndarray:
        A, B = products
        return W @ B - A + self.penalty.l1 + self.penalty.l2 * W

    def split(self, W: np.ndarray, H: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        A, B = self.products(H)
        return A, W @ B

    def loss(self, W: np.ndarray, H: np.ndarray, products: Any = None) -> float:
        """½‖X − W H‖²; by its parts where that leaves digits."""
        A, B = self.products(H) if products is None else products
        value = 0.5 * (self.norm2 - 2 * float(np.vdot(A, W)) + float(np.vdot(W.T @ W, B)))
        if value > 1e-9 * self.norm2 or sp.issparse(self.X):
            return max(value, 0.0)
        return 0.5 * sum(float(((self.X[r] - W[r] @ H) ** 2).sum()) for r in slabs(*self.shape))


class ObservedSide:
    """½ Σ m_ij (x_ij − (W H)_ij)², m = 0 where an entry is missing: normal equations for each row of its own."""

    def __init__(self, X: np.ndarray, M: np.ndarray, penalty: Weights, n_threads: int) -> None:
        self.X, self.M, self.penalty, self.n_threads = X, M, penalty, n_threads
        self.shape = X.shape

    def products(self, H: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(H)

    def descend(self, W: np.ndarray, H: np.ndarray, sweeps: int, shrink: float = 0.0) -> np.ndarray:
        del shrink
        out = np.array(W, order="C")
        kernels.weighted_rows(self.X, self.M, H, out, *self.penalty.of_rows(W), sweeps, self.n_threads)
        return out

    def split(self, W: np.ndarray, H: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        fitted = np.concatenate([(self.M[r] * (W[r] @ H)) @ H.T for r in slabs(*self.shape)])
        return (self.M * self.X) @ H.T, fitted

    def gradient(self, W: np.ndarray, H: np.ndarray) -> np.ndarray:
        G = np.concatenate([(self.M[r] * (W[r] @ H - self.X[r])) @ H.T for r in slabs(*self.shape)])
        return G + self.penalty.l1 + self.penalty.l2 * W

    def loss(self, W: np.ndarray, H: np.ndarray, products: Any = None) -> float:
        del products
        return 0.5 * sum(float((self.M[r] * (self.X[r] - W[r] @ H) ** 2).sum()) for r in slabs(*self.shape))


class DivergenceSide:
    """Σ m (x log(x/z) − x + z), z = W H, of a dense X; M None: all entries are observed."""

    def __init__(self, X: np.ndarray, M: np.ndarray | None, penalty: Weights, n_threads: int) -> None:
        self.X, self.M, self.penalty, self.n_threads = X, M, penalty, n_threads
        self.shape = X.shape

    def newton(self, W: np.ndarray, H: np.ndarray, steps: int) -> np.ndarray:
        """Newton steps for each row of W, each lowering the objective."""
        out, H = np.array(W, order="C"), np.ascontiguousarray(H)
        kernels.kl_newton_rows(self.X, self.M, H, out, *self.penalty.of_rows(W), steps, self.n_threads)
        return out

    def split(self, W: np.ndarray, H: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(m x/z) Hᵀ and m Hᵀ: what multiplicative updates and the gradient are made of."""
        parts = []
        for r in slabs(*self.shape):
            z = np.maximum(W[r] @ H, TINY)
            parts.append((self.X[r] / z if self.M is None else self.M[r] * (self.X[r] / z)) @ H.T)
        sums = np.broadcast_to(H.sum(axis=1), W.shape) if self.M is None else self.M @ H.T
        return np.concatenate(parts), np.asarray(sums, dtype=np.float64)

    def gradient(self, W: np.ndarray, H: np.ndarray) -> np.ndarray:
        ratio, sums = self.split(W, H)
        return sums - ratio + self.penalty.l1 + self.penalty.l2 * W

    def loss(self, W: np.ndarray, H: np.ndarray, products: Any = None) -> float:
        del products
        total = 0.0
        for r in slabs(*self.shape):
            x, z = self.X[r].astype(np.float64, copy=False), W[r] @ H
            each = divergence(x, z)
            total += float((each if self.M is None else np.where(self.M[r] > 0, self.M[r] * each, 0.0)).sum())
        return total


class SparseDivergenceSide:
    """The same of a CSR array: entries that are not stored are zeros, where the divergence is z."""

    def __init__(self, X: Any, penalty: Weights, n_threads: int) -> None:
        self.X, self.penalty, self.n_threads, self.shape = X, penalty, n_threads, X.shape

    def newton(self, W: np.ndarray, H: np.ndarray, steps: int) -> np.ndarray:
        out, Ht = np.array(W, order="C"), np.ascontiguousarray(H.T)
        X, sums, (l1, l2) = self.X, H.sum(axis=1), self.penalty.of_rows(W)
        kernels.kl_newton_rows_sparse(X.data, X.indices, X.indptr, Ht, sums, out, l1, l2, steps, self.n_threads)
        return out

    def split(self, W: np.ndarray, H: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        X, ratio = self.X, np.empty(self.X.nnz)
        for entries, z in self._stored(W, H):
            ratio[entries] = X.data[entries] / np.maximum(z, TINY)
        weighted = sp.csr_array((ratio, X.indices, X.indptr), shape=X.shape)
        return np.asarray(weighted @ H.T), np.broadcast_to(H.sum(axis=1), W.shape)

    def gradient(self, W: np.ndarray, H: np.ndarray) -> np.ndarray:
        ratio, sums = self.split(W, H)
        return sums - ratio + self.penalty.l1 + self.penalty.l2 * W

    def loss(self, W: np.ndarray, H: np.ndarray, products: Any = None) -> float:
        del products
        total = float(W.sum(axis=0) @ H.sum(axis=1))
        for entries, z in self._stored(W, H):
            total += float((divergence(self.X.data[entries].astype(np.float64), z) - z).sum())
        return max(total, 0.0)

    def _stored(self, W: np.ndarray, H: np.ndarray) -> Any:
        """Slices of the stored entries, and W H there."""
        Ht = np.ascontiguousarray(H.T)
        rows = np.repeat(np.arange(self.shape[0]), np.diff(self.X.indptr))
        step = max(1, SLAB // max(1, W.shape[1]))
        for start in range(0, self.X.nnz, step):
            entries = slice(start, start + step)
            yield entries, np.einsum("ek,ek->e", W[rows[entries]], Ht[self.X.indices[entries]])


TINY = 1e-100  # z below it would divide to infinity


def divergence(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """x log(x/z) − x + z, z for x = 0, infinite where z = 0 < x; rounding leaves nothing below 0."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        log = np.where(x > 0, x * np.log(x / z), 0.0)
    return np.maximum(log - x + z, 0.0)


def slabs(n: int, p: int) -> list[slice]:
    """Rows, some at a time."""
    step = max(1, SLAB // max(1, p))
    return [slice(start, min(n, start + step)) for start in range(0, n, step)]


@dataclass(frozen=True)
class Factorisation:
    """Both sides of X ≈ W H."""

    rows: Any
    columns: Any

    @classmethod
    def of(
        cls, X: Any, observed: np.ndarray | None, datafit: str, w: Weights, h: Weights, n_threads: int
    ) -> Factorisation:
        if datafit == "squared":
            if observed is not None:
                turned = (np.ascontiguousarray(X.T), np.ascontiguousarray(observed.T))
                return cls(ObservedSide(X, observed, w, n_threads), ObservedSide(*turned, h, n_threads))
            turned_X = sp.csr_array(X.T) if sp.issparse(X) else X.T
            return cls(SquaredSide(X, w, n_threads), SquaredSide(turned_X, h, n_threads))
        if sp.issparse(X):
            return cls(SparseDivergenceSide(X, w, n_threads), SparseDivergenceSide(X.T.tocsr(), h, n_threads))
        M = None if observed is None else np.ascontiguousarray(observed.T)
        turned_X = np.ascontiguousarray(X.T)
        return cls(DivergenceSide(X, observed, w, n_threads), DivergenceSide(turned_X, M, h, n_threads))

    def value(self, W: np.ndarray, H: np.ndarray) -> float:
        """The whole objective."""
        return self.rows.loss(W, H) + self.rows.penalty.value(W) + self.columns.penalty.value(H)

    def stationarity(self, W: np.ndarray, H: np.ndarray) -> float:
        """‖gradient projected to W, H ≥ 0‖: 0 exactly at stationary points."""
        g = self.rows.gradient(W, self._given(self.rows, H))
        g_turned = self.columns.gradient(H.T, self._given(self.columns, W.T))
        return float(np.hypot(projected(g, W), projected(g_turned, H.T)))

    def slope_size(self, W: np.ndarray, H: np.ndarray) -> float:
        """The size of the terms whose difference the gradient is."""
        sizes = np.linalg.norm(self.rows.split(W, H)[0]), np.linalg.norm(self.columns.split(H.T, W.T)[0])
        return float(np.hypot(*sizes))

    @staticmethod
    def _given(side: Any, H: np.ndarray) -> Any:
        return side.products(H) if hasattr(side, "products") else H


def projected(g: np.ndarray, W: np.ndarray) -> float:
    """The norm of the gradient where W > 0, and of its negative part where W = 0."""
    part = np.where(W > 0, g, np.minimum(g, 0.0))
    return float(np.linalg.norm(part))
