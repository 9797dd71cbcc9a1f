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
        m = len(alphas)
        return cls(alphas, np.empty((m, p)), np.zeros(m), np.empty(m), np.empty(m, np.int64), np.empty(m, bool))
