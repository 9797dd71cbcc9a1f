"""What the choice of ``tamis select`` is worth on rows that took no part in it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tamis._core.errors import InputError
from tamis.selection.comparison.methods import Method, Sequence
from tamis.selection.comparison.nested_score import NestedRun, NestedScore
from tamis.selection.comparison.table import TrainingRows
from tamis.sources import Encoded, InMemory, SomeRows, Source
from tamis.studies.columns import all_but
from tamis.studies.prepared_table import PreparedTable
from tamis.studies.select import SelectQuestion
from tamis.studies.select_methods import FOLDS
from tamis.studies.select_search import ChosenColumns, class_counts, search_columns

MOST_ROWS = 20_000  # of a longer table so many are drawn


@dataclass
class SameChoice(Method):
    """The question asked again of some rows: bins, codes and columns are chosen from them alone."""

    usable: Source
    question: SelectQuestion
    task: str
    name: str = "selection"

    def sequence(self, rows: TrainingRows, seed: int) -> Sequence:
        del seed
        part: Any = InMemory(SomeRows(self.usable, rows.at))
        encoded: Any = Encoded(part, keep=[*self.question.keep, *self.question.include])
        left = all_but(part, encoded.left_out)
        classes = class_counts(left) if self.task == "classification" else []
        chosen = search_columns(left, encoded, self.question, self.task, classes, lambda estimator: estimator)
        return Sequence(tuple(self.usable.names.index(name) for name in chosen.columns), whole=True)


def nested_score(
    table: PreparedTable,
    question: SelectQuestion,
    chosen: ChosenColumns,
    with_progress: Callable[[Any], Any],
) -> tuple[NestedScore | None, list[str]]:
    """The score with its interval, or None; and notes: on how many rows, or why there is none."""
    if question.no_nested:
        return None, ["--no-nested: what the chosen columns are worth in rows never used to choose was not computed"]
    if getattr(chosen.selector, "status_", "") == "interrupted":
        return None, ["the score in rows never used to choose is not known, for every fold would repeat the search"]
    usable, task, groups, cv = table.usable, table.task, table.together, table.splits(FOLDS)
    n = usable.n_rows if usable.n_rows is not None else sum(len(block) for block in usable.blocks([0]))
    notes = []
    if n > MOST_ROWS:
        rows = np.sort(np.random.default_rng(0).choice(n, MOST_ROWS, replace=False))
        usable = SomeRows(usable, rows)
        groups = None if groups is None else groups[rows]
        cv = table.splits(FOLDS, rows)
        notes.append(f"the score in rows never used to choose is of a random sample of {MOST_ROWS:,} rows")
    if not usable.in_memory or n > MOST_ROWS:
        usable = InMemory(usable)
    method = SameChoice(usable, replace(question, checkpoint=None), task)
    run = with_progress(NestedRun(method, task, cv=cv, groups=groups, n_jobs=1))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found: NestedScore = run.fit(usable).nested_
    except InputError as error:
        return None, [*notes, f"the score in rows never used to choose is not known: {error}"]
    return found, notes + found.notes
