"""Elimination by the weights of a model."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from tamis._core.checks import check_count, check_number
from tamis._core.errors import InputError
from tamis.selection.description import SearchDescription
from tamis.selection.search.base import Best, Run, Search, Stop, SubsetWithWeights


class Recursive(Search):
    """Starts from all columns, fits a model on them, and strikes out those of the smallest weight.

    Every model on the way is scored. With ``n_features`` it ends there; of a range, or without, the best score wins,
    of equals the fewest columns. For evaluations with a model behind them (LinearFit, CrossValidated). Ties in weight
    strike out the lowest column first.

    Parameters
    ----------
    step : int or float
        How many columns go at a time; a share below 1 means of those that are left.

    References: Guyon et al. (2002).
    """

    def __init__(self, step: float = 1) -> None:
        self.step = step

    def describe(self) -> SearchDescription:
        return SearchDescription(
            "recursive",
            "It starts with all columns, fits a model on them, and strikes out the one of the smallest weight, again "
            "and again.",
            "It ended at one column, and took the size that scored best.",
        )

    def objection(self, evaluation: Any) -> str:
        if not evaluation.has_weights:
            return (
                f"Recursive asks a model for its weights, and {type(evaluation).__name__} has none: use LinearFit or "
                "CrossValidated, or the search Backward"
            )
        return super().objection(evaluation)

    def run(self, p: int, stop: Stop, rng: np.random.Generator) -> Run:
        del rng
        low, high = stop.bounds(p)
        best = Best(low, high)
        subset = tuple(range(p))
        kept = None
        while True:
            batch = SubsetWithWeights([subset])
            score = float((yield batch)[0])
            batch.keep(0, "all columns" if len(subset) == p else "what is left without the smallest weights")
            before = best.subset
            best.offer(subset, score)
            kept = batch if best.subset is not before else kept
            if batch.weights is None or len(subset) <= max(low, 1):
                break
            removed = self._smallest(batch.weights, len(subset), low, high)
            subset = tuple(j for i, j in enumerate(subset) if i not in removed)
        if kept is not None:
            kept.keep(0, "the best score of all sizes" if low < high else "the size asked for")
        return best.subset or subset

    def _smallest(self, weights: np.ndarray, size: int, low: int, high: int) -> set[int]:
        """Positions of those to go: not past the sizes that were asked for."""
        n_gone = min(self._count(size), size - (high if size > high else max(low, 1)))
        return set(np.argsort(weights, kind="stable")[: max(1, n_gone)].tolist())

    def _count(self, size: int) -> int:
        if isinstance(self.step, Integral) and not isinstance(self.step, bool):
            return check_count("step", self.step)
        share = check_number("step", self.step, above=0)
        if share >= 1:
            raise InputError(
                f"step={self.step!r} must be a whole number of columns or a share below 1", argument="step"
            )
        return int(share * size)
