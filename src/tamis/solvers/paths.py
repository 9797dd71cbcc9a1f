"""What a path solver hands over."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class SolvedPath:
    """One entry per α: coefficients (p,) or (K, p), intercepts, duality gap, rounds, whether it converged."""

    alphas: np.ndarray
    coefs: np.ndarray
    intercepts: np.ndarray
    gaps: np.ndarray
    n_iter: np.ndarray
    converged: np.ndarray

    @classmethod
    def empty(cls, alphas: np.ndarray, p: int) -> SolvedPath:
        """Zeros, which take no memory before they are written."""
        m = len(alphas)
        return cls(alphas, np.zeros((m, p)), np.zeros(m), np.empty(m), np.empty(m, np.int64), np.empty(m, bool))

    def put(self, k: int, features: np.ndarray, w: np.ndarray, intercept: float | np.ndarray) -> None:
        """Coefficients w of ``features``, (k,) or (K, k), at the k-th α; all others are zero."""
        kept = np.flatnonzero(w if w.ndim == 1 else w.any(axis=0))
        self.coefs[k][..., features[kept]] = w[..., kept]
        self.intercepts[k] = intercept
