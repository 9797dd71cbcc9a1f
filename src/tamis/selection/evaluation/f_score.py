"""The F-statistic of every column."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tamis._core.progress import Steps, silent
from tamis.selection.evaluation.base import Evaluation
from tamis.selection.evaluation.relations import Correlations, f_statistic
from tamis.selection.search.base import Index
from tamis.sources.base import Source


class FScore(Evaluation):
    """The sum over the subset of each column's F-statistic: that of the means of the classes, or of the line on a
    continuous target.

    Every column counts by itself, so this is for rankings, or for searches with ``n_features``. Constant columns
    have 0. Works on numbers without gaps; ``task`` as in ``InformationGain``.

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

    def prepare(self, source: Source, *, n_jobs: int | None = None, steps: Steps = silent) -> Correlations:
        return Correlations(source, f_statistic, self.task, type(self).__name__, n_jobs, steps)

    def classes(self, state: Correlations) -> np.ndarray | None:
        return state.values

    def score(self, state: Correlations, subset: Index) -> float:
        return float(state.relevance[list(subset)].sum())

    def gains(self, state: Correlations, subset: Index, candidates: Sequence[int]) -> np.ndarray:
        return self.score(state, subset) + state.relevance[np.asarray(candidates, dtype=np.intp)]

    def losses(self, state: Correlations, subset: Index, candidates: Sequence[int]) -> np.ndarray:
        return self.score(state, subset) - state.relevance[np.asarray(candidates, dtype=np.intp)]
