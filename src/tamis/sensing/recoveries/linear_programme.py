"""The least ‖s‖₁ with A s = y as a linear programme, by the dual simplex method of HiGHS.

Far slower than the path of the lasso, which ends before its last kinks where columns differ so much in length that
these lie below the rounding of the first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linprog

from tamis.solvers.dense_columns import dense_columns

AT_MOST = 2**18  # entries of a matrix whose programme is solved
FEASIBLE = 1e-10  # the least that HiGHS takes


def l1_programme(A: Any, y: np.ndarray, seconds: float) -> tuple[np.ndarray, np.ndarray, int] | None:
    """Code, dual point w and pivots; None where nothing was found in so many seconds.

    Columns are given unit length, and costs and y at most 1, since tolerances of HiGHS are absolute.
    """
    X = dense_columns(A, np.arange(A.shape[1]))
    lengths = np.linalg.norm(X, axis=0)
    used = np.flatnonzero(lengths)
    X, costs = X[:, used] / lengths[used], 1 / lengths[used]
    highest, size = float(costs.max()), float(np.abs(y).max())
    options: dict[str, float] = {"primal_feasibility_tolerance": FEASIBLE, "dual_feasibility_tolerance": FEASIBLE}
    if np.isfinite(seconds):
        options["time_limit"] = max(seconds, 1e-3)
    solved = linprog(
        np.tile(costs / highest, 2), A_eq=np.hstack([X, -X]), b_eq=y / size, method="highs-ds", options=options
    )
    if solved.status != 0:
        return None
    s = np.zeros(A.shape[1])
    s[used] = (solved.x[: len(used)] - solved.x[len(used) :]) * size * costs
    return s, highest * solved.eqlin.marginals, int(solved.nit)
