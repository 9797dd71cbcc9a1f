"""``tamis.select``: the answer of ``tamis select`` in Python, shown as its page in a notebook."""

from __future__ import annotations

import html
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tamis._core.files import write_file
from tamis.report.compare_summary import render_comparison, summarise_comparison
from tamis.studies.compare import CompareQuestion
from tamis.studies.compare_answer import CompareAnswer, answer
from tamis.studies.select import SECONDS


@dataclass(frozen=True, kw_only=True)
class TableGiven(CompareQuestion):
    """The question to a table that is in memory, or anything else that ``as_source`` takes."""

    given_table: Any = field(default=None, repr=False, compare=False)
    table_name = "the table"
    table_title = "a table in memory"
    in_python = "", "table"
    command = "tamis.select(table, ...)"

    def open(self) -> Any:
        from tamis.sources import as_source

        return as_source(self.given_table, target=self.target)


class Selection:
    """The columns to use, and the evidence.

    Attributes
    ----------
    selected_features_ : list of names; empty where no set of columns is shown to be better than none
    comparison_ : Comparison, what ``compare_selectors`` found
    """

    def __init__(self, found: CompareAnswer) -> None:
        self._answer = found
        self.selected_features_ = found.chosen
        self.comparison_ = found.comparison

    @property
    def summary(self) -> dict[str, Any]:
        """The document that ``tamis compare --json`` prints, and all that the page shows."""
        return summarise_comparison(self._answer)

    def page(self) -> str:
        """The page of ``tamis select``, one HTML document."""
        return render_comparison(self.summary)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file."""
        write_file(Path(path), self.page())

    def __str__(self) -> str:
        return "\n".join([*self.summary["answer"], f"columns: {self.selected_features_!r}"])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """In a frame, so that neither page nor notebook changes the other."""
        inside = html.escape(self.page(), quote=True)
        return f'<iframe srcdoc="{inside}" style="width:100%;height:50rem;border:0" title="tamis select"></iframe>'


def select(
    table: Any,
    target: str,
    *,
    methods: str | Sequence[str] = (),
    n_features: int | tuple[int, int] | None = None,
    time_limit: float | None = SECONDS,
    task: str = "auto",
    keep: Sequence[str] = (),
    include: Sequence[str] = (),
    drop: Sequence[str] = (),
    feature_groups: Sequence[str] = (),
    dates: str = "leave_out",
    groups: str | None = None,
    time_order: str | None = None,
    cv: int = 5,
    n_repeats: int = 1,
    scoring: str | None = None,
    n_shuffles: int = 0,
    checkpoint: str | os.PathLike[str] | None = None,
    callbacks: Any = None,
) -> Selection:
    """Which columns of a table predict its target, how sure, and at what cost: ``tamis select`` in Python.

    Ways to choose columns are compared on rows never used to choose (see ``compare_selectors``); recommended are the
    fewest that do as well as the best. In a notebook the answer shows itself as the page that ``tamis select`` writes.
    Columns that cannot be used (constant, text, identifiers) are left out, as on the command line.

    Parameters
    ----------
    table : a data frame, a path, or anything else with named columns that ``as_source`` takes
    target : name of the column to be predicted
    methods : "lasso", "mrmr", "linear", "relief", "forest", or several of them; none: all
    n_features : None, int or (low, high)
        How many columns to choose. None: as few as do as well as the best.
    time_limit : float or None
        Seconds after which it ends with what is done.
    task : "auto", "classification" or "regression"
    keep : names of columns in every subset
    include : names of columns that look like identifiers and may be chosen all the same
    drop : names of columns to leave out
    feature_groups : columns that come and go together, each as "a,b,c"
    dates : "leave_out" or "number"
        What becomes of columns of dates: left out, or days since 1970.
    groups : name of a column whose equal values keep rows together in one fold
    time_order : name of a column by which rows follow each other: rows are predicted from earlier ones only
    cv, n_repeats, scoring, n_shuffles, checkpoint, callbacks
        As in ``compare_selectors``.

    Returns
    -------
    Selection

    Examples
    --------
    >>> import tamis
    >>> from sklearn.datasets import load_diabetes
    >>> table = load_diabetes(as_frame=True).frame
    >>> tamis.select(table, "target", methods="mrmr", n_features=2).selected_features_
    ['bmi', 's5']
    """
    is_path = isinstance(table, (str, os.PathLike))
    given: dict[str, Any] = {
        "table": Path(table) if is_path else Path("table"),
        "target": target,
        "methods": [methods] if isinstance(methods, str) else list(methods),
        "checkpoint": None if checkpoint is None else Path(checkpoint),
    }
    options: dict[str, Any] = {
        "n_features": n_features, "time_limit": time_limit, "task": task, "keep": list(keep), "include": list(include),
        "drop": list(drop), "feature_groups": list(feature_groups), "dates": dates, "groups": groups,
        "time_order": time_order, "cv": cv, "n_repeats": n_repeats, "scoring": scoring, "n_shuffles": n_shuffles,
    }  # fmt: skip
    kind = CompareQuestion if is_path else TableGiven
    question = kind(**given, **options, **({} if is_path else {"given_table": table}))
    shown = (lambda run: run) if callbacks is None else (lambda run: run.set_callbacks(callbacks))
    return Selection(answer(question, question.open(), shown))
