"""Rows of a file: working sets of columns, and every product with X a pass over the file."""

from __future__ import annotations

from functools import partial

from tamis.base.training_data import TrainingData
from tamis.linear.fit_problem import SeparateTargets
from tamis.linear.plan import Plan
from tamis.linear.rows_problem import RowsFitProblem, one_per_target, targets_are_separate
from tamis.operators import as_operator
from tamis.sources import require_complete


def streamed_problem(data: TrainingData, plan: Plan) -> RowsFitProblem | SeparateTargets:
    """The problem of streamed rows; complains about missing and infinite values by column."""
    make = partial(RowsFitProblem, as_operator(data.source, n_jobs=plan.n_jobs))
    require_complete(data.source)
    return one_per_target(make, data, plan) if targets_are_separate(data, plan) else make(data.y, data.weight, plan)
