"""Which configuration is chosen: the smallest within one standard error of the best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

ROUNDING = 1e-12


@dataclass(frozen=True)
class Rule:
    """Of configurations with ``sizes`` (C,): the smallest size of one whose mean paired difference d to the best is
    within one standard error s_d √(1/J + n_test/n_train) (Nadeau and Bengio 2003); of that size the best of those.

    ``correction`` is 1/J + n_test/n_train. Ties go to the smaller size, then to the first. With one split there is no
    standard error: the best is chosen.
    """

    sizes: np.ndarray
    correction: float

    def choose(self, S: np.ndarray) -> np.ndarray:
        """(B,) positions for scores (B, C, J)."""
        mean = S.mean(axis=2)
        within = self.within(S, self.best(mean))
        smallest = np.where(within, self.sizes, self.sizes.max() + 1).min(axis=1)
        there = within & (self.sizes == smallest[:, None])
        return np.where(there, mean, -np.inf).argmax(axis=1)

    def best(self, mean: np.ndarray) -> np.ndarray:
        """(B,) positions of the highest mean (B, C), of equals the smallest."""
        order = np.argsort(self.sizes, kind="stable")
        at = mean[:, order]
        top = at.max(axis=1, keepdims=True)
        return order[(at >= top - ROUNDING * (1 + np.abs(top))).argmax(axis=1)]

    def within(self, S: np.ndarray, best: np.ndarray) -> np.ndarray:
        difference, error = self.differences(S, best)
        return difference <= error + ROUNDING * (1 + np.abs(difference))

    def differences(self, S: np.ndarray, best: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(B, C) mean paired differences to the best, and their standard errors."""
        d = S[np.arange(len(S)), best][:, None, :] - S
        J = S.shape[2]
        spread = d.std(axis=2, ddof=1) if J > 1 else np.zeros(d.shape[:2])
        return d.mean(axis=2), spread * np.sqrt(self.correction)
