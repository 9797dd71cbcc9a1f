"""Dual points made uncorrelated with the intercept and the unpenalised columns, and what rounding leaves of that.

With A = (1, X_U) and M = AᵀD''A, the point θ' = θ − D''A M⁻¹Aᵀθ has Aᵀθ' = 0. Columns that nearly depend on each other
lose half of their digits in M, so that with rows at hand the factor is that of D''^½A = QR, M = RᵀR.

Computed, e = Aᵀθ' is not 0. The point θ' − D''A M⁻¹e is uncorrelated, and its bound is less by ⟨e, v⟩ + ½ eᵀM⁻¹e, v
being the coefficients of A in the prediction that belongs to θ' (of squares exactly so, else to second order). Both
terms are counted: along directions in which columns hardly differ, M⁻¹ is large, and the second one is no rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from scipy.linalg import qr, solve_triangular

from tamis.datafits import CouplesOutputs, HasCurvature
from tamis.datafits.base import shares

EPS = np.finfo(float).eps
EVALUATED = 2 * EPS  # of Σ|xᵢθᵢ|: how well a correlation is known
DEPENDENT = 64 * EPS  # of the same: what is left of a correlation that vanishes with others


class Factor(Protocol):
    """M, factored. Columns that rounding cannot tell from combinations of others are taken for such."""

    def solve(self, m: np.ndarray) -> np.ndarray:
        """β with M β = m, as far as M resolves it."""
        ...

    def excess(self, e: np.ndarray, known_to: np.ndarray) -> float:
        """The most that ½ xᵀM⁻¹x can be for x known to be e but for so much."""
        ...

    def vanishes(self, e: np.ndarray, slack: np.ndarray) -> bool:
        """Whether e is no more than slack along what was left out: columns that depend on others vanish with them."""
        ...


class RowsFactor:
    """Of the columns A of rows with curvatures h: a pivoted QR of D''^½A, its columns in units of their own."""

    def __init__(self, A: np.ndarray, h: np.ndarray) -> None:
        size = np.sqrt(h @ A**2)
        self.size = np.where(size > 0, size, 1.0)
        R, order = qr(np.sqrt(h)[:, None] * A / self.size, mode="r", pivoting=True, check_finite=False)
        pivots = np.abs(R.diagonal())
        enough = pivots > 4 * np.sqrt(len(A)) * A.shape[1] * EPS * pivots.max(initial=0.0)
        rank = len(enough) if enough.all() else int(np.argmin(enough))
        self.chosen = order[:rank]
        self.inverse = solve_triangular(R[:rank, :rank], np.eye(rank), check_finite=False)

    def solve(self, m: np.ndarray) -> np.ndarray:
        beta = np.zeros(len(m))
        beta[self.chosen] = self.inverse @ (self.inverse.T @ (m / self.size)[self.chosen])
        return beta / self.size

    def excess(self, e: np.ndarray, known_to: np.ndarray) -> float:
        e, u = ((a / self.size)[self.chosen] for a in (e, known_to))
        return 0.5 * float(np.sum((np.abs(self.inverse.T @ e) + np.abs(self.inverse.T) @ u) ** 2))

    def vanishes(self, e: np.ndarray, slack: np.ndarray) -> bool:
        return bool((np.abs(np.delete(e, self.chosen)) <= np.delete(slack, self.chosen)).all())


class MatrixFactor:
    """Of M itself, by its eigenvectors. Directions in which it is less than its rounding are left out of solutions."""

    def __init__(self, M: np.ndarray) -> None:
        size = np.sqrt(np.maximum(M.diagonal(), 0.0))
        self.size = np.where(size > 0, size, 1.0)
        values, self.vectors = np.linalg.eigh(M / np.multiply.outer(self.size, self.size))
        self.values, self.kept = values, values > len(M) * EPS * values.max(initial=0.0)
        self.zeros = np.count_nonzero(size == 0)

    @property
    def unresolved(self) -> bool:
        """Whether columns depend on each other as far as M tells; those of zeros are none."""
        return bool(np.count_nonzero(~self.kept) > self.zeros)

    def solve(self, m: np.ndarray) -> np.ndarray:
        V = self.vectors[:, self.kept] / np.sqrt(self.values[self.kept])
        return V @ (V.T @ (m / self.size)) / self.size

    def excess(self, e: np.ndarray, known_to: np.ndarray) -> float:
        V = self.vectors[:, self.kept]
        along = np.abs(V.T @ (e / self.size)) + np.abs(V.T) @ (known_to / self.size)
        return 0.5 * float(np.sum(along**2 / self.values[self.kept]))

    def vanishes(self, e: np.ndarray, slack: np.ndarray) -> bool:
        along = self.vectors[:, ~self.kept].T @ (e / self.size)
        return bool(np.linalg.norm(along) <= np.linalg.norm(slack / self.size))


class EachOutput:
    """One factor for each output, on the columns that are projected there."""

    def __init__(self, factors: Sequence[Factor], used: np.ndarray) -> None:
        self.factors, self.used = factors, used

    def solve(self, m: np.ndarray) -> np.ndarray:
        beta = np.zeros_like(m)
        for part, right, factor, U in self._each(beta, m):
            part[U] = factor.solve(right[U])
        return beta

    def excess(self, e: np.ndarray, known_to: np.ndarray) -> float:
        return sum(factor.excess(part[U], known[U]) for part, known, factor, U in self._each(e, known_to))

    def vanishes(self, e: np.ndarray, slack: np.ndarray) -> bool:
        return all(factor.vanishes(part[U], most[U]) for part, most, factor, U in self._each(e, slack))

    def _each(self, *arrays: np.ndarray) -> Any:
        columns = [a.reshape(len(a), -1).T for a in (*arrays, self.used)]
        for *parts, used, factor in zip(*columns, self.factors, strict=True):
            yield (*parts, factor, np.flatnonzero(used))


class JointOutputs:
    """One factor for all outputs, which meet in D''."""

    def __init__(self, factor: MatrixFactor, used: np.ndarray) -> None:
        self.factor, self.used = factor, used

    def solve(self, m: np.ndarray) -> np.ndarray:
        beta = np.zeros_like(m)
        beta[self.used] = self.factor.solve(m[self.used])
        return beta

    def excess(self, e: np.ndarray, known_to: np.ndarray) -> float:
        return self.factor.excess(e[self.used], known_to[self.used])

    def vanishes(self, e: np.ndarray, slack: np.ndarray) -> bool:
        return self.factor.vanishes(e[self.used], slack[self.used])


def cost_of(factor: Factor, e: np.ndarray, known_to: np.ndarray, v: np.ndarray) -> float:
    """⟨e, v⟩ + ½ eᵀM⁻¹e, at most, for e known to so much; 0 where it would raise the bound."""
    return max(0.0, float(np.vdot(e, v))) + float(np.vdot(known_to, np.abs(v))) + factor.excess(e, known_to)


def factor_of(datafit: Any, y: np.ndarray, Z: np.ndarray, s: Any, A: np.ndarray, used: np.ndarray) -> Factor:
    """The factor of AᵀD''(Z)A on the columns, and outputs, of the mask ``used``."""
    if isinstance(datafit, CouplesOutputs):
        M = np.empty((*used.shape, *used.shape))
        for i, k in np.ndindex(used.shape):
            V = np.zeros_like(Z)
            V[:, k] = A[:, i]
            M[i, k] = A.T @ datafit.curve(y, Z, V, s)
        return JointOutputs(MatrixFactor(M.reshape(used.size, used.size)[np.ix_(used.ravel(), used.ravel())]), used)
    h = curvatures(datafit, y, Z, s)
    masks = used.reshape(len(used), -1).T
    rows = h if h.ndim == 1 else h[:, 0]  # of squares the same for every output
    known: dict[bytes, Factor] = {}
    for mask in masks:
        if mask.tobytes() not in known:
            known[mask.tobytes()] = RowsFactor(A[:, mask], rows)
    return EachOutput([known[mask.tobytes()] for mask in masks], used)


def curvatures(datafit: Any, y: np.ndarray, Z: np.ndarray, s: Any) -> np.ndarray:
    """D'' row by row; of a datafit without one that of squares: any direction in which θ is moved is allowed."""
    return datafit.hessian(y, Z, s) if isinstance(datafit, HasCurvature) else np.broadcast_to(shares(y, s), Z.shape)


def curved(datafit: Any, y: np.ndarray, Z: np.ndarray, s: Any, V: np.ndarray) -> np.ndarray:
    """D''(Z) V."""
    return datafit.curve(y, Z, V, s) if isinstance(datafit, CouplesOutputs) else curvatures(datafit, y, Z, s) * V
