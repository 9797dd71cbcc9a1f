"""The columns a working-set solver has let in, gathered once and centred. Vectors of length n stand in rows here."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp


class WorkingColumns(Protocol):
    """X_W, the columns W of A − 1 meanᵀ, and the products a solver needs of it."""

    @property
    def size(self) -> int:
        """How many there are."""
        ...

    def grow(self, S: np.ndarray) -> None: ...

    def product(self, w: np.ndarray) -> np.ndarray:
        """X_W w, for w (k,) or several in rows (m, k)."""
        ...

    def correlate(self, r: np.ndarray) -> np.ndarray:
        """X_Wᵀ r, for r (n,) or (n, m)."""
        ...

    def gram(self, start: int, h: Any) -> np.ndarray:
        """Rows ``start``… of X_Wᵀ diag(h) X_W; h (n,) or one number for all rows."""
        ...

    def cross(self, S: np.ndarray, T: np.ndarray, h: np.ndarray) -> np.ndarray:
        """X_Sᵀ diag(h) X_T for the columns at the positions S and T of W."""
        ...


def working_columns(A: Any, mean: np.ndarray) -> WorkingColumns:
    """An empty set, in the storage that A gathers."""
    nothing = A.columns(np.zeros(0, np.int64))
    return SparseColumns(A, mean) if sp.issparse(nothing) else DenseColumns(A, mean)


class DenseColumns:
    """Kept as the rows of one array that grows by doubling, so that every product is one call of BLAS."""

    def __init__(self, A: Any, mean: np.ndarray) -> None:
        self.A, self.mean = A, mean
        self.size = 0
        dtype = np.float32 if A.dtype == np.float32 else np.float64
        self.rows = np.empty((64, A.shape[0]), dtype)

    def grow(self, S: np.ndarray) -> None:
        end = self.size + len(S)
        if end > len(self.rows):
            wider = np.empty((max(end, 2 * len(self.rows)), self.rows.shape[1]), self.rows.dtype)
            wider[: self.size] = self.rows[: self.size]
            self.rows = wider
        np.subtract(self.A.columns(S).T, self.mean[S, None], out=self.rows[self.size : end], casting="same_kind")
        self.size = end

    def product(self, w: np.ndarray) -> np.ndarray:
        return (w.astype(self.rows.dtype, copy=False) @ self.rows[: self.size]).astype(np.float64, copy=False)

    def correlate(self, r: np.ndarray) -> np.ndarray:
        return (self.rows[: self.size] @ r.astype(self.rows.dtype, copy=False)).astype(np.float64, copy=False)

    def gram(self, start: int, h: Any) -> np.ndarray:
        new, all_rows = self.rows[start : self.size], self.rows[: self.size]
        if np.ndim(h) == 0:
            return np.multiply(new @ all_rows.T, h, dtype=np.float64)
        return ((new * h.astype(new.dtype, copy=False)) @ all_rows.T).astype(np.float64, copy=False)

    def cross(self, S: np.ndarray, T: np.ndarray, h: np.ndarray) -> np.ndarray:
        weighted = self.rows[S] * h.astype(self.rows.dtype, copy=False)
        return (weighted @ self.rows[T].T).astype(np.float64, copy=False)


class SparseColumns:
    """The same for sparse storage: centring is done by algebra on the results."""

    def __init__(self, A: Any, mean: np.ndarray) -> None:
        self.A, self.means = A, mean
        self.X = sp.csc_array((A.shape[0], 0), dtype=np.float64)
        self.mean = np.zeros(0)

    @property
    def size(self) -> int:
        return int(self.X.shape[1])

    def grow(self, S: np.ndarray) -> None:
        self.X = sp.hstack([self.X, self.A.columns(S)], format="csc", dtype=np.float64)
        self.mean = np.append(self.mean, self.means[S])

    def product(self, w: np.ndarray) -> np.ndarray:
        return (self.X @ w.T - self.mean @ w.T).T

    def correlate(self, r: np.ndarray) -> np.ndarray:
        return self.X.T @ r - np.multiply.outer(self.mean, r.sum(axis=0))

    def gram(self, start: int, h: Any) -> np.ndarray:
        h = np.broadcast_to(h, self.X.shape[0])
        weighted = self.X.copy()
        weighted.data *= h[weighted.indices]
        sums = np.asarray(weighted.sum(axis=0)).ravel()
        m, new = self.mean, self.mean[start:]
        cross = (weighted[:, start:].T @ self.X).toarray()
        return cross - np.outer(new, sums) - np.outer(sums[start:], m) + h.sum() * np.outer(new, m)

    def cross(self, S: np.ndarray, T: np.ndarray, h: np.ndarray) -> np.ndarray:
        left, right = self.X[:, S], self.X[:, T]
        weighted = sp.csc_array((left.data * h[left.indices], left.indices, left.indptr), shape=left.shape)
        a, b = self.mean[S], self.mean[T]
        products = (weighted.T @ right).toarray() - np.outer(a, right.T @ h)
        return products - np.outer(weighted.sum(axis=0), b) + h.sum() * np.outer(a, b)
