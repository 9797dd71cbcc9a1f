"""A point on a Newton path, and how one step leads to the next."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tamis._kernels import kernels
from tamis.datafits import Logistic
from tamis.solvers.working_columns import DenseColumns, WorkingColumns


@dataclass(frozen=True)
class Point:
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
    pull: np.ndarray  # X̃_Wᵀ g
    theta: np.ndarray | None  # the gradient that the model of the last step has here; None: g is all there is


@dataclass(frozen=True)
class Model:
    """The curvatures h with which H was computed, X̃_Wᵀ h, and their sum."""

    h: np.ndarray
    along: np.ndarray
    h_sum: float


class Ground:
    """The data a point stands on: the columns W, the target and the loss."""

    def __init__(self, columns: WorkingColumns, datafit: Any, y: np.ndarray, s: Any, n_threads: int) -> None:
        self.columns, self.datafit, self.y, self.s, self.n_threads = columns, datafit, y, s, n_threads
        self.share = np.full(1, 1.0 / len(y)) if s is None else s / s.sum()
        fused = isinstance(datafit, Logistic) and isinstance(columns, DenseColumns)
        self.dense: Any = columns if fused else None  # where one kernel does the whole step

    def at(self, w: np.ndarray, omega: float, b: float, z: np.ndarray) -> Point:
        """The point with these coefficients and predictions."""
        loss, g, h = self.datafit.local(self.y, z, self.s)
        pull = self.columns.correlate(g)
        return Point(w, omega, b, z, loss, g, h, float(g.sum()), float(h.sum()), pull, None)

    def step(self, before: Point, w: np.ndarray, omega: float, shift: float, model: Model) -> Point:
        """To coefficients w and centre b + shift, with the model's gradient there."""
        if self.dense is None:
            return self._plain_step(before, w, omega, shift, model)
        n = len(self.y)
        z, g, h, theta = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
        pull, sums = np.empty(len(w)), np.empty(3)
        kernels.logistic_step(
            self.dense.rows[: len(w)], w - before.w, shift, self.y, self.share, before.z, before.g, model.h,
            before.h_sum / model.h_sum, z, g, h, theta, pull, sums, self.n_threads,
        )  # fmt: skip
        loss, g_sum, h_sum = sums.tolist()
        return Point(w, omega, before.b + shift, z, loss, g, h, g_sum, h_sum, pull, theta)

    def _plain_step(self, before: Point, w: np.ndarray, omega: float, shift: float, model: Model) -> Point:
        u = self.columns.product(w - before.w) + shift
        loss, g, h = self.datafit.local(self.y, before.z + u, self.s)
        theta = before.g + before.h_sum / model.h_sum * model.h * u
        sums = float(g.sum()), float(h.sum())
        return Point(w, omega, before.b + shift, before.z + u, loss, g, h, *sums, self.columns.correlate(g), theta)

    def settled(self, point: Point) -> Point:
        """With the best centre for these coefficients, so that the gradient sums to nothing and is a dual point."""
        z, g, h, b = point.z, point.g, point.h, point.b
        for _ in range(50):
            move = -float(g.sum()) / float(h.sum())
            if abs(move) <= 1e-14 * (1 + float(np.abs(z).max())):
                break
            z, b = z + move, b + move
            _, g, h = self.datafit.local(self.y, z, self.s)
        return point if z is point.z else self.at(point.w, point.omega, b, z)

    def widened(self, point: Point) -> Point:
        """The same point after columns joined W, with coefficients of zero."""
        k = len(point.w)
        w = np.append(point.w, np.zeros(self.columns.size - k))
        return replace(point, w=w, pull=np.append(point.pull, self.columns.correlate(point.g, k)))
