"""The fast correlation-based filter."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.checks import check_count, check_number
from tamis._core.progress import ProgressMixin, reports_progress
from tamis.base.fitting import all_or_nothing
from tamis.base.training_data import open_source
from tamis.selection.columns import ColumnSelector
from tamis.selection.evaluation.association import SymmetricUncertainties
from tamis.selection.evaluation.counting import CountingEvaluation
from tamis.selection.search.base import merge_ties, tie_tolerance


class FCBF(ProgressMixin, ColumnSelector):
    """Keeps predominant columns: in the order of their symmetric uncertainty SU(x, y) with the target, a column goes
    where one that is kept tells as much about it as it tells about the target, SU(x′, x) ≥ SU(x, y).

    Costs one counting pass over the table for every column that is kept.

    Parameters
    ----------
    threshold : float
        Columns with SU(x, y) at or below it are irrelevant.
    n_features : int or None
        At most so many are kept, the first in order.
    discrete, n_jobs
        As in ``SubsetSelector``.
    n_bins, task, bins
        As in ``InformationGain``.

    Attributes
    ----------
    support_ : bool array (p,)
    selected_features_ : names, or positions without names, by falling relevance
    scores_ : SU(x, y) of every column (p,)
    removed_by_ : dict from each redundant column to the kept one that stands for it
    classes_ : labels of the target, where it has classes
    n_features_in_, feature_names_in_

    References: Yu and Liu (2003).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from tamis import FCBF
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> filter = FCBF().fit(X, y)
    >>> filter.selected_features_
    ['petal width (cm)', 'petal length (cm)']
    >>> filter.removed_by_["sepal length (cm)"]
    'petal width (cm)'
    """

    def __init__(
        self,
        threshold: float = 0.0,
        *,
        n_features: int | None = None,
        discrete: Any = "auto",
        n_bins: int = 10,
        task: str = "auto",
        bins: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.threshold = threshold
        self.n_features = n_features
        self.discrete = discrete
        self.n_bins = n_bins
        self.task = task
        self.bins = bins
        self.n_jobs = n_jobs

    @all_or_nothing
    @reports_progress
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> FCBF:
        """Select columns of X, anything that ``as_source`` takes, for the target y."""
        threshold = check_number("threshold", self.threshold, at_least=0.0)
        source = open_source(X, y, sample_weight, self.discrete, type(self).__name__)
        most = source.n_features if self.n_features is None else check_count("n_features", self.n_features)
        names = self._learn_names(X, source)
        table = CountingEvaluation(self.n_bins, self.task, self.bins).coded(source, self.n_jobs, self._steps)
        association = SymmetricUncertainties(table, self.n_jobs)
        self.scores_ = association.relevance
        self.removed_by_: dict[Any, Any] = {}
        chosen: list[int] = []
        waiting = [int(j) for j in np.argsort(-merge_ties(self.scores_), kind="stable") if self.scores_[j] > threshold]
        while waiting and len(chosen) < most:
            best, *waiting = waiting
            chosen.append(best)
            uncertainty = association.rows([best])[0]
            redundant = {j for j in waiting if uncertainty[j] >= self.scores_[j] - tie_tolerance(self.scores_[j])}
            self.removed_by_.update((names[j], names[best]) for j in waiting if j in redundant)
            waiting = [j for j in waiting if j not in redundant]
        self._learn_choice(chosen, names)
        self._warn_of_row_labels(source, names)
        self._learn_classes(table.values, source, y)
        return self
