"""Searches that draw."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from tamis._core.checks import check_count
from tamis.selection.search.base import Best, Index, Run, Search, Stop, Subsets


class LasVegas(Search):
    """Random subsets; one that scores higher, or as high with fewer columns, becomes the best.

    It ends after ``patience`` draws in a row that bring nothing better. Subsets drawn again count as such a draw and
    are not evaluated again. Without ``n_features`` every subset is as likely as any other.

    References: Liu and Setiono (1996); Zhou, Machine Learning, figure 11.1.
    """

    def __init__(self, patience: int = 100) -> None:
        self.patience = patience

    def run(self, p: int, stop: Stop, rng: np.random.Generator) -> Run:
        patience = check_count("patience", self.patience)
        low, high = stop.bounds(p)
        best = Best(low, high)
        seen: set[Index] = set()
        vain = 0
        while vain < patience:
            subset = self._draw(p, low, high, rng)
            vain += 1
            if subset in seen:
                continue
            seen.add(subset)
            questions = Subsets([subset])
            score = float((yield questions)[0])
            before = best.subset
            best.offer(subset, score)
            if best.subset is not before:
                questions.keep(0, "best so far")
                vain = 0
        return best.subset or ()

    @staticmethod
    def _draw(p: int, low: int, high: int, rng: np.random.Generator) -> Index:
        """Each subset of the sizes asked for with the same probability."""
        sizes = np.arange(low, high + 1)
        logs = -gammaln(sizes + 1) - gammaln(p - sizes + 1)  # of the binomial coefficients, but for a constant
        shares = np.exp(logs - logs.max())
        size = int(rng.choice(sizes, p=shares / shares.sum()))
        return tuple(sorted(int(j) for j in rng.choice(p, size, replace=False)))
