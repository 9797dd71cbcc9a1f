"""Whole paths of solutions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis._core.evidence import Status
from tamis._core.progress import silent
from tamis.datafits import ForClasses, as_datafit
from tamis.linear.alphas import choose_alphas, require_room
from tamis.linear.classifier import SparseClassifier
from tamis.linear.door import Rows, open_rows
from tamis.linear.half_road import half_path
from tamis.linear.plan import Plan
from tamis.linear.regressor import SparseRegressor
from tamis.linear.travel import stand_on
from tamis.solvers.paths import SolvedPath


@dataclass(frozen=True)
class Path:
    """Solutions along descending alphas with their duality gaps.

    ``coefs`` is (n_alphas, p), or (n_alphas, K, p) for several targets or more than two classes; ``names`` are those of
    the p columns.
    """

    alphas: np.ndarray
    coefs: np.ndarray
    intercepts: np.ndarray
    gaps: np.ndarray
    statuses: list[Status]
    road: str
    names: list[str]

    @property
    def coefs_sparse(self) -> sp.csr_array:
        """(n_alphas, p); several outputs side by side."""
        return sp.csr_array(self.coefs.reshape(len(self.alphas), -1))


def sparse_path(
    X: Any,
    y: Any = None,
    datafit: Any = "squared",
    penalty: Any = "l1",
    *,
    alphas: Any = 100,
    eps: float = 1e-2,
    fit_intercept: bool = True,
    standardize: bool = False,
    sample_weight: Any = None,
    solver: Any = "auto",
    tol: float = 1e-7,
    max_iter: int = 1000,
    n_jobs: int | None = None,
) -> Path:
    """The whole path: argmin Σ sᵢ ℓ(yᵢ, xᵢᵀw + b) / Σ sᵢ + α Ω(w) for each α.

    Parameters
    ----------
    X, y, sample_weight
        A table and its target: anything ``as_source`` takes; y may be the name of a column. Labels for a datafit of
        classes.
    datafit : "squared", "logistic" or a Datafit
    penalty : "l1", "l2", "l1l2", "group", "sparse_group", "adaptive" or a Penalty
    alphas : int or array
        How many values from α_max down to ``eps`` · α_max, or the values themselves.
    standardize : bool
        Penalise as if every column had unit variance. Coefficients are those of the columns as given.
    fit_intercept, solver, tol, max_iter, n_jobs
        As in SparseRegressor.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis import sparse_path
    >>> X = np.eye(4)[:, :2]
    >>> path = sparse_path(X, [3.0, 1.0, 0.0, 0.0], alphas=[0.5, 0.125], fit_intercept=False)
    >>> path.coefs
    array([[1. , 0. ],
           [2.5, 0.5]])
    """
    options = {
        "fit_intercept": fit_intercept, "standardize": standardize, "solver": solver, "tol": tol, "max_iter": max_iter,
        "n_jobs": n_jobs,
    }  # fmt: skip
    if isinstance(as_datafit(datafit), ForClasses):
        classifier = SparseClassifier(datafit, penalty, **options)
        rows, fitted = classifier._open(X, y, sample_weight)
        plan = classifier._plan(rows, fitted)
    else:
        regressor = SparseRegressor(datafit, penalty, **options)
        rows = open_rows(regressor, X, y, sample_weight, name="sparse_path")
        plan = regressor._plan(rows, regressor._datafit())
    require_room(alphas, rows.p * rows.n_outputs)
    path, road = half_path(rows, plan, alphas, eps) or _whole_path(rows, plan, alphas, eps)
    statuses = [Status.CONVERGED if ok else Status.MAX_ITER for ok in path.converged]
    return Path(path.alphas, path.coefs, path.intercepts, path.gaps, statuses, road, list(rows.source.names))


def _whole_path(rows: Rows, plan: Plan, alphas: Any, eps: float) -> tuple[SolvedPath, str]:
    standing, road = stand_on(rows, plan, silent)
    return standing.path(choose_alphas(alphas, standing.alpha_max, eps)), road
