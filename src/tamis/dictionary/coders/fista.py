"""Codes of the lasso by accelerated proximal gradient, all rows at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csr_array

from tamis._core.checks import check_count
from tamis._kernels.interruption import check_interrupted
from tamis.dictionary.coders.base import L1Coder
from tamis.solvers.lasso_codes import TOLERANCE, row_squares

AT_ONCE = 2**21  # numbers of the codes of a piece
EVERY = 10  # steps between looks at the duality gaps


class FISTACoder(L1Coder):
    """zᵢ = argmin ½‖xᵢ − zD‖² + α‖z‖₁ by FISTA with restarts: Z ← prox(Y − (YG − Q)/L), Q = X Dᵀ, G = D Dᵀ.

    `LassoCoder` solves the same problem exactly and faster where codes are sparse; this one is made of matrix products.
    It ends when every row's duality gap is at most ``tol`` ½‖x‖², or after ``max_iter`` steps.

    Parameters
    ----------
    alpha : float
    positive : bool
        Codes z ≥ 0.
    tol : float, optional
        1e-7; 1e-4 in float32.
    max_iter : int

    References: Beck and Teboulle (2009); O'Donoghue and Candès (2015).

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.dictionary import FISTACoder
    >>> FISTACoder(alpha=1.0).encode(np.array([[3.0, 0.5]]), np.eye(2)).toarray()
    array([[2., 0.]])
    """

    def __init__(
        self, alpha: float = 0.1, *, positive: bool = False, tol: float | None = None, max_iter: int = 2000
    ) -> None:
        self.alpha = alpha
        self.positive = positive
        self.tol = tol
        self.max_iter = max_iter

    def check(self) -> None:
        super().check()
        check_count("max_iter", self.max_iter)

    def codes(self, X: Any, D: np.ndarray, start: Any) -> csr_array:
        G = D @ D.T
        L = float(np.linalg.eigvalsh(G)[-1])
        if L <= 0:
            return csr_array((X.shape[0], len(D)), dtype=D.dtype)
        step = max(64, AT_ONCE // len(D))
        pieces = []
        for i in range(0, X.shape[0], step):
            rows = X[i : i + step]
            Z = np.zeros((rows.shape[0], len(D)), D.dtype) if start is None else start[i : i + step].toarray()
            pieces.append(csr_array(self._minimise(np.asarray(rows @ D.T), row_squares(rows), G, L, Z)))
        return sp.vstack(pieces, format="csr")

    def _minimise(self, Q: np.ndarray, xx: np.ndarray, G: np.ndarray, L: float, Z: np.ndarray) -> np.ndarray:
        tol = TOLERANCE[Q.dtype.itemsize] if self.tol is None else self.tol
        for k, now in enumerate(self._steps(Q, G, L, Z), 1):
            check_interrupted()
            Z = now
            if k >= self.max_iter or (k % EVERY == 0 and (self._gaps(Z, Q, xx, G) <= tol * xx / 2).all()):
                break
        return Z

    def _steps(self, Q: np.ndarray, G: np.ndarray, L: float, Z: np.ndarray) -> Iterator[np.ndarray]:
        Y, t = Z, np.ones((len(Z), 1), Z.dtype)
        threshold = Z.dtype.type(self.alpha / L)
        while True:
            V = Y - (Y @ G - Q) / Z.dtype.type(L)
            new = np.maximum(V - threshold, 0) if self.positive else np.sign(V) * np.maximum(np.abs(V) - threshold, 0)
            against = np.einsum("ij,ij->i", Y - new, new - Z) > 0  # momentum points uphill: this row begins anew
            t[against] = 1
            t_new = (1 + np.sqrt(1 + 4 * t * t)) / 2
            Y = new + ((t - 1) / t_new) * (new - Z)
            Y[against] = new[against]
            Z, t = new, t_new
            yield Z

    def _gaps(self, Z: np.ndarray, Q: np.ndarray, xx: np.ndarray, G: np.ndarray) -> np.ndarray:
        """The dual point is the residual, scaled until |⟨dⱼ, θ⟩| ≤ α."""
        Z, Q = Z.astype(np.float64), Q.astype(np.float64)
        C = Q - Z @ G
        along = np.einsum("ij,ij->i", Z, Q)
        rr, xr = np.maximum(xx - along - np.einsum("ij,ij->i", Z, C), 0), xx - along
        most = (C if self.positive else np.abs(C)).max(axis=1)
        feasible = np.where(most > 0, self.alpha / np.where(most > 0, most, 1), np.inf)
        best = np.where(rr > 0, xr / np.where(rr > 0, rr, 1), 1)
        share = np.maximum(np.minimum(feasible, best), 0)
        return 0.5 * rr + self.alpha * np.abs(Z).sum(axis=1) - share * xr + 0.5 * share**2 * rr
