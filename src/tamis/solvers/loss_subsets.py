"""Subsets of columns for a loss that is no sum of squares: each fitted by Newton steps, once."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._kernels.interruption import check_interrupted
from tamis.solvers.dense_columns import dense_columns
from tamis.solvers.duality import solve_normal

SETTLED = 1e-14  # of the objective: what another step would gain
DEPENDS = 1e-10  # of a column's curvature: what is left of it beside the others is rounding
SEPARATED = 1e-9  # of the null model's loss: classes are apart, and ever larger coefficients would be better


class LossSubsets:
    """F(S) = min over b and w on S of D(Xw + b) + ridge/2 ‖w‖²: to :func:`splice` what ``SubsetStatistics`` is."""

    tries = 5  # gains are those of a quadratic: more than one column is worth a fit

    def __init__(self, problem: Any, ridge: float, max_iter: int = 100) -> None:
        self.problem, self.ridge, self.max_iter = problem, ridge, max_iter
        self.p = problem.A.shape[1]
        self.mean = problem.means() if problem.fit_intercept else np.zeros(self.p)
        self._fits: dict[tuple[int, ...], tuple[np.ndarray, float, float]] = {}
        self.yy = 2 * self.solve(np.zeros(0, np.int64))[1]

    def fit(self, S: np.ndarray) -> tuple[np.ndarray, float, float, np.ndarray]:
        """Coefficients on S, intercept, F(S) and the prediction."""
        order = np.argsort(S)
        key = tuple(int(j) for j in np.asarray(S)[order])
        if key not in self._fits:
            self._fits[key] = self._newton(np.array(key, dtype=np.int64))
        w, b, value = self._fits[key]
        return w[np.argsort(order)], b, value, self._prediction(S, w[np.argsort(order)], b)

    def _prediction(self, S: np.ndarray, w: np.ndarray, b: float) -> np.ndarray:
        everywhere = np.zeros(self.p)
        everywhere[S] = w
        return self.problem.prediction(everywhere, b)

    def solve(self, S: np.ndarray) -> tuple[np.ndarray, float]:
        w, _, value, _ = self.fit(S)
        return w, value

    def loss(self, S: np.ndarray) -> float:
        """D of the fit on S."""
        w, _, value, _ = self.fit(S)
        return value - 0.5 * self.ridge * float(w @ w)

    def gains(self, S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """By how much the quadratic at the fit on S falls when each column joins, −∞ for those inside; and by how much
        it rises when one of S leaves.
        """
        problem: Any = self.problem
        w, _, _, Z = self.fit(S)
        g, h = problem.datafit.gradient(problem.y, Z, problem.s), problem.datafit.hessian(problem.y, Z, problem.s)
        mean, variance = problem.A.moments(h)
        bend = float(h.sum()) * (variance if problem.fit_intercept else variance + mean**2) + self.ridge
        c, left = problem.A.T @ g, bend
        if len(S):
            X = dense_columns(problem.A, [int(j) for j in S]) - (mean[S] if problem.fit_intercept else 0.0)
            G = problem.A.T @ (h[:, None] * X)  # Σ hᵢ x̃ᵢⱼ = 0, so that the other columns need not be centred
            inverse = np.linalg.pinv(G[S] + self.ridge * np.eye(len(S)), hermitian=True)
            left = bend - np.einsum("ij,ij->i", G @ inverse, G)
        gains = 0.5 * np.divide(c**2, left, out=np.zeros(self.p), where=left > DEPENDS * bend)
        gains[S] = -np.inf
        return gains, 0.5 * w**2 / inverse.diagonal() if len(S) else w

    def _newton(self, S: np.ndarray) -> tuple[np.ndarray, float, float]:
        """Newton steps, halved until F falls."""
        problem: Any = self.problem
        fit, y, s = problem.datafit, problem.y, problem.s
        X = dense_columns(problem.A, [int(j) for j in S]) - self.mean[S] if len(S) else np.zeros((len(y), 0))
        along = np.column_stack([np.ones(len(y)), X]) if problem.fit_intercept else X
        ridge = np.full(along.shape[1], self.ridge)
        ridge[: along.shape[1] - len(S)] = 0.0
        beta, Z = np.zeros(along.shape[1]), np.zeros(len(y))
        value = fit.value(y, Z, s)
        least = SEPARATED * value
        for _ in range(self.max_iter):
            check_interrupted()
            slope = along.T @ fit.gradient(y, Z, s) + ridge * beta
            M = along.T @ (fit.hessian(y, Z, s)[:, None] * along) + np.diag(ridge)
            step = -solve_normal(M, slope) if len(beta) else beta
            if -float(slope @ step) <= SETTLED * value or value <= least:
                break
            new = _halved(lambda b: fit.value(y, along @ b, s) + 0.5 * float(ridge @ b**2), beta, step, value)
            if new is None:
                break
            beta, value = new
            Z = along @ beta
        w = beta[len(beta) - len(S) :]
        b = float(beta[0] - self.mean[S] @ w) if problem.fit_intercept else 0.0
        return w, b, float(value)


def _halved(value_at: Any, beta: np.ndarray, step: np.ndarray, value: float) -> tuple[np.ndarray, float] | None:
    for halving in range(40):
        new = beta + 0.5**halving * step
        reached = value_at(new)
        if reached < value:
            return new, reached
    return None
