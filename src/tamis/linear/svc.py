"""The ℓ₁ support vector machine."""

from __future__ import annotations

from typing import Any

from sklearn.utils import Tags

from tamis._core.checks import check_number
from tamis._core.errors import InputError
from tamis._core.progress import reports_progress
from tamis.base.fitting import all_or_nothing
from tamis.linear.classifier import SparseClassifier


class SparseSVC(SparseClassifier):
    """argmin (1/n) Σ max(0, 1 − yᵢ(xᵢᵀw + b))² + α‖w‖₁, which is ‖w‖₁ + C Σ max(0, 1 − yᵢ(xᵢᵀw + b))² with
    C = 1/(nα): the ℓ₁ support vector machine for two classes, with a proof of optimality.

    scikit-learn's ``LinearSVC(penalty="l1", dual=False)``, but that the intercept is not penalised.

    Parameters
    ----------
    C : float > 0 or None
        Weight of the loss, α = 1/(C Σ sᵢ).
    alpha : float ≥ 0 or None
        Weight of the penalty. Give C or alpha, not both; neither means C = 1.
    penalty, class_weight, fit_intercept, standardize, relax, solver, warm_start, max_iter, tol, n_jobs
        As in SparseClassifier, and so are the attributes.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from tamis import SparseSVC
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = SparseSVC(C=0.01, standardize=True).fit(X, y)
    >>> bool(model.score(X, y) > 0.95), int((model.coef_ != 0).sum())
    (True, 6)
    """

    datafit = "squared_hinge"

    def __init__(
        self,
        C: float | None = None,
        alpha: float | None = None,
        *,
        penalty: Any = "l1",
        class_weight: Any = None,
        fit_intercept: bool = True,
        standardize: bool = False,
        relax: bool = False,
        solver: Any = "auto",
        warm_start: bool = False,
        max_iter: int = 1000,
        tol: float = 1e-7,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.alpha = alpha
        self.penalty = penalty
        self.class_weight = class_weight
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
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> SparseSVC:
        """Fit on rows X and labels y: arrays, sparse arrays, a frame or a file; y may be the name of a column."""
        if self.C is not None and self.alpha is not None:
            raise InputError(
                f"C={self.C!r} and alpha={self.alpha!r} both weigh the penalty, alpha = 1/(C n): give one of them",
                argument="C",
            )
        C = 1.0 if self.C is None else check_number("C", self.C, above=0)
        self._fit_at(self.alpha, C, X, y, sample_weight)
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
