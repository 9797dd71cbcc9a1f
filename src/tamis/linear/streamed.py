"""Rows of a file: working sets of columns, and every product with X a pass over the file.

Working sets gather the columns that matter, all rows of them. Where memory does not hold that, losses with a curvature
(classes, counts) are minimised for all α at once by passes, with the curvature of a sample of the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from tamis._core.memory import fits_memory
from tamis.base.training_data import TrainingData
from tamis.linear.fit_problem import SeparateTargets, leaves_free
from tamis.linear.plan import Plan
from tamis.linear.rows_problem import RowsFitProblem, one_per_target, targets_are_separate
from tamis.operators import as_operator
from tamis.solvers.paths import SolvedPath
from tamis.solvers.problem import OperatorProblem
from tamis.solvers.requirements import unmet
from tamis.solvers.sampled_newton import SampledNewton, predicted_blocks
from tamis.sources import require_complete
from tamis.sources.base import workers_of

GATHERED = 16  # bytes of a number in a gathered column: itself, and weighted by the curvature
MANY_COLUMNS = 2_000  # from which the models of steps, p² numbers each, would cost more than gathering the few


@dataclass(frozen=True)
class StreamedFitProblem(RowsFitProblem):
    """``by_passes``: whether the columns that matter may be too many to be gathered."""

    by_passes: bool = False

    def solver(self, alphas: np.ndarray) -> Any:
        return self._newton() if self._suits_newton and (alphas > 0).all() else super().solver(alphas)

    def _newton(self) -> SampledNewton:
        return SampledNewton(self.plan.tol, self.plan.max_iter, max(0, self.plan.seed), self.plan.n_jobs)

    @cached_property
    def _suits_newton(self) -> bool:
        """Whether rows are read again and the problem is one of those that ``SampledNewton`` takes."""
        plan, p = self.plan, self.A.shape[1]
        if not (self.by_passes and self.n_outputs == 1 and plan.solver in ("auto", "streamed")):
            return False
        taken = unmet(self._newton(), plan.datafit, plan.penalty) == [OperatorProblem]
        return taken and not plan.grouped(p) and not leaves_free(plan.penalty, p)

    def columns_read(self) -> str:
        if not self._suits_newton:
            return super().columns_read()
        rows = min(self.n, self._newton().sample_size(self.A.shape[1]))
        return f"; memory does not hold it: passes serve all α at once, with the curvature of {rows:,} sampled rows"

    def losses(self, path: SolvedPath, test: np.ndarray | None = None, weight: np.ndarray | None = None) -> np.ndarray:
        """The same, block by block: predictions of all rows and α at once are as large as the table."""
        if not self.by_passes or self.n_outputs > 1:
            return super().losses(path, test, weight)
        times = np.ones(self.n) if test is None else np.bincount(test, minlength=self.n).astype(np.float64)
        if test is not None and weight is not None:
            times[test] = 0.0
            np.add.at(times, test, weight)
        elif test is None and self.weight is not None:
            times = self.weight
        total, found = float(times.sum()), np.zeros(len(path.alphas))
        inner = np.array([self._inner(w, b) for w, b in zip(path.coefs, path.intercepts, strict=True)])
        for some, rows, _, Z in predicted_blocks(self._about_means[0], path.coefs, inner, times):
            y, s = self.y[rows], times[rows]
            found[some] += s.sum() / total * np.array([self.plan.datafit.value(y, z, s) for z in Z.T])
        return (2.0 if self.plan.squared else 1.0) * found


def streamed_problem(data: TrainingData, plan: Plan) -> RowsFitProblem | SeparateTargets:
    """The problem of streamed rows; complains about missing and infinite values by column."""
    too_large = not fits_memory(GATHERED * data.n * data.p) and workers_of(data.source) is None
    make = partial(
        StreamedFitProblem, as_operator(data.source, n_jobs=plan.n_jobs), by_passes=too_large and data.p <= MANY_COLUMNS
    )
    require_complete(data.source)
    return one_per_target(make, data, plan) if targets_are_separate(data, plan) else make(data.y, data.weight, plan)
