"""Permutation p-values of relevances, and Benjamini and Hochberg's rule, which keeps the false discovery rate low."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tamis._core.progress import Steps
from tamis.selection.relief.table import ReliefTable

CLEAR = 0.02  # false discovery rate of the columns that are held while the others are shuffled
LOOKS = 3  # how often the clear ones are sought anew


def benjamini_hochberg(pvalues: np.ndarray, fdr: float) -> np.ndarray:
    """The columns that Benjamini and Hochberg's rule keeps at this false discovery rate, by rising p-value."""
    order = np.argsort(pvalues, kind="stable")
    below = np.flatnonzero(pvalues[order] <= fdr * np.arange(1, len(order) + 1) / len(order))
    return order[: below[-1] + 1] if len(below) else order[:0]


def permutation_pvalues(
    relevance: Callable[[ReliefTable], np.ndarray],
    table: ReliefTable,
    observed: np.ndarray,
    n_permutations: int,
    rng: np.random.Generator,
    steps: Steps,
) -> np.ndarray:
    """p-values of columns that have nothing to do with the target.

    First the target is shuffled. That is right where no column tells anything; but columns that do change who is near
    whom, and with it how much the others vary: beside strong ones most columns seem to tell something. So clear ones
    are held with the target, and the rows of the others are shuffled together, which keeps their relations to each
    other; first the more relevant half of what seems clear, then what is clear beside it, again until it stays.
    """
    n, p, times = table.n, len(observed), range(n_permutations)
    drawn = [relevance(table.permuted(rng.permutation(n))) for _ in steps(times, "shuffling the target")]
    target = PermutationScores(observed, np.array(drawn))
    pvalues, before = target.pvalues(target.z_scores), np.empty(0, np.intp)
    for look in range(LOOKS):
        clear = benjamini_hochberg(pvalues, CLEAR)
        if look == 0:
            clear = clear[np.argsort(-observed[clear], kind="stable")][: (len(clear) + 1) // 2]
        clear = np.sort(clear)
        rest = np.setdiff1d(np.arange(p), clear)
        if not len(clear) or not len(rest) or np.array_equal(clear, before):
            break
        drawn = [relevance(table.shuffled(rest, rng.permutation(n)))[rest] for _ in steps(times, "shuffling columns")]
        columns, z_scores = PermutationScores(observed[rest], np.array(drawn)), np.empty(p)
        z_scores[rest], z_scores[clear] = columns.z_scores, target.rescaled(clear, rest, columns).z_scores
        pvalues, before = columns.pvalues(z_scores), clear
    return pvalues


class PermutationScores:
    """Relevance of columns in shuffled tables, each column on its own scale: by the mean and standard deviation of
    all its values, the observed one among them, so that where chance rules the observed one is like the others."""

    def __init__(self, observed: np.ndarray, drawn: np.ndarray) -> None:
        every = np.vstack([observed, drawn])
        self.observed, self.drawn = observed, drawn
        self.mean, self.scale = every.mean(axis=0), every.std(axis=0)
        scores = (every - self.mean) / np.where(self.scale > 0, self.scale, 1.0)
        self.z_scores = scores[0]
        self.pool = np.sort(scores[1:, self.scale > 0].ravel())

    def pvalues(self, z_scores: np.ndarray) -> np.ndarray:
        """The share of all shuffled columns whose z-score is as high, the observed one counted in."""
        above = len(self.pool) - np.searchsorted(self.pool, z_scores, side="left")
        return (1 + above) / (1 + len(self.pool))

    def rescaled(self, clear: np.ndarray, rest: np.ndarray, after: PermutationScores) -> PermutationScores:
        """The clear columns, as if they had been shuffled with the rest: moved and stretched as it was on the whole."""
        mean, scale = self.drawn.mean(axis=0), self.drawn.std(axis=0)
        varies = (scale[rest] > 0) & (after.scale > 0)
        if not varies.any():
            return PermutationScores(self.observed[clear], self.drawn[:, clear])
        like = rest[varies]
        shift = np.median((after.mean[varies] - mean[like]) / scale[like])
        stretch = np.median(after.scale[varies] / scale[like])
        drawn = mean[clear] + shift * scale[clear] + stretch * (self.drawn[:, clear] - mean[clear])
        return PermutationScores(self.observed[clear], drawn)
