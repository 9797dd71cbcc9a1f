"""Learning atoms: alternate a coder and an update."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils._available_if import available_if

from tamis._core.checks import as_object, check_choice, check_count, check_number
from tamis._core.errors import InputError
from tamis._core.evidence import Diagnostics, Status
from tamis._core.progress import ProgressMixin, reports_progress
from tamis._core.random import as_rng
from tamis.base.fitting import all_or_nothing, batch_or_nothing
from tamis.base.new_rows import new_rows, require_no_infinity
from tamis.base.training_data import TrainingData, table_data
from tamis.dictionary.alternation import Alternation, Batches, Progress, Upkeep
from tamis.dictionary.coders import CODERS
from tamis.dictionary.coders.base import Coder
from tamis.dictionary.coding import CodingMixin, rows_of
from tamis.dictionary.initial_atoms import check_init, initial_atoms
from tamis.dictionary.replacement import check_coherence, decorrelated
from tamis.dictionary.streams import BatchPasses, Passes
from tamis.dictionary.updates import UPDATES
from tamis.dictionary.updates.base import Update
from tamis.dictionary.updates.least_squares import conditioned
from tamis.solvers.svd import procrustes
from tamis.sources import gather
from tamis.sources.base import workers_of
from tamis.stats import collect
from tamis.stats.binning import RowSample
from tamis.stats.code_statistics import CodeStatistics, coded_statistics

FIRST_SAMPLE = 1000  # rows from which initial atoms are drawn, and eight for each atom


def _works_on_statistics(learner: Any) -> bool:
    update = learner._update()
    if update.needs != "statistics":
        raise AttributeError(
            f"partial_fit needs an update that works on statistics, and {type(update).__name__} needs all rows: use "
            "OnlineDictionary or DictionaryLearner(update='online')"
        )
    return True


@dataclass(eq=False, repr=False, kw_only=True)
class AlternatingLearner(CodingMixin, ProgressMixin, BaseEstimator):
    """What every learner does, whatever its coder and its update. The parameters that all have are the fields here; a
    subclass is a dataclass too, adds its own, and says which coder and update they stand for.
    """

    init: Any = "samples"
    max_iter: int = 50
    tol: float = 1e-4
    time_limit: float | None = None
    random_state: Any = None

    unused = "replace"  # what follows is a parameter of some learners only
    max_coherence = None
    if TYPE_CHECKING:
        n_atoms: int

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = self._update().needs == "statistics"
        return tags

    @all_or_nothing
    @reports_progress
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn atoms from the rows of X: an array, a frame, a sparse array, a file or a Source.

        From a file no codes are kept between sweeps, and batches come in its order: codes that depend on earlier ones,
        as those of OMP may, make other atoms of it than of the same rows in memory, about as good.
        """
        del y
        coder, update = self._checked()
        data = table_data(self, X)
        rng = as_rng(self.random_state)
        D = self._first_atoms(data, update, rng)
        run = self._run(
            data, coder, update, Upkeep(self.unused == "replace" and update.replaceable, self.max_coherence, rng), D
        )
        self._keep(*self._swept(run.sweeps()))
        return self

    @available_if(_works_on_statistics)
    @batch_or_nothing
    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """One update with these rows; there is none where the update needs all rows, as K-SVD does.

        The statistics S = (ZᵀZ, ZᵀX, …) become γᵐ S + S(X) for the m rows of X, coded on the atoms there are; γ is
        ``forgetting`` of the update, 1 where it has none. Then the atoms are updated once. What is learned depends on
        how rows are split into calls in no other way than this says. Where the update scales atoms to unit length, as
        MOD does, S becomes that of the codes multiplied by the lengths they had.
        """
        del y
        coder, update = self._checked()
        first = not hasattr(self, "components_")
        data = table_data(self, X) if first else TrainingData(new_rows(self, X), X)
        rows = rows_of(gather(data.source).X, None if first else self.components_.dtype)
        if first:
            self._rng = as_rng(self.random_state)
            self.components_ = self._first_atoms(data, update, self._rng)
            self.statistics_, self.n_iter_ = CodeStatistics.zero(*self.components_.shape), 0
            self.objective_trace_ = np.zeros(0)
        self._add_batch(coder, update, rows)
        return self

    def _add_batch(self, coder: Coder, update: Update, X: Any) -> None:
        fresh = coded_statistics(coder, X, self.components_, n_worst=0)[0]
        factor = float(getattr(update, "forgetting", 1.0)) ** X.shape[0]
        before = self.statistics_ or CodeStatistics.zero(*self.components_.shape)
        self.statistics_ = before.forgotten(factor).merge(fresh)
        self.components_, change = update.update(self.components_, self.statistics_)
        self.statistics_ = self.statistics_.rescaled(change)
        if self.max_coherence is not None:
            self.components_ = decorrelated(self.components_, self.max_coherence)
        self.n_iter_ += 1
        self.status_ = Status.MAX_ITER
        self.objective_trace_ = np.append(self.objective_trace_, self.statistics_.objective(self.components_))
        self.n_atoms_used_ = _n_used(self.components_, self.statistics_)
        self.diagnostics_ = Diagnostics({"objective": self.objective_trace_[-1]}, self.objective_trace_)

    def _update(self) -> Update:
        raise NotImplementedError

    def _checked(self) -> tuple[Coder, Update]:
        self._check_size()
        coder, update = self._coder(), self._update()
        coder.check()
        update.check()
        check_init(self.init)
        check_choice("unused", self.unused, ("replace", "keep"))
        if self.max_coherence is not None:
            check_number("max_coherence", self.max_coherence, above=0.0, at_most=1.0)
        check_count("max_iter", self.max_iter)
        check_number("tol", self.tol, at_least=0.0)
        if self.time_limit is not None:
            check_number("time_limit", self.time_limit, above=0.0)
        return coder, update

    def _first_atoms(self, data: TrainingData, update: Update, rng: np.random.Generator) -> np.ndarray:
        k, p = self._n_atoms(data.p), data.p
        if update.orthonormal and k > p:
            raise InputError(
                f"at most {p} atoms of {p} numbers can be orthonormal, got n_atoms={k}", argument="n_atoms"
            )
        if self.max_coherence is not None:
            check_coherence(self.max_coherence, k, p)
        sample = collect(data.source, RowSample(FIRST_SAMPLE + 8 * k))[0]
        if sample.rows is None or len(sample.rows) == 0:
            raise InputError("X has no rows: give at least one", argument="X")
        require_no_infinity(sample.rows)
        rows = sample.rows[np.argsort(sample.priority)]
        D = initial_atoms(self.init, k, rows, rng)
        if update.orthonormal:
            D = procrustes(D).Q
        if update.square:
            D = conditioned(D, update.condition)
        return np.ascontiguousarray(D, dtype=data.dtype)

    def _check_size(self) -> None:
        check_count("n_atoms", self.n_atoms)

    def _n_atoms(self, p: int) -> int:
        del p
        return self.n_atoms

    def _run(self, data: TrainingData, coder: Coder, update: Update, upkeep: Upkeep, D: np.ndarray) -> Any:
        """The way of alternating that fits the source and the update."""
        if not data.in_memory:
            if update.needs == "rows":
                where = "read from a file" if workers_of(data.source) is None else "on Dask"
                raise InputError(
                    f"{type(update).__name__} needs all rows in memory, and X is {where}: give X as an array, "
                    "or use OnlineDictionary or DictionaryLearner(update='mod'), which work on statistics of the rows",
                    argument="update",
                )
            return (Passes if update.batch_size is None else BatchPasses)(data.source, coder, update, upkeep, D)
        X = rows_of(data.matrix, D.dtype)
        if sp.issparse(X) and update.needs == "rows":
            raise InputError(
                f"{type(update).__name__} keeps the residual of every row, which is dense, and X is sparse: give "
                "X.toarray(), or use OnlineDictionary or DictionaryLearner(update='mod'), which work on statistics",
                argument="X",
            )
        return (Alternation if update.batch_size is None else Batches)(X, coder, update, upkeep, D)

    def _swept(self, sweeps: Iterator[Progress]) -> tuple[Progress, list[float], Status]:
        """The last of the sweeps as far as they go, and the objectives of all."""
        last: Progress | None = None
        trace: list[float] = []
        ends = np.inf if self.time_limit is None else time.monotonic() + self.time_limit
        status = Status.MAX_ITER
        try:
            for _ in self._steps(range(self.max_iter), "sweeps"):
                last = next(sweeps)
                trace.append(last.objective)
                if len(trace) > 1 and _settled(trace[-2], trace[-1], self.tol):
                    status = Status.CONVERGED
                elif time.monotonic() >= ends:
                    status = Status.TIME_LIMIT
                if status != Status.MAX_ITER:
                    break
        except KeyboardInterrupt:
            if last is None:
                raise
            status = Status.INTERRUPTED
        assert last is not None  # max_iter is at least 1
        return last, trace, status

    def _keep(self, last: Progress, trace: list[float], status: Status) -> None:
        self.status_ = status
        self.components_ = last.D
        self.statistics_ = last.statistics
        self.objective_trace_ = np.array(trace)
        self.n_iter_ = len(trace)
        self.n_atoms_used_ = _n_used(last.D, last.statistics)
        self.diagnostics_ = Diagnostics({"objective": last.objective}, self.objective_trace_)


@dataclass(eq=False, repr=False)
class DictionaryLearner(AlternatingLearner):
    """Atoms D (k, p) and sparse codes Z (n, k) with X ≈ ZD, found by turns: a coder given atoms, an update given codes.

    The objective is (1/n) Σᵢ [½‖xᵢ − zᵢD‖² + α‖zᵢ‖₁] with ‖d‖₂ ≤ 1; coders that count non-zeros have no α. Rows are not
    centred: take the mean out first where it carries nothing, as of image patches.

    Parameters
    ----------
    n_atoms : int
        There may be more of them than rows.
    coder : {"omp", "lasso", "fista", "threshold"} or Coder
        How codes are found.
    update : {"ksvd", "mod", "online", "projected", "procrustes", "complete"} or Update
        How atoms are found. "ksvd" needs dense rows in memory; the others work on ZᵀZ and ZᵀX, so that rows may be
        sparse, or read from a file again for every sweep.
    init : {"samples", "dct", "svd"} or array (n_atoms, n_features)
        The first atoms: rows at random, cosines (products of them where n_features is a square), singular vectors.
    unused : {"replace", "keep"}
        Whether atoms that no code uses, and the less used of two with |⟨dᵢ, dⱼ⟩| > 0.99, become rows that are
        represented badly. The second is taken back where it would raise the objective.
    max_coherence : float, optional
        After each update, atoms with |⟨dᵢ, dⱼ⟩| above are turned apart, which may raise the objective.
    max_iter : int
        Sweeps over all rows.
    tol : float
        It ends when a sweep changes the objective by at most ``tol`` times its value; 0 makes all sweeps.
    time_limit : float, optional
        Seconds after which the sweep in work is the last. It, and Ctrl-C, leave the atoms of the last whole sweep.
    random_state : None, int, Generator or RandomState

    Attributes
    ----------
    components_ : (n_atoms, n_features)
        The atoms.
    objective_trace_ : (n_iter_,)
        After each sweep, of the new atoms with the codes they were found from; with "online" and ``batch_size`` some of
        these codes are older, and the value is that of the surrogate that is minimised.
    n_atoms_used_ : int
        Atoms that are not zero, and that a row of the last sweep used.
    statistics_ : CodeStatistics, or None with "ksvd"
    status_, n_iter_, diagnostics_, n_features_in_

    Examples
    --------
    >>> import numpy as np
    >>> from tamis import DictionaryLearner
    >>> from tamis.dictionary import OMPCoder
    >>> rng = np.random.default_rng(0)
    >>> Z = rng.standard_normal((200, 6)) * (rng.random((200, 6)) < 0.3)
    >>> X = Z @ rng.standard_normal((6, 8))
    >>> learner = DictionaryLearner(6, coder=OMPCoder(n_nonzero=3), update="ksvd", random_state=0).fit(X)
    >>> learner.components_.shape, learner.transform(X).shape
    ((6, 8), (200, 6))
    >>> bool((np.diff(learner.objective_trace_) <= 0).all())
    True
    """

    n_atoms: int
    coder: Any = "omp"
    update: Any = "ksvd"
    _: KW_ONLY
    unused: str = "replace"
    max_coherence: float | None = None  # type: ignore[assignment]

    def _coder(self) -> Coder:
        return as_object("coder", self.coder, CODERS, Coder)

    def _update(self) -> Update:
        return as_object("update", self.update, UPDATES, Update)


def _settled(before: float, now: float, tol: float) -> bool:
    return tol > 0 and abs(before - now) <= tol * abs(before)


def _n_used(D: np.ndarray, statistics: CodeStatistics | None) -> int:
    used = np.linalg.norm(D, axis=1) > 0
    if statistics is not None:
        used &= statistics.usage > 0.5
    return int(used.sum())
