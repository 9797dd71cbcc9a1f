"""Robust PCA on graphs: rows, or rows and columns, that are neighbours have similar entries in L."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from tamis._core.checks import check_choice, check_count, check_number
from tamis._core.errors import ConvergenceWarning, InputError
from tamis._core.evidence import Diagnostics, Status
from tamis._core.progress import ProgressMixin, reports_progress
from tamis._core.random import as_rng
from tamis._core.threads import thread_count
from tamis._core.warn import warn
from tamis.base.fitting import all_or_nothing
from tamis.base.saved import SavedMixin
from tamis.lowrank.matrix_input import read_matrix, require_some, scores_given
from tamis.lowrank.separation.graphs import laplacian, neighbour_graph
from tamis.lowrank.separation.nuclear_on_graph import nuclear_on_graph
from tamis.lowrank.separation.robust_rows import robust_scores
from tamis.solvers.iteration_limits import IterationLimits

FORMS = ("nuclear", "two_graphs")
SHOWN = 0.05  # of the largest singular value: components of the two-graph form, whose L is of full rank
SPREAD = 4.0
GENTLE = 0.1  # of α over the median size of the entries: γ where it is not given


class GraphRobustPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ProgressMixin, SavedMixin, BaseEstimator):
    """Robust PCA with L smooth on graphs, for data whose rows (and columns) have known or visible neighbours.

    "nuclear": min ‖L‖_* + α‖S‖₁ + γ tr(Lᵀ 𝓛_rows L), X = L + S (Shahid et al., ICCV 2015). "two_graphs":
    min ‖X − L‖₁ + γ₁ tr(Lᵀ 𝓛_rows L) + γ₂ tr(L 𝓛_cols Lᵀ), without a singular value decomposition (Shahid et al. 2016).
    𝓛 are normalised Laplacians; disconnected graphs are fine, asymmetric ones are refused.

    Parameters
    ----------
    form : {"nuclear", "two_graphs"}
    row_graph, column_graph : sparse or dense weights (n, n) and (p, p), optional
        Symmetric, ≥ 0; by default the graph of the ``n_neighbors`` nearest rows, or columns, of X.
    alpha : float, optional
        Weight of ‖S‖₁ in "nuclear"; 1/√max(n, p) by default.
    gamma, gamma_columns : float, optional
        Weights of smoothness over rows and over columns; γ has the unit of α over that of X, so that it is by default
        0.1 α over the median size of the entries ("nuclear"), or 2 over it ("two_graphs").
    n_neighbors : int
    tol : float
        Of the relative movement of L in a step, and of the duality gap over the objective.
    max_iter, time_limit, n_jobs, random_state

    Attributes
    ----------
    low_rank_, sparse_ : (n, p) arrays
    rank_, components_, singular_values_, alpha_, gamma_, gamma_columns_, threshold_
    status_, n_iter_, diagnostics_
        Nothing is proved: there is no ``certificate_``.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis import GraphRobustPCA
    >>> steps = np.linspace(0, 3, 40)
    >>> X = np.outer(np.sin(steps), np.ones(12))
    >>> X[5, 3] += 4.0
    >>> path = np.eye(40, k=1) + np.eye(40, k=-1)
    >>> model = GraphRobustPCA(row_graph=path).fit(X)
    >>> tuple(int(k) for k in np.unravel_index(np.abs(model.sparse_).argmax(), X.shape))
    (5, 3)
    """

    def __init__(
        self,
        form: str = "nuclear",
        *,
        row_graph: Any = None,
        column_graph: Any = None,
        alpha: float | None = None,
        gamma: float | None = None,
        gamma_columns: float | None = None,
        n_neighbors: int = 10,
        tol: float = 1e-4,
        max_iter: int = 1000,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.form = form
        self.row_graph = row_graph
        self.column_graph = column_graph
        self.alpha = alpha
        self.gamma = gamma
        self.gamma_columns = gamma_columns
        self.n_neighbors = n_neighbors
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state

    @all_or_nothing
    @reports_progress
    def fit(self, X: Any, y: Any = None) -> GraphRobustPCA:
        """Split X (n, p); NaN is a missing entry. ``y`` is not used."""
        self._check_arguments()
        X = read_matrix(self, X, reset=True)
        require_some(X)
        rng = as_rng(self.random_state)
        limits = IterationLimits.from_now(self.tol, self.max_iter, self.time_limit)
        rows = self._graph(self.row_graph, X, "row_graph")
        size = float(np.nanmedian(np.abs(X))) or float(np.nanmax(np.abs(X))) or 1.0
        self.alpha_ = float(max(X.shape) ** -0.5 if self.alpha is None else self.alpha)
        with limits.until_interrupted():
            if self.form == "nuclear":
                self.gamma_, self.gamma_columns_ = self._weight(self.gamma, GENTLE * self.alpha_ / size), 0.0
                L = self._nuclear(X, rows, limits, rng)
            else:
                columns = self._graph(self.column_graph, X.T, "column_graph")
                self.gamma_ = self._weight(self.gamma, 2 / size)
                self.gamma_columns_ = self._weight(self.gamma_columns, 2 / size)
                L = self._two_graphs(X, rows, columns, limits)
        self._keep(X, L)
        if self.status_ != Status.CONVERGED.value:
            warn(f"GraphRobustPCA ended with status {self.status_} after {self.n_iter_} steps", ConvergenceWarning)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Scores (n, rank_) of rows on the components; outlying and missing entries do not move them."""
        check_is_fitted(self)
        X = read_matrix(self, X, reset=False)
        components = self.components_.astype(X.dtype, copy=False)
        return robust_scores(X, components, self.threshold_, thread_count(self.n_jobs))[0]

    def inverse_transform(self, scores: Any) -> np.ndarray:
        """Rows (n, p) from their scores."""
        check_is_fitted(self)
        return scores_given(scores, self.rank_) @ self.components_

    def _check_arguments(self) -> None:
        check_choice("form", self.form, FORMS)
        for name in ("alpha", "time_limit"):
            if getattr(self, name) is not None:
                check_number(name, getattr(self, name), above=0)
        for name in ("gamma", "gamma_columns"):
            if getattr(self, name) is not None:
                check_number(name, getattr(self, name), at_least=0)
        check_number("tol", self.tol, above=0)
        check_count("max_iter", self.max_iter)
        check_count("n_neighbors", self.n_neighbors)
        as_rng(self.random_state)
        thread_count(self.n_jobs)
        unused = ("column_graph", "gamma_columns") if self.form == "nuclear" else ("alpha",)
        for name in unused:
            if getattr(self, name) is not None:
                raise InputError(f"{name} is not used by form={self.form!r}: leave it out", argument=name)

    @staticmethod
    def _weight(given: float | None, default: float) -> float:
        return default if given is None else float(given)

    def _graph(self, graph: Any, X: np.ndarray, name: str) -> Any:
        if graph is not None:
            return laplacian(graph, len(X), name)
        if len(X) < 2:
            return laplacian(np.zeros((len(X), len(X))), len(X), name)
        k = min(self.n_neighbors, len(X) - 1)
        return laplacian(neighbour_graph(X, k, "n_neighbors"), len(X), name)

    def _nuclear(self, X: np.ndarray, rows: Any, limits: IterationLimits, rng: np.random.Generator) -> np.ndarray:
        found = nuclear_on_graph(X, rows, self.alpha_, self.gamma_, limits, rng=rng, steps=self._steps)
        self.status_, self.n_iter_, self.diagnostics_ = found.status.value, found.n_iter, found.diagnostics
        return found.x

    def _two_graphs(self, X: np.ndarray, rows: Any, columns: Any, limits: IterationLimits) -> np.ndarray:
        """FISTA: the prox of ‖X − ·‖₁ moves every entry towards that of X by at most the step."""
        filled, observed = np.nan_to_num(X), np.isfinite(X)
        lipschitz = 4 * (self.gamma_ + self.gamma_columns_)
        step = X.dtype.type(1 / lipschitz if lipschitz > 0 else 1.0)
        L, Y, t, moves, gap = filled, filled, 1.0, [], np.inf

        def gradient(L: np.ndarray) -> np.ndarray:
            return np.asarray(2 * self.gamma_ * (rows @ L) + 2 * self.gamma_columns_ * (columns @ L.T).T)

        status = Status.MAX_ITER
        for k in self._steps(range(1, limits.max_iter + 1), "two graphs"):
            A = (Y - step * gradient(Y)).astype(X.dtype, copy=False)
            new = np.where(observed, A + np.clip(filled - A, -step, step), A)
            after = 0.5 * (1 + np.sqrt(1 + 4 * t * t))
            if float(np.sum((Y - new) * (new - L))) > 0:  # the momentum points uphill: begin anew
                after = 1.0
            Y = new + X.dtype.type((t - 1) / after if after > 1 else 0.0) * (new - L)
            moves.append(float(np.linalg.norm(new - L)) / (float(np.linalg.norm(new)) or 1.0))
            L, t = new, after
            if moves[-1] <= limits.tol or k == limits.max_iter:
                gap = _two_graph_gap(filled, observed, L, gradient(L))
            status = limits.status(moves[-1] <= limits.tol and gap <= limits.tol)
            if status is not Status.MAX_ITER:
                break
        self.status_, self.n_iter_ = status.value, k
        self.diagnostics_ = Diagnostics({"residual": moves[-1], "gap": gap}, np.array(moves))
        return L

    def _keep(self, X: np.ndarray, L: np.ndarray) -> None:
        _U, s, Vt = np.linalg.svd(L, full_matrices=False)
        least = 1e-6 if self.form == "nuclear" else SHOWN
        k = int(np.count_nonzero(s > least * s.max(initial=0.0)))
        self.low_rank_, self.sparse_ = L, np.nan_to_num(X - L)
        self.components_, self.singular_values_ = Vt[:k], s[:k]
        self.rank_ = self._n_features_out = k
        middle = 1.4826 * float(np.nanmedian(np.abs(X - L)))
        self.threshold_ = max(SPREAD * middle, (1e-6 if X.dtype == np.float64 else 1e-3) * float(np.nanmax(np.abs(X))))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _two_graph_gap(X: np.ndarray, observed: np.ndarray, L: np.ndarray, slope: np.ndarray) -> float:
    """The relative gap of min ‖X − L‖₁ + ½⟨L, QL⟩, ``slope`` being QL.

    ⟨cQL, X⟩ − c²/2 ⟨L, QL⟩ is a lower bound for every c with |cQL| ≤ 1 at the observed entries and QL = 0 at the
    others, where it is 0 only in the end: their share of ⟨QL, L⟩ is added.
    """
    smooth = 0.5 * float(np.sum(L * slope, dtype=np.float64))
    c = 1 / max(1.0, float(np.abs(slope[observed]).max(initial=0.0)))
    value = float(np.abs(X - L)[observed].sum(dtype=np.float64)) + smooth
    bound = c * float(np.sum(slope[observed] * X[observed], dtype=np.float64)) - c * c * smooth
    missing = float(np.abs(slope * L)[~observed].sum(dtype=np.float64))
    return (value - bound + missing) / value if value > 0 else 0.0
