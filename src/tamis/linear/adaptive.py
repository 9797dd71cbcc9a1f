"""The penalty of a fit: bound to its columns, and with adaptive weights from a first ridge fit (Zou 2006)."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.checks import check_choice
from tamis.base.training_data import TrainingData
from tamis.linear.fit_problem import FitProblem
from tamis.linear.plan import Plan
from tamis.penalties import KINDS, L1, L2, HasColumns, Penalty, adaptive_weights, as_penalty

RIDGE = 1e-2  # of the mean variance of the columns: enough for a first fit where columns depend on each other


def bind(given: Any, data: TrainingData) -> Penalty:
    """The penalty with its weights and groups as arrays; names of columns and one-hot blocks come from the rows."""
    if isinstance(given, str):
        check_choice("penalty", given, (*KINDS, "adaptive"))
    penalty = as_penalty("l1" if is_adaptive(given) else given)
    if isinstance(penalty, HasColumns):
        penalty = penalty.bound(data.p, data.names, data.encoded_from)
    return penalty


def is_adaptive(given: Any) -> bool:
    return isinstance(given, str) and given == "adaptive"


def adapt(problem: FitProblem, plan: Plan) -> FitProblem:
    """Where the plan is adaptive, with L1 weights 1 / (|w₀| / max|w₀| + 0.001), w₀ a ridge fit of the same rows in
    units of the columns' spread.
    """
    if not plan.adaptive:
        return problem
    first = problem.with_penalty(L2()).path(np.array([RIDGE * float(np.mean(problem.scale**2))]))
    size = np.sqrt(np.square(first.coefs[-1].reshape(-1, len(problem.scale))).sum(axis=0)) * problem.scale
    return problem.with_penalty(L1(weights=adaptive_weights(size / (size.max(initial=0.0) or 1.0))))
