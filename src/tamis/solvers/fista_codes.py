"""Codes of the lasso by accelerated proximal gradient, all rows at once: Z ← prox(Y − (YG − Q)/L), G = D Dᵀ, Q = X Dᵀ.

References: Beck and Teboulle (2009); O'Donoghue and Candès (2015) for the restarts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csr_array

from tamis._kernels.interruption import check_interrupted
from tamis.solvers.lasso_codes import TOLERANCE, LassoCodes, proved, row_squares

AT_ONCE = 2**21  # numbers of the codes of a piece
EVERY = 10  # steps between looks at the duality gaps
SAFE = 0.5  # of the tolerance: these gaps come from rounded products, those of the certificate from the rows


def fista_codes(
    X: Any, D: np.ndarray, alpha: float, *, positive: bool, start: Any, tol: float | None, max_iter: int
) -> LassoCodes:
    """zᵢ = argmin ½‖xᵢ − zD‖² + α‖z‖₁ for the rows of X, until every gap is at most ``tol`` ½‖x‖²."""
    tol = TOLERANCE[D.dtype.itemsize] if tol is None else tol
    Z = _codes(X, D, alpha, positive, start, tol, max_iter)
    return proved(X, D, Z, alpha, positive, tol)


def _codes(X: Any, D: np.ndarray, alpha: float, positive: bool, start: Any, tol: float, max_iter: int) -> csr_array:
    G = D @ D.T
    L = float(np.linalg.eigvalsh(G)[-1])
    if L <= 0 or X.shape[0] == 0:
        return csr_array((X.shape[0], len(D)), dtype=D.dtype)
    step = max(64, AT_ONCE // len(D))
    pieces = []
    for i in range(0, X.shape[0], step):
        rows = X[i : i + step]
        problem = _Rows(np.asarray(rows @ D.T), row_squares(rows), G, L, alpha, positive)
        Z = np.zeros((rows.shape[0], len(D)), D.dtype)
        if start is not None:
            Z = problem.better_than_zero(csr_array(start[i : i + step]).toarray().astype(D.dtype, copy=False))
        pieces.append(csr_array(problem.minimised(Z, tol, max_iter)))
    return sp.vstack(pieces, format="csr")


@dataclass(frozen=True)
class _Rows:
    """Some rows: Q = X Dᵀ and ‖x‖²; the Gram G of the atoms and its largest eigenvalue L."""

    Q: np.ndarray
    xx: np.ndarray
    G: np.ndarray
    L: float
    alpha: float
    positive: bool

    def better_than_zero(self, Z: np.ndarray) -> np.ndarray:
        """Rows of Z whose objective is below that of z = 0; the others are 0."""
        quadratic = np.einsum("ij,ij->i", Z, 0.5 * (Z @ self.G) - self.Q, dtype=np.float64)
        good = quadratic + self.alpha * np.abs(Z).sum(axis=1, dtype=np.float64) < 0
        return np.where(good[:, None], Z, 0)

    def minimised(self, Z: np.ndarray, tol: float, max_iter: int) -> np.ndarray:
        for k, now in enumerate(self._steps(Z), 1):
            check_interrupted()
            Z = now
            if k >= max_iter or (k % EVERY == 0 and (self.gaps(Z) <= SAFE * tol * self.xx / 2).all()):
                break
        return Z

    def _steps(self, Z: np.ndarray) -> Iterator[np.ndarray]:
        Y, t = Z, np.ones((len(Z), 1), Z.dtype)
        while True:
            new = self._prox(Y - (Y @ self.G - self.Q) / Z.dtype.type(self.L))
            against = np.einsum("ij,ij->i", Y - new, new - Z) > 0  # momentum points uphill: this row begins anew
            t[against] = 1
            t_new = (1 + np.sqrt(1 + 4 * t * t)) / 2
            Y = new + ((t - 1) / t_new) * (new - Z)
            Y[against] = new[against]
            Z, t = new, t_new
            yield Z

    def _prox(self, V: np.ndarray) -> np.ndarray:
        threshold = V.dtype.type(self.alpha / self.L)
        return np.maximum(V - threshold, 0) if self.positive else np.sign(V) * np.maximum(np.abs(V) - threshold, 0)

    def gaps(self, Z: np.ndarray) -> np.ndarray:
        """The dual point is the residual, scaled until |⟨dⱼ, θ⟩| ≤ α."""
        Z, Q = Z.astype(np.float64), self.Q.astype(np.float64)
        C = Q - Z @ self.G
        along = np.einsum("ij,ij->i", Z, Q)
        rr, xr = np.maximum(self.xx - along - np.einsum("ij,ij->i", Z, C), 0), self.xx - along
        most = (C if self.positive else np.abs(C)).max(axis=1)
        feasible = np.where(most > 0, self.alpha / np.where(most > 0, most, 1), np.inf)
        best = np.where(rr > 0, xr / np.where(rr > 0, rr, 1), 1)
        share = np.maximum(np.minimum(feasible, best), 0)
        return 0.5 * rr + self.alpha * np.abs(Z).sum(axis=1) - share * xr + 0.5 * share**2 * rr
