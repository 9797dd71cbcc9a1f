"""The iterates of prox-Newton, and how one step leads to the next."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tamis._kernels import kernels
from tamis.datafits import HasNewtonStep, PiecewiseQuadratic
from tamis.solvers.gathered_columns import DenseColumns, GatheredColumns, HalvedColumns


@dataclass(frozen=True)
class Iterate:
    """Coefficients of W, centre b, predictions z = X̃w + b, and the loss there with all a step needs of it."""

    w: np.ndarray
    omega: float  # Ω(w)
    b: float
    z: np.ndarray
    loss: float
    g: np.ndarray  # derivatives of the loss with respect to z, and the second ones
    h: np.ndarray
    g_sum: float
    h_sum: float
    correlations: np.ndarray  # X̃_Wᵀ g
    theta: np.ndarray | None  # the gradient that the model of the last step has here; None: g is all there is
    unapplied: np.ndarray  # what w moved by on the first halves of columns: z lacks the rest


@dataclass(frozen=True)
class QuadraticModel:
    """The curvatures h with which H was computed, X̃_Wᵀ h, and their sum."""

    h: np.ndarray
    along: np.ndarray
    h_sum: float


class LossOnColumns:
    """The loss as a function of the coefficients of the columns W: its value and derivatives at an iterate."""

    def __init__(self, columns: GatheredColumns, datafit: Any, y: np.ndarray, s: Any, n_threads: int) -> None:
        self.columns, self.datafit, self.y, self.s, self.n_threads = columns, datafit, y, s, n_threads
        self.share = np.full(1, 1.0 / len(y)) if s is None else s / s.sum()
        fused = isinstance(datafit, HasNewtonStep) and isinstance(columns, DenseColumns)
        self.dense: Any = columns if fused else None  # where one kernel does the whole step
        self.rest: Any = columns if isinstance(columns, HalvedColumns) else None
        self.exact = True  # whether steps read columns whole
        self.jumps = isinstance(datafit, PiecewiseQuadratic)  # then the model's gradient is no dual point

    def at(self, w: np.ndarray, omega: float, b: float, z: np.ndarray, unapplied: np.ndarray | None = None) -> Iterate:
        """The point with these coefficients and predictions."""
        loss, g, h = self.datafit.local(self.y, z, self.s)
        correlations, unapplied = self.columns.correlate(g), np.zeros(len(w)) if unapplied is None else unapplied
        return Iterate(w, omega, b, z, loss, g, h, float(g.sum()), float(h.sum()), correlations, None, unapplied)

    def with_exact_prediction(self, points: list[Iterate]) -> list[Iterate]:
        """Nothing left unapplied: z moves by the rest of the columns, so little that the loss is its model."""
        if self.rest is None or not any(point.unapplied.any() for point in points):
            return points
        k = len(points[0].w)
        U = np.empty((len(points), len(self.y)))
        kernels.sum_columns(self.rest.rest[:k], np.array([point.unapplied for point in points]), U, self.n_threads)
        return [
            replace(p, z=p.z + u, loss=p.loss + float((p.g + 0.5 * p.h * u) @ u), unapplied=np.zeros(k))
            for p, u in zip(points, U, strict=True)
        ]

    def with_exact_gradient(self, point: Iterate) -> Iterate:
        """With the gradient of whole columns, where a point may have that of their first halves."""
        return point if self.rest is None else self.at(point.w, point.omega, point.b, point.z, point.unapplied)

    def step(self, before: Iterate, w: np.ndarray, omega: float, shift: float, model: QuadraticModel) -> Iterate:
        """To coefficients w and centre b + shift, with the model's gradient there."""
        if self.dense is None:
            return self._plain_step(before, w, omega, shift, model)
        d, rows = w - before.w, self.dense.rows[: len(w)]
        both = self.rest is not None and self.exact
        rest = self.rest.rest[: len(w)] if both else np.empty((0, len(self.y)), rows.dtype)
        z, g, h, theta, correlations, sums = self.datafit.newton_step(
            rows, rest, d, shift, self.y, self.share, before.z, before.g, model.h, before.h_sum / model.h_sum,
            self.n_threads,
        )  # fmt: skip
        loss, g_sum, h_sum = sums.tolist()
        unapplied = before.unapplied if self.rest is None or both else before.unapplied + d
        model_theta = None if self.jumps else theta
        return Iterate(w, omega, before.b + shift, z, loss, g, h, g_sum, h_sum, correlations, model_theta, unapplied)

    def _plain_step(self, before: Iterate, w: np.ndarray, omega: float, shift: float, model: QuadraticModel) -> Iterate:
        u = self.columns.product(w - before.w) + shift
        loss, g, h = self.datafit.local(self.y, before.z + u, self.s)
        theta = None if self.jumps else before.g + before.h_sum / model.h_sum * model.h * u
        sums, correlations = (float(g.sum()), float(h.sum())), self.columns.correlate(g)
        return Iterate(
            w, omega, before.b + shift, before.z + u, loss, g, h, *sums, correlations, theta, before.unapplied
        )

    def with_best_intercept(self, point: Iterate) -> Iterate:
        """With the best centre for these coefficients, so that the gradient sums to nothing and is a dual point."""
        z, loss, g, h, b = point.z, point.loss, point.g, point.h, point.b
        for _ in range(50):
            curvature = float(h.sum())
            move = -float(g.sum()) / curvature if curvature > 0 else 0.0  # every row is certain: no centre is better
            if abs(move) <= 1e-14 * (1 + float(np.abs(z).max())):
                break
            move, loss, g, h = self._moved_centre(z, move, loss)
            z, b = z + move, b + move
        return point if z is point.z else self.at(point.w, point.omega, b, z, point.unapplied)

    def _moved_centre(self, z: np.ndarray, move: float, loss: float) -> tuple[float, float, np.ndarray, np.ndarray]:
        """The step, or the first of half, a quarter, … of it that does not raise the loss; and what is there."""
        while True:
            reached, g, h = self.datafit.local(self.y, z + move, self.s)
            if reached <= loss + 1e-12 * abs(loss) or abs(move) <= 1e-14 * (1 + float(np.abs(z).max())):
                return move, reached, g, h
            move *= 0.5

    def widened(self, point: Iterate) -> Iterate:
        """The same point after columns joined W, with coefficients of zero."""
        k = len(point.w)
        w, unapplied = (np.append(x, np.zeros(self.columns.size - k)) for x in (point.w, point.unapplied))
        return replace(
            point,
            w=w,
            unapplied=unapplied,
            correlations=np.append(point.correlations, self.columns.correlate(point.g, k)),
        )
