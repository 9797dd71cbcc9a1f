"""The covariance C = XᵀX/n as sparse PCA sees it: a matrix, or centred rows of which no p × p matrix is ever made."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from tamis.datafits import Squared
from tamis.operators import Operator, as_operator
from tamis.penalties import L1L2
from tamis.solvers.gram_descent import GramDescent
from tamis.solvers.gram_problem import GramProblem
from tamis.solvers.problem import OperatorProblem
from tamis.solvers.working_set import WorkingSet

EXACT = 1e-10  # duality gap of the elastic nets, relative to the null model


class CovarianceView(Protocol):
    """C as products, its diagonal, a root Y with YᵀY = C, and elastic nets on it."""

    @property
    def p(self) -> int:
        """Number of columns."""
        ...

    @property
    def wide(self) -> bool:
        """Whether there are more columns than rows."""
        ...

    def times(self, V: np.ndarray) -> np.ndarray:
        """C V."""
        ...

    def part(self, S: np.ndarray) -> np.ndarray:
        """C[S, S]."""
        ...

    @property
    def variances(self) -> np.ndarray:
        """The diagonal of C."""
        ...

    @property
    def root(self) -> np.ndarray:
        """Y (m, p) with YᵀY = C."""
        ...

    def without(self, V: np.ndarray) -> CovarianceView:
        """The covariance of what the directions V (k, p) do not explain: (I − P) C (I − P), P their projector."""
        ...

    def elastic_net(self, a: np.ndarray, alpha: float, ridge: float, start: np.ndarray) -> np.ndarray:
        """argmin_b ½ (a − b)ᵀC(a − b) + ridge/2 ‖b‖² + alpha ‖b‖₁."""
        ...


@dataclass(frozen=True)
class MatrixView:
    """C itself."""

    C: np.ndarray
    wide: bool = False

    @property
    def p(self) -> int:
        return len(self.C)

    def times(self, V: np.ndarray) -> np.ndarray:
        return self.C @ V

    def part(self, S: np.ndarray) -> np.ndarray:
        return self.C[np.ix_(S, S)]

    @property
    def variances(self) -> np.ndarray:
        return self.C.diagonal()

    @cached_property
    def root(self) -> np.ndarray:
        values, V = np.linalg.eigh(self.C)
        return np.sqrt(np.maximum(values, 0.0))[:, None] * V.T

    def elastic_net(self, a: np.ndarray, alpha: float, ridge: float, start: np.ndarray) -> np.ndarray:
        q = self.C @ a
        penalty, weight = as_penalty(alpha, ridge)
        problem = GramProblem(self.C, q, float(a @ q), 1.0, penalty, weight)
        return GramDescent(EXACT).path(problem, np.array([weight]), start).coefs[0]

    def without(self, V: np.ndarray) -> MatrixView:
        Q = np.linalg.qr(V.T)[0]
        left = self.C - Q @ (Q.T @ self.C)
        return MatrixView(left - (left @ Q) @ Q.T, self.wide)


@dataclass(frozen=True)
class RowsView:
    """Rows Y (n, p), centred and divided by √n: C = YᵀY, and only columns of it that are looked at."""

    Y: np.ndarray

    @property
    def wide(self) -> bool:
        return self.Y.shape[1] > self.Y.shape[0]

    @property
    def p(self) -> int:
        return self.Y.shape[1]

    def times(self, V: np.ndarray) -> np.ndarray:
        return self.Y.T @ (self.Y @ V)

    def part(self, S: np.ndarray) -> np.ndarray:
        Y = self.Y[:, S]
        return Y.T @ Y

    @cached_property
    def variances(self) -> np.ndarray:
        return np.einsum("ij,ij->j", self.Y, self.Y)

    @property
    def root(self) -> np.ndarray:
        return self.Y

    def elastic_net(self, a: np.ndarray, alpha: float, ridge: float, start: np.ndarray) -> np.ndarray:
        # a mean over the n rows of Y √n is a sum over those of Y: y √n and X √n give 1/(2n)‖·‖² = ½‖·‖²
        penalty, weight = as_penalty(alpha, ridge)
        root = np.sqrt(len(self.Y))
        problem = OperatorProblem(self._wide, root * (self.Y @ a), Squared(), penalty, weight, fit_intercept=False)
        return WorkingSet(EXACT).path(problem, np.array([weight]), start).coefs[0]

    @cached_property
    def _wide(self) -> Operator:
        return as_operator(np.asfortranarray(self.Y * np.sqrt(len(self.Y))))

    def without(self, V: np.ndarray) -> RowsView:
        Q = np.linalg.qr(V.T)[0]
        return RowsView(self.Y - (self.Y @ Q) @ Q.T)


def as_penalty(alpha: float, ridge: float) -> tuple[L1L2, float]:
    """alpha ‖b‖₁ + ridge/2 ‖b‖² as one weight times ρ‖b‖₁ + (1 − ρ)/2 ‖b‖²."""
    weight = alpha + ridge
    return (L1L2(alpha / weight), weight) if weight > 0 else (L1L2(1.0), 0.0)


def adjusted_variances(view: CovarianceView, V: np.ndarray) -> np.ndarray:
    """Variance that each component adds to those before it: R²ₖₖ of the scores' QR (Zou, Hastie & Tibshirani 2006).

    Scores Z = X Vᵀ have ZᵀZ/n = V C Vᵀ, of which R/√n is the Cholesky factor; a component within the span of those
    before it adds nothing.
    """
    M = V @ view.times(V.T)
    out, largest = np.zeros(len(V)), float(M.diagonal().max(initial=0.0))
    for k in range(len(V)):
        out[k] = max(0.0, M[k, k])
        if out[k] > 1e-14 * largest:
            M = M - np.multiply.outer(M[:, k], M[k]) / M[k, k]
        else:
            out[k] = 0.0
    return out
