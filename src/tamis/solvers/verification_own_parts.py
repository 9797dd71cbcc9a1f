"""Datafits and penalties of the user's own, asked for what a certificate is verified with.

Of the built-in ones :mod:`tamis.solvers.verification` has everything written out once more; here the user's own methods
are all there is, so that the verification repeats the sums over the rows and the search for a dual point, not them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.datafits import CouplesOutputs, HasCurvature
from tamis.penalties import HasFree, Terms
from tamis.solvers.verification import CertifiedRows, Limits, largest_where
from tamis.solvers.verification_losses import written_out

GOLDEN = 0.5 * (np.sqrt(5) - 1)
SECTIONS = 40
EDGE = 64 * np.finfo(float).eps  # by so much rounding may take coefficients out of the domain of a penalty


def loss_of(certificate: Any) -> Any:
    """The loss written out for the verification, or the user's own datafit."""
    if isinstance(certificate.loss, tuple):
        return written_out(certificate.loss)
    return OwnLoss(certificate.loss, certificate.w.ndim == 1)


def limits_of(certificate: Any, rows: CertifiedRows) -> Limits:
    return Limits(certificate, rows) if isinstance(certificate.terms, Terms) else OwnLimits(certificate, rows)


class OwnLoss:
    """A datafit is a mean over rows: what it says of n rows of equal weight, times n, is said of each."""

    def __init__(self, datafit: Any, flat: bool) -> None:
        self.datafit, self.flat = datafit, flat

    def _as_given(self, *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
        """(n,) where there is one output, as the datafit is asked everywhere else."""
        return tuple(a[:, 0] for a in arrays) if self.flat else arrays

    def _as_columns(self, a: np.ndarray) -> np.ndarray:
        return a[:, None] if self.flat else a

    def total(self, s: np.ndarray, y: np.ndarray, Z: np.ndarray) -> float:
        return float(s.sum()) * float(self.datafit.value(*self._as_given(y, Z), s))

    def total_conjugate(self, s: np.ndarray, y: np.ndarray, u: np.ndarray) -> float:
        theta = (s / s.sum())[:, None] * u
        return float(s.sum()) * float(self.datafit.conjugate(*self._as_given(y, theta), s))

    def slope(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return len(y) * self._as_columns(self.datafit.gradient(*self._as_given(y, Z)))

    def terms(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """The size of the numbers whose difference the slope is."""
        return np.abs(y) + np.abs(Z)

    def curve(self, y: np.ndarray, Z: np.ndarray, V: np.ndarray) -> np.ndarray:
        """Of a datafit without second derivatives those of squares: any direction in which θ is moved is allowed."""
        if isinstance(self.datafit, CouplesOutputs):
            return len(y) * self._as_columns(self.datafit.curve(*self._as_given(y, Z, V)))
        if isinstance(self.datafit, HasCurvature):
            return len(y) * self._as_columns(self.datafit.hessian(*self._as_given(y, Z))) * V
        return V

    def curvature(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """(n, K, K)."""
        units = np.eye(Z.shape[1])
        return np.stack([self.curve(y, Z, np.broadcast_to(unit, Z.shape)) for unit in units], axis=2)

    def root_curvature(self, y: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """L with L Lᵀ = ℓ'' row by row, by its eigenvectors; the root of what rounding made of 0 would be 1e-8."""
        values, vectors = np.linalg.eigh(self.curvature(y, Z))
        real = values > EDGE * values[:, -1:]
        return vectors * np.sqrt(np.where(real, values, 0.0))[:, None, :]


class OwnLimits(Limits):
    """Where (Ω_α)*(c) is finite, and what it is there, by the penalty's own conjugate."""

    def __init__(self, certificate: Any, rows: CertifiedRows) -> None:
        self.own, self.alpha, self.flat = certificate.terms, certificate.alpha, certificate.w.ndim == 1
        self.p = rows.W.shape[1]
        given = np.ones(self.p) if certificate.scale is None else certificate.scale
        self.column_scale = rows.deviations() if certificate.standardized else given
        self.positive, self.free = False, np.flatnonzero(self.own.free if isinstance(self.own, HasFree) else [])
        self.nonzero = (np.atleast_2d(certificate.w) != 0).T
        self.fit_intercept = certificate.fit_intercept
        self.n_along = len(self.free) + bool(self.fit_intercept)
        self.centre, self.spread = np.zeros(len(self.free)), np.ones(len(self.free))

    def penalty(self, W: np.ndarray) -> float:
        w = self._as_given(W.T * self.column_scale[:, None])
        value = float(self.own.value(w, self.alpha))
        return value if np.isfinite(value) else float(self.own.value((1 - EDGE) * w, self.alpha))

    def conjugate(self, c: np.ndarray) -> float:
        return float(self.own.conjugate(self._as_given(c), self.alpha))

    def best_scale(self, c: np.ndarray, yr: float, rr: float) -> float:
        if yr <= 0 or rr <= 0:
            return 0.0
        most = self.scale(c, yr / rr)
        ends = [0.0, most]
        for _ in range(SECTIONS):
            left, right = (ends[1] - GOLDEN * (ends[1] - ends[0]), ends[0] + GOLDEN * (ends[1] - ends[0]))
            rises = self._bound(right, c, yr, rr) >= self._bound(left, c, yr, rr)
            ends = [left, ends[1]] if rises else [ends[0], right]
        return max((*ends, most), key=lambda t: self._bound(t, c, yr, rr))

    def scale(self, c: np.ndarray, most: float) -> float:
        finite = np.isfinite(self.conjugate(most * c))
        return most if finite else largest_where(lambda t: np.isfinite(self.conjugate(t * c)), most)

    def _bound(self, t: float, c: np.ndarray, yr: float, rr: float) -> float:
        return t * yr - 0.5 * t**2 * rr - self.conjugate(t * c)

    def _as_given(self, a: np.ndarray) -> np.ndarray:
        return a[:, 0] if self.flat else a
