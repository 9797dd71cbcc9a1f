"""Codes of the lasso by accelerated proximal gradient, all rows at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.checks import check_count
from tamis.dictionary.coders.base import L1Coder
from tamis.solvers.fista_codes import fista_codes
from tamis.solvers.lasso_codes import LassoCodes


class FISTACoder(L1Coder):
    """Codes by the lasso for all rows at once, by accelerated proximal steps.

    zᵢ = argmin ½‖xᵢ − zD‖² + α‖z‖₁ by FISTA with restarts: Z ← prox(Y − (YG − Q)/L), Q = X Dᵀ, G = D Dᵀ.

    `LassoCoder` solves the same problem exactly and faster where codes are sparse; this one is made of matrix products.
    It ends when every row's duality gap is at most ``tol`` ½‖x‖², or, with a warning, after ``max_iter`` steps.
    ``solve`` returns the gaps with the codes.

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

    remedy = "raise max_iter, tol or alpha"

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

    def solve(self, X: Any, D: np.ndarray, start: Any = None) -> LassoCodes:
        """Codes with the proof of their gaps; rows without missing entries."""
        return fista_codes(
            X, D, self.alpha, positive=bool(self.positive), start=start, tol=self.tol, max_iter=self.max_iter
        )
