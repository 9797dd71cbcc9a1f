"""Lasso and LassoCV on the statistics road."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from tamis._core.checks import check_choice, check_count, check_number
from tamis._core.errors import ConvergenceWarning
from tamis._core.evidence import Diagnostics
from tamis._core.progress import ProgressMixin, reports_progress
from tamis.linear.door import open_rows, predictions, rows_to_predict
from tamis.linear.folds import collect_folds, fold_errors, split_rows
from tamis.linear.path import as_path, choose_alphas
from tamis.linear.statistics_road import Standing, gram_of, road, stand
from tamis.solvers.gram_descent import GramDescent
from tamis.sources import Source


class _LinearModel(ProgressMixin, RegressorMixin, BaseEstimator):
    """What Lasso and LassoCV share: predictions, evidence, tags."""

    coef_: np.ndarray
    intercept_: float

    def predict(self, X: Any) -> np.ndarray:
        """Xw + b for new rows: an array, a frame or a file with the columns of the fit."""
        check_is_fitted(self)
        return predictions(rows_to_predict(self, X), self.coef_, self.intercept_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _solver(self) -> GramDescent:
        self.fit_intercept: bool
        self.standardize: bool
        check_choice("fit_intercept", self.fit_intercept, (True, False))
        check_choice("standardize", self.standardize, (True, False))
        return GramDescent(check_number("tol", self.tol, at_least=0), check_count("max_iter", self.max_iter))

    def _keep(self, standing: Standing, w: np.ndarray, alpha: float, converged: bool, source: Source) -> None:
        """The fitted attributes of the solution w at alpha."""
        self.certificate_ = standing.certificate(w, alpha)
        self.dual_gap_ = self.certificate_.gap
        self.coef_ = _as_dtype(self.certificate_.w, source)
        self.intercept_ = self.certificate_.intercept
        self.scale_ = np.sqrt(np.maximum(standing.gram.scatter.diagonal()[: len(w)] / standing.gram.weight, 0.0))
        self.road_ = road(source, standing.gram)
        problem = standing.problem
        kkt = problem.penalty.subdifferential_distance(w, problem.gradient(w), alpha).max(initial=0.0)
        self.diagnostics_ = Diagnostics({"kkt": float(kkt)})
        if not converged:
            warnings.warn(
                f"{type(self).__name__} stopped at max_iter={self.max_iter} with a duality gap of {self.dual_gap_:.3g} "
                f"(asked: {self.tol * 0.5 * problem.yy:.3g}): raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=4,
            )


class Lasso(_LinearModel):
    """argmin 1/(2n)‖y − Xw − b‖² + α‖w‖₁, with a proof of optimality.

    Parameters
    ----------
    alpha : float > 0
        Weight of the penalty. The textbook's λ in (11.7) is 2nα.
    fit_intercept : bool
        Whether to fit b, which is never penalised.
    standardize : bool
        Penalise α σⱼ|wⱼ|, as if every column had unit variance. Coefficients are those of the columns as given.
    max_iter, tol
        Rounds at most for each α; and the duality gap to reach, relative to the null model's objective, where the
        solution cannot be finished exactly.
    n_jobs : int or None
        Threads; None: all cores this process may use.

    Attributes
    ----------
    coef_, intercept_, n_iter_, n_features_in_, feature_names_in_
    dual_gap_ : how far the objective can be from its minimum, at most
    certificate_ : the proof; ``certificate_.verify(X, y)`` recomputes it from the rows
    diagnostics_ : measured, not proved: the largest violation of the optimality conditions
    scale_ : standard deviations of the columns
    road_ : how the problem was solved, and why so

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
        standardize: bool = False,
        max_iter: int = 1000,
        tol: float = 1e-7,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Lasso:
        """Fit on rows X and target y: arrays, sparse arrays, a frame or a file; y may be the name of a column."""
        alpha = check_number("alpha", self.alpha, above=0)
        solver = self._solver()
        source = open_rows(self, X, y, sample_weight)
        gram = gram_of(source, n_jobs=self.n_jobs, steps=self._steps)
        standing = stand(gram, fit_intercept=self.fit_intercept, standardize=self.standardize)
        solution = solver.solve(standing.problem.at(alpha), on_step=self._steps)
        self.n_iter_ = solution.n_iter
        self._keep(standing, solution.w, alpha, solution.status == "converged", source)
        return self


class LassoCV(_LinearModel):
    """Lasso whose α is chosen by cross-validation, all from one pass over the rows.

    Parameters
    ----------
    eps, alphas
        ``alphas`` values from α_max down to ``eps`` · α_max; or the values themselves.
    cv : int, splitter or iterable of (train, test)
        As in scikit-learn. Each fold keeps a Gram matrix of its own, and where the training rows are its complement,
        theirs is the difference.
    rule : "min" or "1se"
        The α of the least mean error, or the largest within one standard error of it.
    fit_intercept, standardize, max_iter, tol, n_jobs
        As in Lasso.

    Attributes
    ----------
    alphas_ : descending;  mse_path_ : (n_alphas, n_folds);  alpha_, alpha_min_, alpha_1se_
    coef_path_, intercept_path_ : the path on all rows, one row for each of ``alphas_``
    coef_, intercept_, dual_gap_, certificate_, diagnostics_, n_iter_, scale_, road_ : as in Lasso, at ``alpha_``

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
        cv: Any = 5,
        rule: str = "min",
        fit_intercept: bool = True,
        standardize: bool = False,
        max_iter: int = 1000,
        tol: float = 1e-7,
        n_jobs: int | None = None,
    ) -> None:
        self.eps = eps
        self.alphas = alphas
        self.cv = cv
        self.rule = rule
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> LassoCV:
        """Fit on rows X and target y: arrays, sparse arrays, a frame or a file; y may be the name of a column."""
        check_choice("rule", self.rule, ("min", "1se"))
        solver = self._solver()
        source = open_rows(self, X, y, sample_weight)
        splits = split_rows(source, self.cv, groups)
        total, folds = collect_folds(source, splits, n_jobs=self.n_jobs, steps=self._steps)
        options = {"fit_intercept": self.fit_intercept, "standardize": self.standardize}
        standing = stand(total, **options)
        self.alphas_ = choose_alphas(self.alphas, standing.problem, self.eps)
        path = solver.path(standing.problem, self.alphas_, steps=self._steps)
        self.mse_path_ = fold_errors(folds, self.alphas_, solver, options, self.n_jobs, self._steps)
        weights = None if getattr(source, "weight", None) is None else [f.test.weight for f in folds]
        chosen = self._choose(weights)
        whole = as_path(path, standing, road(source, total))
        self.coef_path_, self.intercept_path_ = whole.coefs, whole.intercepts
        self.n_iter_ = int(path.n_iter[chosen])
        self._keep(standing, path.coefs[chosen], self.alpha_, bool(path.converged[chosen]), source)
        return self

    def _choose(self, weights: Any) -> int:
        """Index of the α by the rule; among equal errors the larger α."""
        mean = np.average(self.mse_path_, axis=1, weights=weights)
        k = self.mse_path_.shape[1]
        error = self.mse_path_.std(axis=1, ddof=1) / np.sqrt(k) if k > 1 else np.zeros_like(mean)
        best = int(np.argmin(mean))
        within = int(np.argmax(mean <= mean[best] + error[best]))
        self.alpha_min_, self.alpha_1se_ = float(self.alphas_[best]), float(self.alphas_[within])
        chosen = best if self.rule == "min" else within
        self.alpha_ = float(self.alphas_[chosen])
        return chosen


def _as_dtype(coef: np.ndarray, source: Source) -> np.ndarray:
    """float32 rows give float32 coefficients."""
    dtype = next(iter(source.blocks())).X.dtype if source.in_memory else np.float64
    return coef.astype(np.float32) if dtype == np.float32 else coef
