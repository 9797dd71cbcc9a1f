"""The best subset of columns for least squares, with a proof of how good it is."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np

from tamis._core.checks import check_choice, check_count, check_number
from tamis._core.errors import InputError
from tamis._core.evidence import Diagnostics
from tamis._core.progress import reports_progress
from tamis.base.fitting import all_or_nothing
from tamis.base.splits import split_rows
from tamis.base.training_data import TrainingData, regression_data
from tamis.linear.fit_problem import rounded
from tamis.linear.regressor import Regression
from tamis.linear.strategy import problem_on_rows
from tamis.penalties import L2
from tamis.solvers.best_subset import SubsetAnswer, best_subset
from tamis.solvers.splicing import splice
from tamis.solvers.subset_certificate import SubsetGap
from tamis.solvers.subset_statistics import SubsetStatistics

RULES = ("bic", "cv")


class BestSubset(Regression):
    """argmin 1/(2n)‖y − Xw − b‖² + ridge/2 ‖w‖² over all w with at most ``n_nonzero`` coefficients.

    A good subset comes at once, by exchanges of columns (splicing, Zhu et al. 2020); then lower bounds of every subset
    are raised until they meet it, or ``time_limit`` ends: leaps and bounds (Furnival and Wilson 1974) for few columns,
    branch and bound on perspective bounds where there is a ridge. ``certificate_.relative_gap`` says how much better
    any other subset can be; without a ridge and with more columns than rows nothing is known, and it is 1. Copies of a
    column, and columns that do not vary, are left aside; other columns that depend on each other (all the indicators of
    a category) leave the fit on all columns as the only bound.

    Parameters
    ----------
    n_nonzero : int or several of them
        K: how many columns. Of several, such as ``range(2, 9)``, ``rule`` chooses one.
    ridge : float ≥ 0
        Weight of ½‖w‖².
    rule : "bic" or "cv"
        Least Bayesian information criterion, or least squared error on held-out rows.
    cv : int, splitter or iterable of (train, test)
        As in scikit-learn.
    fit_intercept : bool
        Whether to fit b, which is never penalised.
    standardize : bool
        The ridge counts as if every column had unit variance. Coefficients are those of the columns as given.
    time_limit : float ≥ 0
        Seconds for the proof; the answer itself does not wait for it.
    tol : float ≥ 0
        The relative gap that is enough.
    n_jobs : int or None
        Threads; None: all cores this process may use.

    Attributes
    ----------
    coef_, intercept_ : of the columns as given
    support_ : (p,) which columns are in;  n_nonzero_ : how many were asked for, or chosen
    certificate_ : the bound; ``certificate_.verify(X, y)`` recomputes it.  dual_gap_ : objective − bound
    diagnostics_ : ``swaps``, exchanges made; ``nodes``, nodes of the tree of subsets that were bounded
    sizes_, criterion_path_ : of several sizes, these and what was minimised over them
    n_iter_, scale_, strategy_, n_features_in_, feature_names_in_ : as in SparseRegressor

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from tamis import BestSubset
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = BestSubset(n_nonzero=3).fit(X, y)
    >>> [name for name, used in zip(X.columns, model.support_) if used]
    ['bmi', 'bp', 's5']
    >>> model.certificate_.relative_gap
    0.0
    """

    def __init__(
        self,
        n_nonzero: Any = 1,
        ridge: float = 0.0,
        *,
        rule: str = "bic",
        cv: Any = 5,
        fit_intercept: bool = True,
        standardize: bool = False,
        time_limit: float = 10.0,
        tol: float = 1e-4,
        n_jobs: int | None = None,
    ) -> None:
        self.n_nonzero = n_nonzero
        self.ridge = ridge
        self.rule = rule
        self.cv = cv
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.time_limit = time_limit
        self.tol = tol
        self.n_jobs = n_jobs

    @all_or_nothing
    @reports_progress
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> BestSubset:
        """Fit on rows X and target y: arrays, sparse arrays, a frame or a file; y may be the name of a column."""
        sizes, ridge = subset_sizes(self.n_nonzero), check_number("ridge", self.ridge, at_least=0)
        limit = check_number("time_limit", self.time_limit, at_least=0)
        check_choice("rule", self.rule, RULES)
        data = regression_data(self, X, y, sample_weight)
        if data.n_outputs > 1:
            raise InputError(f"BestSubset fits one target, y has {data.n_outputs} columns: fit them one by one")
        check_cv(self.cv, data, classifier=False)
        plan = self._plan(data, self._datafit()).with_penalty(L2())
        problem: Any = problem_on_rows(data, plan)
        statistics = SubsetStatistics(problem.scaled, ridge)
        K, start = self._chosen(sizes, statistics, data, problem)
        answer = best_subset(statistics, K, plan.tol, limit, start)
        self._keep_answer(answer, K, statistics, problem, data)
        return self

    def _penalty(self) -> Any:
        return "l2"

    def _chosen(
        self, sizes: list[int], statistics: SubsetStatistics, data: TrainingData, problem: Any
    ) -> tuple[int, np.ndarray | None]:
        """The size of the least criterion, and a good subset of it."""
        sizes = sorted({min(k, data.p) for k in sizes})
        if len(sizes) == 1:
            return sizes[0], None
        subsets = [good_subset(statistics, k)[0] for k in sizes]
        if self.rule == "bic":
            n, values = problem.weight_sum, np.array([statistics.residual(S) for S in subsets])
            criterion = n * np.log(np.maximum(values, np.finfo(float).tiny)) + np.log(n) * np.array(sizes)
        else:
            criterion = self._held_out(sizes, statistics.ridge, data, problem)
        self.sizes_, self.criterion_path_ = np.array(sizes), criterion
        k = int(np.argmin(criterion))
        return sizes[k], subsets[k]

    def _held_out(self, sizes: list[int], ridge: float, data: TrainingData, problem: Any) -> np.ndarray:
        """Mean squared error on the rows of each fold, of subsets of the others."""
        errors = []
        s = np.ones(data.n) if data.weight is None else data.weight
        for train, test in split_rows(self.cv, data.y, data.n, classifier=False, groups=None):
            times = np.bincount(train, minlength=data.n).astype(np.float64)
            fold = problem.reweighted(times * s, problem.plan)
            statistics = SubsetStatistics(fold.scaled, ridge)
            errors.append([_error(fold, statistics, good_subset(statistics, k)[0], test, s) for k in sizes])
        return np.mean(errors, axis=0)

    def _keep_answer(
        self, answer: SubsetAnswer, K: int, statistics: SubsetStatistics, problem: Any, data: TrainingData
    ) -> None:
        w = np.zeros(data.p)
        w[answer.S] = answer.w
        coef = w / problem.divisor
        b = problem._given(coef, statistics.centre - float(statistics.mean @ w)) if self.fit_intercept else 0.0
        coef, b = rounded(problem, coef, b, data.dtype, bool(self.fit_intercept))
        self.coef_, self.intercept_ = coef.astype(data.dtype), float(b)
        self.support_ = coef != 0
        self.n_nonzero_ = K
        scale = problem.divisor if self.standardize else None
        self.certificate_ = SubsetGap(
            answer.value,
            answer.lower,
            K,
            statistics.ridge,
            coef,
            float(b),
            bool(self.fit_intercept),
            scale,
            answer.leaves,
        )
        self.dual_gap_ = self.certificate_.gap
        self.diagnostics_ = Diagnostics({"swaps": float(answer.swaps), "nodes": float(answer.nodes)})
        self.n_iter_ = max(1, answer.swaps)
        self.scale_ = problem.scale
        self.strategy_ = f"{answer.how}: {answer.nodes:,} nodes for {K:,} of {data.p:,} columns"


def subset_sizes(n_nonzero: Any) -> list[int]:
    """One size or several, checked."""
    given = [n_nonzero] if isinstance(n_nonzero, Integral) else n_nonzero
    if isinstance(given, (str, bytes, float)) or not isinstance(given, (Sequence, np.ndarray, range)):
        raise InputError(
            f"n_nonzero must be a number of columns, or several such as range(2, 9); got {n_nonzero!r}",
            argument="n_nonzero",
        )
    sizes = [check_count("n_nonzero", k, at_least=0) for k in given]
    if not sizes:
        raise InputError("n_nonzero holds no size: give a number of columns, or several", argument="n_nonzero")
    return sizes


def check_cv(cv: Any, data: TrainingData, *, classifier: bool) -> None:
    """An error about folds comes before the work, and where no size is to be chosen too."""
    if isinstance(cv, Integral):
        check_count("cv", cv, at_least=2)
    else:
        split_rows(cv, data.y, data.n, classifier=classifier)


def good_subset(statistics: Any, K: int) -> tuple[np.ndarray, int]:
    """A subset of K columns that no exchange improves, and how many exchanges were made."""
    if K == 0 or statistics.p <= K:
        return np.arange(statistics.p if K else 0), 0
    S, _, swaps = splice(statistics, K)
    return S, swaps


def _error(fold: Any, statistics: SubsetStatistics, S: np.ndarray, test: np.ndarray, s: np.ndarray) -> float:
    w = np.zeros(statistics.p)
    w[S] = statistics.solve(S)[0]
    Z = fold.scaled.A @ w + statistics.centre - float(statistics.mean @ w)
    return float(np.average((fold.y[test] - Z[test]) ** 2, weights=s[test]))
