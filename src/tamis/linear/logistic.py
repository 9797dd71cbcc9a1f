"""Logistic regression with few coefficients."""

from __future__ import annotations

from typing import Any

from tamis._core.checks import check_number
from tamis.linear.classifier import SparseClassifier
from tamis.penalties import L1, L1L2, Penalty


class SparseLogisticRegression(SparseClassifier):
    """argmin (1/n) Σ log(1 + e^(−yᵢ(xᵢᵀw + b))) + α (ρ‖w‖₁ + (1 − ρ)/2 ‖w‖²), with a proof of optimality.

    scikit-learn's ``LogisticRegression(C=1 / (n α))``. More than two classes are fitted by the multinomial loss.

    Parameters
    ----------
    alpha : float ≥ 0 or None
        Weight of the penalty. None: 1/Σ sᵢ, that is 1/n without weights, scikit-learn's C = 1.
    l1_ratio : float in [0, 1]
        ρ: 1 is the lasso penalty, 0 ridge.
    positive : bool
        Ask for coefficients ≥ 0.
    class_weight, fit_intercept, standardize, relax, solver, warm_start, max_iter, tol, n_jobs
        As in SparseClassifier, and so are the attributes.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from tamis import SparseLogisticRegression
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = SparseLogisticRegression(alpha=0.05, standardize=True).fit(X, y)
    >>> [name for name, w in zip(X.columns, model.coef_[0]) if w]
    ['mean concave points', 'worst radius', 'worst texture', 'worst concave points']
    """

    datafit = "logistic"

    def __init__(
        self,
        alpha: float | None = None,
        *,
        l1_ratio: float = 1.0,
        positive: bool = False,
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
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.positive = positive
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.relax = relax
        self.solver = solver
        self.warm_start = warm_start
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs

    def _penalty(self) -> Penalty:
        ratio = check_number("l1_ratio", self.l1_ratio, at_least=0, at_most=1)
        return L1(positive=self.positive) if ratio == 1 else L1L2(ratio, positive=self.positive)
