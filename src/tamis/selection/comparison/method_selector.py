"""A method of the comparison at one size, as a selector."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from tamis._core.checks import check_choice, check_count
from tamis._core.errors import InputError
from tamis.base.fitting import all_or_nothing
from tamis.selection.columns import ColumnSelector
from tamis.selection.comparison.configurations import ALL, NONE, candidate_order
from tamis.selection.comparison.executor import as_seed, run_piece
from tamis.selection.comparison.methods import as_methods
from tamis.selection.comparison.table_input import read_table


class MethodSelector(ColumnSelector):
    """The first ``n_features`` columns of a method's sequence, as ``compare_selectors`` takes them.

    With ``n_features=0`` no column is selected: ``fit`` says nothing, ``transform`` refuses, for a step after it in a
    Pipeline needs a column; use ``DummyClassifier`` or ``DummyRegressor`` then.

    Parameters
    ----------
    method : "lasso", "mrmr", "linear", "relief", "forest", a selector, "none" or "all"
    n_features : int
        Columns, or groups of them, kept ones counted. A selector that tells no order has its own choice.
    keep, feature_groups
        As in ``SubsetSelector``.
    task : "auto", "classification" or "regression"
        What the target is; "auto": labels and few whole numbers are classes.
    random_state : None, int, Generator or RandomState

    Attributes
    ----------
    support_, selected_features_, n_features_in_, feature_names_in_
    """

    def __init__(
        self,
        method: Any = "mrmr",
        n_features: int = 10,
        *,
        keep: Any = None,
        feature_groups: Any = None,
        task: str = "auto",
        random_state: Any = 0,
    ) -> None:
        self.method = method
        self.n_features = n_features
        self.keep = keep
        self.feature_groups = feature_groups
        self.task = task
        self.random_state = random_state

    @all_or_nothing
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> MethodSelector:
        """Choose columns of X, anything that ``as_source`` takes, for the target y."""
        seed = as_seed(self.random_state)
        task = check_choice("task", self.task, ("auto", "classification", "regression"))
        table, _, _ = read_table(
            X, y, sample_weight, self.keep, self.feature_groups, seed, type(self).__name__, task=task
        )
        names = self._learn_names(X, table.source)
        candidates = table.candidates
        size = check_count("n_features", self.n_features, at_least=0)
        order: list[int] = []
        baseline = self.method if isinstance(self.method, str) else None
        if baseline == ALL:
            order = list(range(len(candidates)))
        elif baseline != NONE and size > candidates.n_kept:
            columns, whole = self._columns(table, seed)
            order = candidate_order(columns, candidates)
            order = order if whole else order[: size - candidates.n_kept]
        self._learn_choice(list(candidates.columns(tuple(order))), names)
        return self

    def _columns(self, table: Any, seed: int) -> tuple[np.ndarray, bool]:
        """The order of the method, and whether it is one subset."""
        (method,) = as_methods(self.method)
        found: Any = run_piece(_Once(method, seed), table, np.inf)["found"]
        return np.asarray(found.order, dtype=np.intp), found.whole

    def transform(self, X: Any) -> Any:
        """The selected columns of X."""
        check_is_fitted(self)
        if not self.support_.any():
            raise InputError(
                "no column was selected (n_features=0): nothing was shown to be better than no column, so there is "
                "nothing to hand on; predict the mean or the most frequent class (DummyRegressor, DummyClassifier), or "
                "choose another n_features"
            )
        return super().transform(X)


class _Once:
    """One sequence on all rows."""

    def __init__(self, method: Any, seed: int) -> None:
        self.method, self.seed = method, seed

    def run(self, table: Any, deadline: float) -> dict[str, Any]:
        del deadline
        return {"found": self.method.sequence(table.rows(np.arange(table.n)), self.seed)}
