"""Codes of the lasso."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.threads import thread_count
from tamis.dictionary.coders.base import L1Coder
from tamis.solvers.lasso_codes import LassoCodes, lasso_codes


class LassoCoder(L1Coder):
    """Codes by the lasso, each with a duality gap.

    zᵢ = argmin ½‖xᵢ − zD‖² + α‖z‖₁, certified: every row's duality gap is at most ``tol`` ½‖xᵢ‖² (11.16).

    With ``start`` the search begins at these codes. ``solve`` returns the gaps with the codes.

    Parameters
    ----------
    alpha : float
    positive : bool
        Codes z ≥ 0.
    tol : float, optional
        1e-7; 1e-4 in float32.
    n_jobs : int, optional

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.dictionary import LassoCoder
    >>> codes = LassoCoder(alpha=1.0).solve(np.array([[3.0, 0.5]]), np.eye(2))
    >>> codes.Z.toarray(), codes.gaps
    (array([[2., 0.]]), array([0.]))
    """

    def __init__(
        self, alpha: float = 0.1, *, positive: bool = False, tol: float | None = None, n_jobs: int | None = None
    ) -> None:
        self.alpha = alpha
        self.positive = positive
        self.tol = tol
        self.n_jobs = n_jobs

    def check(self) -> None:
        super().check()
        thread_count(self.n_jobs)

    def solve(self, X: Any, D: np.ndarray, start: Any = None) -> LassoCodes:
        """Codes with the proof of their gaps; rows without missing entries."""
        return lasso_codes(
            X, D, self.alpha, positive=bool(self.positive), start=start, tol=self.tol, n_jobs=self.n_jobs
        )  # fmt: skip
