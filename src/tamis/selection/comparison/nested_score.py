"""The score of one way to choose columns, choice included, on rows that took no part in it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from tamis._core.progress import ProgressMixin, reports_progress
from tamis.selection.comparison.configurations import ALL, NONE, Comparer
from tamis.selection.comparison.executor import Executor, first_failure
from tamis.selection.comparison.folds import as_row_groups, make_splits
from tamis.selection.comparison.learners import as_learners
from tamis.selection.comparison.methods import Method
from tamis.selection.comparison.resampling import corrected_score
from tamis.selection.comparison.scores import Estimate, as_score
from tamis.selection.comparison.selection_rule import FoldScores, Rule
from tamis.selection.comparison.table_input import read_table

RESAMPLES = 1000


@dataclass(frozen=True)
class NestedScore:
    """``score`` of the procedure with its interval, and of its differences to no column and to all columns.

    ``all_columns`` is the score of all of them, ``all_against_none`` its difference to no column; ``sizes`` are the
    numbers of columns that were chosen in the folds, ``folds`` says how often each column was.
    """

    scoring: str
    score: Estimate
    against_none: Estimate
    against_all: Estimate
    all_columns: Estimate
    all_against_none: Estimate
    n_folds: int
    sizes: list[int]
    folds: dict[Any, int]
    notes: list[str]

    @property
    def better_than_none(self) -> bool:
        """Whether the low end of the difference to no column is above 0."""
        return bool(self.against_none.low > 0)


@dataclass(frozen=True)
class OfMethod(Rule):
    """The better learner of the one method that is there."""

    own: np.ndarray

    def choose(self, scores: FoldScores) -> np.ndarray:
        return self.own[scores.mean[:, self.own].argmax(axis=1)]


class NestedRun(ProgressMixin, BaseEstimator):
    """Cross-validates a ``Method`` whose sequences are whole subsets; ``fit`` leaves ``nested_``."""

    def __init__(
        self, method: Method, task: str = "auto", cv: Any = 5, groups: Any = None, n_jobs: int | None = None
    ) -> None:
        self.method = method
        self.task = task
        self.cv = cv
        self.groups = groups
        self.n_jobs = n_jobs

    @reports_progress
    def fit(self, X: Any, y: Any = None) -> NestedRun:
        table, notes, _ = read_table(X, y, None, None, None, 0, "nested score", task=self.task)
        groups = as_row_groups(self.groups, table.n)
        splits, more_notes = make_splits(self.cv, 1, table.target, table.classes is not None, groups, 0)
        learners = as_learners("auto", table.task, sp.issparse(table.X), table.weight is not None, 0)
        score = as_score(None, table, learners)
        executor = Executor(self.n_jobs, time.time(), None, steps=self._steps)
        comparer = Comparer(executor, table, splits, [self.method], learners, [], 0)
        comparer.find_sequences()
        comparer.fit_all()
        complete, predictions = comparer.assemble(comparer.configurations())
        own, none, all_ = (
            np.array([i for i, c in enumerate(complete) if c.method == name], dtype=int)
            for name in (self.method.name, NONE, ALL)
        )
        if executor.status == "interrupted":
            raise KeyboardInterrupt
        if not len(own):
            raise first_failure(executor.outcomes)
        units = np.arange(table.n) if groups is None else np.unique(groups, return_inverse=True)[1]
        rule = OfMethod(np.array([c.size for c in complete]), 0.0, own)
        rng = np.random.default_rng(5)
        found = corrected_score(predictions, score, rule, none, all_, units, table.weight, RESAMPLES, rng)
        subsets = [comparer.columns_in_split(complete[int(own[0])], j) or () for j in range(len(splits))]
        chosen = [table.names[j] for subset in subsets for j in subset]
        self.nested_ = NestedScore(
            score.words,
            found.score,
            found.against_none,
            found.against_all,
            found.all_columns,
            found.all_against_none,
            len(splits),
            [len(subset) for subset in subsets],
            {name: chosen.count(name) for name in dict.fromkeys(chosen)},
            notes + more_notes,
        )
        return self
