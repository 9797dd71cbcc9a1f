"""Columns that lie far from zero, moved there: X − 1 shiftᵀ.

Where there is an intercept, (X − 1 shiftᵀ) w + (b + shiftᵀw) is the same prediction. Products with columns whose mean
is 10⁸ times their spread leave eight digits of that spread; products with moved ones leave all of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis._core.far_columns import columns_minus
from tamis.operators.base import Linear, Operator
from tamis.operators.dense import Dense


class Shifted(Linear):
    """A with the columns S minus the numbers c. These are held dense, and so are few or were stored whole."""

    def __init__(self, A: Any, S: np.ndarray, c: np.ndarray) -> None:
        self.A, self.S = A, S
        self.shape, self.dtype = A.shape, A.dtype
        self.by_columns = getattr(A, "by_columns", False)
        if hasattr(A, "stored"):
            self.stored = A.stored
        self.apart = Dense(_minus(A, S, c), getattr(A, "n_threads", None))
        self.place = np.full(self.shape[1], -1)  # of each column among those held apart
        self.place[S] = np.arange(len(S))

    def forward(self, x: np.ndarray) -> np.ndarray:
        rest = x.copy()
        rest[self.S] = 0.0
        return np.asarray(self.A @ rest + self.apart.forward(x[self.S]))

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        out = np.array(self.A.T @ r)
        out[self.S] = self.apart.adjoint(r)
        return out

    def adjoint_at(self, r: np.ndarray, S: np.ndarray) -> np.ndarray:
        out, place = np.array(self.A.adjoint_at(r, S)), self.place[S]
        if (place >= 0).any():
            out[place >= 0] = self.apart.adjoint_at(r, place[place >= 0])
        return out

    def columns(self, S: Any) -> Any:
        S = np.asarray(S, dtype=np.intp)
        X, place = self.A.columns(S), self.place[S]
        moved = np.flatnonzero(place >= 0)
        if not len(moved):
            return X
        D = self.apart.X[:, place[moved]]
        if not sp.issparse(X):
            X = np.array(X, dtype=np.float64, order="F")
            X[:, moved] = D
            return X
        parts = sp.hstack([X[:, np.flatnonzero(place < 0)], sp.csc_array(D)], format="csc")
        return sp.csc_array(parts[:, np.argsort(np.append(np.flatnonzero(place < 0), moved))])

    def moments(self, s: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        mean, variance = self.A.moments(s)
        mean[self.S], variance[self.S] = self.apart.moments(s)
        return mean, variance


def about_means(A: Operator, s: np.ndarray | None) -> tuple[Operator, np.ndarray]:
    """A with the columns moved whose means are far from zero, rows weighted by s, and by how much each is."""
    shift = np.zeros(A.shape[1])
    if not isinstance(A, Linear):
        return A, shift
    S, c = A.far_columns(s)
    shift[S] = c
    return (A.minus(S, c) if len(S) else A), shift


def _minus(A: Any, S: np.ndarray, c: np.ndarray) -> np.ndarray:
    X = A.columns(S)
    return columns_minus(X, np.arange(len(S)), c) if sp.issparse(X) else np.asfortranarray(X, dtype=np.float64) - c
