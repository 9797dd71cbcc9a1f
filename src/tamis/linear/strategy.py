"""Which strategy a fit follows, and why; and the problem made for it.

| rows | datafit | strategy |
|---|---|---|
| a file, streamed | squares | gram: one pass, then everything happens on the Gram matrix |
| a file, streamed | classes | streamed: working sets of columns, several passes over the file |
| a file beyond memory | classes, p ≤ 2,000 | streamed: all α in each pass, with the curvature of sampled rows |
| in memory | squares, p ≤ 500, or p ≤ 5,000 and at least four rows (or stored numbers) per column | gram |
| in memory | all else | working_set: working sets of columns |
| either | penalty MCP, SCAD, L0 or Lq | working_set or streamed: descent on working sets of columns |
| either | penalty Bridge, Box, SLOPE or Fused | fista: proximal steps on the rows |
| either | datafit or penalty of the user's own | fista: proximal steps on the rows |

``precompute`` and ``solver`` overrule this table; the words are those that ``solver`` takes. ``gram`` says where
``sparse_path`` has the Gram matrix in single precision.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tamis._core.errors import InputError
from tamis._core.progress import Steps, silent
from tamis.base.splits import Split
from tamis.base.training_data import TrainingData
from tamis.linear import gram, rows_problem
from tamis.linear.adaptive import adapt
from tamis.linear.alpha_choice import alpha_grid
from tamis.linear.fit_problem import FitProblem, SeparateTargets, leaves_free, with_certified_gaps
from tamis.linear.folds import Fold, GramFold, RowsFold
from tamis.linear.plan import SOLVERS, Plan
from tamis.linear.streamed import streamed_problem
from tamis.linear.working_set import in_memory_problem
from tamis.penalties import NonConvex
from tamis.solvers.paths import SolvedPath
from tamis.stats.fold_grams import fold_grams

FEW_COLUMNS = 500  # their Gram matrix costs less than the first sweeps over the rows
MANY_COLUMNS = 5_000  # a Gram matrix of 200 MB, and p³ flops to finish on it
TALL = 4  # rows per column from which one Gram matrix beats many passes over the columns


@dataclass(frozen=True)
class Strategy:
    """``name`` is the word that ``solver`` takes for it, or the class of a solver of the user's own; ``why`` completes
    the sentence in ``strategy_``.
    """

    name: str
    why: str


def choose_strategy(data: TrainingData, plan: Plan, folds: bool = False) -> Strategy:
    """From the size of the table, where it is, the datafit, the penalty, ``solver`` and ``precompute``."""
    request = _request(plan)
    joint = data.n_outputs > 1 and (folds or plan.grouped(data.p))
    if request is not None:
        on_gram, why = request
        if on_gram:
            _require_gram(why, plan, joint)
            return Strategy("gram", why)
        _require_file(data, plan)
        return _on_rows(data, plan, why)
    if not plan.squared:
        return _on_rows(data, plan, f"{type(plan.datafit).__name__} has no statistics that replace the rows")
    if not plan.compiled:
        how = "descent on the rows" if isinstance(plan.penalty, NonConvex) else "proximal steps on the rows"
        return _on_rows(data, plan, f"{type(plan.penalty).__name__} is solved by {how}")
    if joint:
        return _on_rows(data, plan, "the targets are fitted together")
    if not data.in_memory:
        return Strategy("gram", "the rows are streamed and read once")
    return _by_size(data, plan)


def _by_size(data: TrainingData, plan: Plan) -> Strategy:
    n, p = data.n * data.density, data.p
    if p <= FEW_COLUMNS:
        return Strategy("gram", f"{p:,} columns are few")
    if p <= MANY_COLUMNS and n >= TALL * p:
        return Strategy("gram", f"{p:,} columns are few against the rows")
    return _on_rows(data, plan, f"{p:,} columns are many against the rows: only those that matter are gathered")


def _on_rows(data: TrainingData, plan: Plan, why: str) -> Strategy:
    together = 1 if rows_problem.targets_are_separate(data, plan) else data.n_outputs
    return Strategy(plan.rows_solver_name(together, data.in_memory), why)


def _request(plan: Plan) -> tuple[bool, str] | None:
    """Whether ``solver`` or ``precompute`` ask for the Gram matrix, and the words for it; None where neither does."""
    if isinstance(plan.solver, str) and plan.solver in SOLVERS:
        return plan.solver == "gram", f"solver={plan.solver!r} was asked for"
    if not isinstance(plan.solver, str):
        from tamis.solvers.gram_problem import GramProblem

        return GramProblem in getattr(plan.solver, "needs", ()), f"solver={type(plan.solver).__name__}() was asked for"
    if isinstance(plan.precompute, bool):
        return plan.precompute, f"precompute={plan.precompute} was asked for"
    if not isinstance(plan.precompute, str):
        return True, "the Gram matrix was given"
    return None


def _require_gram(why: str, plan: Plan, joint: bool) -> None:
    if plan.squared and plan.compiled and not joint:
        return
    what = type(plan.penalty if plan.squared else plan.datafit).__name__
    reason = f"{what} cannot be fitted from a Gram matrix" if not joint else "targets are fitted together on the rows"
    argument = "precompute" if isinstance(plan.solver, str) and plan.solver == "auto" else "solver"
    raise InputError(f"{why}, but {reason}: use solver='auto' and precompute='auto'", argument=argument)


def _require_file(data: TrainingData, plan: Plan) -> None:
    if data.in_memory and isinstance(plan.solver, str) and plan.solver == "streamed":
        raise InputError(
            "solver='streamed' reads the rows of a file in several passes, but these rows are in memory: use "
            "solver='working_set', or give the file",
            argument="solver",
        )


def make_problem(data: TrainingData, plan: Plan, steps: Steps) -> tuple[FitProblem, str]:
    """The problem of all rows, and the sentence that says how it is solved and why so."""
    strategy = choose_strategy(data, plan)
    if strategy.name == "gram":
        total = gram.read_gram(data, plan, steps)
        problem = gram.problem_of(total, plan) if data.targets is None else gram.problem_of_targets(total, plan, data)
        return adapt(problem, plan), gram.describe(data, total, strategy.why)
    on_rows = problem_on_rows(data, plan)
    return adapt(on_rows, plan), rows_problem.describe(data, strategy.name, strategy.why, on_rows)


def make_problem_on_rows(data: TrainingData, plan: Plan) -> tuple[FitProblem, str] | None:
    """The problem on rows in memory, where the Gram matrix was chosen for its speed alone; else None.

    Sums of products do not resolve the spread of columns far from zero, nor by what unpenalised ones differ that nearly
    agree.
    """
    free_to_choose = isinstance(plan.solver, str) and plan.solver == "auto" and isinstance(plan.precompute, str)
    if not (free_to_choose and data.in_memory and choose_strategy(data, plan).name == "gram"):
        return None
    why = "the Gram matrix does not resolve by what the columns differ"
    plan = replace(plan, precompute=False)
    on_rows = problem_on_rows(data, plan)
    return adapt(on_rows, plan), rows_problem.describe(data, _on_rows(data, plan, why).name, why, on_rows)


def make_folds(
    data: TrainingData, plan: Plan, splits: Sequence[Split], steps: Steps
) -> tuple[FitProblem, list[Fold], str]:
    """The same, and every split: folds of a Gram matrix, or of rows."""
    if isinstance(plan.precompute, np.ndarray):
        # checked; each fold has a matrix of its own, and the total is their sum
        gram.precomputed_gram(data, plan.precompute)
        plan = replace(plan, precompute=True)
    strategy = choose_strategy(data, plan, folds=True)
    folds: list[Fold]
    if strategy.name == "gram":
        total, grams = fold_grams(data.source, splits, data.n, n_jobs=plan.n_jobs, steps=steps)
        folds = [GramFold(fold) for fold in grams]
        return adapt(gram.problem_of(total, plan), plan), folds, gram.describe(data, total, strategy.why)
    on_rows = problem_on_rows(data, plan)
    folds = [RowsFold(train, test, on_rows) for train, test in splits]
    return adapt(on_rows, plan), folds, rows_problem.describe(data, strategy.name, strategy.why, on_rows)


def solve_path(data: TrainingData, plan: Plan, alphas: Any, eps: float) -> tuple[SolvedPath, str]:
    """A whole path and the sentence, the Gram matrix in single precision where that saves time."""
    found = gram.two_precision_path(data, plan, alphas, eps, choose_strategy(data, plan).why)
    if found is not None and found[0].alphas[-1] > 0:
        return found
    problem, strategy = make_problem(data, plan, silent)
    path = problem.path(alpha_grid(alphas, problem.alpha_max, eps))
    return with_certified_gaps(problem, path, leaves_free(plan.penalty, data.p), plan.tol), strategy


def problem_on_rows(data: TrainingData, plan: Plan) -> rows_problem.RowsFitProblem | SeparateTargets:
    """In memory or streamed."""
    return in_memory_problem(data, plan) if data.in_memory else streamed_problem(data, plan)
