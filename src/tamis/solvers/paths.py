"""What a path solver hands over."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class SolvedPath:
    """One entry per α: coefficients (p,) or (K, p), intercepts, duality gap, rounds, whether it converged.

    ``screened`` counts the columns that the gap proves to be zero, where the solver screens.
    """

    alphas: np.ndarray
    coefs: np.ndarray
    intercepts: np.ndarray
    gaps: np.ndarray
    n_iter: np.ndarray
    converged: np.ndarray
    screened: np.ndarray | None = None

    @classmethod
    def empty(cls, alphas: np.ndarray, p: int, screened: bool = False) -> SolvedPath:
        """Zeros, which take no memory before they are written."""
        m = len(alphas)
        counts = np.zeros(m, np.int64) if screened else None
        return cls(alphas, np.zeros((m, p)), np.zeros(m), np.empty(m), np.empty(m, np.int64), np.empty(m, bool), counts)

    def record(self, k: int, n_iter: int, gap: float, converged: bool, screened: int) -> None:
        """How the k-th α ended."""
        self.n_iter[k], self.gaps[k], self.converged[k] = n_iter, gap, converged
        if self.screened is not None:
            self.screened[k] = screened

    def put(self, k: int, features: np.ndarray, w: np.ndarray, intercept: float | np.ndarray) -> None:
        """Coefficients w of ``features``, (k,) or (K, k), at the k-th α; all others are zero."""
        kept = np.flatnonzero(w if w.ndim == 1 else w.any(axis=0))
        self.coefs[k][..., features[kept]] = w[..., kept]
        self.intercepts[k] = intercept
