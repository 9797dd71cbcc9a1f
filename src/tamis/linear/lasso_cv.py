"""The lasso with α chosen by cross-validation, as scikit-learn's users know it."""

from __future__ import annotations

from typing import Any

from tamis.linear.elastic_net import ElasticNet
from tamis.linear.elastic_net_cv import NetCV


class LassoCV(NetCV):
    """Lasso whose α is chosen by cross-validation, with the Gram strategy all from one pass over the rows.

    Takes all that scikit-learn's LassoCV takes and gives the same coefficients and attributes.

    Parameters
    ----------
    eps, alphas, cv, rule, scoring, verbose, precompute
        As in ElasticNetCV.
    fit_intercept, copy_X, max_iter, tol, positive, random_state, selection
        As in ElasticNet.
    standardize, relax, solver, n_jobs
        As in SparseRegressor; folds run on ``n_jobs`` threads.

    Attributes
    ----------
    alphas_ : descending;  mse_path_, scores_path_ : (n_alphas, n_folds), of one α mse_path_ is (n_folds,)
    alpha_, alpha_min_, alpha_1se_ : what was chosen, and what the first two rules would choose
    coef_path_, intercept_path_ : the path on all rows, one row for each of ``alphas_``
    coef_, intercept_, dual_gap_, certificate_, diagnostics_, n_iter_, scale_, strategy_ : as in Lasso, at ``alpha_``

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from tamis import LassoCV
    >>> X, y = load_diabetes(return_X_y=True, as_frame=False)
    >>> model = LassoCV(rule="1se").fit(X, y)
    >>> model.alpha_ >= model.alpha_min_
    True
    """

    def __init__(
        self,
        *,
        eps: float = 1e-3,
        alphas: Any = 100,
        fit_intercept: bool = True,
        precompute: Any = "auto",
        max_iter: int = 1000,
        tol: float = 1e-7,
        cv: Any = None,
        copy_X: bool = True,
        verbose: Any = 0,
        n_jobs: int | None = None,
        positive: bool = False,
        random_state: Any = None,
        selection: str = "cyclic",
        rule: str = "min",
        scoring: Any = None,
        standardize: bool = False,
        relax: bool = False,
        solver: Any = "auto",
    ) -> None:
        self.eps = eps
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.tol = tol
        self.cv = cv
        self.copy_X = copy_X
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
        self.rule = rule
        self.scoring = scoring
        self.standardize = standardize
        self.relax = relax
        self.solver = solver

    @staticmethod
    def path(X: Any, y: Any, **params: Any) -> tuple[Any, ...]:
        """scikit-learn's ``lasso_path``: as in ElasticNet, with l1_ratio = 1."""
        return ElasticNet.path(X, y, l1_ratio=1.0, **params)

    def _ratios(self) -> list[float]:
        return [1.0]
