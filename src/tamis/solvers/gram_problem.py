"""Penalised least squares known by its statistics alone.

F(w) = ½(yy − 2 qᵀw + wᵀGw) + Ω_α(w) with G = XᵀX/n, q = Xᵀy/n, yy = yᵀy/n, which is 1/(2n)‖y − Xw‖² + Ω_α(w).
With several outputs q and w are (p, K), and yy is the sum over them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.optimize import nnls

from tamis.penalties import Penalty, Terms
from tamis.solvers.certificates import DualityGap
from tamis.solvers.dual_projection import EachOutput, MatrixFactor, cost_of
from tamis.solvers.duality import compiled, dual_of, require_terms, solve_normal, unpenalised

ROUNDING = 16 * np.finfo(float).eps  # of each of the p + 1 numbers in a sum
UNRESOLVED = 1e-4  # of yy: rounding that moves the objective by more leaves nothing to converge to


@dataclass(frozen=True)
class GramProblem:
    """Statistics, penalty and α. ``n`` is the sum of the rows' weights; ``far`` says which columns lie so far from zero
    against their spread that G resolves little of it."""

    G: np.ndarray
    q: np.ndarray
    yy: float
    n: float
    penalty: Penalty
    alpha: float
    far: np.ndarray | None = None
    _kept: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def at(self, alpha: float) -> GramProblem:
        """The same data with another α, and what was found out about them."""
        other = replace(self, alpha=alpha)
        object.__setattr__(other, "_kept", self._kept)
        return other

    @property
    def omega(self) -> Terms | Penalty:
        """The penalty in its compiled form where it has one."""
        if "omega" not in self._kept:
            self._kept["omega"] = compiled(self.penalty, len(self.q))
        omega: Terms | Penalty = self._kept["omega"]
        return omega

    def value(self, w: np.ndarray) -> float:
        return self._loss(w) + self.omega.value(w, self.alpha)

    def _loss(self, w: np.ndarray) -> float:
        return 0.5 * max(0.0, float(self.yy - np.vdot(w, self.q) + np.vdot(w, self.gradient(w))))

    def gradient(self, w: np.ndarray, S: np.ndarray | None = None) -> np.ndarray:
        """Of the datafit, on the coordinates S: G_S w − q_S."""
        return self.G @ w - self.q if S is None else self.G[S] @ w - self.q[S]

    def gram(self, S: np.ndarray, T: np.ndarray) -> np.ndarray:
        return self.G[np.ix_(S, T)]

    def null(self) -> tuple[np.ndarray, float]:
        """Coefficients and objective of the null model, which has unpenalised columns only."""
        if "null" not in self._kept:
            w, U = np.zeros_like(self.q), unpenalised(self.omega)
            if len(U):
                w[U] = _least_squares(self.gram(U, U), self.q[U], require_terms(self.omega).positive)
            self._kept["null"] = w, self._loss(w)
        null: tuple[np.ndarray, float] = self._kept["null"]
        return null

    def alpha_max(self) -> float:
        """Beyond it every penalised coefficient is zero; infinite for L2."""
        return self.omega.alpha_max(self.gradient(self.null()[0]))

    def gap(self, w: np.ndarray) -> DualityGap:
        """The certificate of w. The dual point is the best feasible multiple of the residual, after projection where
        columns are unpenalised: θ = y − Xw − X_U β with X_Uᵀθ = 0."""
        omega = dual_of(self.omega, self.alpha)
        c = -self.gradient(w)
        yr = float(self.yy - np.vdot(w, self.q))
        rr = float(yr - np.vdot(w, c))

        def project(mask: np.ndarray) -> tuple[Any, np.ndarray, np.ndarray]:
            if not mask.any():
                return (c, yr, rr, 0.0), c, self._known_to(np.abs(w))
            beta, left, cost = self._projected(mask, c, w)
            rest = np.where(mask, 0.0, left)
            found = rest, yr - float(np.vdot(self.q, beta)), rr - float(np.vdot(c, beta)), cost
            return found, rest, self._known_to(np.abs(w) + np.abs(beta))

        found = omega.projections(w, project)
        dual = max(_bound(rest, yr_left, rr_left, cost, omega) for rest, yr_left, rr_left, cost in found)
        primal = 0.5 * (max(0.0, rr) + self._cancelled(w)) + self.omega.value(w, self.alpha)
        return DualityGap(primal, max(0.0, dual), self.alpha, w.T, _zeros(w), True, self.omega)

    def _cancelled(self, w: np.ndarray) -> float:
        """What rounding may have taken from yy − 2 qᵀw + wᵀGw: |qᵀw| ≤ √yy σ and wᵀGw ≤ σ², σ = Σ √Gⱼⱼ |wⱼ|."""
        size = np.sqrt(np.maximum(self.G.diagonal(), 0.0)) @ np.abs(w)
        return ROUNDING * float(np.sum(size * (2 * np.sqrt(self.yy) + size)))

    def rounding(self, w: np.ndarray) -> float:
        """How far rounding alone may move the objective: of each number in yy − 2 qᵀw + wᵀGw so much; but no more than
        ``UNRESOLVED`` of yy, beyond which rounding is no excuse for a gap."""
        return min(ROUNDING * self.yy + self._cancelled(w), UNRESOLVED * self.yy)

    def _known_to(self, used: np.ndarray) -> np.ndarray:
        """The rounding of q − Gw for coefficients w of these sizes."""
        size = np.sqrt(np.maximum(self.G.diagonal(), 0.0) * self.yy).reshape(-1, *[1] * (used.ndim - 1))
        known_to: np.ndarray = ROUNDING * (size + np.abs(self.G) @ used)
        return known_to

    def _projected(self, mask: np.ndarray, c: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """β, zero off the mask, with Gβ = c on it, what is left of c, and what its rounding costs the bound.

        The cost is infinite where columns far from zero differ by less than G resolves: what is left along such
        directions is small, and yet the objective may fall far.
        """
        masks = mask.reshape(len(mask), -1).T
        factors = [MatrixFactor(self.gram(U, U)) for U in map(np.flatnonzero, masks)]
        if self.far is not None and any(
            f.unresolved and self.far[m].any() for f, m in zip(factors, masks, strict=True)
        ):
            return np.zeros_like(c), c, np.inf
        factor = EachOutput(factors, mask)
        beta = factor.solve(c)
        left = c - self.G @ beta
        known_to = np.where(mask, self._known_to(np.abs(w) + np.abs(beta)), 0.0)
        e = np.where(mask, left, 0.0)
        if not factor.vanishes(e, len(c) * known_to):
            return beta, left, np.inf
        v = factor.solve(self.G @ (w + beta))
        return beta, left, cost_of(factor, e, known_to, v)


def _bound(rest: np.ndarray, yr: float, rr: float, cost: float, omega: Any) -> float:
    """The best of the multiples t of θ: t⟨y, θ⟩ − ½ t²‖θ‖² − Ω*(t c), less what rounding left of c costs."""
    if not (rr > 0 and np.isfinite(cost)):
        return 0.0
    t = omega.best_scale(yr, rr, rest)
    return float(t * yr - 0.5 * t**2 * rr - omega.conjugate(t * rest)) - max(t, t**2) * cost


def _least_squares(G: np.ndarray, q: np.ndarray, positive: bool) -> np.ndarray:
    """argmin ½ wᵀGw − qᵀw, over w ≥ 0 where asked: there a factor R with RᵀR = G makes it a problem of rows."""
    if not positive:
        return solve_normal(G, q)
    scale = np.sqrt(np.maximum(G.diagonal(), 0.0))
    scale = np.where(scale > 0, scale, 1.0)  # the unit of a column does not decide whether it is kept
    values, vectors = np.linalg.eigh(G / np.multiply.outer(scale, scale))
    kept = values > len(G) * np.finfo(float).eps * values.max(initial=0.0)
    if not kept.any():  # no column has any spread; of a matrix without rows nnls gives what memory held
        return np.zeros_like(q)
    roots = np.sqrt(values[kept])
    R, target = (vectors[:, kept] * roots).T, (vectors[:, kept] / roots).T @ (q.T / scale).T
    found = [nnls(R, column)[0] / scale for column in target.reshape(len(target), -1).T]
    return np.column_stack(found).reshape(q.shape)


def _zeros(w: np.ndarray) -> Any:
    return 0.0 if w.ndim == 1 else np.zeros(w.shape[1])
