"""A selector is a search over subsets guided by an evaluation until it stops."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from tamis._core.checks import as_object, check_number
from tamis._core.errors import InputError
from tamis._core.progress import ProgressMixin, reports_progress
from tamis._core.random import as_rng
from tamis.selection.checkpoint import Checkpoint, described, fingerprint
from tamis.selection.columns import ColumnSelector, open_source
from tamis.selection.evaluation import (
    CFS,
    CMIM,
    MRMR,
    AdjustedRand,
    Consistency,
    Disagreement,
    Evaluation,
    FScore,
    GainRatio,
    InformationGain,
    JointInformation,
    Kappa,
    LinearFit,
    QStatistic,
    ReliefWeight,
    SymmetricUncertainty,
    VariationOfInformation,
)
from tamis.selection.history import History
from tamis.selection.judge import Judge, TimeIsUp
from tamis.selection.search import (
    Backward,
    Beam,
    BestFirst,
    Bidirectional,
    BranchAndBound,
    Exhaustive,
    Floating,
    Forward,
    Index,
    LasVegas,
    Ranking,
    Recursive,
    Search,
)
from tamis.selection.units import Units, as_units
from tamis.sources import Source
from tamis.stats.coded import joint_counts

SEARCHES: dict[str, type[Search]] = {
    "ranking": Ranking,
    "forward": Forward,
    "backward": Backward,
    "bidirectional": Bidirectional,
    "floating": Floating,
    "best_first": BestFirst,
    "beam": Beam,
    "exhaustive": Exhaustive,
    "branch_and_bound": BranchAndBound,
    "recursive": Recursive,
    "las_vegas": LasVegas,
}
EVALUATIONS: dict[str, type[Evaluation]] = {
    "information_gain": InformationGain,
    "gain_ratio": GainRatio,
    "symmetric_uncertainty": SymmetricUncertainty,
    "variation_of_information": VariationOfInformation,
    "adjusted_rand": AdjustedRand,
    "disagreement": Disagreement,
    "q_statistic": QStatistic,
    "kappa": Kappa,
    "consistency": Consistency,
    "mrmr": MRMR,
    "joint_information": JointInformation,
    "cmim": CMIM,
    "cfs": CFS,
    "f_score": FScore,
    "relief_weight": ReliefWeight,
    "linear_fit": LinearFit,
}


class SubsetSelector(ProgressMixin, ColumnSelector):
    """Selects columns by searching over subsets with an evaluation.

    Parameters
    ----------
    search : a Search or its name
        How subsets are proposed: "forward", "backward", "ranking", "bidirectional", "floating", "best_first", "beam",
        "exhaustive", "branch_and_bound", "recursive" or "las_vegas".
    evaluation : an Evaluation or its name
        How good a subset is: "information_gain", "gain_ratio", "symmetric_uncertainty", "variation_of_information",
        "adjusted_rand", "disagreement", "q_statistic", "kappa", "consistency", "mrmr", "joint_information", "cmim",
        "cfs", "f_score", "relief_weight" or "linear_fit"; or ``CrossValidated`` of any learner.
    n_features : int, (int, int) or None
        Exactly how many columns to select, or the fewest and the most; None leaves it to the search's own rule. With
        ``feature_groups`` groups are counted. Columns of ``keep`` count too.
    keep : names or positions
        Columns that are in every subset.
    feature_groups : labels, lists of columns, or a size
        Columns that come and go together; who is in no group stands alone.
    time_limit : float or None
        Seconds after which the best subset so far is taken.
    checkpoint : path or None
        A file that remembers every evaluated subset. A run that was killed and is started again with the same data
        and arguments evaluates none of them again and ends with the same result.
    discrete : "auto", "all" (or True), "none" (or False), mask, positions or names
        Which columns are discrete. "auto": booleans, labels, and whole numbers with at most 10 values. Other
        columns are cut into bins where counts are needed.
    n_jobs : int, default None
        Threads; None takes the cores this process may use.
    random_state : None, int, Generator or RandomState
        For searches that draw; forward, backward and ranking do not.

    Attributes
    ----------
    support_ : bool array (p,)
    selected_features_ : names, or positions without names, in the order of selection
    score_ : score of the selected subset
    status_ : "finished", "time_limit" or "interrupted"; Ctrl-C, too, leaves the best so far
    scores_ : score of every column on its own (p,); NaN where it was not asked for and would take an evaluation each
    history_ : History, one row per evaluated subset
    n_recalled_ : how many of them were answered from the checkpoint of an earlier run
    classes_ : labels of the target, where it has classes
    n_features_in_, feature_names_in_

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 1]] * 5)
    >>> y = X[:, 0] & X[:, 1]
    >>> SubsetSelector().fit(X, y).selected_features_
    [0, 1]
    """

    def __init__(
        self,
        search: Any = "forward",
        evaluation: Any = "information_gain",
        *,
        n_features: Any = None,
        keep: Any = None,
        feature_groups: Any = None,
        time_limit: float | None = None,
        checkpoint: Any = None,
        discrete: Any = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.search = search
        self.evaluation = evaluation
        self.n_features = n_features
        self.keep = keep
        self.feature_groups = feature_groups
        self.time_limit = time_limit
        self.checkpoint = checkpoint
        self.discrete = discrete
        self.n_jobs = n_jobs
        self.random_state = random_state

    @reports_progress
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> SubsetSelector:
        """Select columns of X, anything that ``as_source`` takes, for the target y (labels, numbers, or the name of
        a column of X).
        """
        search = as_object("search", self.search, SEARCHES, Search)
        evaluation = as_object("evaluation", self.evaluation, EVALUATIONS, Evaluation)
        limit = None if self.time_limit is None else check_number("time_limit", self.time_limit, above=0)
        deadline = np.inf if limit is None else time.monotonic() + limit
        if why := search.objection(evaluation):
            raise InputError(why)
        source = open_source(X, y, sample_weight, self.discrete, type(self).__name__)
        names = self._learn_names(X, source)
        units = as_units(names, self.keep, self.feature_groups)
        stop = units.stop(self.n_features)
        seed = int(as_rng(self.random_state).integers(2**63))
        memory = None
        if self.checkpoint is not None:
            memory = Checkpoint(self.checkpoint, self._fingerprint(search, evaluation, source), seed)
            seed = memory.seed
        try:
            state = evaluation.prepare(source, n_jobs=self.n_jobs, steps=self._steps)
            self.history_ = History(units.labels, [len(m) for m in units.members], len(units.kept))
            judge = Judge(evaluation, state, units, stop, self.history_, memory, deadline)
            best = self._search(judge, search.run(len(units), stop, np.random.default_rng(seed)), units)
            judge.deadline = np.inf
            self.score_ = judge.final_score(best)
        finally:
            if memory is not None:
                memory.close()
        self.scores_ = judge.single_scores(source.n_features)
        self.n_recalled_ = 0 if memory is None else memory.n_recalled
        self._learn_choice(list(units.columns(best)), names)
        self._learn_classes(evaluation.classes(state), source, y)
        return self

    def _search(self, judge: Judge, run: Any, units: Units) -> Index:
        """The chosen units; the best so far where time or the user's patience ended."""
        best: Index = ()
        self.status_ = "finished"
        if not len(units) or judge.best.high == 0:
            return best
        try:
            *_, best = self._steps(judge.rounds(run), "searching")
        except TimeIsUp:
            self.status_, best = "time_limit", judge.stopped("time was up")
        except KeyboardInterrupt:
            self.status_, best = "interrupted", judge.stopped("it was interrupted")
        if not units.columns(best):
            if self.status_ == "interrupted":
                raise KeyboardInterrupt
            if self.status_ == "time_limit":
                raise InputError(f"time_limit={self.time_limit} s was over before a subset was evaluated: raise it")
            raise judge.complaint()
        return best

    def _fingerprint(self, search: Search, evaluation: Evaluation, source: Source) -> dict[str, str]:
        """What a checkpoint must agree in; threads, limits and callbacks may differ."""
        said = {key: getattr(self, key) for key in ("n_features", "keep", "feature_groups", "discrete", "random_state")}
        said |= {"search": search, "evaluation": evaluation}
        return {"data": fingerprint(source), **{key: described(value) for key, value in said.items()}}

    def history_frame(self) -> Any:
        """The history as a frame: of the library X came from, else pandas, polars or pyarrow, whichever is there,
        else a dict.
        """
        check_is_fitted(self)
        return self.history_.frame(self._library)


def information_gain(
    X: Any, y: Any = None, *, discrete: Any = "auto", sample_weight: Any = None, n_jobs: int | None = None
) -> np.ndarray:
    """Gain(a) = Ent(D) − Σ_v |D^v|/|D| Ent(D^v) of every column a, in bits.

    X, y and ``discrete`` as in ``SubsetSelector``. Files are counted in passes, never held in memory.

    >>> import numpy as np
    >>> information_gain(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 1, 1])
    array([1., 0.])
    """
    source = open_source(X, y, sample_weight, discrete, "information_gain")
    if not source.in_memory:
        return joint_counts(source, n_jobs=n_jobs).gains()
    evaluation = InformationGain()
    return evaluation.gains(evaluation.prepare(source, n_jobs=n_jobs), (), range(source.n_features))
