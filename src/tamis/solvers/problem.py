"""Datafit + penalty with the rows at hand.

F(w, b) = D(Aw + b) + Ω_α(w), D a weighted mean over rows. The null model has the intercept and the unpenalised columns.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tamis._core.errors import InputError
from tamis.datafits import Datafit, ForClasses, HasCurvature, HasDual, LeastSquares, PiecewiseQuadratic
from tamis.datafits.base import shares
from tamis.operators import Operator, as_operator
from tamis.penalties import HasConjugate, HasEntry, Penalty, Terms
from tamis.solvers.certificates import DualityGap
from tamis.solvers.dual_projection import DEPENDENT, EVALUATED, Factor, cost_of, curved, factor_of
from tamis.solvers.duality import DualOfPenalty, DualOfTerms, compiled, dual_of, unpenalised
from tamis.solvers.null_model import fit_null
from tamis.solvers.verification_losses import verified_loss

ROUNDING = 16 * np.finfo(float).eps  # of the numbers that a prediction is the sum of
BLOCK_SLACK = 1e-13  # of the largest correlation with y: block descent resolves no less, see _kernels/blocks.cpp
UNRESOLVED = 1e-4  # of the objective at zero: rounding that moves it by more leaves nothing to converge to
ROUNDED = 64 * np.finfo(float).eps  # of the numbers that a slope is the difference of
FLAT = 1e-3  # of the mean curvature
INSIDE = (1.0, 1 - 1e-12, 1 - 1e-9, 1 - 1e-6, 1 - 1e-3, 0.5)  # of a dual point, to be in the domain of D*


@dataclass(frozen=True)
class OperatorProblem:
    """Operator, target, datafit, penalty, α, row weights and whether there is an intercept.

    A is an operator or anything that `as_operator` makes one of, and real. y is (n,) or, with several outputs, (n, K);
    then w is (p, K) and b (K,).
    """

    A: Operator
    y: np.ndarray
    datafit: Datafit
    penalty: Penalty
    alpha: float = 0.0
    s: np.ndarray | None = None
    fit_intercept: bool = True
    _kept: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "A", as_operator(self.A))

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
        return self.datafit.value(self.y, self.prediction(w, b), self.s) + self.omega.value(w, self.alpha)

    def gradient(self, w: np.ndarray, b: Any = 0.0, S: np.ndarray | None = None) -> np.ndarray:
        """Of the datafit with respect to w, on the coordinates S."""
        g = self.datafit.gradient(self.y, self.prediction(w, b), self.s)
        return self.A.T @ g if S is None else self.A.columns(S).T @ g

    def gram(self, S: np.ndarray, T: np.ndarray) -> np.ndarray:
        """X_Sᵀ diag(s) X_T / Σ s."""
        share = np.full(len(self.y), 1.0 / len(self.y)) if self.s is None else self.s / self.s.sum()
        left, right = (_as_dense(self.A.columns(part)) for part in (S, T))
        return left.T @ (share[:, None] * right)

    def null(self) -> tuple[np.ndarray, Any, float]:
        """Coefficients, intercept and objective of the null model."""
        if "null" not in self._kept:
            w, b = fit_null(self)
            self._kept["null"] = w, b, self.datafit.value(self.y, self.prediction(w, b), self.s)
        null: tuple[np.ndarray, Any, float] = self._kept["null"]
        return null

    def alpha_max(self) -> float:
        """Beyond it every penalised coefficient is zero; infinite for L2."""
        w, b, _ = self.null()
        if isinstance(self.omega, HasEntry):
            return self.omega.entry_alpha(self.gradient(w, b), self._column_curvature(w, b))
        return self.omega.alpha_max(self.gradient(w, b))

    def curvature(self, Z: np.ndarray) -> np.ndarray:
        """D''(Z), where rows are taken to bend by ``FLAT`` of the mean at least."""
        fit: Any = self.datafit
        h, share = fit.hessian(self.y, Z, self.s), shares(self.y, self.s)
        return np.maximum(h, FLAT * (float(h.sum()) or min(float(fit.lipschitz), 1.0)) * share)

    def _column_curvature(self, w: np.ndarray, b: Any) -> np.ndarray:
        """Second derivatives along each column, the intercept following where there is one."""
        if isinstance(self.datafit, LeastSquares) or self.y.ndim == 2 or not isinstance(self.datafit, HasCurvature):
            return max(self._steepest(w, b), np.finfo(float).tiny) * self.norms() ** 2
        h = self.curvature(self.prediction(w, b))
        mean, variance = self.A.moments(h)
        return float(h.sum()) * (variance if self.fit_intercept else variance + mean**2)

    def floor(self) -> float:
        """The least the datafit can be, −D*(0), where that is known; 0 of the built-in ones."""
        if "floor" not in self._kept:
            fit: Any = self.datafit
            least = -fit.conjugate(self.y, np.zeros(self.y.shape), self.s) if self._has_dual() else 0.0
            self._kept["floor"] = least if np.isfinite(least) else 0.0
        return float(self._kept["floor"])

    def null_value(self) -> float:
        """What a gap is relative to: the null model's objective above the floor."""
        return float(self.null()[2] - self.floor())

    def _has_dual(self) -> bool:
        return isinstance(self.datafit, HasDual)

    def has_gap(self) -> bool:
        """Whether the datafit and the penalty know their conjugates, and so a duality gap is known.

        At α = 0 a penalty of one's own asks c = 0 of every dual point, to the last digit: no gap would ever close.
        """
        own = isinstance(self.omega, HasConjugate) and self.alpha > 0
        return self._has_dual() and (own or isinstance(self.omega, Terms))

    def gap(self, w: np.ndarray, b: Any = 0.0) -> DualityGap:
        """The certificate of (w, b)."""
        if not self._has_dual():
            raise InputError(f"no duality gap is known for {self.datafit!r}: give it a method conjugate(y, theta, s)")
        omega = self.omega
        dual_side = dual_of(omega, self.alpha)
        Z = self.prediction(w, b)
        slope = self.datafit.gradient(self.y, Z, self.s)
        off = np.vdot(np.abs(slope).sum(axis=0), self._lost() @ np.abs(w))  # what rounding of Z may do to the value
        primal = self.datafit.value(self.y, Z, self.s) + _value_inside(omega, w, self.alpha) + float(off)
        dual = self._dual(w, Z, dual_side)
        return DualityGap(primal, dual, self.alpha, w.T, b, self.fit_intercept, omega, loss=verified_loss(self.datafit))

    def rounding(self, w: np.ndarray, b: Any = 0.0) -> float:
        """How far rounding alone may move the gap: ⟨|D'(Z)|, δ⟩ + L Σ ‖xⱼ‖|wⱼ| ‖δ‖ + ½ L‖δ‖² + ε F for predictions off
        by δ; but no more than ``UNRESOLVED`` of F(0), beyond which rounding is no excuse for a gap.

        δ is ε times the numbers that y and Z = Xw + b are made of, by root mean squares over the rows. The second part
        is that of the bound: slopes off by Lδ have correlations off by L‖xⱼ‖‖δ‖, to be scaled back below α where a
        column is penalised. Where groups are penalised, correlations are off by what block descent leaves, too.
        """
        datafit: Any = self.datafit
        spread = self.norms() @ np.abs(w)
        size = spread + (np.abs(self.means()) @ np.abs(w) if self.fit_intercept else 0.0) + np.abs(b)
        share = shares(self.y, self.s)
        if not isinstance(datafit, ForClasses):
            size = size + np.sqrt((share * self.y**2).sum(axis=0))
        delta = ROUNDING * float(np.linalg.norm(size))
        g = np.broadcast_to(share, self.y.shape)
        slope = datafit.gradient(self.y, self.prediction(w, b), self.s)
        steep = np.sqrt(np.divide(slope**2, g, out=np.zeros(g.shape), where=g > 0).sum())
        curvature = self._steepest(w, b)
        penalised = np.ones(len(w), bool) if self.alpha > 0 else np.zeros(len(w), bool)
        penalised[unpenalised(self.omega)] = False
        steep += curvature * np.linalg.norm(np.where(penalised, self.norms(), 0.0) @ np.abs(w))
        total = float(steep * delta + 0.5 * curvature * delta**2 + ROUNDING * abs(self.value(w, b)))
        total += self._block_rounding(spread, share)
        at_zero = abs(datafit.value(self.y, np.zeros(self.y.shape), self.s) - self.floor())
        return min(total, UNRESOLVED * float(at_zero))

    def _block_rounding(self, spread: np.ndarray, share: np.ndarray) -> float:
        """2 Σⱼ |wⱼ| times what block descent leaves in a correlation: in ⟨w, c⟩ and in the scale of the bound."""
        grouped = isinstance(self.omega, Terms) and self.omega.labels is not None
        if not (grouped and isinstance(self.datafit, LeastSquares)):
            return 0.0
        y = self.y - (share * self.y).sum(axis=0) if self.fit_intercept else self.y
        return 2 * BLOCK_SLACK * float(np.sum(spread * np.sqrt((share * y**2).sum(axis=0))))

    def _steepest(self, w: np.ndarray, b: Any) -> float:
        """The largest ℓ'': anywhere, or where it grows without bound, at these predictions; 0 where there is none."""
        datafit: Any = self.datafit
        if not isinstance(datafit, HasCurvature) or np.isfinite(datafit.lipschitz):
            return float(getattr(datafit, "lipschitz", 0.0))
        h, share = datafit.hessian(self.y, self.prediction(w, b), self.s), shares(self.y, self.s)
        return float(np.divide(h, share, out=np.zeros(h.shape), where=share > 0).max(initial=0.0))

    def _lost(self) -> np.ndarray:
        """(p,) what rounding may take off a product with each column, which is more for those far from zero."""
        p = self.A.shape[1]
        return np.finfo(float).eps * np.abs(self.means()) if self.fit_intercept else np.zeros(p)

    def _dual(self, w: np.ndarray, Z: np.ndarray, omega: DualOfTerms | DualOfPenalty) -> float:
        """The bound of the slope at Z, projected and scaled to be feasible; the datafit's floor where that fails."""
        slope = -self.datafit.gradient(self.y, Z, self.s)

        def project(mask: np.ndarray) -> tuple[Any, np.ndarray, Any]:
            theta, cost = self._projected(slope, Z, mask)
            c = self.A.T @ theta
            c = c + np.sign(c) * np.multiply.outer(self._lost(), np.abs(theta).sum(axis=0))
            known_to = EVALUATED * self._size(theta) if omega.positive else 0.0  # asked for where signs matter only
            return (theta, c, cost), c, known_to

        return max(self._bound(theta, c, cost, omega) for theta, c, cost in omega.projections(w, project))

    def _bound(self, theta: np.ndarray, c: np.ndarray, cost: float, omega: DualOfTerms | DualOfPenalty) -> float:
        """The best bound of multiples of θ with the correlations c, less ``cost``, that of what rounding left of c."""
        datafit: Any = self.datafit
        if not np.isfinite(cost):
            return self.floor()
        if isinstance(self.datafit, LeastSquares):
            there, back = (datafit.conjugate(self.y, sign * theta, self.s) for sign in (1, -1))
            t = omega.best_scale((there - back) / 2, there + back, c) if there + back > 0 else 0.0
        else:
            t = omega.scale(c)
        for inside in INSIDE:
            conjugate = datafit.conjugate(self.y, -inside * t * theta, self.s)
            if np.isfinite(conjugate):
                bound = float(-conjugate - omega.conjugate(inside * t * c)) - max(t, t**2) * cost
                return max(self.floor(), bound)
        return self.floor()

    def _projected(self, theta: np.ndarray, Z: np.ndarray, mask: np.ndarray) -> tuple[np.ndarray, float]:
        """θ − D''·Δ with Δ along 1 and the masked columns such that both are uncorrelated with θ.

        Also what the rounding of that costs the bound: infinite where it could not be done.
        """
        U = np.flatnonzero(mask.reshape(len(mask), -1).any(axis=1))
        along, used = self.along(U), mask[U]
        if self.fit_intercept:
            used = np.concatenate([np.ones((1, *used.shape[1:]), bool), used])
        if not used.any():
            return theta, 0.0
        factor = self._factor(Z, along, U, used)
        moved = np.zeros(used.shape)
        for _ in range(2):  # the second removes what rounding in the first left
            beta = factor.solve(along.T @ theta)
            moved, theta = moved + beta, theta - self._curved(Z, along @ beta)
        left, size = np.where(used, along.T @ theta, 0.0), np.where(used, np.abs(along).T @ np.abs(theta), 0.0)
        made_of = np.abs(along).T @ (shares(self.y, self.s) * self._terms_of_slope(Z))
        if not factor.vanishes(left, DEPENDENT * size + ROUNDED * made_of):
            return theta, np.inf
        v = factor.solve(along.T @ self._curved(Z, Z + along @ moved))
        known_to = EVALUATED * size
        return theta, cost_of(factor, left, known_to, v)

    def _factor(self, Z: np.ndarray, along: np.ndarray, U: np.ndarray, used: np.ndarray) -> Factor:
        """Of alongᵀD''along; of squares it is the same at every Z, and kept for the last columns asked for."""
        if not isinstance(self.datafit, LeastSquares):
            return factor_of(self.datafit, self.y, Z, self.s, along, used)
        key = U.tobytes(), used.tobytes()
        if self._kept.get("factor", (None,))[0] != key:
            self._kept["factor"] = key, factor_of(self.datafit, self.y, Z, self.s, along, used)
        factor: Factor = self._kept["factor"][1]
        return factor

    def _curved(self, Z: np.ndarray, V: np.ndarray) -> np.ndarray:
        return curved(self.datafit, self.y, Z, self.s, V)

    def _terms_of_slope(self, Z: np.ndarray) -> np.ndarray:
        """The size of the numbers whose difference the slope is, where it may be nothing but their rounding."""
        if isinstance(self.datafit, ForClasses):
            return 1 + np.abs(Z) if isinstance(self.datafit, PiecewiseQuadratic) else np.ones(Z.shape)
        slope = len(Z) * np.abs(self.datafit.gradient(self.y, Z))
        return np.abs(self.y) + np.abs(Z) + slope

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


def _value_inside(omega: Terms | Penalty, w: np.ndarray, alpha: float) -> float:
    """Ω_α(w), or next to it where w is at the edge of the domain and rounding took it out."""
    value = omega.value(w, alpha)
    return value if np.isfinite(value) else omega.value((1 - ROUNDING) * w, alpha)


def _as_dense(X: Any) -> np.ndarray:
    return X.toarray() if hasattr(X, "toarray") else X
