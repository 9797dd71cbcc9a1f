"""The duality gap: how far a point can be from the optimum at most.

F(w, b) = Σ sᵢ ℓ(yᵢ, xᵢᵀw + b) / n + αΩ(w) with n = Σ sᵢ. Every θ with Σ sᵢθᵢ = 0 and c = Σ sᵢθᵢxᵢ / n in the domain of
(αΩ)* gives F ≥ −Σ sᵢ ℓ*(yᵢ, −θᵢ) / n − (αΩ)*(c). Ours starts at the slope θ = −ℓ'(y, xᵀw + b). Where columns are
unpenalised, or there is an intercept, one Newton step along them, θ − ℓ''·Δ, makes their correlations vanish and moves
no θᵢ far in the domain of ℓ*; then θ is scaled until the rest is allowed. ``verify`` does this from the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tamis._core.evidence import ObjectiveGap
from tamis.penalties import Penalty, Terms
from tamis.solvers.verification import CertifiedRows, Limits
from tamis.solvers.verification_losses import ROUNDED
from tamis.solvers.verification_own_parts import limits_of, loss_of
from tamis.solvers.verification_projection import Projection, triangle

SUMMED = ("c", "value", "yr", "rr", "left", "size", "slope", "terms", "at")
INSIDE = (1.0, 1 - 1e-12, 1 - 1e-9, 1 - 1e-6, 1 - 1e-3, 0.5)  # of a dual point, to be in the domain of ℓ*


@dataclass(frozen=True, repr=False)
class DualityGap(ObjectiveGap):
    """How far an objective can be above its minimum at most.

    F(w, b) − D(θ) ≥ F(w, b) − min F.

    The dual point is kept as the (w, b) whose projected and scaled slope it is: p numbers, not n. Coefficients are
    those of the columns as given, (p,) or (K, p); the penalty is αΩ(scale ∘ w), ``terms`` its compiled form. Where
    datafit or penalty are the user's own, ``loss`` and ``terms`` are they themselves, and ``verify`` asks them.
    ``dual_point`` is another (w, b) whose slope is the dual point: the solution before it was rounded to float32.
    """

    primal: float
    dual: float
    alpha: float
    w: np.ndarray
    intercept: Any
    fit_intercept: bool
    terms: Terms | Penalty
    scale: np.ndarray | None = None
    standardized: bool = False  # scale are the standard deviations of the columns, which ``verify`` recomputes
    loss: Any = ("squared",)  # a name and parameters
    classes: np.ndarray | None = None
    class_weight: np.ndarray | None = None
    dual_point: tuple[np.ndarray, Any] | None = None

    def bounded_by(self, other: DualityGap) -> DualityGap:
        """The same model, bounded by the dual point of another one where that bound is better."""
        if other.dual <= self.dual:
            return self
        return replace(self, dual=other.dual, dual_point=(other.w, other.intercept))

    @property
    def _squared(self) -> bool:
        return isinstance(self.loss, tuple) and self.loss[0] == "squared"

    def verify(self, X: Any, y: Any = None, sample_weight: Any = None) -> DualityGap:
        """The same bound recomputed from the rows in plain NumPy: a few passes, nothing of the solver.

        Where columns are standardised, their standard deviations are recomputed as well.

        ``y`` holds what the model was fitted on: numbers, several columns of them, or labels.
        """
        if self.dual_point is not None:
            w, b = self.dual_point
            own, other = replace(self, dual_point=None), replace(self, w=w, intercept=b, dual_point=None)
            return own.verify(X, y, sample_weight).bounded_by(other.verify(X, y, sample_weight))
        rows = CertifiedRows(self, X, y, sample_weight)
        limits = limits_of(self, rows)
        limits.measure(rows)
        found = [self._recomputed(rows, limits, fixed) for fixed in limits.starts()]
        return max(found, key=lambda one: one.dual)

    def _recomputed(self, rows: CertifiedRows, limits: Limits, fixed: np.ndarray) -> DualityGap:
        """The gap of a dual point that begins without correlation where ``fixed`` is."""
        projection = self._projection(rows, limits, fixed)
        move = projection.move
        sums = self._sums(rows, limits, move)
        lost = np.finfo(float).eps * rows.columns.left  # of a product with a column that is not about its mean
        primal = sums["value"] + limits.penalty(rows.W) + float((np.abs(rows.W) @ lost) @ sums["slope"])
        scale = limits.column_scale if self.standardized else self.scale
        n = sums["n"]
        left, size, terms, at = (n * sums[name] for name in ("left", "size", "terms", "at"))
        cost = projection.cost(left, 64 * np.finfo(float).eps * size + ROUNDED * terms, size, at) / n
        if not np.isfinite(cost):
            return replace(self, primal=primal, dual=self._floor(rows), scale=scale)
        c, yr, rr = sums["c"], sums["yr"], sums["rr"]
        c = c + np.sign(c) * limits.scaled(np.multiply.outer(lost, sums["slope"]))
        if self._squared:
            t = limits.best_scale(c, yr, rr)
            bound = t * yr - 0.5 * t**2 * rr
        else:
            t, bound = self._inside(rows, limits, move, limits.scale(c, 1.0))
        dual = max(self._floor(rows), bound - limits.conjugate(t * c) - max(t, t**2) * cost)
        return replace(self, primal=primal, dual=dual, scale=scale)

    def _floor(self, rows: CertifiedRows) -> float:
        """The least the loss can be, the bound of θ = 0."""
        parts = [(s, y, np.zeros_like(Z)) for s, _, y, Z in rows.blocks()]
        total = sum(loss_of(self).total_conjugate(s, y, zero) for s, y, zero in parts)
        return -total / sum(float(s.sum()) for s, _, _ in parts) if np.isfinite(total) else 0.0

    def _inside(self, rows: CertifiedRows, limits: Limits, move: np.ndarray, t: float) -> tuple[float, float]:
        """The largest of a few multiples of t at which −Σ sᵢ ℓ*(yᵢ, −tθᵢ) / n is finite, and what it is there."""
        for inside in INSIDE:
            conjugate = self._conjugate(rows, limits, move, inside * t)
            if np.isfinite(conjugate):
                return inside * t, -conjugate
        return t, -np.inf

    def _points(self, rows: CertifiedRows, limits: Limits, move: np.ndarray) -> Iterator[tuple[Any, ...]]:
        """Blocks of rows with θ = −ℓ' − ℓ''·Δ, Δ = (1, x_U) · move."""
        loss = loss_of(self)
        for s, X, y, Z in rows.blocks():
            along = limits.along(X)
            yield s, X, y, Z, along, -loss.slope(y, Z) - loss.curve(y, Z, along @ move)

    def _projection(self, rows: CertifiedRows, limits: Limits, fixed: np.ndarray) -> Projection:
        """The Newton step along the intercept and the unpenalised columns; repeated for what rounding leaves of it."""
        a, loss = limits.n_along, loss_of(self)
        coupled = next((loss.root_curvature(y, Z).shape[1] for _, _, y, Z in rows.blocks()), 1)
        parts = ((s, limits.along(X), loss.root_curvature(y, Z)) for s, X, y, Z in rows.blocks()) if a else ()
        move = np.zeros((a, rows.n_outputs))
        projection = Projection(*triangle(parts, a * coupled), move, fixed, self._squared)
        for _ in range(3 if a else 0):
            m, size = np.zeros_like(projection.move), np.zeros_like(projection.move)
            for s, _, _, _, along, theta in self._points(rows, limits, projection.move):
                m += along.T @ (s[:, None] * theta)
                size += np.abs(along).T @ (s[:, None] * np.abs(theta))
            projection.advance(m, size)
        return projection

    def _sums(self, rows: CertifiedRows, limits: Limits, move: np.ndarray) -> dict[str, Any]:
        """Means over the rows: c, the loss, θy, θ², |θ|, what is left of the projected correlations, their size, and
        the prediction along these columns; and n, the sum of the weights."""
        sums: dict[str, Any] = dict.fromkeys(SUMMED, 0.0)
        n = 0.0
        for s, X, y, Z, along, theta in self._points(rows, limits, move):
            weighted = s[:, None] * theta
            sums["c"] = sums["c"] + limits.scaled(X.correlate(weighted))
            sums["value"] += loss_of(self).total(s, y, Z)
            sums["yr"] += float(np.sum(weighted * y))
            sums["rr"] += float(np.sum(weighted * theta))
            sums["left"] = sums["left"] + along.T @ weighted
            sums["size"] = sums["size"] + np.abs(along).T @ np.abs(weighted)
            terms = loss_of(self).terms(y, Z)
            sums["terms"] = sums["terms"] + np.abs(along).T @ (s[:, None] * terms)
            sums["slope"] = sums["slope"] + np.abs(weighted).sum(axis=0)
            sums["at"] = sums["at"] + along.T @ (s[:, None] * loss_of(self).curve(y, Z, Z + along @ move))
            n += float(s.sum())
        return {name: total / n for name, total in sums.items()} | {"n": n}

    def _conjugate(self, rows: CertifiedRows, limits: Limits, move: np.ndarray, t: float) -> float:
        total = n = 0.0
        for s, _, y, _, _, theta in self._points(rows, limits, move):
            total += loss_of(self).total_conjugate(s, y, -t * theta)
            n += float(s.sum())
        return total / n
