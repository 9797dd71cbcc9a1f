"""Least squares on subsets of columns, from Gram columns that are computed when they are first asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve, lstsq

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
        self.y = y - self.centre
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

    def fit(self, S: np.ndarray) -> tuple[np.ndarray, float]:
        """``solve`` from the rows, which tell columns apart that products do not: the answer, once it is known."""
        root = np.sqrt(self.h)
        X = root[:, None] * (dense_columns(self.A, list(S)) - self.mean[S])
        A = np.vstack([X, np.sqrt(self.ridge) * np.eye(len(S))]) if self.ridge > 0 else X
        right = np.zeros(len(A))
        right[: len(root)] = root * self.y
        size = np.sqrt(np.einsum("ij,ij->j", A, A))
        size[size <= COPY * np.sqrt(self.diagonal[S] + self.mean[S] ** 2 + self.ridge)] = np.inf  # do not vary
        w = lstsq(A / size, right, cond=len(A) * EPS, lapack_driver="gelsy", check_finite=False)[0] / size
        return w, 0.5 * float(np.sum((right - A @ w) ** 2))

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

    def without_copies(self, S: np.ndarray) -> np.ndarray:
        """Columns that vary; of those that are multiples of each other one, in S where one of them is."""
        size, at_all = np.sqrt(self.diagonal), np.sqrt(self.diagonal + self.mean**2)
        order = np.concatenate([S, np.setdiff1d(np.arange(self.p), S)])
        order = order[size[order] > COPY * at_all[order]]
        G, kept = self.gram(order), np.ones(len(order), bool)
        for i, j in enumerate(order.tolist()):
            near = np.flatnonzero(G[order[:i], i] ** 2 >= (1 - 1e-9) * self.diagonal[order[:i]] * self.diagonal[j])
            kept[i] = not any(kept[k] and self._multiples(int(order[k]), j) for k in near)
        return np.sort(order[kept])

    def _multiples(self, i: int, j: int) -> bool:
        x, z = (dense_columns(self.A, [i, j]) - self.mean[[i, j]]).T
        r = z - x * (float(self.h @ (x * z)) / float(self.h @ x**2))
        return bool(self.h @ r**2 <= COPY**2 * float(self.h @ z**2))

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
        spread = inverse.diagonal()  # 0 of columns that do not vary
        return gains, 0.5 * np.divide(w**2, spread, out=np.zeros(len(S)), where=spread > 0)


EPS = np.finfo(float).eps
COPY = 1e-12  # of a column's size: a difference that is rounding
DEPENDS = 1e-10  # of a column's square: what is left of it beside the others is rounding
