"""Sparse classification: logistic or multinomial loss + penalty, at one α or with α chosen along a path."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.base import ClassifierMixin
from sklearn.utils import compute_class_weight
from sklearn.utils.metaestimators import available_if

from tamis._core.checks import check_number
from tamis._core.errors import InputError, about
from tamis._core.progress import reports_progress
from tamis.base.fitting import all_or_nothing
from tamis.base.training_data import TrainingData, classification_data
from tamis.datafits import Datafit, ForClasses, HasTargets, LeastSquares, SquaredHinge, as_datafit
from tamis.linear.cross_validation import ChoosesAlpha
from tamis.linear.fit_problem import FitProblem, solve_at
from tamis.linear.model import SparseModel
from tamis.linear.separation import separates_all, separates_some, some_class_is_ruled_out
from tamis.linear.strategy import make_problem
from tamis.solvers.duality import unpenalised
from tamis.solvers.paths import SolvedPath


def _has_probabilities(model: Any) -> bool:
    """A loss that is no likelihood has margins, not probabilities."""
    datafit = as_datafit(model.datafit)
    if isinstance(datafit, SquaredHinge):
        raise AttributeError(
            f"{type(model).__name__} has no probabilities with the squared hinge: use decision_function, or "
            "datafit='logistic'"
        )
    return True


class Classification(ClassifierMixin, SparseModel):
    """What classifiers share: labels in, probabilities and labels out."""

    datafit: Any = "logistic"
    class_weight: Any = None
    classes_: np.ndarray

    def decision_function(self, X: Any) -> np.ndarray:
        """Xw + b: (n,) for two classes, positive for the second; (n, K) for more."""
        Z = self._linear(X)
        return Z[:, 0] if len(self.classes_) == 2 else Z

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each row, or that of the largest margin."""
        Z = self.decision_function(X)
        return self.classes_[(Z > 0).astype(int) if Z.ndim == 1 else Z.argmax(axis=1)]

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """(n, K) probabilities, in the order of ``classes_``."""
        Z = self.decision_function(X)
        return np.column_stack([expit(-Z), expit(Z)]) if Z.ndim == 1 else softmax(Z, axis=1)

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of the probabilities, exact where these round to 0 or 1."""
        Z = self.decision_function(X)
        return np.column_stack([log_expit(-Z), log_expit(Z)]) if Z.ndim == 1 else log_softmax(Z, axis=1)

    def _open(self, X: Any, y: Any, sample_weight: Any) -> tuple[TrainingData, Datafit]:
        data = classification_data(self, X, y, sample_weight)
        assert data.classes is not None
        self.classes_ = data.classes
        if self.class_weight is not None:
            with about("class_weight"):
                data.weigh_classes(_class_weights(self.class_weight, data))
        _require_weights(data, type(self).__name__)
        return data, self._datafit(len(data.classes))

    def _datafit(self, n_classes: int) -> Datafit:
        """Logistic means multinomial where there are more than two classes."""
        datafit = as_datafit(self.datafit)
        if isinstance(datafit, (LeastSquares, HasTargets)):
            message = f"datafit={self.datafit!r} is for numbers: use SparseRegressor, or datafit='logistic'"
            raise InputError(message, argument="datafit")
        return datafit.for_classes(n_classes) if isinstance(datafit, ForClasses) else datafit

    def _shaped(self, coef: np.ndarray, intercept: Any) -> tuple[np.ndarray, Any]:
        """As scikit-learn's classifiers have them: (1, p) and (1,) for two classes."""
        return np.atleast_2d(coef), np.atleast_1d(np.asarray(intercept, dtype=np.float64))

    def _warn(self, problem: FitProblem, proved: bool, alpha: float) -> None:
        columns, remedy = ("columns", "alpha > 0") if alpha == 0 else ("unpenalised columns", "weights > 0")
        found = self._separation(problem, proved, alpha)
        if found == "all":
            self._complain_of_separation(f"the {columns} separate the classes perfectly", remedy)
        elif found == "some":
            self._complain_of_separation(f"the {columns} separate some classes from others", remedy)
        elif alpha == 0 and not proved and getattr(problem.scaled.datafit, "vanishes_at_infinity", False):  # type: ignore[attr-defined]
            self._complain_of_separation(f"the {columns} seem to separate some classes from others", remedy)
        else:
            super()._warn(problem, proved, alpha)

    def _separation(self, problem: Any, proved: bool, alpha: float) -> str:
        """Which classes the columns without a penalty separate: "all", "some" or "none"."""
        scaled, certificate = problem.scaled, self.certificate_
        if certificate is None or not getattr(scaled.datafit, "vanishes_at_infinity", False):
            return "none"
        loss = certificate.primal if alpha == 0 else problem.null_value()
        if separates_all(scaled.datafit, loss, scaled.y, scaled.s):
            return "all"
        U = np.arange(scaled.A.shape[1]) if alpha == 0 else unpenalised(scaled.omega)
        if not len(U) or (proved and not some_class_is_ruled_out(scaled, problem.A, certificate)):
            return "none"
        positive = len(U) if getattr(scaled.omega, "positive", False) else 0
        return "some" if separates_some(scaled.along, U, scaled.y, scaled.s, positive) else "none"

    def _relaxed(self, problem: FitProblem, path: SolvedPath, k: int) -> tuple[np.ndarray, Any]:
        coef, intercept = super()._relaxed(problem, path, k)
        refit = replace(path, alphas=path.alphas[:1], coefs=coef[None], intercepts=np.asarray(intercept)[None])
        scaled: Any = problem.scaled  # type: ignore[attr-defined]
        if separates_all(scaled.datafit, problem.losses(refit)[0], scaled.y, scaled.s):
            self._complain_of_separation("the chosen columns separate the classes perfectly", "relax=False")
        return coef, intercept

    def _complain_of_separation(self, found: str, remedy: str) -> None:
        self._complain(
            f"{type(self).__name__}: {found}, so without a penalty no finite coefficients are best: use {remedy}"
        )


class SparseClassifier(Classification):
    """argmin Σ sᵢ ℓ(yᵢ, xᵢᵀw + b) / Σ sᵢ + α Ω(w) for classes, with a proof of optimality.

    Parameters
    ----------
    datafit : "logistic", "squared_hinge" or a Datafit
        ℓ: log(1 + e^(−yz)) for two classes; for more, the multinomial log Σ_k e^(z_k) − z_y. The squared hinge
        max(0, 1 − yz)² is for two classes, and has margins but no probabilities.
    alpha : float ≥ 0 or None
        Weight of the penalty. None: 1/Σ sᵢ, that is 1/n without weights, scikit-learn's C = 1.
    penalty, fit_intercept, standardize, relax, solver, warm_start, max_iter, tol, n_jobs
        As in SparseRegressor. With more than two classes ``Group()`` takes features in for all of them at once.
    class_weight : None, "balanced" or {class: weight}
        Multiplies the weights of the rows; "balanced" makes all classes count the same.

    Attributes
    ----------
    classes_ : in increasing order
    coef_ : (1, p) for two classes, (K, p) for more;  intercept_ : (1,) or (K,)
    alpha_ : the α that was used
    dual_gap_, certificate_, diagnostics_, n_iter_, scale_, strategy_, n_features_in_, feature_names_in_
        As in SparseRegressor; ``certificate_.verify`` takes the labels.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from tamis import SparseClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = SparseClassifier(alpha=0.05).fit(X, y)
    >>> round(model.score(X, y), 2)
    0.95
    >>> [name for name, used in zip(X.columns, model.coef_.any(axis=0)) if used]
    ['petal length (cm)']
    """

    def __init__(
        self,
        datafit: Any = "logistic",
        penalty: Any = "l1",
        alpha: float | None = None,
        *,
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
        self.datafit = datafit
        self.penalty = penalty
        self.alpha = alpha
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
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> SparseClassifier:
        """Fit on rows X and labels y: arrays, sparse arrays, a frame or a file; y may be the name of a column."""
        self._fit_at(self.alpha, 1.0, X, y, sample_weight)
        return self

    def _fit_at(self, alpha: float | None, C: float, X: Any, y: Any, sample_weight: Any) -> None:
        """At α, or where it is None at 1/(C Σ sᵢ)."""
        alpha = None if alpha is None else check_number("alpha", alpha, at_least=0)
        data, datafit = self._open(X, y, sample_weight)
        problem, strategy = make_problem(data, self._plan(data, datafit), self._steps)
        start = self._start((data.p,) if data.n_outputs == 1 else (data.n_outputs, data.p))
        self.alpha_ = 1.0 / (C * problem.weight_sum) if alpha is None else alpha
        path = solve_at(problem, self.alpha_, start, self._steps)
        self._keep(problem, path, -1, data, strategy)
        self.n_iter_ = max(1, int(path.n_iter[-1]))


class SparseClassifierCV(ChoosesAlpha, Classification):
    """SparseClassifier whose α is chosen along a path: by cross-validation, or by an information criterion.

    Parameters
    ----------
    datafit, penalty, class_weight, fit_intercept, standardize, relax, solver, max_iter, tol, n_jobs
        As in SparseClassifier; folds run on ``n_jobs`` threads.
    alphas, eps, rule
        As in SparseRegressorCV.
    cv : int, splitter or iterable of (train, test)
        As in scikit-learn; a number means stratified folds. Lists of rows are read as in SparseRegressorCV.
    scoring : str, callable or None
        A scikit-learn scorer; None: the mean loss, which is the log loss of the logistic one.

    Attributes
    ----------
    alphas_, alpha_, alpha_min_, alpha_1se_, criterion_path_, coef_path_, intercept_path_ : as in SparseRegressorCV
    scores_path_ : (n_alphas, n_folds); higher is better, so minus the log loss where no scoring is given
    classes_, coef_, intercept_, dual_gap_, certificate_, diagnostics_, n_iter_, scale_, strategy_ : as in
        SparseClassifier, at ``alpha_``

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from tamis import SparseClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = SparseClassifierCV(standardize=True, alphas=20, rule="1se").fit(X, y)
    >>> bool(model.score(X, y) > 0.95)
    True
    """

    def __init__(
        self,
        datafit: Any = "logistic",
        penalty: Any = "l1",
        *,
        alphas: Any = 100,
        eps: float = 1e-3,
        cv: Any = 5,
        scoring: Any = None,
        rule: str = "min",
        class_weight: Any = None,
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
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.relax = relax
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs

    @all_or_nothing
    @reports_progress
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> SparseClassifierCV:
        """Fit on rows X and labels y: arrays, sparse arrays, a frame or a file; y may be the name of a column.

        ``groups`` goes to the splitter. It is taken here with or without scikit-learn's metadata routing, which is for
        pipelines and searches that hand it on.
        """
        data, datafit = self._open(X, y, sample_weight)
        self._fit_path(data, datafit, groups)
        return self


def _require_weights(data: TrainingData, name: str) -> None:
    """Every class has a row that counts."""
    assert data.classes is not None
    assert data.codes is not None
    s = np.ones(data.n) if data.weight is None else data.weight
    empty = np.bincount(data.codes, weights=s, minlength=len(data.classes)) == 0
    if empty.any():
        raise InputError(
            f"{name}: the class {data.classes[empty].tolist()[0]!r} has weight 0 in every row: drop its rows"
        )


def _class_weights(class_weight: Any, data: TrainingData) -> np.ndarray:
    """One for each of ``rows.classes``; "balanced" counts rows, as scikit-learn does."""
    assert data.classes is not None
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise InputError(f"class_weight must be None, 'balanced' or a dict of weights, got {class_weight!r}")
        return compute_class_weight("balanced", classes=np.arange(len(data.classes)), y=data.codes)
    try:
        weights = np.array([float(class_weight.get(c, 1.0)) for c in data.classes.tolist()])
    except (AttributeError, TypeError, ValueError):
        raise InputError(f"class_weight must be None, 'balanced' or a dict of weights, got {class_weight!r}") from None
    unknown = [c for c in class_weight if c not in data.classes.tolist()]
    if unknown:
        raise InputError(f"class_weight names {unknown[0]!r}, which y does not hold; it holds {data.classes.tolist()}")
    if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
        raise InputError(f"class_weight must hold finite numbers ≥ 0, not all 0, got {class_weight!r}")
    return weights
