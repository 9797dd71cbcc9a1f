"""What selectors that search over subsets share: one fit."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from tamis._core.checks import check_number
from tamis._core.errors import InputError
from tamis._core.progress import ProgressMixin, reports_progress
from tamis._core.random import as_rng
from tamis.linear.model import all_or_nothing
from tamis.selection.checkpoint import Checkpoint, described, fingerprint
from tamis.selection.columns import ColumnSelector, open_source
from tamis.selection.evaluation import Evaluation
from tamis.selection.history import History
from tamis.selection.judge import Judge, TimeIsUp
from tamis.selection.search import Index, Search
from tamis.selection.units import Units, as_units
from tamis.sources import Source


class Searcher(ProgressMixin, ColumnSelector):
    """A subclass says with ``parts`` which search and evaluation; what it says in ``_unsolved`` is its own, too."""

    n_features: Any
    keep: Any
    feature_groups: Any
    time_limit: float | None
    checkpoint: Any
    discrete: Any
    n_jobs: int | None
    random_state: Any

    def parts(self) -> tuple[Search, Evaluation]:
        """The search and the evaluation, as objects."""
        raise NotImplementedError(f"{type(self).__name__} does not say what it searches with")

    @reports_progress
    @all_or_nothing
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Searcher:
        """Select columns of X, anything that ``as_source`` takes, for the target y (labels, numbers, or the name of
        a column of X).
        """
        search, evaluation = self.parts()
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
            judge = Judge(
                evaluation, state, units, search.best(*stop.bounds(len(units))), self.history_, memory, deadline
            )
            best = self._search(judge, search.run(len(units), stop, np.random.default_rng(seed)), units)
            judge.deadline = np.inf
            self.score_ = np.nan if best is None else judge.final_score(best)
        finally:
            if memory is not None:
                memory.close()
        self.scores_ = judge.single_scores(source.n_features)
        self.n_recalled_ = 0 if memory is None else memory.n_recalled
        self._learn_choice(list(range(len(names)) if best is None else units.columns(best)), names)
        self._learn_classes(evaluation.classes(state), source, y)
        return self

    def _search(self, judge: Judge, run: Any, units: Units) -> Index | None:
        """The chosen units; the best so far where time or the user's patience ended; None for no solution."""
        best: Index | None = ()
        self.status_ = "finished"
        if not len(units) or judge.best.high == 0:
            return best
        try:
            *_, best = self._steps(judge.rounds(run), "searching")
        except TimeIsUp:
            self.status_ = "time_limit"
            best = judge.stopped("time was up") if self._has_answer(judge, units) else self._unsolved(judge)
        except KeyboardInterrupt:
            if not self._has_answer(judge, units):
                raise
            self.status_, best = "interrupted", judge.stopped("it was interrupted")
        if best is not None and not units.columns(best):
            raise judge.complaint()
        return best

    @staticmethod
    def _has_answer(judge: Judge, units: Units) -> bool:
        """Whether there is a subset to end with: none is there before the first round of a search for many columns."""
        return judge.solved and bool(units.columns(judge.so_far))

    def _unsolved(self, judge: Judge) -> Index | None:
        """What to take where time was up before any subset could be evaluated."""
        if judge.failed:
            raise judge.complaint()
        raise InputError(f"time_limit={self.time_limit} s was over before a subset was evaluated: raise it")

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
