"""The elastic net with α and l1_ratio chosen by cross-validation, as scikit-learn's users know it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.callback import ProgressBar

from tamis._core.checks import check_count, check_number
from tamis._core.errors import InputError
from tamis._core.progress import reports_progress
from tamis.base.fitting import all_or_nothing
from tamis.base.training_data import regression_data
from tamis.linear.cross_validation import Candidates, ChoosesAlpha
from tamis.linear.elastic_net import ElasticNet
from tamis.linear.plan import Plan
from tamis.linear.regressor import Regression
from tamis.penalties import L1, L1L2, Penalty


class NetCV(ChoosesAlpha, Regression):
    """The elastic net and the lasso: one target, and a list of l1_ratios to choose from."""

    verbose: Any = False
    positive: bool = False

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Any:
        """Fit on rows X and target y: arrays, sparse arrays, a frame or a file; y may be the name of a column.

        ``groups`` goes to the splitter. It is taken here with or without scikit-learn's metadata routing, which is for
        pipelines and searches that hand it on.
        """
        with _progress_bar(self):
            return self._fit_with_progress(X, y, sample_weight, groups)

    @all_or_nothing
    @reports_progress
    def _fit_with_progress(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> Any:
        data = regression_data(self, X, y, sample_weight)
        if data.targets is not None:
            raise InputError(
                f"{type(self).__name__} chooses one α for one target, y has {data.n_outputs} columns: use "
                "SparseRegressorCV(penalty='group'), whose targets share their columns, or fit one column at a time",
                argument="y",
            )
        self._fit_path(data, self._datafit(), groups)
        return self

    def _ratios(self) -> list[float]:
        raise NotImplementedError

    def _penalty(self) -> Penalty:
        return _elastic_net(self._ratios()[0], self.positive)

    def _penalties(self, plan: Plan) -> Sequence[Penalty]:
        return [_elastic_net(ratio, self.positive) for ratio in self._ratios()]

    def _by_error(self, errors: np.ndarray, candidates: Candidates, plan: Plan) -> tuple[int, int]:
        chosen = super()._by_error(errors, candidates, plan)
        if self.scoring is None:
            self.mse_path_ = np.squeeze(self.mse_path_)  # as scikit-learn's users have it
        return chosen


def _elastic_net(l1_ratio: float, positive: bool) -> Penalty:
    return L1(positive=positive) if l1_ratio == 1 else L1L2(l1_ratio, positive=positive)


@contextmanager
def _progress_bar(model: Any) -> Iterator[None]:
    """With ``verbose``, scikit-learn's progress bar for this fit, unless the user has set callbacks."""
    if not isinstance(model.verbose, (bool, np.bool_)):
        check_count("verbose", model.verbose, at_least=0)
    if not model.verbose or getattr(model, "_skl_callbacks", None):
        yield
        return
    model.set_callbacks(ProgressBar())
    try:
        yield
    finally:
        del model._skl_callbacks


class ElasticNetCV(NetCV):
    """ElasticNet whose α and l1_ratio are chosen by cross-validation.

    Takes all that scikit-learn's ElasticNetCV takes and gives the same coefficients and attributes.

    Parameters
    ----------
    l1_ratio : float or list of floats in [0, 1]
        ρ, or the values to choose from.
    eps, alphas
        ``alphas`` values from α_max down to ``eps`` · α_max; or the values themselves.
    cv : int, splitter or iterable of (train, test)
        As in scikit-learn; lists of rows are read as in SparseRegressorCV. With the Gram strategy each fold keeps a
        Gram matrix of its own, and where the training rows are its complement, theirs is the difference.
    rule : "min", "1se", "aic", "bic" or "ebic"
        The α of the least mean error; the largest within one standard error of it; or of the least information
        criterion, which needs no folds.
    scoring : str, callable or None
        A scikit-learn scorer; None: mean squared error.
    verbose : bool or int
        Show scikit-learn's progress bar.
    precompute : "auto", bool or matrix (p, p)
        As in ElasticNet; a matrix is checked and means True, for every fold has a matrix of its own.
    fit_intercept, copy_X, max_iter, tol, positive, random_state, selection
        As in ElasticNet.
    standardize, relax, solver, n_jobs
        As in SparseRegressor; folds run on ``n_jobs`` threads.

    Attributes
    ----------
    alphas_ : (n_alphas,) descending, or (n_l1_ratios, n_alphas) where each ratio has its own
    mse_path_ : (n_alphas, n_folds), or (n_l1_ratios, n_alphas, n_folds), without axes of length one
    scores_path_ : the same with all axes but that of a single l1_ratio, higher is better
    alpha_, l1_ratio_ : what was chosen;  alpha_min_, alpha_1se_ : what the first two rules would choose
    coef_path_, intercept_path_ : the path on all rows at ``l1_ratio_``
    coef_, intercept_, dual_gap_, certificate_, diagnostics_, n_iter_, scale_, strategy_ : as in ElasticNet, at
        ``alpha_``

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from tamis import ElasticNetCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = ElasticNetCV(l1_ratio=[0.5, 0.9, 1.0]).fit(X, y)
    >>> model.l1_ratio_, model.mse_path_.shape
    (1.0, (3, 100, 5))
    """

    def __init__(
        self,
        *,
        l1_ratio: Any = 0.5,
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
        self.l1_ratio = l1_ratio
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

    path = staticmethod(ElasticNet.path)

    def _ratios(self) -> list[float]:
        ratios = np.atleast_1d(self.l1_ratio).tolist()
        return [check_number("l1_ratio", ratio, at_least=0, at_most=1) for ratio in ratios]

    def _keep_path(self, candidates: Any, which: int, k: int, path: Any) -> None:
        super()._keep_path(candidates, which, k, path)
        self.l1_ratio_ = self._ratios()[which]
