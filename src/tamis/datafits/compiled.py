"""Losses of one number per row that have a kernel: value and derivatives in one pass, and whole Newton steps."""

from __future__ import annotations

import numpy as np

from tamis._kernels import kernels


class CompiledLoss:
    """Derive from it with ``kernel``, the number of the loss in ``losses.cpp``, and ``parameter`` where it has one."""

    kernel: int = 0

    @property
    def parameter(self) -> float:
        return 0.0

    def local(self, y: np.ndarray, Z: np.ndarray, s: np.ndarray | None = None) -> tuple[float, np.ndarray, np.ndarray]:
        """Value, gradient and hessian, from one exponential per row at most."""
        share = np.full(1, 1 / len(y)) if s is None else s / s.sum()
        g, h = np.empty(len(y)), np.empty(len(y))
        return kernels.losses(self.kernel, self.parameter, as_row(y), as_row(Z), share, g, h), g, h

    def newton_step(
        self, rows: np.ndarray, rest: np.ndarray, d: np.ndarray, shift: float, y: np.ndarray, share: np.ndarray,
        z: np.ndarray, g: np.ndarray, model_h: np.ndarray, ratio: float, n_threads: int,
    ) -> tuple[np.ndarray, ...]:  # fmt: skip
        """Predictions z + rowsᵀd + shift; there gradient, hessian, the model's gradient and the columns' correlations
        with the gradient; and the sums of loss, gradient and hessian. ``rest`` holds the second halves of columns.
        """
        n = len(y)
        new_z, new_g, h, theta = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
        correlations, sums = np.empty(len(d)), np.empty(3)
        kernels.loss_step(
            self.kernel, self.parameter, rows, rest, d, shift, y, share, z, g, model_h, ratio, new_z, new_g, h, theta,
            correlations, sums, n_threads,
        )  # fmt: skip
        return new_z, new_g, h, theta, correlations, sums


ROUNDED = 64 * np.finfo(float).eps  # by so much, relatively, rounding may take a dual point out of its domain


def as_row(v: np.ndarray) -> np.ndarray:
    """As the kernels take it."""
    return np.ascontiguousarray(v, dtype=np.float64)


def per_share(theta: np.ndarray, share: np.ndarray) -> np.ndarray:
    """θᵢ / shareᵢ; a row without weight needs θᵢ = 0, and is infinite, hence outside every domain, otherwise."""
    share = np.broadcast_to(share, theta.shape)
    nowhere = np.where(theta == 0, 0.0, np.inf)
    return np.divide(theta, share, out=nowhere, where=share > 0)


def weighted_sum(share: np.ndarray, values: np.ndarray) -> float:
    """Σ shareᵢ vᵢ, where rows without weight do not count though v be infinite."""
    share = np.broadcast_to(share, values.shape)
    return float(np.multiply(share, values, out=np.zeros(values.shape), where=share > 0).sum())
