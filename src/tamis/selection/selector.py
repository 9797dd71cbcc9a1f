"""A selector is a search over subsets guided by an evaluation until it stops."""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from tamis._core.checks import as_object, check_count
from tamis._core.errors import InputError
from tamis._core.frames import frame_library
from tamis._core.progress import ProgressMixin, reports_progress
from tamis._core.random import as_rng
from tamis.selection.evaluation import Counting, Evaluation, InformationGain
from tamis.selection.history import History
from tamis.selection.search.base import Additions, Index, Questions, Removals, Run, Search, Stop, Subsets
from tamis.selection.search.greedy import Backward, Forward
from tamis.selection.search.ranking import Ranking
from tamis.sources import Source, as_source
from tamis.sources.door import is_source
from tamis.stats.coded import joint_counts

SEARCHES: dict[str, type[Search]] = {"ranking": Ranking, "forward": Forward, "backward": Backward}
EVALUATIONS: dict[str, type[Evaluation]] = {"information_gain": InformationGain}


class SubsetSelector(SelectorMixin, ProgressMixin, BaseEstimator):
    """Selects columns by searching over subsets with an evaluation.

    Parameters
    ----------
    search : "forward", "backward", "ranking" or a Search
        How subsets are proposed.
    evaluation : "information_gain" or an Evaluation
        How good a subset is.
    n_features : int, default None
        Exactly how many columns to select; None leaves it to the search's own rule.
    discrete : "auto", "all" (or True), "none" (or False), mask, positions or names
        Which columns are discrete. "auto": booleans, labels, and whole numbers with at most 10 values. Other
        columns are cut into quantile bins where counts are needed.
    n_jobs : int, default None
        Threads; None takes the cores this process may use.
    random_state : None, int, Generator or RandomState
        For searches that draw; forward, backward and ranking do not.

    Attributes
    ----------
    support_ : bool array (p,)
    selected_features_ : names, or positions without names, in the order of selection
    score_ : score of the selected subset
    scores_ : score of every column on its own (p,)
    history_ : History, one row per evaluated subset
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
        n_features: int | None = None,
        discrete: Any = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.search = search
        self.evaluation = evaluation
        self.n_features = n_features
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
        rng = as_rng(self.random_state)
        source = _source(X, y, sample_weight, self.discrete)
        stop = Stop(_size(self.n_features, source.n_features))
        names = self._learn_names(X, source)

        state = evaluation.prepare(source, n_jobs=self.n_jobs, steps=self._steps)
        p = source.n_features
        self.history_ = History(names)
        judge = Judge(evaluation, state, self.history_)
        *_, best = self._steps(judge.rounds(search.run(p, stop, rng)), "searching")
        self.score_ = judge.final_score(best)
        self.scores_ = judge.single_scores(p)
        self.support_ = np.isin(np.arange(p), best)
        self.selected_features_ = [names[j] for j in best]
        self._learn_classes(state, source, y)
        return self

    def history_frame(self) -> Any:
        """The history as a frame: of the library X came from, else pandas, polars or pyarrow, whichever is there,
        else a dict.
        """
        check_is_fitted(self)
        return self.history_.frame(self._library)

    def _learn_names(self, X: Any, source: Source) -> list[Any]:
        """Names to call the columns by; ``feature_names_in_`` where X brought strings, as scikit-learn has it."""
        self.n_features_in_ = source.n_features
        self.__dict__.pop("feature_names_in_", None)
        self._library = frame_library(X)
        given = [""] if isinstance(X, (str, os.PathLike)) or is_source(X) else _column_names(X)
        if given is None:
            return list(range(source.n_features))
        if all(isinstance(name, str) for name in given):
            self.feature_names_in_ = np.array(source.names, dtype=object)
        return list(source.names)

    def _learn_classes(self, state: Any, source: Source, y: Any) -> None:
        self.__dict__.pop("classes_", None)
        values = state.table.values if isinstance(state, Counting) else None
        if values is not None:
            self.classes_ = _labels(values, source, y)

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


class Judge:
    """Answers a search's questions with an evaluation, and keeps the history."""

    def __init__(self, evaluation: Evaluation, state: Any, history: History) -> None:
        self.evaluation = evaluation
        self.state = state
        self.history = history
        self._single: np.ndarray | None = None

    def rounds(self, run: Run) -> Generator[Index, None, None]:
        """Walk the search; yields the best so far after each round, the result last."""
        answer: np.ndarray | None = None
        while True:
            try:
                asked = run.send(answer)  # type: ignore[arg-type]
            except StopIteration as end:
                yield tuple(int(j) for j in end.value)
                return
            questions = asked if isinstance(asked, Questions) else Subsets(asked)
            began = time.perf_counter()
            answer = self.answer(questions)
            self.history.add(questions, answer, time.perf_counter() - began)
            yield questions[int(np.argmax(answer))] if len(questions) else ()

    def answer(self, questions: Questions) -> np.ndarray:
        if isinstance(questions, Additions):
            scores = self.evaluation.gains(self.state, questions.parent, questions.candidates)
            if not questions.parent and self._single is None:
                self._remember(questions.candidates, scores)
        elif isinstance(questions, Removals):
            scores = self.evaluation.losses(self.state, questions.parent, questions.candidates)
        else:
            scores = np.array([self.evaluation.score(self.state, subset) for subset in questions], dtype=np.float64)
        return np.asarray(scores, dtype=np.float64)

    def _remember(self, candidates: Sequence[int], scores: np.ndarray) -> None:
        if list(candidates) == list(range(len(candidates))):
            self._single = np.array(scores)

    def single_scores(self, p: int) -> np.ndarray:
        """The score of every column alone; from the history where it was asked for."""
        if self._single is None or len(self._single) < p:
            self._single = np.asarray(self.evaluation.gains(self.state, (), range(p)), dtype=np.float64)
        return self._single

    def final_score(self, best: Index) -> float:
        """The score of the chosen subset, evaluated as a whole where the search did not."""
        known = self.history.score_of(best)
        if known is not None:
            return known
        questions = Subsets([best])
        began = time.perf_counter()
        scores = self.answer(questions)
        questions.keep(0, "the selected columns as a whole")
        self.history.add(questions, scores, time.perf_counter() - began)
        return float(scores[0])


def information_gain(
    X: Any, y: Any = None, *, discrete: Any = "auto", sample_weight: Any = None, n_jobs: int | None = None
) -> np.ndarray:
    """Gain(a) = Ent(D) − Σ_v |D^v|/|D| Ent(D^v) of every column a, in bits.

    X, y and ``discrete`` as in ``SubsetSelector``. Files are counted in passes, never held in memory.

    >>> import numpy as np
    >>> information_gain(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 1, 1])
    array([1., 0.])
    """
    source = _source(X, y, sample_weight, discrete)
    if not source.in_memory:
        return joint_counts(source, n_jobs=n_jobs).gains()
    evaluation = InformationGain()
    return evaluation.gains(evaluation.prepare(source, n_jobs=n_jobs), (), range(source.n_features))


def _source(X: Any, y: Any, sample_weight: Any, discrete: Any) -> Source:
    if y is None and not is_source(X):
        raise InputError("SubsetSelector requires y to be passed, but the target y is None")
    if is_source(X) and not (isinstance(discrete, str) and discrete == "auto"):
        raise InputError("X is a Source, which brings its own discrete columns: leave discrete at 'auto'")
    discrete = {True: "all", False: "none"}[bool(discrete)] if isinstance(discrete, (bool, np.bool_)) else discrete
    return as_source(X, y, sample_weight=sample_weight, discrete=discrete)


def _column_names(X: Any) -> list[Any] | None:
    names = getattr(X, "column_names", getattr(X, "columns", None))
    return None if names is None or callable(names) else list(names)


def _size(n_features: Any, p: int) -> int | None:
    if n_features is None:
        return None
    n = check_count("n_features", n_features)
    if n > p:
        raise InputError(f"n_features must be at most the number of columns, {p}; got {n}")
    return n


def _labels(values: np.ndarray, source: Source, y: Any) -> np.ndarray:
    """The labels of the classes, of the type they were given in."""
    column = source.schema.target if isinstance(y, (str, os.PathLike)) or y is None else source.target.column  # type: ignore[attr-defined]
    if column is not None and column.levels is not None:
        return np.array([column.levels[int(v)] for v in values])
    given = getattr(y, "dtype", None)
    if isinstance(given, np.dtype) and given.kind in "iub":
        return values.astype(given)
    return (
        values.astype(np.int64)
        if np.array_equal(values, np.rint(values)) and not isinstance(given, np.dtype)
        else values
    )
