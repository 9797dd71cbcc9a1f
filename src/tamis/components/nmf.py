"""Non-negative matrix factorisation: rows as sums of parts, none of which is negative."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from tamis._core.checks import as_object, check_choice, check_count, check_number
from tamis._core.errors import ConvergenceWarning, InputError
from tamis._core.evidence import Diagnostics, Status
from tamis._core.memory import fits_memory
from tamis._core.progress import Steps, reports_progress
from tamis._core.random import as_rng
from tamis._core.threads import thread_count
from tamis._core.warn import warn
from tamis.base.fitting import all_or_nothing, batch_or_nothing
from tamis.base.new_rows import new_rows
from tamis.base.training_data import TrainingData, table_data
from tamis.components.base import Components, as_scores
from tamis.components.nmf_data import Factorisation, Weights
from tamis.components.nmf_online import FILE_COPIES, CodedRows, CodeSums, checked_rows
from tamis.components.nmf_solvers import HALS, SOLVERS, Newton, NMFSolver, check_solver
from tamis.components.nmf_start import check_init, is_negative, start_of, without_gaps
from tamis.components.nmf_weights import WeighedRows
from tamis.solvers.iteration_limits import IterationLimits
from tamis.sources import require_complete
from tamis.sources.base import gather, workers_of
from tamis.stats import collect

DATAFITS = ("squared", "kl")
LOOK = 5  # iterates between two looks at objective and stationarity, for algorithms that do not know them
ROUNDING = {4: 1e-6, 8: 1e-11}  # of the terms a gradient is the difference of: a start may be stationary to that
CODE_SWEEPS, CODE_STEPS = 2000, 500  # at most, for the scores of new rows


class NMF(Components):
    """Non-negative parts that rows are sums of.

    X ≈ W H with W, H ≥ 0: argmin (1/n)[Div(X, W H) + α_W Ω(W)] + α_H Ω(H), Ω = ρ‖·‖₁ + (1 − ρ)/2 ‖·‖².

    Div is ½‖X − W H‖² or the generalised Kullback–Leibler divergence Σ x log(x/z) − x + z, z = W H, which is the
    likelihood of counts. Components are ordered by the size of what they explain, ‖wₖ‖‖hₖ‖.

    Parameters
    ----------
    n_components : int
        Rank k.
    datafit : "squared" or "kl"
    solver : "auto", "hals", "newton", "mu", "admm", "primal_dual" or an object of tamis.components
        "auto" is "hals" for squares and "newton" for the divergence. "mu", multiplicative updates, is for comparison;
        so are "admm" and, for the divergence, "primal_dual", which need dense X.
    alpha_W, alpha_H : float ≥ 0
        Weights of the penalties of W and H: both 0 or both positive, for with one alone the penalised factor shrinks
        for ever while the other grows.
    l1_ratio : float in [0, 1]
        ρ: 1 is the ℓ₁ norm, 0 squares.
    init : "auto", "nndsvd", "nndsvda", "random" or a pair (W, H)
        Parts of the largest singular vectors, with zeros ("nndsvd") or with the mean of X instead of them ("nndsvda",
        for algorithms that leave zeros where they are); or random numbers.
    n_restarts : int
        Starts, the first as ``init`` says and the others random, of which the lowest objective is kept.
    max_iter, tol, time_limit
        Rounds at most of each start; stationarity to reach, relative to its value at the start; seconds for all starts
        together, after which the best so far is kept, as it is after Ctrl-C.
    n_jobs, random_state
        Threads; the seed of random starts.

    Rows of weight s count as s rows. Missing entries are NaN; infinity and negative numbers are errors. A row or column
    without any entry above zero gets zeros. A file that does not fit into memory is read once a round: for squares,
    with the solver "hals" and one start.

    Attributes
    ----------
    components_ : array (k, p), H
    objective_ : float, as above
    reconstruction_err_ : float, ‖X − W H‖, or √(2 Div) for "kl"
    diagnostics_ : ``stationarity``, ``stationarity_at_start``, and the trace (rounds, 2): seconds, objective
    status_, n_iter_, n_components_, n_features_in_, feature_names_in_

    Examples
    --------
    >>> import numpy as np
    >>> from tamis import NMF
    >>> X = np.outer([1.0, 2.0, 3.0], [1.0, 0.0, 2.0])
    >>> model = NMF(1).fit(X)
    >>> bool(model.reconstruction_err_ < 1e-6)
    True
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        datafit: str = "squared",
        solver: Any = "auto",
        alpha_W: float = 0.0,
        alpha_H: float = 0.0,
        l1_ratio: float = 1.0,
        init: Any = "auto",
        n_restarts: int = 1,
        max_iter: int = 500,
        tol: float = 1e-4,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.datafit = datafit
        self.solver = solver
        self.alpha_W = alpha_W
        self.alpha_H = alpha_H
        self.l1_ratio = l1_ratio
        self.init = init
        self.n_restarts = n_restarts
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state

    @all_or_nothing
    @reports_progress
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit on rows X: an array, a sparse array, a frame or a file. y is not used. NaN is a missing entry."""
        del y
        options, solver = self._options(), self._solver()
        data = table_data(self, X, sample_weight)
        elsewhere = workers_of(data.source) is not None
        if elsewhere or (not data.in_memory and not fits_memory(8.0 * FILE_COPIES * data.n * data.p)):
            return self._fit_streamed(data, options)
        matrix, observed = self._matrix(data)
        check_solver(solver, self.datafit, matrix)
        rows = WeighedRows.of(matrix, observed, data.weight, self.datafit == "squared")
        problem = self._problem(rows, options, rows.n)
        best = self._best(problem, rows, solver, options)
        return self._keep(best, problem, rows.n, data.dtype)

    @batch_or_nothing
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Go on with more rows, for squares: their W given H, then H given the sums WᵀW and WᵀX over all rows so far.

        Rows seen before keep the W they had, and count less and less (Mairal, Bach, Ponce & Sapiro 2010): after N rows,
        those about row i count (i/N)². So order matters; memory stays small. ``objective_`` is the mean so weighted.
        Rows of an earlier ``fit`` are not kept: after it, batches begin anew.
        """
        del y
        options = self._options()
        if self.datafit != "squared":
            raise InputError(
                "partial_fit is for datafit='squared': sums over rows tell squares only", argument="datafit"
            )
        seen: CodeSums | None = getattr(self, "_sums", None)
        if seen is not None and hasattr(self, "n_features_in_"):
            matrix, observed = self._checked(gather(new_rows(self, X)).X)
            weight = None if sample_weight is None else table_data(clone(self), X, sample_weight).weight
        else:
            data = table_data(self, X, sample_weight)
            (matrix, observed), weight = self._matrix(data), data.weight
        if observed is not None:
            raise InputError("partial_fit takes no missing values (NaN): fit takes them", argument="X")
        rows = WeighedRows.of(matrix, None, weight)
        if seen is None:
            seen = CodeSums(start_of(rows, options.k, self.init, options.rng, False)[1])
        seen = seen.faded(rows.n)
        problem = self._problem(rows, options, seen.n + rows.n)
        self._sums = seen = seen.with_rows(problem, rows.n)
        self.components_ = seen.H.astype(matrix.dtype, copy=False)
        self.objective_ = self._sums.objective(problem)
        self.n_components_, self.n_iter_ = options.k, getattr(self, "n_iter_", 0) + 1
        return self

    def _fit_streamed(self, data: TrainingData, options: _Options) -> Self:
        """Every round is a pass: W of each block given H, then H given the sums over all blocks, which is exact."""
        self._check_streamed(data)
        limits = IterationLimits.from_now(options.tol, options.max_iter, options.time_limit)
        sums, values, status = None, [np.inf], Status.MAX_ITER
        try:
            for _ in self._steps(range(options.max_iter), "passes"):
                sums = self._one_pass(data, options, sums)
                values.append(sums.objective(self._problem(_no_rows(data.p), options, sums.n)))
                status = limits.status(values[-2] - values[-1] <= options.tol * values[-1])
                if status is not Status.MAX_ITER:
                    break
        except KeyboardInterrupt:
            if sums is None:
                raise
            status = Status.INTERRUPTED
        assert sums is not None
        self.components_, self.objective_ = sums.H, values[-1]
        self.reconstruction_err_ = float(np.sqrt(2 * sums.loss()))
        self.diagnostics_, self.status_ = Diagnostics({}, np.array(values[1:])), status
        self.n_components_, self.n_iter_ = options.k, len(values) - 1
        return self

    def _check_streamed(self, data: TrainingData) -> None:
        """What a pass over the rows cannot do is refused."""
        what = "NMF on Dask" if workers_of(data.source) else "NMF of a file that does not fit into memory"
        if self.datafit != "squared" or data.weight is not None:
            raise InputError(
                f"{what} takes datafit='squared' and no weights: read the table into memory for others", argument="X"
            )
        if not isinstance(self._solver(), HALS):
            raise InputError(f"{what} takes solver='hals', got {self.solver!r}", argument="solver")
        if self.n_restarts != 1:
            raise InputError(f"{what} takes n_restarts=1, got {self.n_restarts}", argument="n_restarts")

    def _one_pass(self, data: TrainingData, options: _Options, sums: CodeSums | None) -> CodeSums:
        try:
            if sums is None:
                first, _ = self._checked(next(iter(data.source.blocks())).X)
                rows = WeighedRows.of(first, None)
                sums = CodeSums(start_of(rows, options.k, self.init, options.rng, False)[1])
            penalty = self._problem(_no_rows(data.p), options, 1.0).rows.penalty
            (coded,) = collect(data.source, CodedRows(sums.H, penalty), n_jobs=self.n_jobs)
        except InputError:
            require_complete(data.source)
            raise
        return coded.sums.updated(self._problem(_no_rows(data.p), options, coded.sums.n).columns)

    def transform(self, X: Any) -> Any:
        """W (n, k) of rows, H as it was learned: non-negative least squares, or the divergence, to convergence."""
        check_is_fitted(self)
        options, parts = self._options(), []
        for block in new_rows(self, X).blocks():
            matrix, observed = self._checked(block.X)
            parts.append(self._codes(matrix, observed, options).astype(block.X.dtype, copy=False))
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Rows W H."""
        check_is_fitted(self)
        W = as_scores(X, len(self.components_))
        rows: np.ndarray = W @ self.components_.astype(W.dtype, copy=False)
        return rows

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.allow_nan = True
        return tags

    def _options(self) -> _Options:
        """Every option checked."""
        check_choice("datafit", self.datafit, DATAFITS)
        check_init(self.init)
        alpha_W, alpha_H = (check_number(name, getattr(self, name), at_least=0.0) for name in ("alpha_W", "alpha_H"))
        if (alpha_W > 0) != (alpha_H > 0):
            free, lone = ("alpha_H", "alpha_W") if alpha_W > 0 else ("alpha_W", "alpha_H")
            raise InputError(
                f"{lone}={getattr(self, lone):g} with {free}=0 has no minimum, for one factor shrinks while the other "
                f"grows: give {free} as well",
                argument=free,
            )
        return _Options(
            check_count("n_components", self.n_components),
            alpha_W,
            alpha_H,
            check_number("l1_ratio", self.l1_ratio, at_least=0.0, at_most=1.0),
            check_count("n_restarts", self.n_restarts),
            check_count("max_iter", self.max_iter),
            check_number("tol", self.tol, at_least=0.0),
            None if self.time_limit is None else check_number("time_limit", self.time_limit, above=0.0),
            thread_count(self.n_jobs),
            as_rng(self.random_state),
        )

    def _solver(self) -> NMFSolver:
        if isinstance(self.solver, str) and self.solver == "auto":
            return HALS() if self.datafit == "squared" else Newton()
        return as_object("solver", self.solver, SOLVERS, NMFSolver)

    def _matrix(self, data: TrainingData) -> tuple[Any, np.ndarray | None]:
        X = data.matrix if data.in_memory else gather(data.source).X
        return self._checked(X, data)

    def _checked(self, X: Any, data: TrainingData | None = None) -> tuple[Any, np.ndarray | None]:
        """What cannot be used is told by its columns, where they are known."""
        try:
            return checked_rows(X)
        except InputError:
            if data is not None and not is_negative(X):
                require_complete(data.source)
            raise

    def _problem(self, rows: WeighedRows, options: _Options, n: float) -> Factorisation:
        """n times the objective."""
        rho = options.l1_ratio
        w = rows.penalty(options.alpha_W * rho, options.alpha_W * (1 - rho))
        h = Weights(n * options.alpha_H * rho, n * options.alpha_H * (1 - rho))
        return Factorisation.of(rows.X, rows.observed, self.datafit, w, h, options.n_threads)

    def _best(self, problem: Factorisation, rows: WeighedRows, solver: NMFSolver, options: _Options) -> _Run:
        """The lowest of all starts."""
        filled = rows if rows.observed is None else replace(rows, X=without_gaps(rows.X, rows.observed))
        limits = IterationLimits.from_now(options.tol, options.max_iter, options.time_limit)
        best: _Run | None = None
        for trial in range(options.n_restarts):
            W, H = start_of(filled, options.k, self.init if trial == 0 else "random", options.rng, solver.positive)
            try:
                run = _run(problem, solver, W, H, limits, self._steps)
            except KeyboardInterrupt:
                if best is None:
                    raise
                return replace(best, status=Status.INTERRUPTED)
            ended = run.status in (Status.TIME_LIMIT, Status.INTERRUPTED)
            if best is None or run.value < best.value:
                best = run
            if ended:
                return replace(best, status=run.status)
        assert best is not None
        return best

    def _keep(self, run: _Run, problem: Factorisation, n: float, dtype: Any) -> Self:
        size = np.linalg.norm(run.W, axis=0) * np.linalg.norm(run.H, axis=1)
        order = np.argsort(-size, kind="stable")
        self.components_ = run.H[order].astype(dtype, copy=False)
        self.objective_ = run.value / n
        self.reconstruction_err_ = float(np.sqrt(2 * problem.rows.loss(run.W, run.H)))
        measured = {"stationarity": run.stationarity, "stationarity_at_start": run.at_start}
        trace = np.array(run.trace) / np.array([1.0, n])
        self.diagnostics_ = Diagnostics(measured, trace)
        self.status_, self.n_iter_ = run.status, run.n_iter
        self.n_components_ = len(run.H)
        if run.status is Status.MAX_ITER:
            warn(
                f"NMF reached a stationarity of {run.stationarity / max(run.at_start, 1e-300):.2g} of its start "
                f"(asked: tol={self.tol:g}) within max_iter={self.max_iter}: raise max_iter or tol",
                ConvergenceWarning,
            )
        return self

    def _codes(self, X: Any, observed: np.ndarray | None, options: _Options) -> np.ndarray:
        """W ≥ 0 for rows X, H fixed."""
        H = np.asarray(self.components_, dtype=np.float64)
        side = self._problem(WeighedRows.of(X, observed), options, 1.0).rows
        n, k = X.shape[0], len(H)
        if self.datafit == "squared":
            given = side.products(H)
            W = side.descend(np.zeros((n, k)), given, CODE_SWEEPS, 1e-24)
            return W if observed is not None else side.polish(W, given)
        total = np.asarray(X.sum(axis=1), dtype=np.float64).ravel()
        parts = H.sum(axis=1)
        start = np.outer(total / max(float(parts.sum()), 1e-300), parts > 0)  # what is in no row explains nothing
        return np.asarray(side.newton(start, H, CODE_STEPS))


def _no_rows(p: int) -> WeighedRows:
    """For what a problem knows without its rows: penalties, and H given sums."""
    return WeighedRows.of(np.zeros((1, p)), None)


@dataclass(frozen=True)
class _Options:
    k: int
    alpha_W: float
    alpha_H: float
    l1_ratio: float
    n_restarts: int
    max_iter: int
    tol: float
    time_limit: float | None
    n_threads: int
    rng: np.random.Generator


@dataclass(frozen=True)
class _Run:
    """One start to its end; ``value`` is n times the objective."""

    W: np.ndarray
    H: np.ndarray
    value: float
    stationarity: float
    at_start: float
    status: Status
    n_iter: int
    trace: list[tuple[float, float]]


def _run(
    problem: Factorisation, solver: NMFSolver, W: np.ndarray, H: np.ndarray, limits: IterationLimits, steps: Steps
) -> _Run:
    """Iterates until they are stationary, the rounds are over, or the time; or Ctrl-C, once there is one."""
    began, first = time.perf_counter(), problem.stationarity(W, H)
    trace, status, n_iter = [(0.0, problem.value(W, H))], Status.MAX_ITER, 0
    goal = max(limits.tol * first, ROUNDING[problem.rows.X.dtype.itemsize] * problem.slope_size(W, H))
    if first <= goal:
        return _Run(W, H, trace[0][1], first, first, Status.CONVERGED, 0, trace)
    iterates = solver.iterates(problem, W, H)
    try:
        for _ in steps(range(limits.max_iter), "rounds"):
            W, H, value, slope = next(iterates)
            n_iter += 1
            look = slope is None and (n_iter % LOOK == 0 or n_iter == limits.max_iter)
            if value is not None or look:
                trace.append((time.perf_counter() - began, problem.value(W, H) if value is None else value))
            stationary = look or (slope is not None and slope <= goal)
            status = limits.status(stationary and problem.stationarity(W, H) <= goal)
            if status is not Status.MAX_ITER:
                break
    except KeyboardInterrupt:
        if n_iter == 0:
            raise
        status = Status.INTERRUPTED
    return _Run(W, H, problem.value(W, H), problem.stationarity(W, H), first, status, n_iter, trace)
