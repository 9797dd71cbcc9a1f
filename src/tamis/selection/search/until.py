"""When a search that adds columns ends: where the score gets no better, or where what is gained may be chance."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.checks import check_choice
from tamis._core.errors import InputError
from tamis.selection.search.base import (
    Additions,
    AdditionsWithPValues,
    Best,
    Index,
    Search,
    Stop,
    best_of,
    tie_tolerance,
)

UNTIL = ("best", "significant")
LEVEL = 0.05
ENDS_BY_CHANCE = f"It ended where no further column told more than chance would (p > {LEVEL})."


class Kept(Best):
    """Where time is up, what was kept so far: a better score may be chance."""

    def offer(self, subset: Index, score: float, tol: float = 0.0) -> bool:
        return False


class AddsUntil(Search):
    """A search that adds columns ``until`` its score is best, or as long as they are significant."""

    until: str

    @property
    def tests_columns(self) -> bool:  # type: ignore[override]
        return self.until == "significant"

    def objection(self, evaluation: Any) -> str:
        check_choice("until", self.until, UNTIL)
        if self.tests_columns and not evaluation.tests_columns:
            return (
                f'until="significant" shuffles the target given the columns that were chosen, which '
                f'{type(evaluation).__name__} has no way to: use until="best", or an evaluation by counts '
                "(InformationGain, SymmetricUncertainty, …) or LinearFit"
            )
        return super().objection(evaluation)

    def best(self, low: int, high: int) -> Best:
        return Kept(low, high) if self.tests_columns else super().best(low, high)

    def bounds(self, stop: Stop, p: int) -> tuple[int, int]:
        """Fewest and most columns; none has to be taken where the user asked for none and none is significant."""
        check_choice("until", self.until, UNTIL)
        if self.tests_columns and stop.n_features is not None:
            raise InputError(
                f'until="significant" ends by itself, but n_features asks for exactly {stop.n_features}: leave it out, '
                "or give the fewest and the most, as (1, 10)",
                argument="n_features",
            )
        low, high = stop.bounds(p)
        return 0 if self.tests_columns and stop.most is None else low, high

    def whole_range(self, stop: Stop) -> bool:
        """Whether it goes on to the most columns asked for, to take the best size then."""
        return stop.ranged and not self.tests_columns

    def additions(self, parent: Index, candidates: Any, rng: np.random.Generator) -> Additions:
        """The next columns to try."""
        if self.tests_columns:
            return AdditionsWithPValues(parent, candidates, int(rng.integers(2**63)))
        return Additions(parent, candidates)

    def best_addition(self, batch: Additions, scores: np.ndarray, last: float, tol: float) -> tuple[int, str, str]:
        """Position of the best column, why it is the best, and why it is not good enough, "" where it is.

        By p-values the best is that of the best score among the significant ones: an identifier, whose score no
        target can lower, is passed over.
        """
        if not isinstance(batch, AdditionsWithPValues):
            position, reason = best_of(batch, scores)
            enough = scores[position] > last + tol + tie_tolerance(last)
            return position, reason, "" if enough else "no better than the last"
        pvalues = np.ones(len(batch)) if batch.pvalues is None else batch.pvalues
        significant = pvalues <= LEVEL
        some = significant.any()
        position, reason = best_of(batch, np.where(significant, scores, -np.inf) if some else scores)
        if some and scores[position] < scores.max() - tie_tolerance(float(scores.max())):
            reason = f"{reason} of the significant ones"
        reason = f"{reason}, p = {pvalues[position]:.3g}"
        if scores[position] <= last + tol + tie_tolerance(last):
            return position, reason, "no better than the last"
        return position, reason, "" if some else f"not below {LEVEL}"
