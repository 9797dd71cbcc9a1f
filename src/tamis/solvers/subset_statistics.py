"""Least squares on subsets of columns, from Gram columns that are computed when they are first asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from tamis.solvers.dense_columns import dense_columns


class SubsetStatistics:
    """F(S) = min over w on S of ½ Σ hᵢ(yᵢ − xᵢᵀw)² + ridge/2 ‖w‖², h = s/Σs; with an intercept all is centred."""

    tries = 1  # gains are exact

    def __init__(self, problem: Any, ridge: float) -> None:
        A, y = problem.A, np.asarray(problem.y, dtype=np.float64)
        n, self.p = A.shape
        self.A, self.ridge, self.centred = A, ridge, problem.fit_intercept
        self.h = np.full(n, 1.0 / n) if problem.s is None else problem.s / problem.s.sum()
        self.mean = problem.means() if self.centred else np.zeros(self.p)
        self.centre = float(self.h @ y) if self.centred else 0.0
        r = self.h * (y - self.centre)
        self.yy = float(r @ (y - self.centre))
        self.q = A.T @ r - (r.sum() * self.mean if self.centred else 0.0)
        self.diagonal = problem.norms() ** 2
        self._position: dict[int, int] = {}
        self._columns = np.empty((self.p, 0))

    def gram(self, S: np.ndarray) -> np.ndarray:
        """X̃ᵀ diag(h) X̃_S, (p, |S|)."""
        new = [int(j) for j in S if int(j) not in self._position]
        if new:
            X = dense_columns(self.A, new) - self.mean[new]
            H = self.h[:, None] * X
            G = self.A.T @ H
            if self.centred:
                G = G - np.outer(self.mean, H.sum(axis=0))
            for k, j in enumerate(new):
                self._position[j] = self._columns.shape[1] + k
            self._columns = np.hstack([self._columns, G])
        return self._columns[:, [self._position[int(j)] for j in S]]

    def solve(self, S: np.ndarray) -> tuple[np.ndarray, float]:
        """Coefficients on S and F(S); where columns depend on each other, those of least size."""
        if not len(S):
            return np.zeros(0), 0.5 * self.yy
        M, q = self._system(S), self.q[S]
        w = self._inverse_times(M, q)
        return w, 0.5 * max(0.0, self.yy - float(2 * q @ w - w @ M @ w))

    def residual(self, S: np.ndarray) -> float:
        """Σ hᵢ(yᵢ − xᵢᵀw)² of the fit on S."""
        w, value = self.solve(S)
        return max(0.0, 2 * value - self.ridge * float(w @ w))

    def _system(self, S: np.ndarray) -> np.ndarray:
        return self.gram(S)[S] + self.ridge * np.eye(len(S))

    @staticmethod
    def _inverse_times(M: np.ndarray, right: np.ndarray) -> np.ndarray:
        try:
            return cho_solve(cho_factor(M), right)
        except np.linalg.LinAlgError:
            return np.linalg.lstsq(M, right, rcond=None)[0]

    def gains(self, S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """By how much F falls when each column joins S, −∞ for those inside; and by how much it rises when one of S
        leaves.
        """
        if not len(S):
            spread = self.diagonal + self.ridge
            return 0.5 * np.divide(self.q**2, spread, out=np.zeros(self.p), where=spread > 0), np.zeros(0)
        G, M = self.gram(S), self._system(S)
        inverse = self._inverse_times(M, np.eye(len(S)))
        w = inverse @ self.q[S]
        c = self.q - G @ w
        left = self.diagonal + self.ridge - np.einsum("ij,ij->i", G @ inverse, G)
        full = self.diagonal + self.ridge
        gains = 0.5 * np.divide(c**2, left, out=np.zeros(self.p), where=left > DEPENDS * full)
        gains[S] = -np.inf
        return gains, 0.5 * w**2 / inverse.diagonal()


DEPENDS = 1e-10  # of a column's square: what is left of it beside the others is rounding
