"""Few columns for the logistic loss: a good subset, without a proof."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Tags

from tamis._core.checks import check_choice, check_number
from tamis._core.errors import ConvergenceWarning, InputError
from tamis._core.evidence import Diagnostics
from tamis._core.progress import reports_progress
from tamis._core.warn import warn
from tamis.base.fitting import all_or_nothing
from tamis.base.splits import split_rows
from tamis.base.training_data import TrainingData
from tamis.datafits import Logistic
from tamis.linear.best_subset import RULES, check_cv, good_subset, subset_sizes
from tamis.linear.classifier import Classification
from tamis.linear.separation import separates_all
from tamis.linear.strategy import problem_on_rows
from tamis.penalties import L2
from tamis.solvers.loss_subsets import LossSubsets


class BestSubsetClassifier(Classification):
    """A good minimum of the mean log loss + ridge/2 ‖w‖² over all w with at most ``n_nonzero`` coefficients, for two
    classes.

    Columns join one by one, are exchanged several at a time (splicing, Zhu et al. 2020), and in the end one for one,
    until no exchange that is tried lowers the objective; every subset is fitted to its minimum. Nothing is proved:
    ``certificate_`` is None. For squares :class:`BestSubset` has a proof.

    Parameters
    ----------
    n_nonzero : int or several of them
        K: how many columns. Of several, such as ``range(2, 9)``, ``rule`` chooses one.
    ridge : float ≥ 0
        Weight of ½‖w‖². With 0, columns that separate the classes have no minimum: a warning says so.
    rule : "bic" or "cv"
        Least Bayesian information criterion, or least log loss on held-out rows.
    max_iter : int
        Newton steps at most for each subset.
    cv, class_weight, fit_intercept, standardize, n_jobs
        As in SparseClassifierCV and BestSubset.

    Attributes
    ----------
    classes_ ; coef_ : (1, p), intercept_ : (1,), of the columns as given
    support_ : (p,) which columns are in;  n_nonzero_ : how many were asked for, or chosen
    diagnostics_ : ``swaps``, exchanges made; ``kkt``, the largest slope that is left along a column of the model
    sizes_, criterion_path_ : of several sizes, these and what was minimised over them
    certificate_, dual_gap_, n_iter_, scale_, strategy_, n_features_in_, feature_names_in_ : as in SparseClassifier

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from tamis import BestSubsetClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = BestSubsetClassifier(n_nonzero=3, ridge=0.0, standardize=True).fit(X, y)
    >>> [name for name, used in zip(X.columns, model.support_) if used]
    ['worst texture', 'worst area', 'worst concave points']
    >>> model.certificate_ is None
    True
    """

    def __init__(
        self,
        n_nonzero: Any = 1,
        ridge: float = 1e-3,
        *,
        rule: str = "bic",
        cv: Any = 5,
        class_weight: Any = None,
        fit_intercept: bool = True,
        standardize: bool = False,
        max_iter: int = 100,
        n_jobs: int | None = None,
    ) -> None:
        self.n_nonzero = n_nonzero
        self.ridge = ridge
        self.rule = rule
        self.cv = cv
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    @all_or_nothing
    @reports_progress
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> BestSubsetClassifier:
        """Fit on rows X and labels y: arrays, sparse arrays, a frame or a file; y may be the name of a column."""
        sizes, ridge = subset_sizes(self.n_nonzero), check_number("ridge", self.ridge, at_least=0)
        check_choice("rule", self.rule, RULES)
        data, datafit = self._open(X, y, sample_weight)
        check_cv(self.cv, data, classifier=True)
        problem: Any = problem_on_rows(data, self._plan(data, datafit).with_penalty(L2()))
        subsets = LossSubsets(problem.scaled, ridge, problem.plan.max_iter)
        K = self._chosen(sizes, subsets, data, problem)
        S, swaps = good_subset(subsets, K)
        self._keep_subset(S, K, swaps, subsets, problem, data)
        return self

    def _penalty(self) -> Any:
        return "l2"

    def _datafit(self, n_classes: int) -> Any:
        if n_classes > 2:
            raise InputError(
                f"Only binary classification is supported. BestSubsetClassifier is for two classes, y has {n_classes}: "
                "fit one against the rest",
                argument="y",
            )
        return Logistic()

    def _chosen(self, sizes: list[int], subsets: LossSubsets, data: TrainingData, problem: Any) -> int:
        """The size of the least criterion."""
        sizes = sorted({min(k, data.p) for k in sizes})
        if len(sizes) == 1:
            return sizes[0]
        n = problem.weight_sum
        if self.rule == "bic":
            losses = np.array([subsets.loss(good_subset(subsets, k)[0]) for k in sizes])
            criterion = 2 * n * losses + np.log(n) * np.array(sizes)
        else:
            criterion = self._held_out(sizes, subsets.ridge, data, problem)
        self.sizes_, self.criterion_path_ = np.array(sizes), criterion
        return sizes[int(np.argmin(criterion))]

    def _held_out(self, sizes: list[int], ridge: float, data: TrainingData, problem: Any) -> np.ndarray:
        """Mean log loss on the rows of each fold, of subsets of the others."""
        errors, s = [], np.ones(data.n) if data.weight is None else data.weight
        for train, test in split_rows(self.cv, data.y, data.n, classifier=True):
            times = np.bincount(train, minlength=data.n).astype(np.float64)
            fold = problem.reweighted(times * s, problem.plan)
            subsets = LossSubsets(fold.scaled, ridge, problem.plan.max_iter)
            fits = [subsets.fit(good_subset(subsets, k)[0])[3] for k in sizes]
            errors.append([fold.plan.datafit.value(fold.y[test], Z[test], s[test]) for Z in fits])
        return np.mean(errors, axis=0)

    def _keep_subset(
        self, S: np.ndarray, K: int, swaps: int, subsets: LossSubsets, problem: Any, data: TrainingData
    ) -> None:
        w, b, value, Z = subsets.fit(S)
        coef = np.zeros(data.p)
        coef[S] = w
        scaled: Any = problem.scaled
        slope = scaled.A.T @ scaled.datafit.gradient(scaled.y, Z, scaled.s)
        left = np.abs(slope[S] + subsets.ridge * w).max(initial=0.0)
        coef = coef / problem.divisor
        self.coef_, self.intercept_ = self._shaped(coef.astype(data.dtype), problem._given(coef, b))
        self.support_, self.n_nonzero_ = coef != 0, K
        self.certificate_, self.dual_gap_ = None, np.nan
        self.diagnostics_ = Diagnostics({"swaps": float(swaps), "kkt": float(left)})
        self.n_iter_, self.scale_ = max(1, swaps), problem.scale
        self.strategy_ = f"splicing: {len(subsets._fits):,} subsets of {data.p:,} columns fitted"
        if subsets.ridge == 0 and separates_all(scaled.datafit, value, scaled.y, scaled.s):
            warn(
                f"the {len(S)} chosen columns separate the classes perfectly, so that no coefficients are best: ask "
                "for fewer columns, or give ridge > 0",
                ConvergenceWarning,
            )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
