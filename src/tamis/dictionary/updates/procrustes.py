"""Orthonormal atoms."""

from __future__ import annotations

import numpy as np

from tamis.dictionary.updates.base import Update
from tamis.solvers.svd import procrustes
from tamis.stats.code_statistics import CodeStatistics


class ProcrustesUpdate(Update):
    """argmin ‖X − ZD‖_F over D Dᵀ = I: D = UVᵀ of the singular value decomposition ZᵀX = UΣVᵀ (Schönemann 1966).

    With `ThresholdCoder`, whose codes are exact on orthonormal atoms, the objective never rises.
    """

    orthonormal = True
    replaceable = False

    def update(self, D: np.ndarray, given: CodeStatistics) -> tuple[np.ndarray, None]:
        return procrustes(given.B).Q.astype(D.dtype), None
