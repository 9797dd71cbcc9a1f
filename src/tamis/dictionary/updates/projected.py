"""All atoms at once by accelerated projected gradient."""

from __future__ import annotations

from typing import Literal

import numpy as np

from tamis._core.checks import check_choice, check_count, check_number
from tamis.dictionary.updates.base import Update, in_use
from tamis.stats.code_statistics import CodeStatistics


class ProjectedUpdate(Update):
    """argmin ½⟨A, DDᵀ⟩ − ⟨B, D⟩ over ‖d‖₂ ≤ 1 by FISTA: gradient AD − B, projection onto unit balls, A = ZᵀZ, B = ZᵀX.

    Parameters
    ----------
    unused : {"keep", "drop"}
        Atoms that no code uses stay, or become zero. Zero atoms are never used again, nor replaced, whatever the
        ``unused`` of the learner: how many are not zero, its ``n_atoms_used_``, is then learned, and falls as ``alpha``
        of the coder grows.
    max_iter, tol : int, float
        Steps, and the change of D, relative, at which they end.
    """

    def __init__(self, unused: Literal["keep", "drop"] = "keep", *, max_iter: int = 100, tol: float = 1e-6) -> None:
        self.unused = unused
        self.max_iter = max_iter
        self.tol = tol

    @property
    def replaceable(self) -> bool:  # type: ignore[override]
        """Dropped atoms stay dropped."""
        return self.unused != "drop"

    def check(self) -> None:
        check_choice("unused", self.unused, ("keep", "drop"))
        check_count("max_iter", self.max_iter)
        check_number("tol", self.tol, at_least=0.0)

    def update(self, D: np.ndarray, given: CodeStatistics) -> tuple[np.ndarray, None]:
        used = in_use(given.A)
        new = np.array(D, dtype=np.float64)
        if used.any():
            new[used] = self._minimised(new[used], given.A[np.ix_(used, used)], given.B[used])
        if self.unused == "drop":
            new[~used] = 0.0
        return new.astype(D.dtype), None

    def _minimised(self, D: np.ndarray, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        L = float(np.linalg.eigvalsh(A)[-1])
        Y, t = D, 1.0
        for _ in range(self.max_iter):
            new = into_balls(Y - (A @ Y - B) / L)
            if np.vdot(Y - new, new - D) > 0:  # momentum points uphill: begin anew from here
                t, Y = 1.0, D
                new = into_balls(Y - (A @ Y - B) / L)
            step = np.linalg.norm(new - D)
            t_new = (1 + np.sqrt(1 + 4 * t * t)) / 2
            Y = new + ((t - 1) / t_new) * (new - D)
            D, t = new, t_new
            if step <= self.tol * np.linalg.norm(D):
                break
        return D


def into_balls(D: np.ndarray) -> np.ndarray:
    """Rows longer than 1 cut to unit length."""
    return D / np.maximum(1.0, np.linalg.norm(D, axis=1))[:, None]
