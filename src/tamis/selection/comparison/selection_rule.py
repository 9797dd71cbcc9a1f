"""Which configuration is chosen: the smallest within one standard error of the best."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

ROUNDING = 1e-12


class FoldScores(NamedTuple):
    """``S`` (B, C, J) shares of the splits in C scores under B weightings of the rows: their mean over J is the score,
    a ratio of sums. ``weight`` (B, J): a split's denominator over the mean of them, 0 of one that has nothing to score.
    """

    S: np.ndarray
    weight: np.ndarray

    @property
    def mean(self) -> np.ndarray:
        """(B, C) scores."""
        return np.asarray(self.S.mean(axis=2))

    def some(self, at: np.ndarray) -> FoldScores:
        """Those of some weightings."""
        return FoldScores(self.S[at], self.weight[at])


@dataclass(frozen=True)
class Rule:
    """Of configurations with ``sizes`` (C,): the smallest size of one whose mean paired difference d to the best is
    within one standard error s_d √(1/J + n_test/n_train) (Nadeau and Bengio 2003); of that size the best of those.

    ``ratio`` is n_test/n_train. Ties go to the smaller size, then to the first. With one split there is no standard
    error: the best is chosen. ``allowed`` (C,): those that may be chosen, None: all.
    """

    sizes: np.ndarray
    ratio: float
    allowed: np.ndarray | None = field(default=None, kw_only=True)

    def choose(self, scores: FoldScores) -> np.ndarray:
        """(B,) positions."""
        mean = scores.mean
        near_best = self.near_best(scores, self.best(mean))
        if self.allowed is not None:
            near_best &= self.allowed
        smallest = np.where(near_best, self.sizes, self.sizes.max() + 1).min(axis=1)
        there = near_best & (self.sizes == smallest[:, None])
        return np.where(there, mean, -np.inf).argmax(axis=1)

    def best(self, mean: np.ndarray) -> np.ndarray:
        """(B,) positions of the highest mean (B, C), of equals the smallest."""
        order = np.argsort(self.sizes, kind="stable")
        at = mean[:, order] if self.allowed is None else np.where(self.allowed, mean, -np.inf)[:, order]
        top = at.max(axis=1, keepdims=True)
        return order[(at >= top - ROUNDING * (1 + np.abs(top))).argmax(axis=1)]

    def near_best(self, scores: FoldScores, best: np.ndarray) -> np.ndarray:
        difference, error = self.differences(scores, best)
        return difference <= error + ROUNDING * (1 + np.abs(difference))

    def differences(self, scores: FoldScores, best: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(B, C) mean paired differences d̄ to the best, and their standard errors.

        Splits count by their weight v, so s_d² = Σ v² (d_j − d̄)² / (J − 1) over the J splits of weight above 0, v then
        with mean 1: the variance of a ratio of sums, which does not take folds of unequal size for differences.
        """
        S, v = scores
        d = S[np.arange(len(S)), best][:, None, :] - S  # v d_j
        mean = d.mean(axis=2)
        J = (v > 0).sum(axis=1)
        squares = ((d - mean[:, :, None] * v[:, None, :]) ** 2).sum(axis=2) * (J / v.shape[1])[:, None] ** 2
        variance = squares * (np.where(J > 1, self.correction(J), 0.0) / np.maximum(J - 1, 1))[:, None]
        return mean, np.sqrt(variance)

    def correction(self, J: int | np.ndarray) -> np.ndarray:
        """1/J + n_test/n_train."""
        return 1 / np.maximum(J, 1) + self.ratio
