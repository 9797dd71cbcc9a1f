"""Every column counts by itself: a subset's score is the sum of its columns' numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from tamis._core.checks import check_choice
from tamis._core.progress import Steps, silent
from tamis.selection.description import ScoreDescription
from tamis.selection.evaluation.association import Correlations, f_statistic
from tamis.selection.evaluation.base import Evaluation
from tamis.selection.relief import ReliefF, RReliefF
from tamis.selection.search.base import Index
from tamis.sources.base import Source
from tamis.stats.coded import read_target


class ColumnScores(Protocol):
    """What is prepared: a number for each column."""

    @property
    def relevance(self) -> np.ndarray: ...

    @property
    def values(self) -> np.ndarray | None: ...


class Additive(Evaluation):
    """A subset's score is the sum over its columns."""

    def classes(self, state: ColumnScores) -> np.ndarray | None:
        return state.values

    def score(self, state: ColumnScores, subset: Index) -> float:
        return float(state.relevance[list(subset)].sum())

    def gains(self, state: ColumnScores, subset: Index, candidates: Sequence[int]) -> np.ndarray:
        return self.score(state, subset) + state.relevance[np.asarray(candidates, dtype=np.intp)]

    def losses(self, state: ColumnScores, subset: Index, candidates: Sequence[int]) -> np.ndarray:
        return self.score(state, subset) - state.relevance[np.asarray(candidates, dtype=np.intp)]


class FScore(Additive):
    """The sum over the subset of each column's F-statistic: that of the means of the classes, or of the line on a
    continuous target.

    Every column counts by itself, so this is for rankings, or for searches with ``n_features``. Constant columns
    have 0. Works on numbers without gaps; ``task`` as in ``InformationGain``. A row of weight w counts as w rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from tamis import SubsetSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = SubsetSelector("ranking", "f_score", n_features=2).fit(X, y)
    >>> selector.selected_features_, selector.scores_.round(1).tolist()
    (['petal length (cm)', 'petal width (cm)'], [119.3, 49.2, 1180.2, 960.0])
    """

    monotone = True

    def __init__(self, task: str = "auto") -> None:
        self.task = task

    def describe(self) -> ScoreDescription:
        return ScoreDescription(
            "F-statistic",
            "the sum of the F-statistics of its columns; each counts by itself, so a twin of a chosen column counts "
            "again",
            numbers=True,
        )

    def prepare(self, source: Source, *, n_jobs: int | None = None, steps: Steps = silent) -> Correlations:
        return Correlations(source, f_statistic, self.task, type(self).__name__, n_jobs, steps)


class ReliefWeight(Additive):
    """The sum over the subset of each column's relevance by ``ReliefF``, or by ``RReliefF`` for a target of numbers.

    A column that tells nothing has about 0 or less, so forward search and ranking end by themselves. ``task`` as in
    ``InformationGain``, other arguments as in ``ReliefF``; ``miss_weight`` is for classes.

    References: Kira and Rendell (1992).

    Examples
    --------
    >>> import numpy as np
    >>> from tamis import SubsetSelector
    >>> X = np.random.default_rng(0).integers(0, 2, (200, 6))
    >>> sorted(SubsetSelector("ranking", "relief_weight", n_features=2).fit(X, X[:, 1] ^ X[:, 4]).selected_features_)
    [1, 4]
    """

    def __init__(
        self,
        n_neighbors: int = 10,
        *,
        n_samples: int | None = None,
        miss_weight: str = "conditional",
        power: int = 1,
        task: str = "auto",
        random_state: Any = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_samples = n_samples
        self.miss_weight = miss_weight
        self.power = power
        self.task = task
        self.random_state = random_state

    def describe(self) -> ScoreDescription:
        return ScoreDescription(
            "relevance by ReliefF",
            "the sum of how much more each column differs between near rows whose targets differ than between near "
            "rows whose targets are alike; below 0 it tells nothing",
        )

    def prepare(self, source: Source, *, n_jobs: int | None = None, steps: Steps = silent) -> ColumnScores:
        del steps
        task = check_choice("task", self.task, ("auto", "classification", "regression"))
        arguments = {
            name: value for name, value in self.get_params(deep=False).items() if name not in ("task", "miss_weight")
        }
        if read_target(source, task)[0].values is None:
            return RReliefF(**arguments, n_jobs=n_jobs).measure(source)
        return ReliefF(**arguments, miss_weight=self.miss_weight, task="classification", n_jobs=n_jobs).measure(source)
