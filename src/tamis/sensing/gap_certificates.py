"""Proofs that come with ℓ₁ recoveries: a dual point, from which a bound follows that no code can go below."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from tamis._core.evidence import Certificate


class BoundedValue(Certificate):
    """A value that was reached, and a bound that no code goes below; numbers, or one for each of several signals."""

    value: Any
    bound: Any

    @property
    def gap(self) -> Any:
        return self.value - self.bound


@dataclass(frozen=True, repr=False)
class ConstrainedGap(BoundedValue):
    """That no code with ‖y − A s‖ ≤ ``noise`` has Σ vⱼ|sⱼ| below ``bound``; noise = 0 is basis pursuit (11.23).

    For every w with |Aᴴw| ≤ v, and all such s, Σ vⱼ|sⱼ| ≥ Re⟨Aᴴw, s⟩ ≥ Re⟨w, y⟩ − noise ‖w‖. ``dual`` is w, already
    scaled so that it satisfies this. Of several signals ``value``, ``bound``, ``gap`` and ``residual_norm`` are arrays.

    Attributes
    ----------
    code, dual : (n,) and (m,), or (n, signals) and (m, signals)
    noise : float
    weights : (n,) or None
        v; None where all are 1.
    value, bound, gap : float or (signals,)
        Σ vⱼ|sⱼ| of the code, the bound, and their difference.
    residual_norm : float or (signals,)
        ‖y − A s‖, which is to be at most ``noise`` (rounding apart).
    """

    code: np.ndarray
    dual: np.ndarray
    noise: float
    weights: np.ndarray | None = None
    value: Any = np.nan
    bound: Any = np.nan
    residual_norm: Any = np.nan

    def verify(self, A: Any, y: Any, basis: Any = None) -> Self:
        """The same numbers recomputed from the data, in plain NumPy; the dual point is scaled again if it must be."""
        y, v = np.asarray(y), 1.0 if self.weights is None else _column(self.weights, self.code)
        w = _feasible(self.dual, _adjoint(A, basis, self.dual), v)
        r = y - _forward(A, basis, self.code)
        bound = np.sum(w.conj() * y, axis=0).real - self.noise * np.sqrt(np.sum(np.abs(w) ** 2, axis=0))
        value = np.sum(v * np.abs(self.code), axis=0)
        return replace(
            self, dual=w, value=value, bound=bound, residual_norm=np.sqrt(np.sum(np.abs(r) ** 2, axis=0))
        )  # fmt: skip


@dataclass(frozen=True, repr=False)
class PenalisedGap(BoundedValue):
    """That no code has 1/(2m)‖y − A s‖² + α Σ vⱼ|sⱼ| below ``bound``.

    Every θ with |Aᴴθ| ≤ mα v gives the bound (Re⟨θ, y⟩ − ‖θ‖²/2)/m. ``dual`` is θ, the multiple of what was given for
    which the bound is the highest.

    Attributes
    ----------
    code, dual : (n,) and (m,), or (n, signals) and (m, signals)
    alpha : float
    weights : (n,) or None
    value, bound, gap : float or (signals,)
        The objective at the code, the bound, and their difference.
    residual_norm : float or (signals,)
        ‖y − A s‖.
    """

    code: np.ndarray
    dual: np.ndarray
    alpha: float
    weights: np.ndarray | None = None
    value: Any = np.nan
    bound: Any = np.nan
    residual_norm: Any = np.nan

    def verify(self, A: Any, y: Any, basis: Any = None) -> Self:
        """The same numbers recomputed from the data, in plain NumPy; the dual point is scaled anew."""
        y, v = np.asarray(y), 1.0 if self.weights is None else _column(self.weights, self.code)
        m = len(y)
        theta = _best_multiple(self.dual, _adjoint(A, basis, self.dual), m * self.alpha * v, y)
        r = y - _forward(A, basis, self.code)
        square = np.sum(np.abs(r) ** 2, axis=0)
        value = square / (2 * m) + self.alpha * np.sum(v * np.abs(self.code), axis=0)
        bound = (np.sum(theta.conj() * y, axis=0).real - np.sum(np.abs(theta) ** 2, axis=0) / 2) / m
        return replace(self, dual=theta, value=value, bound=bound, residual_norm=np.sqrt(square))


def matrix_of(A: Any, basis: Any = None) -> np.ndarray:
    """A, or A Ψ, written out, whatever stands for it."""
    if basis is not None:
        return np.asarray(_times(A, matrix_of(basis)))
    if isinstance(A, (list, tuple, np.ndarray)):
        return np.asarray(A)
    return np.asarray(A.toarray() if hasattr(A, "toarray") else A @ np.eye(A.shape[1]))


def _column(v: np.ndarray, code: np.ndarray) -> np.ndarray:
    return v if code.ndim == 1 else v[:, None]


def _feasible(w: np.ndarray, c: np.ndarray, bounds: Any) -> np.ndarray:
    """w over what |c| exceeds its bounds by, at worst; 0 where a bound of 0 is exceeded."""
    beyond = np.max(np.abs(c) / np.broadcast_to(bounds, c.shape), axis=0, initial=0.0)
    return np.asarray(w / np.maximum(beyond, 1.0))


def _best_multiple(theta: np.ndarray, c: np.ndarray, bounds: Any, y: np.ndarray) -> np.ndarray:
    """t θ with the largest t Re⟨θ, y⟩ − t²‖θ‖²/2 among those with t |c| within its bounds."""
    beyond = np.max(np.abs(c) / np.broadcast_to(bounds, c.shape), axis=0, initial=0.0)
    square, along = np.sum(np.abs(theta) ** 2, axis=0), np.sum(theta.conj() * y, axis=0).real
    best = np.maximum(along, 0.0) / np.where(square > 0, square, 1.0)
    most = np.divide(1.0, beyond, out=np.full(np.shape(beyond), np.inf), where=beyond > 0)
    return np.asarray(theta * np.minimum(best, most))


def _forward(A: Any, basis: Any, s: np.ndarray) -> Any:
    x = s if basis is None else _times(basis, s)
    return _times(A, x)


def _adjoint(A: Any, basis: Any, w: np.ndarray) -> Any:
    c = _times_adjoint(A, w)
    return c if basis is None else _times_adjoint(basis, c)


def _times(A: Any, x: np.ndarray) -> Any:
    A = np.asarray(A) if isinstance(A, (list, tuple)) else A
    return A @ x


def _times_adjoint(A: Any, w: np.ndarray) -> Any:
    A = np.asarray(A) if isinstance(A, (list, tuple)) else A
    if isinstance(A, np.ndarray) or sp.issparse(A):
        return A.conj().T @ w
    return A.H @ w
