"""The lasso, as scikit-learn's users know it."""

from __future__ import annotations

from typing import Any

from tamis.linear.elastic_net import ElasticNet
from tamis.penalties import L1, Penalty


class Lasso(ElasticNet):
    """argmin 1/(2n)‖y − Xw − b‖² + α‖w‖₁, with a proof of optimality.

    Takes all that scikit-learn's Lasso takes and gives the same coefficients and attributes.

    Parameters
    ----------
    alpha : float ≥ 0
        Weight of the penalty. The textbook's λ in (11.7) is 2nα. 0 is least squares, without a warning: it is solved
        exactly.
    fit_intercept, precompute, copy_X, max_iter, tol, warm_start, positive, random_state, selection
        As in ElasticNet.
    standardize, relax, solver, n_jobs
        As in SparseRegressor.

    Attributes
    ----------
    coef_, intercept_, sparse_coef_, dual_gap_, n_iter_, n_features_in_, feature_names_in_ : as in scikit-learn; a y of
        several columns gives coef_ (K, p), and one problem for each; one of shape (n, 1) an intercept_ of shape (1,);
        n_iter_ are rounds at ``alpha``, those on the way down from α_max not counted
    certificate_ : the proof; ``certificate_.verify(X, y)`` recomputes it from the rows
    diagnostics_ : measured, not proved: ``kkt``, the largest violation of the optimality conditions; where columns are
        screened (``strategy_`` says where) also ``screened``, how many of them the duality gap shows to be zero
    scale_ : standard deviations of the columns
    strategy_ : how the problem was solved, and why so

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from tamis import Lasso
    >>> X, y = load_diabetes(return_X_y=True, as_frame=False)
    >>> model = Lasso(alpha=1.0).fit(X, y)
    >>> int((model.coef_ != 0).sum())
    3
    >>> bool(model.certificate_.verify(X, y).gap < 1e-9)
    True
    """

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        precompute: Any = "auto",
        copy_X: bool = True,
        max_iter: int | None = 1000,
        tol: float = 1e-7,
        warm_start: bool = False,
        positive: bool = False,
        random_state: Any = None,
        selection: str = "cyclic",
        standardize: bool = False,
        relax: bool = False,
        solver: Any = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
        self.standardize = standardize
        self.relax = relax
        self.solver = solver
        self.n_jobs = n_jobs

    def _penalty(self) -> Penalty:
        return L1(positive=self.positive)
