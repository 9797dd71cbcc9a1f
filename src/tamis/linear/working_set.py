"""Rows in memory: working sets of columns, gathered from the matrix itself, and held-out rows taken from it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis._core.memory import fits_memory
from tamis.base.training_data import TrainingData
from tamis.linear.fit_problem import SeparateTargets
from tamis.linear.plan import Plan
from tamis.linear.rows_problem import RowsFitProblem, by_newton, one_per_target, targets_are_separate
from tamis.operators import as_operator
from tamis.sources import require_complete
from tamis.sources.views import as_run


@dataclass(frozen=True)
class InMemoryFitProblem(RowsFitProblem):
    """``matrix`` is the array or sparse array behind ``A``."""

    matrix: Any = None

    def _some_rows(self, test: np.ndarray, used: np.ndarray) -> Any:
        return None if self.shift.any() else _rows_of(self.matrix, test, used)


def in_memory_problem(data: TrainingData, plan: Plan) -> RowsFitProblem | SeparateTargets:
    """The problem of rows in memory; complains about missing and infinite values by column."""
    matrix = data.matrix
    if sp.issparse(matrix) and matrix.format == "csr" and by_newton(plan, data.n_outputs):
        again = matrix.nnz * (matrix.dtype.itemsize + matrix.indices.itemsize)
        matrix = matrix.tocsc() if fits_memory(again) else matrix  # read column by column, again and again
    make = partial(InMemoryFitProblem, as_operator(matrix, n_jobs=plan.n_jobs), matrix=data.matrix)
    if targets_are_separate(data, plan):
        _require_finite(data)
        return one_per_target(make, data, plan)
    problem = make(data.y, data.weight, plan)
    # A column with a missing or infinite value has no finite mean, and the means are needed anyway.
    with np.errstate(all="ignore"):
        finite = plan.fit_intercept and bool(np.isfinite(problem.scaled.means()).all())
    if not finite:
        _require_finite(data)
    return problem


def _require_finite(data: TrainingData) -> None:
    """The sum of all values is finite unless one of them is not."""
    values = data.matrix.data if sp.issparse(data.matrix) else data.matrix
    with np.errstate(all="ignore"):
        if np.isfinite(values.sum(dtype=np.float64)) or np.isfinite(values).all():
            return
    require_complete(data.source)


def _rows_of(X: Any, test: np.ndarray, used: np.ndarray) -> Any:
    """X at some rows and columns, in float64; a run of rows is a view on the way."""
    if sp.issparse(X):
        return (X[:, used].tocsr()[test] if X.format == "csc" else X[test][:, used]).astype(np.float64)
    run = as_run(test)
    return (X[np.ix_(test, used)] if run is None else X[run][:, used]).astype(np.float64, copy=False)
