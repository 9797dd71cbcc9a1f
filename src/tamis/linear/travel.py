"""From rows and a plan to a problem standing on its road."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tamis._core.progress import Steps
from tamis.linear.door import Rows
from tamis.linear.folds import Fold, RowsFold, Split, gram_folds
from tamis.linear.operator_road import describe as describe_rows
from tamis.linear.operator_road import stand_on_rows
from tamis.linear.penalising import adapt
from tamis.linear.plan import Plan
from tamis.linear.roads import Road, choose_road
from tamis.linear.standing import Standing
from tamis.linear.statistics_road import describe, gram_of, precomputed_gram, stand, stand_targets


def stand_on(rows: Rows, plan: Plan, steps: Steps) -> tuple[Standing, str]:
    """The problem of all rows, and the sentence that says how it is solved and why so."""
    road = choose_road(rows, plan)
    if road.name == "statistics":
        gram = gram_of(rows, plan, steps)
        standing = stand(gram, plan) if rows.targets is None else stand_targets(gram, plan, rows)
        return adapt(standing, plan), describe(rows, gram, road.why)
    on_rows = stand_on_rows(rows, plan)
    return adapt(on_rows, plan), describe_rows(rows, road, on_rows)


def stand_again(rows: Rows, plan: Plan) -> tuple[Standing, str] | None:
    """The problem on rows, where statistics were chosen for their speed alone and the rows are at hand.

    Without an intercept, sums of products of columns far from zero do not resolve the spread of these.
    """
    free_to_choose = isinstance(plan.solver, str) and plan.solver == "auto" and isinstance(plan.precompute, str)
    if not (free_to_choose and rows.in_memory and choose_road(rows, plan).name == "statistics"):
        return None
    why = "the Gram matrix does not resolve columns so far from zero"
    on_rows = stand_on_rows(rows, replace(plan, precompute=False))
    return adapt(on_rows, plan), describe_rows(rows, Road("operator", why), on_rows)


def stand_folds(rows: Rows, plan: Plan, splits: Sequence[Split], steps: Steps) -> tuple[Standing, list[Fold], str]:
    """The same, and every split: folds of a Gram matrix, or of rows."""
    if isinstance(plan.precompute, np.ndarray):
        # checked; each fold has a matrix of its own, and the total is their sum
        precomputed_gram(rows, plan.precompute)
        plan = replace(plan, precompute=True)
    road = choose_road(rows, plan, folds=True)
    if road.name == "statistics":
        gram, folds = gram_folds(rows, splits, n_jobs=plan.n_jobs, steps=steps)
        return adapt(stand(gram, plan), plan), list(folds), describe(rows, gram, road.why)
    standing = stand_on_rows(rows, plan)
    folds_of_rows = [RowsFold(train, test, standing) for train, test in splits]
    return adapt(standing, plan), list(folds_of_rows), describe_rows(rows, road, standing)
