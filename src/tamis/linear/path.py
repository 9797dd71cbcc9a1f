"""Whole paths of lasso solutions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis._core.checks import check_count, check_number
from tamis._core.errors import InputError
from tamis._core.evidence import Status
from tamis.linear.door import require_numbers
from tamis.linear.statistics_road import Standing, gram_of, road, stand
from tamis.solvers.gram_descent import GramDescent
from tamis.solvers.gram_problem import GramProblem
from tamis.solvers.paths import SolvedPath
from tamis.sources import as_source


@dataclass(frozen=True)
class Path:
    """Solutions along descending alphas, one row each, with their duality gaps."""

    alphas: np.ndarray
    coefs: np.ndarray
    intercepts: np.ndarray
    gaps: np.ndarray
    statuses: list[Status]
    road: str

    @property
    def coefs_sparse(self) -> sp.csr_array:
        return sp.csr_array(self.coefs)


def sparse_path(
    X: Any,
    y: Any = None,
    *,
    alphas: Any = 100,
    eps: float = 1e-2,
    fit_intercept: bool = True,
    standardize: bool = False,
    sample_weight: Any = None,
    tol: float = 1e-7,
    max_iter: int = 1000,
    n_jobs: int | None = None,
) -> Path:
    """The lasso path: argmin 1/(2n)‖y − Xw − b‖² + α‖w‖₁ for each α.

    Parameters
    ----------
    X, y, sample_weight
        A table and its target: anything ``as_source`` takes; y may be the name of a column.
    alphas : int or array
        How many values from α_max down to ``eps`` · α_max, or the values themselves.
    standardize : bool
        Penalise α σⱼ|wⱼ|, as if every column had unit variance. Coefficients are those of the columns as given.

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
    source = as_source(X, y, sample_weight=sample_weight)
    require_numbers(source, "sparse_path")
    gram = gram_of(source, n_jobs=n_jobs)
    standing = stand(gram, fit_intercept=fit_intercept, standardize=standardize)
    path = GramDescent(check_number("tol", tol, at_least=0), check_count("max_iter", max_iter)).path(
        standing.problem, choose_alphas(alphas, standing.problem, eps)
    )
    return as_path(path, standing, road(source, gram))


def as_path(path: SolvedPath, standing: Standing, road: str) -> Path:
    coefs = standing.coefs(path.coefs)
    statuses = [Status.CONVERGED if ok else Status.MAX_ITER for ok in path.converged]
    return Path(path.alphas, coefs, standing.intercepts(coefs), path.gaps, statuses, road)


def choose_alphas(alphas: Any, problem: GramProblem, eps: float) -> np.ndarray:
    """Descending alphas: those given, or so many from α_max down to eps · α_max."""
    if np.ndim(alphas) == 0:
        count = check_count("alphas", alphas)
        check_number("eps", eps, above=0, at_most=1)
        top = max(problem.alpha_max(), np.finfo(float).resolution)
        return np.geomspace(top, top * eps, count) if count > 1 else np.array([top])
    given = np.sort(np.asarray(alphas, dtype=np.float64).ravel())[::-1].copy()
    if not len(given) or not np.isfinite(given).all() or given[-1] <= 0:
        raise InputError(f"alphas must be positive finite numbers, got {alphas!r}")
    return given
