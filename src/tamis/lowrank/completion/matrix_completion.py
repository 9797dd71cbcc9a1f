"""Matrix completion: a matrix of low rank from some of its entries."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.stats import norm
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from tamis._core.checks import check_choice, check_count, check_number, shorten
from tamis._core.errors import ConvergenceWarning, InputError
from tamis._core.evidence import Status
from tamis._core.progress import ProgressMixin, reports_progress
from tamis._core.random import as_rng
from tamis._core.threads import thread_count
from tamis._core.warn import warn
from tamis._kernels import kernels
from tamis.base.fitting import all_or_nothing
from tamis.base.saved import SavedMixin
from tamis.lowrank.completion.choice import PSEUDO_ENTRIES, Baseline
from tamis.lowrank.completion.dask_table import OnWorkers, entries_on_workers, stays_on_dask
from tamis.lowrank.completion.entry_sums import entry_counts, entry_sums, residual_square
from tamis.lowrank.completion.observed import (
    DUPLICATES,
    Observed,
    from_array,
    from_long_table,
    from_sparse,
    from_triplets,
    is_sparse,
    is_triplets,
    three_names,
    warn_of_offset,
)
from tamis.lowrank.completion.on_workers import WorkerEntries
from tamis.lowrank.completion.required_entries import required_entries, warn_of_few
from tamis.lowrank.completion.solve import METHODS, Fit, Plan, complete
from tamis.lowrank.completion.standard_errors import Leverages
from tamis.lowrank.matrix_input import read_matrix
from tamis.solvers.als import FactorPair, ridge_of
from tamis.solvers.iteration_limits import IterationLimits
from tamis.solvers.nuclear_completion import padded
from tamis.sources.dask_workers import DaskWorkers

TOLERANCES = {"als": 1e-4, "factored": 1e-7, "soft_impute": 1e-7, "svt": 1e-5, "sdp": 1e-7}
HELD_OUT = 0.1
USES = {
    "alpha": ("als", "soft_impute", "sdp"),
    "rank": ("als", "factored"),
    "biases": ("als", "factored"),
}


class Recommendations(NamedTuple):
    """Columns, best first, and the predicted values."""

    columns: np.ndarray
    values: np.ndarray


class MatrixCompletion(OneToOneFeatureMixin, TransformerMixin, ProgressMixin, SavedMixin, BaseEstimator):
    """Fills a matrix of which some entries are known: min ½‖P_Ω(X − M)‖² + α‖M‖_* (11.24)–(11.26).

    Parameters
    ----------
    method : {"als", "soft_impute", "svt", "factored", "sdp"}
        "als": alternating least squares with every row solved exactly (Hastie et al. 2015), after biases.
        "soft_impute": the nuclear-norm problem by accelerated proximal steps on a sparse-plus-low-rank operator; at
        alpha=0 the completion of least nuclear norm, (11.26), by ADMM. "svt": singular value thresholding (Cai et al.
        2010). "factored": a given rank, no shrinkage. "sdp": through cvxpy, exact and small; without alpha, (11.26).
    rank : int, optional
        Rank of "factored" and largest rank of "als"; chosen by held-out entries where it is not given.
    alpha : float, optional
        Weight of the nuclear norm; chosen by held-out entries along a path, by the one-standard-error rule.
    biases : bool or "auto"
        Whether each row and column has a number of its own, fitted before the factors and shrunk as if two more of its
        entries were at the mean; "auto" says yes for "als".
    bounds : pair of floats, optional
        Predictions are cut to this range.
    duplicates : {"error", "mean", "last"}
        What becomes of an entry that is given more than once.
    held_out : float
        Share of the entries that choose, and share of those that tell the score; at most 200,000 each.
    tol : float, optional
        "als" and "factored": relative movement of M in a sweep (1e-4 and 1e-7). "soft_impute": the duality gap over
        ½‖P_Ω(X)‖² (1e-7). "svt": relative misfit (1e-5).
    max_iter : int
    time_limit : float, optional
    n_jobs : int, optional
    random_state : None, int, Generator or RandomState

    Attributes
    ----------
    row_factors_ (m, rank_), column_factors_ (n, rank_), row_bias_, column_bias_, mean_
        Predictions are mean + row bias + column bias + ⟨row factor, column factor⟩.
    rank_, alpha_, noise_
        ``noise_`` is the standard deviation of an observed entry about M, degrees of freedom taken off.
    score_, score_interval_ : float, pair
        Root mean square error at entries that chose nothing, and its 95 % interval; None where nothing was chosen.
    score_while_choosing_ : float
        The same at the entries that chose, which flatters.
    score_of_mean_, beats_mean_ : float, bool
        Error of the mean of the other entries where ``score_`` is measured, and whether the model's is lower beyond
        chance (95 %); False: nothing was found. None where nothing was chosen.
    path_ : dict
        alpha, rank, mean squared error and its standard error along the path.
    certificate_ : CompletionGap or None
        The duality gap of the nuclear-norm problem; None for "svt", "factored" and α = 0.
    unseen_rows_, unseen_columns_
        Positions without an observed entry: predicted by the biases, or by the means of what was observed.
    row_names_, column_names_, strategy_, status_, n_iter_, diagnostics_

    Examples
    --------
    >>> import numpy as np
    >>> from tamis import MatrixCompletion
    >>> rng = np.random.default_rng(0)
    >>> M = rng.normal(size=(60, 2)) @ rng.normal(size=(2, 40))
    >>> X = np.where(rng.random(M.shape) < 0.5, M, np.nan)
    >>> model = MatrixCompletion("factored", rank=2, random_state=0).fit(X)
    >>> bool(np.abs(model.transform(X) - M).max() < 1e-4)
    True
    """

    def __init__(
        self,
        method: str = "als",
        rank: int | None = None,
        alpha: float | None = None,
        *,
        biases: Any = "auto",
        bounds: Any = None,
        duplicates: str = "error",
        held_out: float = HELD_OUT,
        tol: float | None = None,
        max_iter: int = 500,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.method = method
        self.rank = rank
        self.alpha = alpha
        self.biases = biases
        self.bounds = bounds
        self.duplicates = duplicates
        self.held_out = held_out
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state

    @all_or_nothing
    @reports_progress
    def fit(self, X: Any, y: Any = None, columns: Any = None) -> MatrixCompletion:
        """Complete X: an array or frame with NaN, a SciPy sparse array, (rows, columns, values), or a long table.

        ``columns`` names the three columns of a long table, a frame or a CSV, Parquet or Excel file: those of rows,
        columns and values; without it frames and files are matrices. A long table on Dask whose entries do not fit here
        (100 bytes each) is left on the workers of the active client: methods "als" and "factored". ``y`` is not used.
        """
        self._check_arguments()
        observed = self._read(X, columns)
        data = observed.X
        if data.nnz == 0:
            raise InputError("X has no observed entry: there is nothing to complete from", argument="X")
        if self.rank is not None:
            check_count("rank", self.rank, at_most=min(data.shape))
        self.row_names_, self.column_names_ = observed.row_names, observed.column_names
        plan = self._plan()
        if self.held_out != HELD_OUT and not plan.chooses:
            chooses = {"factored": ", or leave out rank", "als": ", or leave out alpha"}
            chooses["soft_impute"] = chooses["als"]
            raise InputError(
                f"held_out={self.held_out!r} is not used where nothing is chosen: leave it out"
                f"{chooses.get(self.method, '')}",
                argument="held_out",
            )
        if not plan.biases and is_sparse(data):  # entries that stay on workers are not looked at
            warn_of_offset(data)
        with plan.limits.until_interrupted():
            fitted = complete(data, plan)
        self._keep(data, fitted)
        if fitted.status not in (Status.CONVERGED, None):
            warn(
                f"MatrixCompletion ended with status {fitted.status.value} after {fitted.n_iter} steps",
                ConvergenceWarning,
            )
        return self

    def predict(self, rows: Any, columns: Any = None) -> np.ndarray:
        """The entries at pairs of rows and columns, by name or by number.

        A name that was not in the data, or a row or column without observed entries, is predicted by what is known of
        the other one: its bias, or the mean of its entries. Unknown names are warned of. Without ``columns``, ``rows``
        is a matrix of new rows as ``transform`` takes them, and all their entries are predicted, observed ones too.
        """
        check_is_fitted(self)
        if columns is None:
            return self._cut(self._new_rows(self._given_rows(rows)[1]))
        i, j = self._pairs(rows, columns)
        return self._cut(self._entries(i, j))

    def standard_error(self, rows: Any, columns: Any, *, new: bool = False) -> np.ndarray:
        """Of the predicted entries of M, from the noise and the entries of their rows and columns (Chen et al. 2019).

        Where α or the rank was chosen, the variances are enlarged to what the errors at the entries that tell the
        score ask for: the first-order formula knows nothing of what shrinkage bends. ``new=True``: of a new
        observation there, with its own noise. A row or column without entries has that of the observed values.
        """
        check_is_fitted(self)
        i, j = self._pairs(rows, columns)
        seen = (i >= 0) & (j >= 0) & self._seen_rows[i] & self._seen_columns[j]
        variance = np.full(len(i), self._spread**2)
        variance[seen] = (
            self.noise_**2
            * self._inflation
            * self._leverages(self._entries_here("standard_error")).at(i[seen], j[seen])
        )
        return np.sqrt(variance + (self.noise_**2 if new else 0.0))

    def interval(
        self, rows: Any, columns: Any, level: float = 0.95, *, new: bool = False
    ) -> tuple[np.ndarray, np.ndarray]:
        """(low, high) around the predictions that hold the entry of M, or a new observation, with this probability."""
        level = check_number("level", level, above=0, at_most=1 - 1e-12)
        half = norm.ppf(0.5 + level / 2) * self.standard_error(rows, columns, new=new)
        i, j = self._pairs(rows, columns)
        centre = self._entries(i, j)
        return self._cut(centre - half), self._cut(centre + half)

    def transform(self, X: Any) -> np.ndarray:
        """Rows (n, p) with their missing entries filled, each from its own observed ones; these stay as they are."""
        check_is_fitted(self)
        given, rows = self._given_rows(X)
        return np.where(np.isnan(given), self._cut(self._new_rows(rows)), given).astype(given.dtype, copy=False)

    def _given_rows(self, X: Any) -> tuple[np.ndarray, csr_array]:
        """New rows in full, with NaN, and their observed entries."""
        if not is_sparse(X):
            given = read_matrix(self, X, reset=False)
            return given, from_array(given).X
        if X.shape[1] != self.n_features_in_:
            raise InputError(
                f"X has {X.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} features "
                "as input",
                argument="X",
            )
        rows = from_sparse(X, self.duplicates).X
        given = np.full(rows.shape, np.nan)
        given[np.repeat(np.arange(len(given)), np.diff(rows.indptr)), rows.indices] = rows.data
        return given, rows

    def is_known(self, rows: Any, columns: Any) -> np.ndarray:
        """Of each pair, whether both were in the data with at least one observed entry."""
        check_is_fitted(self)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            i, j = self._pairs(rows, columns)
        return (i >= 0) & (j >= 0) & self._seen_rows[i] & self._seen_columns[j]

    def recommend(self, row: Any, n: int = 10, *, seen: bool = False) -> Recommendations:
        """The n columns with the highest predictions for a row; those it has observed are left out unless ``seen``."""
        check_is_fitted(self)
        n = check_count("n", n)
        i, _ = self._pairs([row], [0] if self.column_names_ is None else [self.column_names_[0]])
        p = self.n_features_in_
        values = self._cut(self._entries(np.full(p, i[0]), np.arange(p)))
        if not seen and i[0] >= 0:
            X = self._entries_here("recommend without seen=True")
            values[X.indices[X.indptr[i[0]] : X.indptr[i[0] + 1]]] = -np.inf
        order = np.argsort(-values, kind="stable")[:n]
        order = order[np.isfinite(values[order])]
        return Recommendations(order if self.column_names_ is None else self.column_names_[order], values[order])

    def completed(self) -> np.ndarray:
        """M (m, n) in full, biases and mean included; observed entries are as the model has them."""
        check_is_fitted(self)
        whole = self.row_factors_ @ self.column_factors_.T + self._row_level()[:, None] + self._column_level()
        unseen = np.flatnonzero(~self._seen_rows)
        whole[unseen] = self._entries(np.full(whole.shape[1], -1), np.arange(whole.shape[1]))
        gone = np.flatnonzero(~self._seen_columns)
        whole[:, gone] = self._entries(np.arange(len(whole)), np.full(len(whole), -1))[:, None]
        return self._cut(whole)

    # ---- arguments -------------------------------------------------------------------------------------------------

    def _check_arguments(self) -> None:
        check_choice("method", self.method, METHODS)
        check_choice("duplicates", self.duplicates, DUPLICATES)
        check_choice("biases", self.biases, (True, False, "auto"))
        check_number("held_out", self.held_out, above=0, at_most=0.4)
        for name in ("tol", "time_limit"):
            if getattr(self, name) is not None:
                check_number(name, getattr(self, name), above=0)
        if self.alpha is not None:
            check_number("alpha", self.alpha, at_least=0)
        if self.rank is not None:
            check_count("rank", self.rank)
        check_count("max_iter", self.max_iter)
        as_rng(self.random_state)
        thread_count(self.n_jobs)
        self._bounds()
        for name, methods in USES.items():
            if getattr(self, name) not in (None, "auto", False) and self.method not in methods:
                raise InputError(
                    f"{name}={getattr(self, name)!r} is not used by method={self.method!r}: leave it out, or take "
                    f"method={methods[0]!r}",
                    argument=name,
                )

    def _bounds(self) -> tuple[float, float] | None:
        if self.bounds is None:
            return None
        try:
            low, high = (float(b) for b in self.bounds)
        except (TypeError, ValueError):
            raise InputError(f"bounds must be a pair (low, high), got {self.bounds!r}", argument="bounds") from None
        if not low < high:
            raise InputError(
                f"bounds must be a pair (low, high) with low < high, got {self.bounds!r}", argument="bounds"
            )
        return low, high

    def _read(self, X: Any, columns: Any) -> Observed | OnWorkers:
        if isinstance(X, tuple) and len(X) == 2 and all(np.ndim(part) == 1 for part in X):
            raise InputError(
                "X is a tuple of two: give (rows, columns, values), or an array for a matrix of two rows", argument="X"
            )
        if not is_triplets(X) and columns is None and not is_sparse(X):
            return from_array(read_matrix(self, X, reset=True))
        observed: Observed | OnWorkers
        if is_triplets(X):
            rows, cols, values = X
            observed = from_triplets(rows, cols, values, self.duplicates)
        elif columns is not None and stays_on_dask(X, self.method):
            observed = entries_on_workers(X, three_names(columns), self.duplicates)
        elif columns is not None:
            observed = from_long_table(X, columns, self.duplicates)
        else:
            observed = from_sparse(X, self.duplicates)
        self.n_features_in_, self._target_name = observed.X.shape[1], None
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return observed

    def _plan(self) -> Plan:
        tol = TOLERANCES[self.method] if self.tol is None else self.tol
        biases = self.method == "als" if isinstance(self.biases, str) else bool(self.biases)
        return Plan(
            self.method, self.rank, self.alpha, biases, self._bounds(), float(self.held_out),
            IterationLimits.from_now(tol, self.max_iter, self.time_limit), thread_count(self.n_jobs),
            as_rng(self.random_state), self._steps,
        )  # fmt: skip

    # ---- what is learned -------------------------------------------------------------------------------------------

    def _keep(self, X: csr_array | WorkerEntries, fitted: Fit) -> None:
        M = fitted.completion.low_rank
        root = np.sqrt(M.s)
        self.row_factors_, self.column_factors_ = M.U * root, M.Vt.T * root
        base = fitted.baseline
        self.rank_, self.alpha_, self.mean_ = len(M.s), fitted.alpha, base.mean
        self.row_bias_, self.column_bias_ = base.row_bias, base.column_bias
        gap, self.diagnostics_ = fitted.completion.certificate, fitted.completion.diagnostics
        self.certificate_ = gap and replace(gap, mean=base.mean, row_bias=base.row_bias, column_bias=base.column_bias)
        self.status_, self.n_iter_, self.strategy_ = fitted.status.value, fitted.n_iter, fitted.why
        if isinstance(X, WorkerEntries):
            self.strategy_ += f"; entries on {DaskWorkers().describe()}"
        self.score_, self.score_interval_ = fitted.score, fitted.interval
        self.score_of_mean_, self.beats_mean_ = fitted.score_of_mean, fitted.beats_mean
        self.score_while_choosing_, self.path_ = fitted.while_choosing, fitted.path
        self._observed = None if isinstance(X, WorkerEntries) else X
        by_row, by_column = entry_counts(X)
        self._seen_rows, self._seen_columns = by_row > 0, by_column > 0
        self.unseen_rows_, self.unseen_columns_ = np.flatnonzero(by_row == 0), np.flatnonzero(by_column == 0)
        self._learn_means(X, by_row, by_column)
        self.noise_, self._inflation = self._noise(X), fitted.inflation
        if self.method == "factored":
            warn_of_few(required_entries(X.shape[0], X.shape[1], max(1, self.rank_)), X.nnz, by_row, by_column)

    def _learn_means(self, X: csr_array | WorkerEntries, by_row: np.ndarray, by_column: np.ndarray) -> None:
        """For rows and columns that nothing is known of."""
        *sums, square = entry_sums(X)
        self._mean_of_all, self._spread = float(sums[0].sum() / X.nnz), float(np.sqrt(square / X.nnz))
        for name, total, counts in zip(("_row_means", "_column_means"), sums, (by_row, by_column), strict=True):
            setattr(self, name, np.where(counts > 0, total / np.maximum(counts, 1), self._mean_of_all))

    def _noise(self, X: csr_array | WorkerEntries) -> float:
        base, pair = Baseline(self.mean_, self.row_bias_, self.column_bias_), self._pair()
        return self._leverages(X).noise(residual_square(X, base, pair, thread_count(self.n_jobs)))

    def _pair(self) -> FactorPair:
        return FactorPair(self.row_factors_, self.column_factors_)

    def _entries_here(self, what: str) -> csr_array:
        """The observed entries, or an error where they stayed on workers."""
        if self._observed is None:
            raise InputError(
                f"{what} needs the observed entries, which stayed on Dask: fit with a memory_limit of "
                "tamis.set_config that holds them here"
            )
        return self._observed

    def _leverages(self, X: csr_array | WorkerEntries) -> Leverages:
        return Leverages(
            X, self.row_factors_, self.column_factors_, self.alpha_ or 0.0, self.row_bias_ is not None,
            thread_count(self.n_jobs),
        )  # fmt: skip

    # ---- predictions -----------------------------------------------------------------------------------------------

    def _row_level(self) -> np.ndarray:
        return np.full(len(self.row_factors_), self.mean_) + (0.0 if self.row_bias_ is None else self.row_bias_)

    def _column_level(self) -> np.ndarray:
        return np.zeros(len(self.column_factors_)) + (0.0 if self.column_bias_ is None else self.column_bias_)

    def _entries(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """Predictions; −1 is a row or column that is not known."""
        i, j = np.asarray(i, np.int64), np.asarray(j, np.int64)
        row_known = (i >= 0) & self._seen_rows[i]
        column_known = (j >= 0) & self._seen_columns[j]
        found = np.einsum("ek,ek->e", self.row_factors_[i], self.column_factors_[j]) if self.rank_ else np.zeros(len(i))
        if self.row_bias_ is None or self.column_bias_ is None:
            alone = np.where(column_known, self._column_means[j], self._mean_of_all)
            alone = np.where(row_known & ~column_known, self._row_means[i], alone)
            return np.where(row_known & column_known, found, alone)
        found = np.where(row_known & column_known, found, 0.0) + self.mean_
        return found + np.where(row_known, self.row_bias_[i], 0.0) + np.where(column_known, self.column_bias_[j], 0.0)

    def _new_rows(self, rows: csr_array) -> np.ndarray:
        """Biases of new rows, then factors by ridge regression on the columns', then their predictions."""
        V, threads = self.column_factors_, thread_count(self.n_jobs)
        level, counts = self.mean_ + self._column_level(), np.diff(rows.indptr)
        bias = np.zeros(rows.shape[0])
        if self.row_bias_ is not None:
            of = np.repeat(np.arange(len(bias)), counts)
            bias = np.bincount(of, weights=rows.data - level[rows.indices], minlength=len(bias))
            bias = bias / (counts + PSEUDO_ENTRIES)
        out = np.zeros((rows.shape[0], padded(V).shape[1]))
        ridge = ridge_of(V, self.alpha_ or 0.0)
        values = rows.data - np.repeat(bias, counts).astype(rows.dtype, copy=False)
        kernels.solve_rows(rows.indptr, rows.indices, values, level, padded(V), ridge, out, threads)
        found = out[:, : V.shape[1]] @ V.T + level + bias[:, None]
        nothing = counts == 0
        if nothing.any():
            found[nothing] = self._entries(np.full(found.shape[1], -1), np.arange(found.shape[1]))
        gone = np.flatnonzero(~self._seen_columns)
        if len(gone) and self.row_bias_ is None:
            sums = np.asarray(rows.sum(axis=1)).ravel()
            found[:, gone] = np.where(counts > 0, sums / np.maximum(counts, 1), self._mean_of_all)[:, None]
        return found

    def _cut(self, values: np.ndarray) -> np.ndarray:
        bounds = self._bounds()
        return values if bounds is None else np.clip(values, *bounds)

    def _pairs(self, rows: Any, columns: Any) -> tuple[np.ndarray, np.ndarray]:
        i = self._find(rows, self.row_names_, len(self.row_factors_), "rows")
        j = self._find(columns, self.column_names_, self.n_features_in_, "columns")
        if len(i) != len(j):
            raise InputError(f"rows and columns must be pairs, got {len(i)} and {len(j)}", argument="rows")
        return i, j

    def _find(self, given: Any, names: np.ndarray | None, size: int, what: str) -> np.ndarray:
        given = np.atleast_1d(np.asarray(given))
        if given.ndim != 1:
            raise InputError(f"{what} must have one axis, got shape {given.shape}", argument=what)
        if names is None:
            if not len(given):
                return np.empty(0, np.int64)
            if given.dtype.kind not in "iu" or ((given < 0) | (given >= size)).any():
                raise InputError(
                    f"{what} must be whole numbers from 0 to {size - 1}, got {shorten(given.tolist())}", argument=what
                )
            return given.astype(np.int64)
        place = getattr(self, f"_{what}_by_name", None)
        if place is None:
            place = {name: k for k, name in enumerate(names.tolist())}
            setattr(self, f"_{what}_by_name", place)
        found = np.array([place.get(name, -1) for name in given.tolist()], np.int64)
        unknown = given[found < 0]
        if len(unknown):
            warn(
                f"{shorten(dict.fromkeys(unknown.tolist()))} not among the {what} of the data: predicted by what is "
                "known of the other one",
                UserWarning,
            )
        return found

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "column_factors_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
