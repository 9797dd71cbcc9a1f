"""The one-standard-error rule: the smallest subset whose score is within one standard error of the best."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tamis._core.checks import check_choice
from tamis._core.errors import InputError
from tamis.selection.evaluation import Evaluation
from tamis.selection.history import History
from tamis.selection.search.base import Index, Stop, SubsetBatch, tie_tolerance


class EvaluatedSubset(NamedTuple):
    """A subset that was evaluated."""

    subset: Index
    score: float
    spread: float
    batch: SubsetBatch
    position: int

    def order(self) -> tuple[int, list[int]]:
        """Fewer columns first, then lower ones."""
        return len(self.subset), sorted(self.subset)

    def mark(self, reason: str) -> None:
        """As the one that was taken."""
        before = self.batch.reasons.get(self.position, "") if self.position in self.batch.kept else ""
        self.batch.keep(self.position, f"{before}; {reason}" if before else reason)


def check_rule(rule: Any, evaluation: Evaluation, state: Any, stop: Stop) -> bool:
    """Whether the one-standard-error rule is asked for; an error where it cannot be used."""
    if check_choice("rule", rule, ("best", "1se")) == "best":
        return False
    if evaluation.n_scores(state) < 2:
        raise InputError(
            f"rule='1se' needs scores that are means over several folds, and those of {type(evaluation).__name__} are "
            "none here: use CrossValidated or LinearFit by cross-validation, or rule='best'"
        )
    if stop.n_features is not None:
        raise InputError(
            "rule='1se' chooses between sizes, and n_features as one number leaves none to choose: give a range "
            "(fewest, most), or leave one of the two out"
        )
    return True


def smallest_within_one_error(history: History, n_folds: int, low: int, high: int) -> Index | None:
    """Of the evaluated subsets of the sizes asked for, the smallest whose score is at most one standard error below
    the best (of equals the smallest); of equal size the best, then the lowest columns. None where none could be
    evaluated.

    The standard error of a mean over k folds is s/√k, s² being their variance with k − 1 degrees of freedom.
    """
    rows = [EvaluatedSubset(batch[i], score, spread, batch, i) for batch, i, score, spread in history.subsets()]
    rows = [row for row in rows if low <= len(row.subset) <= high and not np.isnan(row.score)]
    if not rows:
        return None
    top = max(row.score for row in rows)
    best = min((row for row in rows if row.score >= top - tie_tolerance(top)), key=EvaluatedSubset.order)
    error = best.spread / np.sqrt(n_folds - 1)  # spread² has k degrees of freedom
    near = [row for row in rows if row.score >= top - error - tie_tolerance(top)]
    fewest = min(len(row.subset) for row in near)
    most = max(row.score for row in near if len(row.subset) == fewest)
    taken = min(
        (r for r in near if len(r.subset) == fewest and r.score >= most - tie_tolerance(most)),
        key=EvaluatedSubset.order,
    )
    taken.mark(f"the smallest within one standard error, {error:.3g}, of the best score, {top:.6g}")
    return taken.subset
