"""Whole paths of solutions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis._core.errors import InputError
from tamis._core.evidence import Status
from tamis.datafits import ForClasses, as_datafit
from tamis.linear.alpha_choice import require_room
from tamis.linear.classifier import SparseClassifier
from tamis.linear.regressor import SparseRegressor
from tamis.linear.strategy import solve_path


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
    strategy: str
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
    offset: Any = None,
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
    datafit : "squared", "huber", "quantile", "poisson", "gamma", "logistic", "squared_hinge" or a Datafit
    penalty : "l1", "l2", "l1l2", "group", "sparse_group", "adaptive", "mcp", "scad", "l0", "lq", "bridge", "box",
        "slope", "fused" or a Penalty
    alphas : int or array
        How many values from α_max down to ``eps`` · α_max, or the values themselves.
    standardize : bool
        Penalise as if every column had unit variance. Coefficients are those of the columns as given.
    fit_intercept, solver, tol, max_iter, n_jobs, and the offset of ``fit``
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
        if offset is not None:
            raise InputError("offset is for datafit='poisson' and 'gamma': leave it out", argument="offset")
        classifier = SparseClassifier(datafit, penalty, **options)
        data, fitted = classifier._open(X, y, sample_weight)
        plan = classifier._plan(data, fitted)
    else:
        regressor = SparseRegressor(datafit, penalty, **options)
        data = regressor._open(X, y, sample_weight, offset, "sparse_path")
        plan = regressor._plan(data, regressor._datafit())
    require_room(alphas, data.p * data.n_outputs)
    path, strategy = solve_path(data, plan, alphas, eps)
    statuses = [Status.CONVERGED if ok else Status.MAX_ITER for ok in path.converged]
    return Path(path.alphas, path.coefs, path.intercepts, path.gaps, statuses, strategy, list(data.source.names))
