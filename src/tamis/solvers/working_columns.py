"""The columns a working-set solver has let in, gathered once and centred, with products against them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp


def working_columns(A: Any, mean: np.ndarray) -> DenseColumns | SparseColumns:
    """An empty set of columns of A − 1 meanᵀ, in the storage that A gathers."""
    return (SparseColumns if sp.issparse(A.columns(np.zeros(0, np.int64))) else DenseColumns)(A, mean)


class DenseColumns:
    """Columns kept as the rows of one array that grows by doubling, so that every product is one call of BLAS."""

    def __init__(self, A: Any, mean: np.ndarray) -> None:
        self.A, self.mean = A, mean
        self.size = 0
        self.rows = np.empty((32, A.shape[0]), A.dtype)

    def grow(self, S: np.ndarray) -> None:
        end = self.size + len(S)
        if end > len(self.rows):
            wider = np.empty((max(end, 2 * len(self.rows)), self.rows.shape[1]), self.rows.dtype)
            wider[: self.size] = self.rows[: self.size]
            self.rows = wider
        np.subtract(self.A.columns(S).T, self.mean[S, None], out=self.rows[self.size : end], casting="same_kind")
        self.size = end

    def product(self, w: np.ndarray) -> np.ndarray:
        """X_W w, for w (k,) or (k, m)."""
        return self.rows[: self.size].T @ w

    def correlate(self, r: np.ndarray) -> np.ndarray:
        """X_Wᵀ r."""
        return self.rows[: self.size] @ r

    def gram(self, start: int, h: np.ndarray | None) -> np.ndarray:
        """Rows ``start``.. of X_Wᵀ diag(h) X_W."""
        new = self.rows[start : self.size]
        return (new if h is None else new * h) @ self.rows[: self.size].T


class SparseColumns:
    """The same for sparse storage: centring is done by algebra on the results."""

    def __init__(self, A: Any, mean: np.ndarray) -> None:
        self.A, self.all_means = A, mean
        self.X = sp.csc_array((A.shape[0], 0), dtype=np.float64)
        self.mean = np.zeros(0)

    @property
    def size(self) -> int:
        return self.X.shape[1]

    def grow(self, S: np.ndarray) -> None:
        self.X = sp.hstack([self.X, self.A.columns(S)], format="csc")
        self.mean = np.append(self.mean, self.all_means[S])

    def product(self, w: np.ndarray) -> np.ndarray:
        return self.X @ w - self.mean @ w

    def correlate(self, r: np.ndarray) -> np.ndarray:
        return self.X.T @ r - np.multiply.outer(self.mean, r.sum(axis=0))

    def gram(self, start: int, h: np.ndarray | None) -> np.ndarray:
        new = self.X[:, start:]
        if h is None:
            h = np.ones(self.X.shape[0])
        weighted = self.X.multiply(h[:, None]).tocsc()
        sums = np.asarray(weighted.sum(axis=0)).ravel()
        m = self.mean
        cross = np.asarray((new.T @ weighted).todense())
        return (
            cross
            - np.multiply.outer(m[start:], sums)
            - np.multiply.outer(sums[start:], m)
            + h.sum() * np.multiply.outer(m[start:], m)
        )
