"""Adjusted p-values of the largest of many scores, each on the scale of its own chance (max-T).

z_j = (score_j − m_j) / (s_j + s₀): m_j and s_j are mean and standard deviation of column j's score under the first
shuffles of the target, s₀ the median of the s_j, so that a column that chance hardly ever moves is not divided by
nothing. The other B shuffles give the largest z of a table that holds nothing but chance,

p_j = (1 + #{b : max_k z_k⁽ᵇ⁾ ≥ z_j}) / (B + 1).

The scale is known before the shuffles that are counted, so observed and shuffled scores are alike where chance rules:
the share of such tables in which any p_j ≤ α is at most α.

References: Westfall and Young (1993); Tusher, Tibshirani and Chu (2001) for s₀; Phipson and Smyth (2010) for the 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

LEVEL = 0.05
N_SHUFFLES = 199  # counted
N_SCALE = 99  # before them, for the scale of each column
ROUNDING = 1e-9  # of z: equal scores of two shuffles are sums in another order


@dataclass(frozen=True)
class Significance:
    """``pvalues`` of the scores, and ``floor``: above it a score is significant at 5 %."""

    pvalues: np.ndarray
    floor: np.ndarray


def significance(
    observed: np.ndarray, draw: Callable[[int], np.ndarray], n_shuffles: int = N_SHUFFLES, level: float = LEVEL
) -> Significance:
    """Of scores (p,); ``draw(n)`` gives those of n shuffled targets, (n, p)."""
    drawn = draw(N_SCALE + n_shuffles)
    mean, scale = _scale(drawn[:N_SCALE])
    top = _z_scores(drawn[N_SCALE:], mean, scale).max(axis=1)
    z = _z_scores(np.where(np.isnan(observed), -np.inf, observed), mean, scale)
    lowered = np.where(np.isfinite(z), z - ROUNDING * (1 + np.abs(np.where(np.isfinite(z), z, 0.0))), z)
    above = n_shuffles - np.searchsorted(np.sort(top), lowered, side="left")
    counted = int(level * (n_shuffles + 1) + 1e-9)  # so many, the observed one among them, may be as high
    limit = np.sort(top)[n_shuffles - counted] if counted > 0 else np.inf
    return Significance((1 + above) / (1 + n_shuffles), mean + limit * scale if np.isfinite(limit) else mean)


def _scale(drawn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """m_j and s_j + s₀."""
    finite = np.where(np.isfinite(drawn), drawn, np.nan)
    known = np.isfinite(drawn).any(axis=0)
    mean, spread = np.zeros(drawn.shape[1]), np.zeros(drawn.shape[1])
    mean[known], spread[known] = np.nanmean(finite[:, known], axis=0), np.nanstd(finite[:, known], axis=0)
    moved = spread[spread > 0]
    return mean, spread + (np.median(moved) if len(moved) else 0.0)


def _z_scores(scores: np.ndarray, mean: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Of rows of scores; ±∞ where chance moves nothing and a score differs all the same."""
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (scores - mean) / scale
    return np.where(np.isnan(z), np.where(scores > mean, np.inf, 0.0), z)
