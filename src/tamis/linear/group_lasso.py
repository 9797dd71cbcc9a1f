"""The group lasso."""

from __future__ import annotations

from typing import Any

from tamis._core.checks import check_number
from tamis.linear.regressor import SparseRegressor
from tamis.penalties import Group, Penalty, SparseGroup


class GroupLasso(SparseRegressor):
    """argmin 1/(2n)‖y − Xw − b‖² + α (ρ‖w‖₁ + (1 − ρ) Σ_g √|g| ‖w_g‖): columns enter and leave by groups.

    Parameters
    ----------
    feature_groups : labels, lists, {name: columns}, int or "one-hot"
        As in :class:`tamis.penalties.Group`: a label for each column; or lists of columns; or the size of consecutive
        groups; or the indicator columns of each column of a :class:`tamis.sources.Encoded` table.
    alpha : float ≥ 0
        Weight of the penalty.
    l1_ratio : float in [0, 1]
        ρ: 0 is the group lasso, more also makes zeros within the groups (the sparse group lasso).
    weights : array of numbers ≥ 0, one per group, or {group: number}
        Multiplies the penalty of each group; 0 leaves it unpenalised.
    fit_intercept, standardize, relax, solver, warm_start, max_iter, tol, n_jobs
        As in SparseRegressor, and so are the attributes.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from tamis import GroupLasso
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> blood = ["s1", "s2", "s3", "s4", "s5", "s6"]
    >>> model = GroupLasso([blood, ["bmi", "bp"]], alpha=1.0).fit(X, y)
    >>> [name for name, w in zip(X.columns, model.coef_) if w]
    ['bmi', 'bp']
    """

    datafit = "squared"

    def __init__(
        self,
        feature_groups: Any = None,
        alpha: float = 1.0,
        *,
        l1_ratio: float = 0.0,
        weights: Any = None,
        fit_intercept: bool = True,
        standardize: bool = False,
        relax: bool = False,
        solver: Any = "auto",
        warm_start: bool = False,
        max_iter: int = 1000,
        tol: float = 1e-7,
        n_jobs: int | None = None,
    ) -> None:
        self.feature_groups = feature_groups
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.weights = weights
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.relax = relax
        self.solver = solver
        self.warm_start = warm_start
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs

    def _penalty(self) -> Penalty:
        if check_number("l1_ratio", self.l1_ratio, at_least=0, at_most=1) == 0:
            return Group(self.feature_groups, self.weights)
        return SparseGroup(self.feature_groups, self.l1_ratio, self.weights)
