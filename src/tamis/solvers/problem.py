"""Datafit + penalty with the rows at hand.

F(w, b) = D(Aw + b) + α Ω(w), D a weighted mean over rows. The null model has the intercept and the unpenalised columns.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tamis.datafits import Datafit, Logistic, Multinomial, Squared
from tamis.datafits.base import shares
from tamis.operators import Operator
from tamis.penalties import Penalty, Terms
from tamis.solvers.certificates import DualityGap
from tamis.solvers.duality import (
    FEASIBLE,
    best_scale,
    compiled,
    hold_all,
    largest_scale,
    penalty_conjugate,
    require_terms,
    unpenalised,
)
from tamis.solvers.null_model import fit_null, newton_direction

ROUNDING = 16 * np.finfo(float).eps  # of the numbers that a prediction is the sum of
ROUNDED = 64 * np.finfo(float).eps  # of the numbers that a slope is the difference of
LOSSES = {Squared: "squared", Logistic: "logistic", Multinomial: "multinomial"}


@dataclass(frozen=True)
class OperatorProblem:
    """Operator, target, datafit, penalty, α, row weights and whether there is an intercept.

    y is (n,) or, with several outputs, (n, K); then w is (p, K) and b (K,).
    """

    A: Operator
    y: np.ndarray
    datafit: Datafit
    penalty: Penalty
    alpha: float = 0.0
    s: np.ndarray | None = None
    fit_intercept: bool = True
    _kept: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def at(self, alpha: float) -> OperatorProblem:
        """The same data with another α, and what was found out about them."""
        other = replace(self, alpha=alpha)
        object.__setattr__(other, "_kept", self._kept)
        return other

    @property
    def omega(self) -> Terms | Penalty:
        """The penalty in its compiled form where it has one."""
        if "omega" not in self._kept:
            self._kept["omega"] = compiled(self.penalty, self.A.shape[1])
        omega: Terms | Penalty = self._kept["omega"]
        return omega

    def means(self) -> np.ndarray:
        """Of the columns, rows weighted as in the datafit."""
        if "means" not in self._kept and getattr(self.A, "by_columns", False):
            self._measure()
        if "means" not in self._kept:
            n = self.A.shape[0]
            share = np.full(n, 1.0 / n) if self.s is None else self.s / self.s.sum()
            self._kept["means"] = self.A.T @ share
        means: np.ndarray = self._kept["means"]
        return means

    def norms(self) -> np.ndarray:
        """(Σ hᵢ xᵢⱼ²)^½ of the columns, centred where there is an intercept; h = s/Σs."""
        if "norms" not in self._kept:
            self._measure()
        norms: np.ndarray = self._kept["norms"]
        return norms

    def _measure(self) -> None:
        """Means and norms in one reading of the columns."""
        mean, variance = self.A.moments(self.s)
        with np.errstate(over="ignore"):
            self._kept["norms"] = np.sqrt(variance if self.fit_intercept else variance + mean**2)
        self._kept["means"] = mean

    def zero(self) -> tuple[np.ndarray, Any]:
        """w = 0 and b = 0."""
        outputs = self.y.shape[1:]
        return np.zeros((self.A.shape[1], *outputs)), np.zeros(outputs) if outputs else 0.0

    def prediction(self, w: np.ndarray, b: Any = 0.0) -> np.ndarray:
        return self.A @ w + b

    def value(self, w: np.ndarray, b: Any = 0.0) -> float:
        return self.datafit.value(self.y, self.prediction(w, b), self.s) + self.alpha * self.omega.value(w)

    def gradient(self, w: np.ndarray, b: Any = 0.0, S: np.ndarray | None = None) -> np.ndarray:
        """Of the datafit with respect to w, on the coordinates S."""
        g = self.datafit.gradient(self.y, self.prediction(w, b), self.s)
        return self.A.T @ g if S is None else self.A.columns(S).T @ g

    def intercept_gradient(self, w: np.ndarray, b: Any = 0.0) -> Any:
        return self.datafit.gradient(self.y, self.prediction(w, b), self.s).sum(axis=0)

    def gram(self, S: np.ndarray, T: np.ndarray) -> np.ndarray:
        """X_Sᵀ diag(s) X_T / Σ s."""
        share = np.full(len(self.y), 1.0 / len(self.y)) if self.s is None else self.s / self.s.sum()
        left, right = (_as_dense(self.A.columns(part)) for part in (S, T))
        return left.T @ (share[:, None] * right)

    def null(self) -> tuple[np.ndarray, Any, float]:
        """Coefficients, intercept and objective of the null model."""
        if "null" not in self._kept:
            w, b = fit_null(self)
            self._kept["null"] = w, b, self.at(0.0).value(w, b)
        null: tuple[np.ndarray, Any, float] = self._kept["null"]
        return null

    def alpha_max(self) -> float:
        """Beyond it every penalised coefficient is zero; infinite for L2."""
        w, b, _ = self.null()
        return self.omega.alpha_max(self.gradient(w, b))

    def has_gap(self) -> bool:
        """Whether a duality gap is known for this datafit and penalty."""
        return type(self.datafit) in LOSSES and isinstance(self.omega, Terms)

    def gap(self, w: np.ndarray, b: Any = 0.0) -> DualityGap:
        """The certificate of (w, b)."""
        if type(self.datafit) not in LOSSES:
            raise TypeError(f"no duality gap is known for {self.datafit!r}")
        terms = require_terms(self.omega)
        Z = self.prediction(w, b)
        slope = self.datafit.gradient(self.y, Z, self.s)
        off = np.vdot(np.abs(slope).sum(axis=0), self._lost() @ np.abs(w))  # what rounding of Z may do to the value
        primal = self.datafit.value(self.y, Z, self.s) + self.alpha * terms.value(w) + float(off)
        dual = self._dual(w, Z, terms.times(self.alpha))
        loss = LOSSES[type(self.datafit)]
        return DualityGap(primal, dual, self.alpha, w.T, b, self.fit_intercept, terms, loss=loss)

    def rounding(self, w: np.ndarray, b: Any = 0.0) -> float:
        """How far rounding alone may move the gap: ⟨|D'(Z)|, δ⟩ + L Σ ‖xⱼ‖|wⱼ| ‖δ‖ + ½ L‖δ‖² + ε F for predictions off
        by δ.

        δ is ε times the numbers that y and Z = Xw + b are made of, by root mean squares over the rows. The second part
        is that of the bound: slopes off by Lδ have correlations off by L‖xⱼ‖‖δ‖, to be scaled back below α.
        """
        datafit: Any = self.datafit
        spread = self.norms() @ np.abs(w)
        size = spread + (np.abs(self.means()) @ np.abs(w) if self.fit_intercept else 0.0) + np.abs(b)
        share = shares(self.y, self.s)
        if isinstance(datafit, Squared):
            size = size + np.sqrt((share * self.y**2).sum(axis=0))
        delta = ROUNDING * float(np.linalg.norm(size))
        g = np.broadcast_to(share, self.y.shape)
        slope = datafit.gradient(self.y, self.prediction(w, b), self.s)
        steep = np.sqrt(np.divide(slope**2, g, out=np.zeros(g.shape), where=g > 0).sum())
        steep += datafit.lipschitz * np.linalg.norm(spread)
        return float(steep * delta + 0.5 * datafit.lipschitz * delta**2 + ROUNDING * self.value(w, b))

    def _lost(self) -> np.ndarray:
        """(p,) what rounding may take off a product with each column, which is more for those far from zero."""
        p = self.A.shape[1]
        return np.finfo(float).eps * np.abs(self.means()) if self.fit_intercept else np.zeros(p)

    def _dual(self, w: np.ndarray, Z: np.ndarray, terms: Terms) -> float:
        """The bound of the slope at Z, projected and scaled to be feasible; 0 where that fails."""
        slope = -self.datafit.gradient(self.y, Z, self.s)

        def project(mask: np.ndarray) -> tuple[Any, np.ndarray, Any]:
            theta, fine = self._projected(slope, Z, mask)
            c = self.A.T @ theta
            c = c + np.sign(c) * np.multiply.outer(self._lost(), np.abs(theta).sum(axis=0))
            size = self._size(theta) if terms.positive else 0.0  # asked for where signs matter only
            return (theta, c, fine), c, size

        theta, c, fine = hold_all(terms, w, project)
        if not fine:
            return 0.0
        datafit: Any = self.datafit
        if isinstance(datafit, Squared):
            there, back = (datafit.conjugate(self.y, sign * theta, self.s) for sign in (1, -1))
            t = best_scale((there - back) / 2, there + back, terms, c) if there + back > 0 else 0.0
        else:
            t = min(1.0, largest_scale(terms, c))
        bound = -datafit.conjugate(self.y, -t * theta, self.s) - penalty_conjugate(terms, t * c)
        return max(0.0, float(bound))

    def _projected(self, theta: np.ndarray, Z: np.ndarray, mask: np.ndarray) -> tuple[np.ndarray, bool]:
        """θ − D''·Δ with Δ along 1 and the masked columns such that both are uncorrelated with θ.

        Also whether rounding let it be so.
        """
        U = np.flatnonzero(mask.reshape(len(mask), -1).any(axis=1))
        along, used = self.along(U), mask[U]
        if self.fit_intercept:
            used = np.concatenate([np.ones((1, *used.shape[1:]), bool), used])
        if not used.any():
            return theta, True
        for _ in range(2):  # the second removes what rounding in the first left
            theta = theta - newton_direction(self.datafit, self.y, Z, self.s, along, theta, used)[1]
        left, size = np.abs(along.T @ theta), np.abs(along).T @ np.abs(theta)
        made_of = np.abs(along).T @ (shares(self.y, self.s) * self._terms_of_slope(Z))
        return theta, bool((left <= FEASIBLE * size + ROUNDED * made_of)[used].all())

    def _terms_of_slope(self, Z: np.ndarray) -> np.ndarray:
        """The size of the numbers whose difference the slope is, where it may be nothing but their rounding."""
        return np.abs(self.y) + np.abs(Z) if isinstance(self.datafit, Squared) else np.ones(Z.shape)

    def along(self, U: np.ndarray) -> np.ndarray:
        """(1, X_U) with centred columns, or X_U where there is no intercept."""
        X = _as_dense(self.A.columns(U)).astype(np.float64, copy=False) if len(U) else np.zeros((len(self.y), 0))
        return np.column_stack([np.ones(len(self.y)), X - self.means()[U]]) if self.fit_intercept else X

    def _size(self, theta: np.ndarray) -> np.ndarray:
        """‖xⱼ‖ ‖θ‖, the most a correlation can be."""
        free = unpenalised(self.omega) if self.alpha > 0 else np.arange(self.A.shape[1])
        size = np.zeros((self.A.shape[1], *theta.shape[1:]))
        norms = np.linalg.norm(_as_dense(self.A.columns(free)), axis=0)
        size[free] = np.multiply.outer(norms, np.linalg.norm(theta, axis=0))
        return size


def _as_dense(X: Any) -> np.ndarray:
    return X.toarray() if hasattr(X, "toarray") else X
