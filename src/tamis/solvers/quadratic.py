"""½ wᵀHw − qᵀw + α Ω(w) on a set of features that grows: what a working-set solver asks again and again."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from tamis._kernels import kernels
from tamis._kernels.workspace import larger, square
from tamis.penalties.terms import Terms


class Quadratic(Protocol):
    """Solves quadratic models on the working set; keeps between calls what it can reuse."""

    def grow(self, features: np.ndarray) -> None:
        """These features, by their numbers among all, join at the end."""
        ...

    def reset(self) -> None:
        """H has changed."""
        ...

    def minimise(self, H: np.ndarray, q: np.ndarray, w: np.ndarray, alpha: float, tol: float) -> tuple[int, bool]:
        """w becomes the minimiser; (rounds, whether it converged to a gap of tol)."""
        ...


class FeatureQuadratic:
    """For penalties without groups: exact, by ``kernels.lasso_path``, with the factor of the support kept."""

    def __init__(self, terms: Terms, *, max_iter: int = 1000, seed: int = -1) -> None:
        self.terms, self.max_iter, self.seed = terms, max_iter, seed
        self.l1, self.l2 = np.zeros(0), np.zeros(0)
        self.L = square(64)
        self.members, self.n_members = np.zeros(64, np.int64), np.zeros(1, np.int64)

    def grow(self, features: np.ndarray) -> None:
        self.l1 = np.append(self.l1, self.terms.l1[features])
        self.l2 = np.append(self.l2, self.terms.l2[features])
        k, have = len(self.l1), int(self.n_members[0])
        if k > len(self.L):
            self.L = larger(self.L, have, k)
            self.members = np.append(self.members[:have], np.zeros(len(self.L) - have, np.int64))

    def reset(self) -> None:
        self.n_members[0] = 0

    def path(
        self, H: np.ndarray, q: np.ndarray, yy: float, w: np.ndarray, alphas: np.ndarray, tol: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Coefficients (m, k), rounds and convergence for descending alphas; w ends as the last."""
        k, m = len(q), len(alphas)
        coefs, gaps, n_iter, converged = np.empty((m, k)), np.empty(m), np.empty(m, np.int64), np.empty(m, bool)
        kernels.lasso_path(
            H, q, yy, alphas, self.l1, self.l2, self.terms.positive, self.seed, w, self.members, self.n_members,
            self.L, tol, self.max_iter, coefs, gaps, n_iter, converged, None,
        )  # fmt: skip
        return coefs, n_iter, converged

    def newton(self, H: np.ndarray, at: Any, model: Any, alpha: float, tol: float) -> tuple[np.ndarray, Any]:
        """Coefficients at the minimum of a Newton model around a point; shift of b, Ω and slope of the loss there."""
        w, facts = at.w.copy(), np.empty(3)
        kernels.newton_model(
            H, at.correlations, at.g_sum, model.along, model.h_sum, at.h_sum / model.h_sum, alpha, self.l1, self.l2,
            self.terms.positive, self.seed, w, self.members, self.n_members, self.L, tol, self.max_iter, facts,
        )  # fmt: skip
        return w, facts.tolist()

    def minimise(self, H: np.ndarray, q: np.ndarray, w: np.ndarray, alpha: float, tol: float) -> tuple[int, bool]:
        _, n_iter, converged = self.path(H, q, 1.0, w, np.array([alpha]), tol)
        return int(n_iter[0]), bool(converged[0])
