"""The columns a working-set solver has let in, gathered once and centred. Vectors of length n stand in rows here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from tamis._kernels import kernels
from tamis._kernels.workspace import matrix
from tamis.operators import Dense

CACHED_BYTES = 1 << 24  # of columns that may be read again and again without waiting for memory
ROUGH = 1e-5  # what products in single precision may be wrong by, all together
SLAB_BYTES = 1 << 22  # of columns turned to float64 at a time
SINGLE_RESOLVES = 1e-12  # of the null model's objective: a smaller gap is lost in columns rounded to float32
FIRST_BYTES = 1 << 25  # room for columns at first; what is not written takes no memory


class GatheredColumns(Protocol):
    """X_W, the columns W of A − 1 meanᵀ, and the products a solver needs of it."""

    dtype: Any  # of the numbers that are kept

    @property
    def size(self) -> int:
        """How many there are."""
        ...

    def grow(self, S: np.ndarray) -> None: ...

    def product(self, w: np.ndarray) -> np.ndarray:
        """X_W w, for w (k,) or several in rows (m, k)."""
        ...

    def correlate(self, r: np.ndarray, start: int = 0) -> np.ndarray:
        """Rows ``start``… of X_Wᵀ r, for r (n,) or (n, m)."""
        ...

    def gram(self, start: int, h: Any) -> np.ndarray:
        """Rows ``start``… of X_Wᵀ diag(h) X_W; h (n,) or one number for all rows."""
        ...

    def along(self, h: np.ndarray, start: int) -> np.ndarray:
        """Rows ``start``… of X_Wᵀ h with the very columns that ``gram`` has."""
        ...

    def cross(self, S: np.ndarray, T: np.ndarray, h: np.ndarray) -> np.ndarray:
        """X_Sᵀ diag(h) X_T for the columns at the positions S and T of W."""
        ...


def gather_columns(
    A: Any, mean: np.ndarray, n_threads: int, halves: bool = False, tol: float = 1e-7
) -> GatheredColumns:
    """An empty set, in the storage that A gathers; in halves where asked for and worth while. Columns of float32 are
    kept in double where ``tol`` is less than centred ones resolve in single precision.
    """
    nothing = A.columns(np.zeros(0, np.int64))
    if sp.issparse(nothing):
        return SparseColumns(A, mean, n_threads)
    n, p = A.shape
    if halves and A.dtype == np.float64 and 8 * n * min(n, p) > CACHED_BYTES:
        return HalvedColumns(A, mean, n_threads)
    single = A.dtype == np.float32 and tol >= SINGLE_RESOLVES
    return DenseColumns(A, mean, n_threads, np.float32 if single else np.float64)


class DenseColumns:
    """Kept as the rows of one array that grows by doubling; what is in float32 is summed in float64."""

    def __init__(self, A: Any, mean: np.ndarray, n_threads: int, dtype: Any = np.float64) -> None:
        self.A, self.mean, self.n_threads, self.dtype = A, mean, n_threads, dtype
        self.size = 0
        self.rows = self._room(max(64, FIRST_BYTES // (4 * A.shape[0])))

    def _room(self, most: int) -> np.ndarray:
        """For so many columns, or for all there are."""
        n, p = self.A.shape
        return matrix(min(most, p), n, self.dtype)

    def grow(self, S: np.ndarray) -> None:
        end = self.size + len(S)
        if end > len(self.rows):
            self.rows = self._wider(self.rows, end)
        new = self.rows[self.size : end]
        if isinstance(self.A, Dense) and self.A.dtype == self.dtype:
            kernels.gather(self.A.X, S, self.mean, new, self.n_threads)
        else:
            np.subtract(self.A.columns(S).T, self.mean[S, None], out=new, casting="same_kind")
        self.size = end

    def _wider(self, rows: np.ndarray, end: int) -> np.ndarray:
        wider = self._room(max(end, 2 * len(rows)))
        wider[: self.size] = rows[: self.size]
        return wider

    def product(self, w: np.ndarray) -> np.ndarray:
        if self.rows.dtype == np.float64:
            return w @ self.rows[: self.size]
        out = np.empty((*w.shape[:-1], self.rows.shape[1]))
        for part, rows in self._slabs():
            out[..., part] = w @ rows
        return out

    def correlate(self, r: np.ndarray, start: int = 0) -> np.ndarray:
        if self.rows.dtype == np.float64:
            return self.rows[start : self.size] @ r
        out = np.zeros((self.size - start, *r.shape[1:]))
        for part, rows in self._slabs():
            out += rows[start:] @ r[part]
        return out

    def gram(self, start: int, h: Any) -> np.ndarray:
        all_rows = self.rows[: self.size]
        if np.ndim(h) == 0 and self.rows.dtype == np.float64:
            return (all_rows[start:] @ all_rows.T) * h
        h = np.full(self.rows.shape[1], h) if np.ndim(h) == 0 else h
        if start == 0 and self.size:
            return self._whole_gram(h)
        out = np.empty((self.size - start, self.size))
        kernels.weighted_products(all_rows, start, h, out, self.n_threads)
        return out

    def along(self, h: np.ndarray, start: int) -> np.ndarray:
        return self.correlate(h, start)

    def _slabs(self) -> Iterator[tuple[slice, np.ndarray]]:
        """Stretches of all columns in float64: sums of float32 products would lose what single precision has left."""
        n = self.rows.shape[1]
        step = max(1, SLAB_BYTES // (8 * max(1, self.size)))
        for k in range(0, n, step):
            part = slice(k, min(n, k + step))
            yield part, self._exact(part)

    def _exact(self, part: slice) -> np.ndarray:
        return self.rows[: self.size, part].astype(np.float64)

    def _whole_gram(self, h: np.ndarray) -> np.ndarray:
        """From the moments about the weighted mean, which one kernel gives without a weighted copy."""
        k = self.size
        centre, offset, scatter = np.empty(k), np.empty(k), np.empty((k, k))
        total = kernels.moments(self.rows[:k].T, None, h, None, centre, offset, scatter, self.n_threads)
        mean = centre + offset
        scatter += np.outer(total * mean, mean)
        return scatter

    def cross(self, S: np.ndarray, T: np.ndarray, h: np.ndarray) -> np.ndarray:
        if self.rows.dtype == np.float64:
            return (self.rows[S] * h) @ self.rows[T].T
        out = np.zeros((len(S), len(T)))
        for part, rows in self._slabs():
            out += (rows[S] * h[part]) @ rows[T].T
        return out


class HalvedColumns(DenseColumns):
    """float64 columns as ``rows`` in float32 and the ``rest`` of them, float32 too: who can do with the first half
    reads half as much. Together they have 48 bits. The Gram matrix is that of ``rows``, summed in single precision
    where it grows; what its diagonal gains keeps it positive."""

    def __init__(self, A: Any, mean: np.ndarray, n_threads: int) -> None:
        super().__init__(A, mean, n_threads)
        self.rest = self._room(len(self.rows))

    def _room(self, most: int) -> np.ndarray:
        n, p = self.A.shape
        return matrix(min(most, p), n, np.float32)

    def grow(self, S: np.ndarray) -> None:
        end = self.size + len(S)
        if end > len(self.rows):
            self.rows, self.rest = (self._wider(half, end) for half in (self.rows, self.rest))
        rows, rest = self.rows[self.size : end], self.rest[self.size : end]
        if isinstance(self.A, Dense):
            kernels.gather_halves(self.A.X, S, self.mean, rows, rest, self.n_threads)
        else:
            exact = self.A.columns(S).T - self.mean[S, None]
            rows[:] = exact
            rest[:] = exact - rows
        self.size = end

    def gram(self, start: int, h: Any) -> np.ndarray:
        if start == 0 or np.ndim(h) == 0:
            return super().gram(start, h)
        out = np.empty((self.size - start, self.size))
        kernels.rough_products(self.rows[: self.size], start, h, out, self.n_threads)
        new = out[:, start:]
        new[np.diag_indices_from(new)] *= 1 + ROUGH
        return out

    def correlate(self, r: np.ndarray, start: int = 0) -> np.ndarray:
        return self._half(self.rows, r, start) + self._half(self.rest, r, start)

    def along(self, h: np.ndarray, start: int) -> np.ndarray:
        return self._half(self.rows, h, start)

    def _half(self, half: np.ndarray, r: np.ndarray, start: int) -> np.ndarray:
        out = np.empty((r.size // len(r), self.size - start))
        kernels.correlate(half[start : self.size].T, np.ascontiguousarray(np.atleast_2d(r.T)), out, self.n_threads)
        return out[0] if r.ndim == 1 else out.T

    def _exact(self, part: slice) -> np.ndarray:
        exact = super()._exact(part)
        exact += self.rest[: self.size, part]
        return exact


class SparseColumns:
    """The same for sparse storage: centring is done by algebra on the results."""

    dtype = np.float64

    def __init__(self, A: Any, mean: np.ndarray, n_threads: int) -> None:
        self.A, self.means, self.n_threads = A, mean, n_threads
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

    def correlate(self, r: np.ndarray, start: int = 0) -> np.ndarray:
        return self.X[:, start:].T @ r - np.multiply.outer(self.mean[start:], r.sum(axis=0))

    def gram(self, start: int, h: Any) -> np.ndarray:
        n, k, X = self.X.shape[0], self.size, self.X
        share = np.full(1, h) if np.ndim(h) == 0 else h
        raw = np.empty((k - start, k))
        kernels.gram_sparse(X.data, X.indices, X.indptr, start, share, raw, n, self.n_threads)
        sums = X.T @ np.broadcast_to(share, n)
        m, new = self.mean, self.mean[start:]
        return raw - np.outer(new, sums) - np.outer(sums[start:], m) + share.sum() * (n / len(share)) * np.outer(new, m)

    def along(self, h: np.ndarray, start: int) -> np.ndarray:
        return self.correlate(h, start)

    def cross(self, S: np.ndarray, T: np.ndarray, h: np.ndarray) -> np.ndarray:
        left, right = self.X[:, S], self.X[:, T]
        weighted = sp.csc_array((left.data * h[left.indices], left.indices, left.indptr), shape=left.shape)
        a, b = self.mean[S], self.mean[T]
        products = (weighted.T @ right).toarray() - np.outer(a, right.T @ h)
        return products - np.outer(weighted.sum(axis=0), b) + h.sum() * np.outer(a, b)
