"""A selector is a search over subsets guided by an evaluation until it stops."""

from __future__ import annotations

import textwrap
from typing import Any

from tamis._core.checks import as_object
from tamis.selection.evaluation import EVALUATIONS, Evaluation, as_evaluation
from tamis.selection.search import SEARCHES, Search
from tamis.selection.search_selector import SearchSelector

WIDTH = 120  # of a line of a docstring


def lists_choices(kind: type[SubsetSelector]) -> type[SubsetSelector]:
    """Write the names of the registries into the docstring of a class."""
    for field, registry in (("{searches}", SEARCHES), ("{evaluations}", EVALUATIONS)):
        names = ", ".join(f'"{name}"' for name in registry)
        lines = (kind.__doc__ or "").split("\n")
        filled = (_wrap(line.replace(field, names)) if field in line else line for line in lines)
        kind.__doc__ = "\n".join(filled)
    return kind


def _wrap(line: str) -> str:
    indent = line[: len(line) - len(line.lstrip())]
    return textwrap.fill(line.strip(), WIDTH, initial_indent=indent, subsequent_indent=indent)


@lists_choices
class SubsetSelector(SearchSelector):
    """Selects columns by searching over subsets with an evaluation.

    Parameters
    ----------
    search : a Search or its name
        How subsets are proposed: {searches}.
    evaluation : an Evaluation or its name
        How good a subset is: {evaluations}; "aic" or "bic" for
        ``LinearFit`` by that criterion; or an estimator, which is cross-validated (``CrossValidated`` has its options).
    n_features : int, (int, int) or None
        Exactly how many columns to select; or the fewest and the most: the search goes through these sizes and the
        best is taken, of equal scores the smallest; None leaves it to the search's own rule. With ``feature_groups``
        groups are counted. Columns of ``keep`` count too.
    rule : "best" or "1se"
        Which of the subsets of the sizes asked for is selected: that of the best score; or the smallest whose score is
        within one standard error of it, the standard error being that of the best over its folds (``CrossValidated``,
        or ``LinearFit`` by cross-validation). Only evaluated subsets count: give a range for ``n_features`` to have
        the search go through all sizes.
    keep : names, positions or a mask
        Columns that are in every subset. Where a frame calls its columns by whole numbers, a number is a name.
    feature_groups : labels, lists of columns, or a size
        Columns that come and go together: a label for each column, or lists of names, positions or masks, or so many
        columns at a time. One mask is one group. Who is in no group stands alone.
    time_limit : float or None
        Seconds after which the best subset so far is taken.
    checkpoint : path or None
        A file that remembers every evaluated subset. A run that was killed and is started again with the same data,
        arguments and code of one's own evaluates none of them again and ends with the same result.
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
    selected_features_ : names as X has them, or positions without names, in the order of selection
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
        rule: str = "best",
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
        self.rule = rule
        self.keep = keep
        self.feature_groups = feature_groups
        self.time_limit = time_limit
        self.checkpoint = checkpoint
        self.discrete = discrete
        self.n_jobs = n_jobs
        self.random_state = random_state

    def parts(self) -> tuple[Search, Evaluation]:
        """The search and the evaluation, as objects."""
        return (
            as_object("search", self.search, SEARCHES, Search),
            as_evaluation(self.evaluation),
        )
