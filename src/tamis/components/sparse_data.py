"""The covariance C = XᵀX/n as sparse PCA sees it: a matrix; or centred rows, or products with them, of which no p × p
matrix is ever made."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from tamis.datafits import Squared
from tamis.operators import Operator, as_operator
from tamis.operators.base import Linear
from tamis.operators.products import narrow_product
from tamis.penalties import L1L2
from tamis.solvers.gram_descent import GramDescent
from tamis.solvers.gram_problem import GramProblem
from tamis.solvers.problem import OperatorProblem
from tamis.solvers.working_set import WorkingSet

DEPENDENT = 1e-14  # share of a score's variance that rounding leaves of it beside the scores it depends on
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
    def root(self) -> Any:
        """Y (m, p) with YᵀY = C: an array, or an operator."""
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
        return np.asarray(narrow_product(self.Y.T, narrow_product(self.Y, V)))

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


@dataclass(frozen=True)
class ProductsView:
    """Centred rows as products, B (n, p) with C = BᵀB/n, less the directions Q (p, k): sparse rows stay sparse."""

    B: Operator
    spread: np.ndarray  # the diagonal of BᵀB/n
    Q: np.ndarray

    @property
    def wide(self) -> bool:
        return self.B.shape[1] > self.B.shape[0]

    @property
    def p(self) -> int:
        return self.B.shape[1]

    @cached_property
    def root(self) -> Operator:
        return Without(self.B, self.Q, 1 / np.sqrt(self.B.shape[0]))

    def times(self, V: np.ndarray) -> np.ndarray:
        return np.asarray(self.root.T @ (self.root @ V))

    def part(self, S: np.ndarray) -> np.ndarray:
        Y = self.root.columns(S)
        return np.asarray(Y.T @ Y)

    @cached_property
    def variances(self) -> np.ndarray:
        """diag((I − QQᵀ) C (I − QQᵀ))."""
        Q, CQ = self.Q, self.B.T @ (self.B @ self.Q) / self.B.shape[0]
        left = self.spread - 2 * (Q * CQ).sum(axis=1) + ((Q @ (Q.T @ CQ)) * Q).sum(axis=1)
        return np.asarray(np.maximum(left, 0.0))

    def elastic_net(self, a: np.ndarray, alpha: float, ridge: float, start: np.ndarray) -> np.ndarray:
        penalty, weight = as_penalty(alpha, ridge)
        problem = OperatorProblem(self.B, self.B @ a, Squared(), penalty, weight, fit_intercept=False)
        return WorkingSet(EXACT).path(problem, np.array([weight]), start).coefs[0]

    def without(self, V: np.ndarray) -> ProductsView:
        return ProductsView(self.B, self.spread, np.linalg.qr(np.hstack([self.Q, V.T]))[0])


class Without(Linear):
    """factor · A (I − QQᵀ) for orthonormal columns Q (p, k)."""

    def __init__(self, A: Any, Q: np.ndarray, factor: float) -> None:
        self.A, self.Q, self.factor = A, Q, factor
        self.shape, self.dtype, self.parts = A.shape, A.dtype, (A,)

    def forward(self, x: np.ndarray) -> np.ndarray:
        return np.asarray(self.factor * (self.A @ (x - self.Q @ (self.Q.T @ x))))

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        x = self.factor * (self.A.T @ r)
        return np.asarray(x - self.Q @ (self.Q.T @ x))


def as_penalty(alpha: float, ridge: float) -> tuple[L1L2, float]:
    """alpha ‖b‖₁ + ridge/2 ‖b‖² as one weight times ρ‖b‖₁ + (1 − ρ)/2 ‖b‖²."""
    weight = alpha + ridge
    return (L1L2(alpha / weight), weight) if weight > 0 else (L1L2(1.0), 0.0)


def adjusted_variances(view: CovarianceView, V: np.ndarray) -> np.ndarray:
    """Variance that each component adds to those before it: R²ₖₖ of the scores' QR (Zou, Hastie & Tibshirani 2006).

    Scores Z = X Vᵀ have ZᵀZ/n = V C Vᵀ, of which R/√n is the Cholesky factor; a component within the span of those
    before it, as far as its own variance is known, adds nothing and takes nothing from those after it.
    """
    M = V @ view.times(V.T)
    out, own = np.zeros(len(V)), M.diagonal().copy()
    for k in range(len(V)):
        if M[k, k] > DEPENDENT * own[k]:
            out[k] = M[k, k]
            M = M - np.multiply.outer(M[:, k], M[k]) / M[k, k]
    return out
