"""The elastic net, as scikit-learn's users know it."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.metadata_routing import UNUSED

from tamis._core.checks import check_number, shorten
from tamis._core.errors import InputError
from tamis._core.progress import reports_progress, silent
from tamis._core.warn import warn
from tamis.base.fitting import all_or_nothing
from tamis.base.training_data import regression_data
from tamis.linear.alpha_choice import alpha_grid, require_room
from tamis.linear.regressor import SparseRegressor
from tamis.linear.strategy import make_problem
from tamis.penalties import L1L2, Group, Penalty


class ElasticNet(SparseRegressor):
    """argmin 1/(2n)‖y − Xw − b‖² + α (ρ‖w‖₁ + (1 − ρ)/2 ‖w‖²), with a proof of optimality.

    Takes all that scikit-learn's ElasticNet takes and gives the same coefficients and attributes.

    Parameters
    ----------
    alpha : float ≥ 0
        Weight of the penalty. 0 is least squares, without a warning: it is solved exactly.
    l1_ratio : float in [0, 1]
        ρ: 1 is the lasso, 0 ridge regression.
    fit_intercept : bool
        Whether to fit b, which is never penalised.
    precompute : "auto", bool or matrix (p, p)
        True solves on the Gram matrix of the columns, False on the rows; "auto" chooses by size. A matrix is taken for
        XᵀX of the columns, centred or not (with weights, of rows weighted so that they sum to n): it is checked on a
        few entries and used as it is; one in single precision is checked, and computed anew in double.
    copy_X : bool
        Accepted as in scikit-learn and without effect: X is never written to.
    max_iter, tol
        Rounds at most for each α; and the duality gap to reach, relative to the null model's objective, where the
        solution cannot be finished exactly.
    warm_start : bool
        Begin at the coefficients of the fit before.
    positive : bool
        Ask for coefficients ≥ 0.
    random_state, selection
        With ``selection="random"`` coordinates are visited in random order instead of in turn.
    standardize, relax, solver, n_jobs
        As in SparseRegressor.

    Attributes
    ----------
    coef_, intercept_, sparse_coef_, dual_gap_, n_iter_, n_features_in_, feature_names_in_ : as in scikit-learn; a y of
        several columns gives coef_ (K, p), and one problem for each; one of shape (n, 1) an intercept_ of shape (1,);
        n_iter_ are rounds at ``alpha``, those on the way down from α_max not counted
    certificate_, diagnostics_, scale_, strategy_ : as in SparseRegressor

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from tamis import ElasticNet
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = ElasticNet(alpha=0.01, l1_ratio=0.9).fit(X, y)
    >>> model.coef_[:4].round()
    array([  16., -135.,  394.,  249.])
    """

    # The whole range of checks costs one pass and is always made.
    __metadata_request__fit: ClassVar[dict[str, str]] = {"check_input": UNUSED}

    datafit = "squared"

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        l1_ratio: float = 0.5,
        fit_intercept: bool = True,
        precompute: Any = "auto",
        max_iter: int | None = 1000,
        copy_X: bool = True,
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
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.copy_X = copy_X
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
        self.standardize = standardize
        self.relax = relax
        self.solver = solver
        self.n_jobs = n_jobs

    @all_or_nothing
    @reports_progress
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, check_input: bool = True) -> Any:
        """Fit on rows X and target y: arrays, sparse arrays, a frame or a file; y may be the name of a column.

        ``check_input`` is scikit-learn's and has no effect: the checks are part of the pass over the rows.
        """
        del check_input
        self._fit_at_alpha(regression_data(self, X, y, sample_weight))
        if self.fit_intercept and _is_column(y):
            self.intercept_ = np.atleast_1d(self.intercept_)
        return self

    @staticmethod
    def path(
        X: Any,
        y: Any,
        *,
        l1_ratio: float = 0.5,
        eps: float = 1e-3,
        n_alphas: Any = "deprecated",
        alphas: Any = 100,
        precompute: Any = "auto",
        Xy: Any = None,
        copy_X: bool = True,
        coef_init: Any = None,
        verbose: bool = False,
        return_n_iter: bool = False,
        positive: bool = False,
        check_input: bool = True,
        **params: Any,
    ) -> tuple[Any, ...]:
        """scikit-learn's ``enet_path``: alphas, coefficients (p, n_alphas), duality gaps; no intercept.

        With K targets coefficients are (K, p, n_alphas), and the penalty is α Σⱼ ‖wⱼ‖ over the columns, wⱼ their K
        coefficients: for ``l1_ratio=1`` only. ``params`` are further arguments of the estimator. ``n_alphas`` is
        deprecated as in scikit-learn: give ``alphas`` the number. ``Xy``, ``copy_X``, ``verbose`` and ``check_input``
        have no effect. :func:`tamis.sparse_path` gives more.
        """
        del Xy, copy_X, verbose, check_input
        unknown = [name for name in params if name not in ElasticNet().get_params()]
        if unknown:
            raise InputError(f"Unexpected parameters in params: {shorten(unknown)}; give parameters of ElasticNet")
        given = _how_many(alphas, n_alphas)
        options = {"fit_intercept": False, "precompute": precompute, "positive": positive, **params}
        net = ElasticNet(l1_ratio=l1_ratio, **options)
        data = regression_data(net, X, y, None, name="path")
        net = net if data.targets is None else _rows_of_coefficients(net, data.n_outputs)
        require_room(given, data.p)
        problem, _ = make_problem(data, net._plan(data, net._datafit()), silent)
        grid = alpha_grid(given, problem.alpha_max, eps)
        solved = problem.path(grid, None if coef_init is None else np.asarray(coef_init, dtype=np.float64))
        result = solved.alphas, np.moveaxis(solved.coefs, 0, -1), solved.gaps
        return (*result, solved.n_iter.tolist()) if return_n_iter else result

    def _penalty(self) -> Penalty:
        check_number("l1_ratio", self.l1_ratio, at_least=0, at_most=1)
        return L1L2(self.l1_ratio, positive=self.positive)


class _RowsOfCoefficients(ElasticNet):
    """The lasso of several targets whose coefficients of a column enter together."""

    def _penalty(self) -> Penalty:
        return Group()


def _rows_of_coefficients(net: ElasticNet, K: int) -> ElasticNet:
    """The model that scikit-learn's paths of several targets are of."""
    if check_number("l1_ratio", net.l1_ratio, at_least=0, at_most=1) != 1:
        raise InputError(
            f"path has no ridge for targets that share their columns: y has {K} columns and l1_ratio={net.l1_ratio!r}; "
            "give l1_ratio=1, or one column of y at a time",
            argument="l1_ratio",
        )
    if net.positive:
        message = f"positive=True is for one target, y has {K} columns: give one column at a time"
        raise InputError(message, argument="positive")
    return _RowsOfCoefficients(**net.get_params())


def _how_many(alphas: Any, n_alphas: Any) -> Any:
    """``alphas``, or what scikit-learn before 1.9 would have it."""
    numbered = not isinstance(n_alphas, str) or n_alphas != "deprecated"
    if numbered or alphas is None:
        given = f"n_alphas={n_alphas!r}" if numbered else "alphas=None"
        instead = n_alphas if numbered else 100
        warn(
            f"{given} is deprecated, as in scikit-learn 1.9, and ends with its version 1.11: give alphas={instead!r}",
            FutureWarning,
        )
    if numbered and (alphas is None or (np.ndim(alphas) == 0 and alphas == 100)):  # else alphas counts, as there
        return n_alphas
    return 100 if alphas is None else alphas


def _is_column(y: Any) -> bool:
    """Whether y is (n, 1), for which scikit-learn's intercept has an axis."""
    if y is None or isinstance(y, str):
        return False
    shape = y.shape if hasattr(y, "shape") else np.asarray(y, dtype=object).shape
    return len(shape) == 2 and shape[1] == 1
