"""From rows and a plan to a problem standing on its road."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tamis._core.progress import Steps
from tamis.base.splits import Split
from tamis.base.training_data import TrainingData
from tamis.linear.adaptive import adapt
from tamis.linear.fit_problem import Standing
from tamis.linear.folds import Fold, GramFold, RowsFold
from tamis.linear.gram import describe, gram_of, precomputed_gram, stand, stand_targets
from tamis.linear.plan import Plan
from tamis.linear.rows_problem import describe as describe_rows
from tamis.linear.rows_problem import stand_on_rows
from tamis.linear.strategy import choose_road
from tamis.stats.fold_grams import fold_grams


def stand_on(rows: TrainingData, plan: Plan, steps: Steps) -> tuple[Standing, str]:
    """The problem of all rows, and the sentence that says how it is solved and why so."""
    road = choose_road(rows, plan)
    if road.name == "statistics":
        gram = gram_of(rows, plan, steps)
        standing = stand(gram, plan) if rows.targets is None else stand_targets(gram, plan, rows)
        return adapt(standing, plan), describe(rows, gram, road.why)
    on_rows = stand_on_rows(rows, plan)
    return adapt(on_rows, plan), describe_rows(rows, road, on_rows)


def stand_folds(
    rows: TrainingData, plan: Plan, splits: Sequence[Split], steps: Steps
) -> tuple[Standing, list[Fold], str]:
    """The same, and every split: folds of a Gram matrix, or of rows."""
    if isinstance(plan.precompute, np.ndarray):
        # checked; each fold has a matrix of its own, and the total is their sum
        precomputed_gram(rows, plan.precompute)
        plan = replace(plan, precompute=True)
    road = choose_road(rows, plan, folds=True)
    if road.name == "statistics":
        gram, grams = fold_grams(rows.source, splits, rows.n, n_jobs=plan.n_jobs, steps=steps)
        return adapt(stand(gram, plan), plan), [GramFold(fold) for fold in grams], describe(rows, gram, road.why)
    standing = stand_on_rows(rows, plan)
    folds_of_rows = [RowsFold(train, test, standing) for train, test in splits]
    return adapt(standing, plan), list(folds_of_rows), describe_rows(rows, road, standing)
