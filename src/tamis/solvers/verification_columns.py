"""The columns as a certificate is verified on them: where each lies, how far it spreads, and its products.

With an intercept, columns may be taken about any point c: (X − 1cᵀ)w + (b + cᵀw) = Xw + b, and a dual point that sums
to nothing has the same correlations. About zero, a column that lies 10⁸ times its spread away keeps half of its digits.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

NEAR = 8.0  # a column is taken about its mean where all its values lie within an eighth of the mean from each other
STRETCH = 4096  # rows of a dense block that are copied at a time


class ColumnsAbout:
    """From passes over blocks (s, X): means, centres (0 for columns that stay as they are) and deviations.

    Of sparse blocks only columns that are stored in every row are moved; zeros that are not stored would lie far off.
    """

    def __init__(self, blocks: Any, p: int, centred: bool) -> None:
        low, high, total, stored = np.full(p, np.inf), np.full(p, -np.inf), np.zeros(p), np.zeros(p)
        self.weight = n_rows = 0.0
        for s, X in blocks():
            full = np.flatnonzero(_stored(X) == len(s))
            for S, part in _dense_parts(X, full):
                low[S] = np.minimum(low[S], part.min(axis=0, initial=np.inf))
                high[S] = np.maximum(high[S], part.max(axis=0, initial=-np.inf))
            stored, n_rows = stored + _stored(X), n_rows + len(s)
            total += np.asarray(X.T @ s).ravel()
            self.weight += float(s.sum())
        self.mean = total / self.weight
        with np.errstate(invalid="ignore"):
            near = (stored == n_rows) & (NEAR * (high - low) < np.abs(self.mean))
        self.centre = np.where(near & centred, self.mean, 0.0)
        self.moved = np.flatnonzero(self.centre)
        self.left = np.abs(np.where(self.centre == 0, self.mean, 0.0))  # what still costs digits

    def deviations(self, blocks: Any) -> np.ndarray:
        """Standard deviations; 1 for what rounding leaves of a constant column, which is penalised as it is."""
        squares, about = np.zeros(len(self.mean)), np.zeros(len(self.mean))
        for s, X in blocks():
            if hasattr(X, "toarray"):
                pattern = X.copy()
                pattern.data = np.ones(len(X.data))
                d = X.copy().astype(np.float64)
                d.data -= self.mean[d.indices]
                absent = np.where(_stored(X) == len(s), 0.0, s.sum() - pattern.T @ s)
                about += d.T @ s - absent * self.mean
                d.data **= 2
                squares += d.T @ s + absent * self.mean**2
                continue
            for k in range(0, len(s), STRETCH):
                d = X[k : k + STRETCH].astype(np.float64) - self.mean
                about += s[k : k + STRETCH] @ d
                squares += s[k : k + STRETCH] @ d**2
        variance = squares / self.weight - (about / self.weight) ** 2
        constant = variance <= (8 * np.finfo(float).eps * self.mean) ** 2
        return np.sqrt(np.where(constant, 1.0, variance))

    def intercepts(self, W: np.ndarray, b: np.ndarray) -> np.ndarray:
        """b + cᵀw of every output in exact arithmetic: both terms may be large and nearly cancel."""
        sums = []
        for w, start in zip(W, b, strict=True):
            terms = ((Fraction(w[j]), Fraction(self.centre[j])) for j in self.moved.tolist() if w[j])
            sums.append(float(sum((x * c for x, c in terms), Fraction(start))))
        return np.array(sums)

    def of(self, X: Any) -> BlockAbout:
        return BlockAbout(X, self.moved, self.centre)


class BlockAbout:
    """A block of rows, some of its columns about their centres."""

    def __init__(self, X: Any, moved: np.ndarray, centre: np.ndarray) -> None:
        self.moved, self.p = moved, X.shape[1]
        self.rest = np.delete(np.arange(self.p), moved) if len(moved) else slice(None)
        self.X = X[:, self.rest] if len(moved) else X
        self.D = _dense(X[:, moved]) - centre[moved] if len(moved) else None

    def times(self, W: np.ndarray) -> np.ndarray:
        """(m, K) predictions for W (K, p)."""
        Z = np.asarray(self.X @ W[:, self.rest].T)
        return Z if self.D is None else Z + self.D @ W[:, self.moved].T

    def correlate(self, theta: np.ndarray) -> np.ndarray:
        """(p, K) for θ (m, K)."""
        c = np.asarray(self.X.T @ theta)
        if self.D is None:
            return c
        out = np.empty((self.p, theta.shape[1]))
        out[self.rest], out[self.moved] = c, self.D.T @ theta
        return out

    def columns(self, S: np.ndarray) -> np.ndarray:
        """Some columns, dense."""
        if self.D is None:
            return _dense(self.X[:, S])
        place = np.empty(self.p, np.intp)
        place[self.rest], place[self.moved] = np.arange(self.p - len(self.moved)), np.arange(len(self.moved))
        far = np.isin(S, self.moved)
        out = np.empty((self.D.shape[0], len(S)))
        out[:, far], out[:, ~far] = self.D[:, place[S[far]]], _dense(self.X[:, place[S[~far]]])
        return out


def _dense(X: Any) -> np.ndarray:
    return np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)


def _stored(X: Any) -> np.ndarray:
    """How many numbers of each column the block holds."""
    if not hasattr(X, "toarray"):
        return np.full(X.shape[1], X.shape[0])
    return np.bincount(X.tocsr().indices, minlength=X.shape[1])


def _dense_parts(X: Any, S: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The columns S, dense: all at once where they are so already."""
    step = len(S) if not hasattr(X, "toarray") else max(1, (1 << 22) // max(1, X.shape[0]))
    for k in range(0, len(S), max(1, step)):
        part = S[k : k + step]
        yield part, X if len(part) == X.shape[1] and not hasattr(X, "toarray") else _dense(X[:, part])
