"""Quadratic models of the multinomial loss, class by class.

With q the probabilities of a row, its second derivative diag(q) − qqᵀ is at most diag(q), and equal to it on vectors v
with ⟨q, v⟩ = 0. So ½ Σᵢ sᵢqᵢₖ (xᵢᵀd + e)² is a model of class k by itself that is good for all classes at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from tamis._kernels.workspace import larger, square
from tamis.solvers.gathered_columns import GatheredColumns


class MultinomialModel:
    """H = X̃ᵀ diag(h) X̃ of some working columns, the intercept eliminated, shared by ``classes`` (a slice).

    ``positions`` are those of its columns among all working columns; h may be stale.
    """

    def __init__(self, classes: slice, columns: GatheredColumns, quadratic: Any, centred: bool) -> None:
        self.classes, self.columns, self.quadratic, self.centred = classes, columns, quadratic, centred
        self.positions = np.zeros(0, np.int64)
        self._H = square(64)

    @property
    def H(self) -> np.ndarray:
        k = len(self.positions)
        return self._H[:k, :k]

    def refresh(self, h: np.ndarray) -> None:
        self.h, self.total = h, float(h.sum())
        self.quadratic.reset()
        self._write(0)

    def admit(self, positions: np.ndarray, features: np.ndarray) -> None:
        if not len(positions):
            return
        old, k = len(self.positions), len(self.positions) + len(positions)
        self.positions = np.append(self.positions, positions)
        self.quadratic.grow(features)
        if k > len(self._H):
            self._H = larger(self._H, old, k)
        self._write(old)

    def _write(self, old: int) -> None:
        """Rows from ``old`` on, and the correlations a = X̃ᵀh with the intercept."""
        k = len(self.positions)
        values = self.columns.cross(self.positions[old:], self.positions, self.h)
        self.a = self.columns.correlate(self.h)[self.positions]
        if self.centred:
            values -= np.outer(self.a[old:], self.a) / self.total
        self._H[old:k, :k] = values
        self._H[:old, old:k] = values[:, :old].T

    def minimise(self, gradient: np.ndarray, W: np.ndarray, alpha: float, tol: float) -> np.ndarray:
        """The minimiser of the model around W, both (n_classes, k)."""
        w = W.copy()
        q = w @ self.H - gradient
        if len(w) == 1:
            self.quadratic.minimise(self.H, q[0], w[0], alpha, tol)
        else:
            self.quadratic.minimise(self.H, q, w, alpha, tol)
        return w

    def factorise(self, inside: np.ndarray, ridge: np.ndarray) -> None:
        """Of H + diag(ridge) on the entries that are ``inside``, for each class."""
        self._factors = []
        for entries in inside:
            A = np.flatnonzero(entries)
            self._factors.append((A, _factor(self.H[np.ix_(A, A)], ridge[A])))

    def precondition(self, E: np.ndarray, e: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(W, b) from (E, e): the model's own inverse on the entries given to ``factorise``."""
        W = np.zeros_like(E)
        if self.centred:
            E = E - np.outer(e, self.a) / self.total
        for w, right, (A, factor) in zip(W, E, self._factors, strict=True):
            w[A] = cho_solve(factor, right[A], check_finite=False)
        return W, (e - W @ self.a) / self.total if self.centred else e


RIDGES = (1e-10, 1e-6, 1e-2)  # of the largest diagonal entry; more where rounding left H without a factor


def _factor(H: np.ndarray, ridge: np.ndarray) -> Any:
    """Of H + diag(ridge), or of its diagonal where rounding makes it no positive matrix: it only preconditions."""
    diagonal = np.abs(H.diagonal())
    largest = diagonal.max(initial=1e-300)
    for extra in RIDGES:
        try:
            M = H + np.diag(ridge + extra * largest)
            return cho_factor(M, lower=True, overwrite_a=True, check_finite=False)
        except LinAlgError:
            continue
    return cho_factor(np.diag(diagonal + ridge + RIDGES[0] * largest), lower=True, check_finite=False)
