"""The Las Vegas wrapper: random subsets, each evaluated by the learner it is for."""

from __future__ import annotations

from typing import Any

from sklearn.utils import Tags, get_tags

from tamis._core.errors import ConvergenceWarning
from tamis._core.warn import warn
from tamis.selection.description import SearchDescription
from tamis.selection.evaluation import CrossValidated, Evaluation
from tamis.selection.search import Index, LasVegas, Search
from tamis.selection.search_selector import SearchSelector
from tamis.selection.subset_evaluator import SubsetEvaluator


class LasVegasWrapper(SearchSelector):
    """Draws random subsets of the columns and keeps the one on which the learner's cross-validated error is least, of
    equal errors the one with the fewest columns.

    With E the error of the best subset A* so far, d its size, and at first E = ∞, A* = all columns, t = 0::

        while t < patience:
            draw a subset A′ of d′ columns, each with probability ½, never none
            E′ = error of the learner on A′, cross-validated
            if E′ < E, or E′ = E and d′ < d:    t = 0, E = E′, d = d′, A* = A′
            otherwise:                          t = t + 1

    Scores take the place of errors, with the sign turned. A subset that is drawn again is a draw in vain and is not
    evaluated again. With ``time_limit`` it is a Las Vegas algorithm: an answer is the best of what was evaluated, or
    there is none. Then all columns are selected, ``score_`` is NaN, ``status_`` is "time_limit", and a
    ConvergenceWarning says "no solution yet".

    Parameters
    ----------
    estimator : scikit-learn classifier or regressor
        The learner that the columns are for. Cloned for every fit. What it is handed is said in ``CrossValidated``.
    patience : int
        T: how many draws in a row may be in vain before it ends.
    trials : int or None
        Instead of ``patience``: all columns are evaluated first and are the ones to beat; then exactly so many subsets
        are drawn.
    cv, scoring
        As in ``CrossValidated``: folds, and what is measured in them; None takes the learner's own score. ``groups`` of
        ``fit`` go to a splitter that keeps groups of rows together.
    n_features, keep, feature_groups, time_limit, checkpoint, discrete
        As in ``SubsetSelector``; a group counts as one column.
    n_jobs : int or None
        Workers, each at one fold of a draw; beyond the folds of one draw they begin with the next draws. The history
        is the same for any number of them. None: one, or those of the joblib backend that is set.
    random_state : None, int, Generator or RandomState
        For the draws.

    Attributes
    ----------
    support_, selected_features_, score_, status_, scores_, history_, n_recalled_, n_features_in_, feature_names_in_
        As in ``SubsetSelector``; ``history_`` has one round for each subset that was evaluated.

    References: Liu and Setiono (1996); Zhou, Machine Learning, algorithm 11.1.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from tamis import LasVegasWrapper
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> wrapper = LasVegasWrapper(KNeighborsClassifier(), patience=30, random_state=0).fit(X, y)
    >>> wrapper.selected_features_, round(wrapper.score_, 3)
    (['alcohol', 'ash', 'flavanoids', 'color_intensity', 'hue'], 0.933)
    """

    def __init__(
        self,
        estimator: Any,
        patience: int = 100,
        trials: int | None = None,
        cv: Any = 5,
        scoring: Any = None,
        time_limit: float | None = None,
        *,
        n_features: Any = None,
        keep: Any = None,
        feature_groups: Any = None,
        checkpoint: Any = None,
        discrete: Any = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.patience = patience
        self.trials = trials
        self.cv = cv
        self.scoring = scoring
        self.time_limit = time_limit
        self.n_features = n_features
        self.keep = keep
        self.feature_groups = feature_groups
        self.checkpoint = checkpoint
        self.discrete = discrete
        self.n_jobs = n_jobs
        self.random_state = random_state

    def parts(self) -> tuple[Search, Evaluation]:
        """The search and the evaluation that it stands for."""
        return LasVegas(self.patience, self.trials), CrossValidated(self.estimator, self.cv, self.scoring)

    def describe(self) -> SearchDescription:
        """What it does, how it ends and what its result proves, in words."""
        drawn = "each column with probability ½; one on which the learner scores higher, or as high with fewer columns"
        if self.trials is None:
            does = f"Subsets are drawn at random, {drawn}, becomes the best."
            ends = f"It ended after {self.patience:,} draws in a row without anything better."
        else:
            does = f"All columns come first. Then subsets are drawn at random, {drawn}, takes their place."
            ends = f"It ended after {self.trials:,} draws."
        proves = (
            "the best score of many flatters: measure the learner anew on other rows; nothing is known about subsets "
            "that were not drawn"
        )
        return SearchDescription("Las Vegas", does, ends, proves, ordered=False)

    def _no_solution(self, evaluator: SubsetEvaluator) -> Index | None:
        if evaluator.all_failed:
            raise evaluator.failure_error()
        warn(
            f"no solution yet: time_limit={self.time_limit} s was over before a subset was evaluated, so all columns "
            "are selected; raise it, or fit fewer rows",
            ConvergenceWarning,
        )
        return None

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if hasattr(self.estimator, "__sklearn_tags__") and not isinstance(self.estimator, type):
            learner = get_tags(self.estimator).input_tags
            tags.input_tags.allow_nan, tags.input_tags.sparse = learner.allow_nan, learner.sparse
        return tags
