"""What selectors that search over subsets share: one fit."""

from __future__ import annotations

import time
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter
from sklearn.utils.validation import check_is_fitted

from tamis._core.checks import check_number
from tamis._core.errors import InputError, about
from tamis._core.progress import ProgressMixin, reports_progress
from tamis._core.random import as_rng
from tamis._core.threads import thread_count
from tamis.base.fitting import all_or_nothing
from tamis.base.splits import routing
from tamis.base.training_data import open_source
from tamis.selection.candidates import Candidates, as_candidates
from tamis.selection.checkpoint import Checkpoint
from tamis.selection.columns import ColumnSelector
from tamis.selection.evaluation import Evaluation
from tamis.selection.fingerprint import described, fingerprint
from tamis.selection.history import History
from tamis.selection.one_standard_error import check_rule, smallest_within_one_error
from tamis.selection.search import Index, Search
from tamis.selection.subset_evaluator import SubsetEvaluator, TimeLimitReached
from tamis.sources import Source


class SearchSelector(ProgressMixin, ColumnSelector):
    """A subclass says with ``parts`` which search and evaluation, and may say with ``_no_solution`` what to take where
    time was up before any subset was evaluated."""

    n_features: Any
    keep: Any
    feature_groups: Any
    time_limit: float | None
    checkpoint: Any
    discrete: Any
    n_jobs: int | None
    random_state: Any
    rule: str = "best"

    # What a splitter asks for comes through ``fit``; the selector asks for none of it itself.
    __metadata_request__fit: ClassVar[dict[str, str]] = {"groups": UNUSED}

    def get_metadata_routing(self) -> MetadataRouter:
        """Which metadata go where: weights to ``fit``, and to the splitter what it asks for."""
        return routing(self, getattr(getattr(self, "evaluation", self), "cv", None))

    def parts(self) -> tuple[Search, Evaluation]:
        """The search and the evaluation, as objects."""
        raise NotImplementedError(f"{type(self).__name__} does not say what it searches with")

    @all_or_nothing
    @reports_progress
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> SearchSelector:
        """Select columns of X, anything that ``as_source`` takes, for the target y (labels, numbers, or the name of
        a column of X).

        ``groups``, one label per row, goes to the splitter of an evaluation that cross-validates.
        """
        search, evaluation = self.parts()
        limit = None if self.time_limit is None else check_number("time_limit", self.time_limit, above=0)
        if self.n_jobs is not None:
            thread_count(self.n_jobs)  # an error now: workers start only when there is something to do
        deadline = np.inf if limit is None else time.monotonic() + limit
        if why := search.objection(evaluation):
            raise InputError(why, argument="search")
        if groups is not None and not evaluation.takes_groups:
            raise InputError(f"groups cannot be used: {type(evaluation).__name__} splits no rows; leave groups out")
        source = open_source(X, y, sample_weight, self.discrete, type(self).__name__)
        names = self._learn_names(X, source)
        candidates = as_candidates(names, self.keep, self.feature_groups)
        stop = candidates.stop(self.n_features)
        if search.tests_columns:
            self._check_tested(candidates)
        seed = int(as_rng(self.random_state).integers(2**63))
        checkpoint = None
        if self.checkpoint is not None:
            with about("checkpoint"):
                checkpoint = Checkpoint(self.checkpoint, self._fingerprint(search, evaluation, source, groups), seed)
            seed = checkpoint.seed
        try:
            row_groups = {} if groups is None else {"groups": groups}
            state = evaluation.prepare(source, n_jobs=self.n_jobs, steps=self._steps, **row_groups)
            self.history_ = History(candidates.labels, [len(m) for m in candidates.members], len(candidates.kept))
            evaluator = SubsetEvaluator(
                evaluation,
                state,
                candidates,
                search.best(*stop.bounds(len(candidates))),
                self.history_,
                checkpoint,
                deadline,
            )
            simplest = check_rule(self.rule, evaluation, state, stop)
            run = search.run(len(candidates), stop, np.random.default_rng(seed))
            best = self._search(evaluator, run, candidates, none_will_do=search.tests_columns)
            if simplest and best is not None:
                low, high = stop.bounds(len(candidates))
                best = smallest_within_one_error(self.history_, evaluation.n_scores(state), low, high)
            evaluator.deadline = np.inf
            self.score_ = np.nan if best is None else evaluator.final_score(best)
        finally:
            if checkpoint is not None:
                checkpoint.close()
        self.scores_ = evaluator.single_scores(source.n_features)
        self.n_recalled_ = 0 if checkpoint is None else self._count_recalled(checkpoint, candidates)
        self._learn_choice(list(range(len(names)) if best is None else candidates.columns(best)), names)
        self._warn_of_row_labels(source, names, candidates.kept)
        self._learn_classes(evaluation.classes(state), source, y)
        return self

    def _check_tested(self, candidates: Candidates) -> None:
        """What cannot be asked of a search that ends where nothing is significant."""
        if not candidates.single:
            raise InputError(
                'until="significant" compares single columns with chance: leave feature_groups out, or use '
                'until="best"',
                argument="feature_groups",
            )
        if self.rule != "best":
            raise InputError(
                f'until="significant" and rule={self.rule!r} each say how many columns: leave one of them out',
                argument="rule",
            )

    def _search(
        self, evaluator: SubsetEvaluator, run: Any, candidates: Candidates, none_will_do: bool = False
    ) -> Index | None:
        """The chosen candidates; the best so far where time or the user's patience ended; None for no solution.
        A search that ends where nothing is significant may choose none.
        """
        best: Index | None = ()
        self.status_ = "finished"
        if not len(candidates) or evaluator.best.high == 0:
            return best
        try:
            *_, best = self._steps(evaluator.rounds(run), "searching")
        except TimeLimitReached:
            self.status_ = "time_limit"
            best = (
                evaluator.stop_early("time was up")
                if self._has_subset(evaluator, candidates) or (none_will_do and evaluator.solved)
                else self._no_solution(evaluator)
            )
        except KeyboardInterrupt:
            if not self._has_subset(evaluator, candidates) and not (none_will_do and evaluator.solved):
                raise
            self.status_, best = "interrupted", evaluator.stop_early("it was interrupted")
        if best is not None and not candidates.columns(best) and not (none_will_do and evaluator.solved):
            raise evaluator.failure_error()
        return best

    @staticmethod
    def _has_subset(evaluator: SubsetEvaluator, candidates: Candidates) -> bool:
        """Whether there is a subset to end with: none is there before the first round of a search for many columns."""
        return evaluator.solved and bool(candidates.columns(evaluator.best_so_far))

    def _no_solution(self, evaluator: SubsetEvaluator) -> Index | None:
        """What to take where time was up before any subset could be evaluated."""
        if evaluator.all_failed:
            raise evaluator.failure_error()
        raise InputError(
            f"time_limit={self.time_limit} s was over before a subset was evaluated: raise it", argument="time_limit"
        )

    def _count_recalled(self, checkpoint: Checkpoint, candidates: Candidates) -> int:
        """Rows of the history that an earlier run evaluated; a round that was interrupted had begun more."""
        evaluated = (candidates.columns(batch[i]) for batch, i, _, _ in self.history_.subsets())
        return sum(map(checkpoint.is_of_earlier_run, evaluated))

    def _fingerprint(self, search: Search, evaluation: Evaluation, source: Source, groups: Any) -> dict[str, str]:
        """What a checkpoint must agree in; threads, limits and callbacks may differ."""
        names = ("n_features", "keep", "feature_groups", "discrete", "random_state")
        arguments = {name: getattr(self, name) for name in names} | {"search": search, "evaluation": evaluation}
        arguments["groups"] = groups if groups is None or isinstance(groups, str) else list(groups)
        return {"data": fingerprint(source), **{key: described(value) for key, value in arguments.items()}}

    def history_frame(self) -> Any:
        """The history as a frame: of the library X came from, else pandas, polars or pyarrow, whichever is there,
        else a dict.
        """
        check_is_fitted(self)
        return self.history_.frame(self._library)
