"""The judge every greedy choice shares: was each step the best that was free, given the steps before it?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

LIMIT = 1e-9  # differences this small are rounding, so either column is a best one


def is_choice(order: Sequence[int], k: int, p: int) -> bool:
    """Whether these are k different columns of p."""
    return len(order) == k == len(set(order)) and all(0 <= j < p for j in order)


def shortfall(order: Sequence[int], scores: np.ndarray) -> float:
    """How far the worst step stays below the best free column, relative to the largest score of the step.

    ``scores`` (k, p): what each column would have scored in each step.
    """
    free, worst = np.ones(scores.shape[1], dtype=bool), 0.0
    for j, step in zip(order, scores, strict=True):
        worst = max(worst, float((step[free].max() - step[j]) / np.abs(step[free]).max()))
        free[j] = False
    return worst


def mean_before(redundancy: np.ndarray) -> np.ndarray:
    """(k, p) from the redundancy of every column with each chosen one (k, p): its mean over the steps before."""
    steps = np.arange(1, len(redundancy))[:, None]
    return np.vstack([np.zeros_like(redundancy[:1]), np.cumsum(redundancy[:-1], axis=0) / steps])
