"""The statistics road in two precisions: where a Gram matrix in double is most of the work of a path.

It is taken for a lasso with an intercept on a dense float64 table in memory, with no weights, of at least 400 columns,
8 rows for each of them and 4 columns for each α. The Gram matrix then costs n p² flops, of which single precision saves
half, and the residuals of m alphas at most 4 n p m.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.threads import thread_count
from tamis.linear.alphas import choose_alphas
from tamis.linear.door import Rows
from tamis.linear.plan import Plan
from tamis.linear.roads import choose_road
from tamis.penalties import L1
from tamis.solvers.mixed_precision_path import MixedPrecisionPath
from tamis.solvers.paths import SolvedPath
from tamis.sources.base import matrix_of
from tamis.stats.gram import check_room
from tamis.stats.half_gram import HalfGram

COLUMNS = 400
ROWS_PER_COLUMN = 8
COLUMNS_PER_ALPHA = 4


def half_path(rows: Rows, plan: Plan, alphas: Any, eps: float) -> tuple[SolvedPath, str] | None:
    """The path and how it was found; None where this is not the road to take, or it did not reach its end."""
    X = matrix_of(rows.source)
    if (
        not HalfGram.takes(X)
        or not _plain(rows, plan)
        or not _worthwhile(X, len(choose_alphas(alphas, lambda: 1.0, eps)))
    ):
        return None
    check_room(rows.p, copies=3)
    n_threads, y = thread_count(plan.n_jobs), np.ascontiguousarray(rows.y, dtype=np.float64)
    half = HalfGram.of(X, y, n_threads)
    if not half.usable:
        return None
    chosen = choose_alphas(alphas, half.alpha_max, eps)
    solved = MixedPrecisionPath(plan.tol, plan.max_iter, n_threads).path(half, X, y, chosen)
    return None if solved is None else (solved, _describe(rows, choose_road(rows, plan).why))


def _plain(rows: Rows, plan: Plan) -> bool:
    penalty = plan.penalty
    lasso = type(penalty) is L1 and not penalty.positive and bool((penalty.terms(rows.p).l1 == 1).all())
    simple = plan.squared and plan.fit_intercept and not plan.standardize and not plan.adaptive
    chosen = plan.solver == "auto" and isinstance(plan.precompute, str)
    return lasso and simple and chosen and rows.targets is None and rows.weight is None


def _worthwhile(X: np.ndarray, n_alphas: int) -> bool:
    n, p = X.shape
    return p >= COLUMNS and n >= ROWS_PER_COLUMN * p and p >= COLUMNS_PER_ALPHA * n_alphas


def _describe(rows: Rows, why: str) -> str:
    size = 8 * rows.p**2 / 1e6
    return (
        f"statistics: one pass over {rows.n:,} rows (in memory) leaves a {rows.p:,} × {rows.p:,} Gram matrix of "
        f"{size:.3g} MB in single precision, a second corrects the path in double; {why}"
    )
