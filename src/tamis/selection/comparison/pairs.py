"""Pairs of rows in the right order, under many weightings at once."""

from __future__ import annotations

import numpy as np

from tamis._kernels import kernels


def concordant_pairs(values: np.ndarray, positive: np.ndarray, W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(U, B) Σ wᵢ wⱼ (1[vᵢ > vⱼ] + ½ 1[vᵢ = vⱼ]) over pairs of a positive row i and another row j, for each of U
    predictions (U, m) and each column of W (m, B); and (B,) Σ wᵢ wⱼ over the pairs.
    """
    W = np.ascontiguousarray(W, dtype=np.float64)
    values = np.ascontiguousarray(values, dtype=np.float64)
    positive = np.ascontiguousarray(positive, dtype=bool)
    order = np.argsort(values, axis=1, kind="stable").astype(np.int64)
    out = np.empty((len(values), W.shape[1]))
    kernels.concordant_pairs(values, order, positive, W, out, 1)
    return out, W[positive].sum(axis=0) * W[~positive].sum(axis=0)
