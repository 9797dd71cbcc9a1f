"""Sparse regression: a loss of numbers + penalty, at one α or with α chosen along a path."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import Tags

from tamis._core.checks import check_number
from tamis._core.errors import InputError
from tamis._core.progress import reports_progress
from tamis.base.fitting import all_or_nothing
from tamis.base.training_data import TrainingData, regression_data
from tamis.datafits import Datafit, ForClasses, HasMean, HasOffset, HasTargets, as_datafit
from tamis.linear.cross_validation import ChoosesAlpha
from tamis.linear.fit_problem import FitProblem, is_resolved, last_gap, solve_at
from tamis.linear.model import SparseModel
from tamis.linear.plan import Plan
from tamis.linear.strategy import make_problem, make_problem_on_rows
from tamis.penalties import L1
from tamis.solvers.paths import SolvedPath


class Regression(RegressorMixin, SparseModel):
    """What regressors share: numbers to predict, one column of them or several."""

    def predict(self, X: Any) -> np.ndarray:
        """Xw + b for new rows: an array, a frame or a file with the columns of the fit; e^(Xw + b) where the datafit is
        Poisson or gamma.
        """
        datafit, Z = as_datafit(self.datafit), self._linear(X)
        return datafit.mean(Z) if isinstance(datafit, HasMean) else Z

    def _open(self, X: Any, y: Any, sample_weight: Any, offset: Any, name: str | None = None) -> TrainingData:
        data = regression_data(self, X, y, sample_weight, name)
        if offset is not None:
            _take_offset(data, self._datafit(), offset)
        return data

    def _datafit(self) -> Datafit:
        datafit = as_datafit(self.datafit)
        if isinstance(datafit, ForClasses):
            message = f"datafit={self.datafit!r} is for classes: use SparseClassifier, or datafit='squared'"
            raise InputError(message, argument="datafit")
        return datafit

    def _shaped(self, coef: np.ndarray, intercept: Any) -> tuple[np.ndarray, Any]:
        """As scikit-learn's linear models have them: without an intercept it is one zero, however many targets."""
        return super()._shaped(coef, intercept if self.fit_intercept else 0.0)


def _take_offset(data: TrainingData, datafit: Datafit, offset: Any) -> None:
    """The training data become those of which the loss without the offset is that with it."""
    if not isinstance(datafit, HasOffset):
        raise InputError(
            f"offset is for datafit='poisson' and 'gamma', not for {type(datafit).__name__}: subtract it from y",
            argument="offset",
        )
    o = _numbers_per_row(offset, data.n)
    if isinstance(datafit, HasTargets):
        datafit.check_target(data.y, data.weight)
    data.y, data.weight = datafit.with_offset(data.y, data.weight, o)
    data.targets = data.y


def _numbers_per_row(offset: Any, n: int) -> np.ndarray:
    asked = f"offset must hold one finite number for each of the {n:,} rows"
    try:
        o = np.asarray(offset, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{asked}, got {offset!r}", argument="offset") from None
    if o.shape != (n,) or not np.isfinite(o).all():
        with_nan = "" if np.isfinite(o).all() else " with NaN or infinity"
        raise InputError(f"{asked}, got shape {o.shape}{with_nan}", argument="offset")
    if n and np.abs(o).max() > LARGEST_OFFSET:
        raise InputError(
            f"offset is a logarithm, of which e^offset is the exposure: got {o[np.abs(o).argmax()]:g}, beyond "
            f"±{LARGEST_OFFSET:g}; give np.log(exposure)",
            argument="offset",
        )
    return o


LARGEST_OFFSET = 300.0  # e^±300 has a square that is a number


class SparseRegressor(Regression):
    """argmin Σ sᵢ ℓ(yᵢ, xᵢᵀw + b) / Σ sᵢ + α Ω(w): a datafit and a penalty, with a proof of optimality.

    Parameters
    ----------
    datafit : "squared", "huber", "quantile", "poisson", "gamma" or a Datafit
        ℓ; squares are 1/(2n)‖y − Xw − b‖². A y of several columns is fitted jointly: with penalties that treat each
        coefficient by itself that is one problem per column, while ``Group()`` takes features in for all of them.
        "huber" is ``Huber(delta=1.35)``, δ in units of y; "quantile" is ``Quantile(0.5)``, the median; "poisson" and
        "gamma" have the mean e^(Xw + b), which ``predict`` gives.
    penalty : "l1", "l2", "l1l2", "group", "sparse_group", "adaptive", "mcp", "scad", "l0", "lq", "bridge", "box",
        "slope", "fused" or a Penalty
        Ω. Weights, groups and signs belong to the penalty object: ``L1(positive=True)``, ``Group(feature_groups=…)``.
        "adaptive" is L1 with weights 1 / (|w₀| / max|w₀| + 0.001), w₀ a ridge fit of the same rows (Zou 2006).
    alpha : float ≥ 0
        Weight of the penalty.
    fit_intercept : bool
        Whether to fit b, which is never penalised.
    standardize : bool
        Penalise as if every column had unit variance: α multiplies ``scale_`` times the coefficient, with or without an
        intercept. Constant columns are left as they are. Coefficients are those of the columns as given.
    relax : bool
        Fit the chosen columns once more without the penalty. ``certificate_`` remains that of the penalised fit.
    solver : "auto", "gram", "working_set", "streamed", "fista", "proximal_gradient" or a solver
        "auto" chooses from the size of the table, where it is, datafit and penalty; ``strategy_`` says which and why.
        "streamed" is working sets in several passes over a file, and an error for rows in memory.
    warm_start : bool
        Begin at the coefficients of the fit before.
    max_iter, tol
        Rounds at most for each α; and the duality gap to reach, relative to the null model's objective.
    n_jobs : int or None
        Threads; None: all cores this process may use.

    Attributes
    ----------
    coef_ : (p,), or (K, p) for several targets;  intercept_, n_features_in_, feature_names_in_
    n_iter_ : rounds at ``alpha``, those on the way down from α_max not counted; of targets that are problems of their
        own a list. Of the proximal solvers steps, 100 of which may stand for a round.
    dual_gap_ : how far the objective can be from its minimum, at most; NaN where datafit or penalty have no conjugate
    certificate_ : the proof; ``certificate_.verify(X, y)`` recomputes it from the rows. One for each target where the
        targets are problems of their own.
    diagnostics_ : measured, not proved: ``kkt``, the largest violation of the optimality conditions; where columns are
        screened (``strategy_`` says where) also ``screened``, how many of them the duality gap shows to be zero
    scale_ : standard deviations of the columns, rows weighted, 0 for constant ones
    strategy_ : how the problem was solved, and why so

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from tamis import SparseRegressor
    >>> from tamis.penalties import L1
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = SparseRegressor(penalty=L1(weights={"age": 0}), alpha=1.0).fit(X, y)  # age is not penalised
    >>> [name for name, w in zip(X.columns, model.coef_) if w]
    ['age', 'bmi', 's5']
    >>> bool(model.certificate_.verify(X, y).gap < 1e-9)
    True
    """

    def __init__(
        self,
        datafit: Any = "squared",
        penalty: Any = "l1",
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        standardize: bool = False,
        relax: bool = False,
        solver: Any = "auto",
        warm_start: bool = False,
        max_iter: int = 1000,
        tol: float = 1e-7,
        n_jobs: int | None = None,
    ) -> None:
        self.datafit = datafit
        self.penalty = penalty
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.relax = relax
        self.solver = solver
        self.warm_start = warm_start
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs

    @all_or_nothing
    @reports_progress
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, offset: Any = None) -> SparseRegressor:
        """Fit on rows X and target y: arrays, sparse arrays, a frame or a file; y may be the name of a column.

        ``offset`` (n,), of Poisson and gamma, is a known part of the linear prediction, such as the logarithm of the
        exposure. A Poisson fit then is that of the rates y e^(−offset) with weights e^offset, whose mean the loss is;
        ``certificate_.verify`` takes these.
        """
        return self._fit_at_alpha(self._open(X, y, sample_weight, offset))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _fit_at_alpha(self, data: TrainingData) -> Any:
        alpha = check_number("alpha", self.alpha, at_least=0)
        plan = self._plan(data, self._datafit())
        if alpha == 0 and data.targets is None and plan.grouped(data.p):
            plan = plan.with_penalty(L1())  # groups mean nothing without penalty
        problem, strategy = make_problem(data, plan, self._steps)
        start = self._start((data.p,) if data.n_outputs == 1 else (data.n_outputs, data.p))
        path = solve_at(problem, alpha, start, self._steps)
        if plan.squared and not is_resolved(problem, path, plan, data.p):
            better = self._on_rows(data, plan, alpha, start, last_gap(problem, path))
            problem, strategy, path = better or (problem, strategy, path)
        self._keep(problem, path, -1, data, strategy)
        rounds = path.n_iter[-1]  # of α itself, which max_iter bounds; those on the way down from α_max are left out
        self.n_iter_ = max(1, int(rounds)) if rounds.ndim == 0 else [max(1, int(k)) for k in rounds]
        return self

    def _on_rows(
        self, data: TrainingData, plan: Plan, alpha: float, start: Any, gap: float
    ) -> tuple[FitProblem, str, SolvedPath] | None:
        """The solution on rows, where these may be used and its gap is less than this one."""
        again = make_problem_on_rows(data, plan)
        if again is None:
            return None
        path = solve_at(again[0], alpha, start, self._steps)
        return (*again, path) if last_gap(again[0], path) < gap else None


class SparseRegressorCV(ChoosesAlpha, Regression):
    """SparseRegressor whose α is chosen along a path: by cross-validation, or by an information criterion.

    Parameters
    ----------
    datafit, penalty, fit_intercept, standardize, relax, solver, max_iter, tol, n_jobs
        As in SparseRegressor; folds run on ``n_jobs`` threads.
    alphas, eps
        ``alphas`` values from α_max down to ``eps`` · α_max; or the values themselves.
    cv : int, splitter or iterable of (train, test)
        As in scikit-learn. Lists of rows are read as NumPy reads an index: in any order, a row counts as often as it is
        listed, negative numbers count from the end, booleans are a mask. A row that does not exist, and a split without
        rows to train or to test on, are errors.
    scoring : str, callable or None
        A scikit-learn scorer; None: mean squared error.
    rule : "min", "1se", "aic", "bic" or "ebic"
        The α of the least mean error; the largest within one standard error of it; or of the least information
        criterion, which needs no folds.

    Attributes
    ----------
    alphas_ : descending;  alpha_ : the one chosen
    mse_path_, scores_path_ : (n_alphas, n_folds) errors, and scores, of which higher is better
    alpha_min_, alpha_1se_ : what the first two rules would choose
    criterion_path_ : with the other rules, what was minimised
    coef_path_, intercept_path_ : the path on all rows, one row for each of ``alphas_``
    coef_, intercept_, dual_gap_, certificate_, diagnostics_, n_iter_, scale_, strategy_ : as in SparseRegressor, at
        ``alpha_``

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from tamis import SparseRegressorCV
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = SparseRegressorCV(rule="1se").fit(X, y)
    >>> [name for name, w in zip(X.columns, model.coef_) if w]
    ['sex', 'bmi', 'bp', 's3', 's5', 's6']
    """

    def __init__(
        self,
        datafit: Any = "squared",
        penalty: Any = "l1",
        *,
        alphas: Any = 100,
        eps: float = 1e-3,
        cv: Any = 5,
        scoring: Any = None,
        rule: str = "min",
        fit_intercept: bool = True,
        standardize: bool = False,
        relax: bool = False,
        solver: Any = "auto",
        max_iter: int = 1000,
        tol: float = 1e-7,
        n_jobs: int | None = None,
    ) -> None:
        self.datafit = datafit
        self.penalty = penalty
        self.alphas = alphas
        self.eps = eps
        self.cv = cv
        self.scoring = scoring
        self.rule = rule
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.relax = relax
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs

    @all_or_nothing
    @reports_progress
    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None, offset: Any = None
    ) -> SparseRegressorCV:
        """Fit on rows X and target y: arrays, sparse arrays, a frame or a file; y may be the name of a column.

        ``offset`` is as in SparseRegressor. ``groups`` goes to the splitter. It is taken here with or without
        scikit-learn's metadata routing, which is for pipelines and searches that hand it on.
        """
        data = self._open(X, y, sample_weight, offset)
        self._fit_path(data, self._datafit(), groups)
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
