"""Which road a fit takes, and why.

| rows | datafit | road |
|---|---|---|
| a file, streamed | squares | statistics: one pass, then everything happens on the Gram matrix |
| a file, streamed | classes | streamed: several passes over the file |
| in memory | squares, p ≤ 500, or p ≤ 5,000 and at least four rows (or stored numbers) per column | statistics |
| in memory | all else | operator: working sets of columns |

``precompute`` and ``solver`` overrule this table. ``half_road`` says where ``sparse_path`` has the Gram matrix in
single precision.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tamis._core.errors import InputError
from tamis.linear.plan import ROAD_OF_SOLVER, Plan
from tamis.solvers.gram_problem import GramProblem

FEW_COLUMNS = 500  # their Gram matrix costs less than the first sweeps over the rows
MANY_COLUMNS = 5_000  # a Gram matrix of 200 MB, and p³ flops to finish on it
TALL = 4  # rows per column from which one Gram matrix beats many passes over the columns


@dataclass(frozen=True)
class Road:
    """``name`` is "statistics", "operator" or "streamed"; ``why`` completes the sentence in ``road_``."""

    name: str
    why: str


def choose_road(rows: Any, plan: Plan, folds: bool = False) -> Road:
    """From the size of the table, where it is, the datafit, the penalty and what the user asked for."""
    passes = "operator" if rows.in_memory else "streamed"
    asked = _asked(plan)
    joint = rows.n_outputs > 1 and (folds or plan.grouped(rows.p))
    if asked is not None:
        name, why = asked
        if name == "statistics":
            _require_statistics(why, plan, joint)
            return Road(name, why)
        return Road(passes, why)
    if not plan.squared:
        return Road(passes, f"{type(plan.datafit).__name__} has no statistics that replace the rows")
    if not plan.compiled:
        return Road(passes, f"{type(plan.penalty).__name__} is solved by proximal steps on the rows")
    if joint:
        return Road(passes, "the targets are fitted together")
    if not rows.in_memory:
        return Road("statistics", "the rows are streamed and read once")
    return _by_size(rows)


def _by_size(rows: Any) -> Road:
    n, p = rows.n * rows.density, rows.p
    if p <= FEW_COLUMNS:
        return Road("statistics", f"{p:,} columns are few")
    if p <= MANY_COLUMNS and n >= TALL * p:
        return Road("statistics", f"{p:,} columns are few against the rows")
    return Road("operator", f"{p:,} columns are many against the rows: only those that matter are gathered")


def _asked(plan: Plan) -> tuple[str, str] | None:
    """The road that ``solver`` or ``precompute`` name, and the words for it."""
    if isinstance(plan.solver, str) and plan.solver in ROAD_OF_SOLVER:
        return ROAD_OF_SOLVER[plan.solver], f"solver={plan.solver!r} was asked for"
    if not isinstance(plan.solver, str):
        road = "statistics" if GramProblem in getattr(plan.solver, "needs", ()) else "operator"
        return road, f"solver={type(plan.solver).__name__}() was asked for"
    if plan.precompute is False:
        return "operator", "precompute=False was asked for"
    if plan.precompute is True:
        return "statistics", "precompute=True was asked for"
    if not isinstance(plan.precompute, str):
        return "statistics", "the Gram matrix was given"
    return None


def _require_statistics(why: str, plan: Plan, joint: bool) -> None:
    if plan.squared and plan.compiled and not joint:
        return
    what = type(plan.penalty if plan.squared else plan.datafit).__name__
    reason = f"{what} cannot be fitted from a Gram matrix" if not joint else "targets are fitted together on the rows"
    raise InputError(f"{why}, but {reason}: use solver='auto' and precompute='auto'")
