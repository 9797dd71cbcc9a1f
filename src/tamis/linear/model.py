"""What every sparse model shares: from rows to coefficients with their evidence."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils import Tags, _align_api_if_sparse
from sklearn.utils.validation import check_is_fitted

from tamis._core.checks import check_choice, check_count, check_number
from tamis._core.errors import ConvergenceWarning
from tamis._core.evidence import Diagnostics
from tamis._core.progress import ProgressMixin
from tamis._core.random import as_rng, check_random_state
from tamis._core.warn import warn
from tamis.base.frames import as_frame
from tamis.base.new_rows import new_rows, require_finite
from tamis.base.saved import SavedMixin
from tamis.base.training_data import TrainingData
from tamis.datafits import Datafit, HasTargets
from tamis.linear.adaptive import bind, is_adaptive
from tamis.linear.fit_problem import FitProblem, bounded_by, certify, rounded
from tamis.linear.plan import Plan, check_precompute, check_solver
from tamis.linear.rows_problem import targets_are_separate
from tamis.solvers.paths import SolvedPath
from tamis.sources.base import one_after_the_other, workers_of


class SparseModel(ProgressMixin, SavedMixin, BaseEstimator):
    """The common ground of regressors and classifiers, with one α or many.

    The class attributes are the values of options that an estimator does not offer.
    """

    datafit: Any = "squared"
    penalty: Any = "l1"
    fit_intercept: bool = True
    standardize: bool = False
    relax: bool = False
    solver: Any = "auto"
    precompute: Any = "auto"
    selection: str = "cyclic"
    random_state: Any = None
    warm_start: bool = False
    copy_X: bool = True
    max_iter: int | None = 1000
    tol: float = 1e-7
    n_jobs: int | None = None

    coef_: np.ndarray
    intercept_: Any

    @property
    def sparse_coef_(self) -> Any:
        """``coef_`` with one row per target, as a sparse matrix or array: which, scikit-learn's configuration says."""
        check_is_fitted(self)
        return _align_api_if_sparse(sp.csr_array(np.atleast_2d(self.coef_)))

    def coef_frame(self) -> Any:
        """The coefficients as a frame, one row per feature (and per target or class where there are several).

        A frame of the library X came from, else of the first of pandas, polars and pyarrow that is there, else a dict
        of columns: ``feature``, ``coefficient``, ``scale`` (the standard deviation of the column), where there are
        several outputs ``output``, and after a cross-validation ``enters_at``, the largest α of the path at which the
        coefficient is not zero.
        """
        check_is_fitted(self)
        return as_frame(self._coef_columns(), self._frame_library)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _linear(self, X: Any) -> np.ndarray:
        """Xw + b for new rows."""
        check_is_fitted(self)
        return _predictions(new_rows(self, X), self.coef_, self.intercept_)

    def _penalty(self) -> Any:
        """The penalty as the user gave it: a string or an object."""
        return self.penalty

    def _plan(self, data: TrainingData, datafit: Datafit) -> Plan:
        """Every option checked, strings turned into objects."""
        if isinstance(datafit, HasTargets):
            datafit.check_target(data.y, data.weight)
        for name in ("fit_intercept", "standardize", "relax", "warm_start", "copy_X"):
            check_choice(name, getattr(self, name), (True, False))
        check_random_state(self.random_state)
        check_choice("selection", self.selection, ("cyclic", "random"))
        plan = Plan(
            datafit,
            bind(self._penalty(), data),
            bool(self.fit_intercept),
            bool(self.standardize),
            check_precompute(self.precompute, data.p),
            check_solver(self.solver),
            check_number("tol", self.tol, at_least=0),
            check_count("max_iter", 1000 if self.max_iter is None else self.max_iter),
            -1 if self.selection == "cyclic" else int(as_rng(self.random_state).integers(2**31)),
            self.n_jobs,
            is_adaptive(self._penalty()),
            data.classes,
            data.class_weight,
        )
        return plan if targets_are_separate(data, plan) else plan.for_target(data.y, data.weight)

    def _start(self, shape: tuple[int, ...]) -> np.ndarray | None:
        """The coefficients of the fit before, for ``warm_start``, where they still fit the columns."""
        coef = getattr(self, "coef_", None) if self.warm_start else None
        return None if coef is None or np.size(coef) != int(np.prod(shape)) else np.reshape(coef, shape).astype(float)

    def _keep(self, problem: FitProblem, path: SolvedPath, k: int, data: TrainingData, strategy: str) -> None:
        """The fitted attributes: entry k of the path, and what is proved and measured about it."""
        self.certificate_, proved = certify(problem, path, k, self.tol, self._steps)
        coef, intercept, alpha = path.coefs[k], path.intercepts[k], float(path.alphas[k])
        if data.dtype != np.float64:  # what is proved is proved of the coefficients that the user gets
            coef, intercept = rounded(problem, coef, intercept, data.dtype, self.fit_intercept)
            self.certificate_ = bounded_by(problem.certificate(coef, intercept, alpha), self.certificate_)
        self.dual_gap_ = _gap(self.certificate_)
        measured = {"kkt": problem.kkt(coef, intercept, alpha)}
        if path.screened is not None:
            measured["screened"] = float(path.screened[k])
        self.diagnostics_ = Diagnostics(measured, path.gaps)
        self.scale_ = problem.scale
        self.strategy_ = strategy
        self._warn(problem, proved, alpha)
        if self.relax:
            coef, intercept = rounded(problem, *self._relaxed(problem, path, k), data.dtype, self.fit_intercept)
        self.coef_, self.intercept_ = self._shaped(coef.astype(data.dtype), intercept)

    def _relaxed(self, problem: FitProblem, path: SolvedPath, k: int) -> tuple[np.ndarray, Any]:
        """The columns of entry k fitted once more without the penalty."""
        return problem.relaxed(path.coefs[k], self._steps)

    def _shaped(self, coef: np.ndarray, intercept: Any) -> tuple[np.ndarray, Any]:
        """As the attributes have them: one target has (p,) and a number."""
        return coef, float(intercept) if np.ndim(intercept) == 0 else np.asarray(intercept, dtype=np.float64)

    def _warn(self, problem: FitProblem, proved: bool, alpha: float) -> None:
        if not proved and self.certificate_ is None:
            self._complain(
                f"{type(self).__name__} did not reach a stationary point within max_iter={self.max_iter} (optimality "
                f"conditions are missed by {self.diagnostics_['kkt']:.3g}): raise max_iter or tol"
            )
        elif not proved:
            limit = self.tol * problem.null_value()
            self._complain(
                f"{type(self).__name__} reached a duality gap of {np.max(self.dual_gap_):.3g} (asked: {limit:.3g}) "
                f"within max_iter={self.max_iter}: raise max_iter or tol"
            )

    def _complain(self, message: str) -> None:
        warn(message, ConvergenceWarning)

    def _coef_columns(self) -> dict[str, list[Any]]:
        coef = np.atleast_2d(self.coef_)
        K, p = coef.shape
        names = list(getattr(self, "feature_names_in_", range(p)))
        columns: dict[str, list[Any]] = {"feature": names * K}
        if K > 1:
            columns["output"] = np.repeat(self._outputs(K), p).tolist()
        columns["coefficient"] = coef.ravel().tolist()
        columns["scale"] = np.tile(self.scale_, K).tolist()
        if hasattr(self, "coef_path_"):
            columns["enters_at"] = _enters_at(self.coef_path_.reshape(-1, K * p), self._alphas).tolist()
        return columns

    def _outputs(self, K: int) -> np.ndarray:
        """What the rows of ``coef_`` are called."""
        return getattr(self, "classes_", np.arange(K))


def _predictions(source: Any, coef: np.ndarray, intercept: Any) -> np.ndarray:
    """Xw + b, block by block: (n,), or (n, K) for coefficients (K, p)."""
    workers = workers_of(source)
    if workers is not None:
        task = partial(_predictions, coef=coef, intercept=intercept)
        predicted: np.ndarray = workers.reduce(source.partitions(), task, one_after_the_other)
        return predicted
    parts = []
    for block in source.blocks():
        with np.errstate(invalid="ignore", over="ignore"):
            values = np.asarray(block.X @ coef.T.astype(block.X.dtype, copy=False)) + intercept
        if not np.isfinite(values).all():
            require_finite(block.X)
        parts.append(values)
    return np.concatenate(parts)


def _gap(certificate: Any) -> Any:
    """NaN where no bound is known for a datafit or penalty of the user's own."""
    if certificate is None:
        return np.nan
    return np.array([c.gap for c in certificate]) if isinstance(certificate, tuple) else certificate.gap


def _enters_at(coefs: np.ndarray, alphas: np.ndarray) -> np.ndarray:
    """The first, and so largest, α at which each column of (n_alphas, columns) is not zero; NaN where none is."""
    used = coefs != 0
    return np.where(used.any(axis=0), alphas[used.argmax(axis=0)], np.nan)
