"""How good a subset is: the contract of an evaluation, and the information gain."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from tamis._core.checks import check_choice, check_count
from tamis._core.progress import Steps, silent
from tamis._core.threads import thread_count
from tamis._kernels import kernels
from tamis.selection.search.base import Index
from tamis.sources.base import Source
from tamis.stats.coded import CodedTable, code_source

NO_NUMBER = "failed: the score is not a number"
XLOGX = 1 << 16  # whole counts below this have their x log₂ x in a table


@dataclass(frozen=True)
class Answer:
    """What is known of a subset of columns.

    ``spread`` is the standard deviation of a score that is a mean of several; ``failure`` says why a score is not a
    number.
    """

    score: float
    seconds: float = 0.0
    spread: float = np.nan
    failure: str = ""


class Evaluation(BaseEstimator):
    """How good a subset is, higher being better. ``monotone``: a superset never scores less (to rounding).

    ``prepare`` reads the source once; the state it returns is handed to every other call and may remember what the
    last one found. ``gains`` and ``losses`` answer for many candidates at once, ``answers`` for many subsets; what is
    here asks ``score`` for each.
    """

    monotone = False
    incremental = False

    def prepare(self, source: Source, *, n_jobs: int | None = None, steps: Steps = silent) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not say what it prepares")

    def score(self, state: Any, subset: Index) -> float:
        raise NotImplementedError(f"{type(self).__name__} does not say how it scores")

    def answers(self, state: Any, subsets: Sequence[Index]) -> Iterator[Answer]:
        """What is known of each subset, in their order, as soon as it is; one that fails does not end the rest."""
        for subset in subsets:
            began = time.perf_counter()
            try:
                score, failure = float(self.score(state, subset)), ""
            except Exception as error:
                score, failure = np.nan, f"failed: {type(error).__name__}: {error}"
            if np.isnan(score) and not failure:
                failure = NO_NUMBER
            yield Answer(score, time.perf_counter() - began, failure=failure)

    def gains(self, state: Any, subset: Index, candidates: Sequence[int]) -> np.ndarray:
        """Score of subset + {j} for each candidate j."""
        return np.array([self.score(state, (*subset, j)) for j in candidates])

    def losses(self, state: Any, subset: Index, candidates: Sequence[int]) -> np.ndarray:
        """Score of subset − {j} for each candidate j."""
        return np.array([self.score(state, tuple(k for k in subset if k != j)) for j in candidates])


@dataclass
class Counting:
    """A coded table, and the partition of its rows by the last subset.

    Cell c of the partition holds ``rows[starts[c] : starts[c + 1]]``: rows that agree on the whole subset. Cells of
    a single class are left out, for nothing can be learned in them any more.
    """

    table: CodedTable
    n_threads: int
    entropy: float = 0.0
    xlogx: np.ndarray = field(default_factory=lambda: np.zeros(1))
    subset: frozenset[int] = frozenset()
    rows: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int32))
    starts: np.ndarray = field(default_factory=lambda: np.zeros(1, np.int32))

    def __post_init__(self) -> None:
        n = len(self.table.y)
        x = np.arange(min(n + 1, XLOGX), dtype=np.float64)
        self.xlogx = x * np.log2(np.maximum(x, 1.0))
        self.entropy = kernels.entropy(*self.target)
        self.rows, self.starts = self.whole

    @property
    def whole(self) -> tuple[np.ndarray, np.ndarray]:
        """All rows in one cell."""
        n = len(self.table.y)
        return np.arange(n, dtype=np.int32), np.array([0, n], dtype=np.int32)

    @property
    def target(self) -> tuple[Any, ...]:
        t = self.table
        return t.y, t.n_classes, t.weight, t.total, self.xlogx

    def partition(self, subset: Index) -> tuple[np.ndarray, np.ndarray]:
        """The partition by a subset, refined from the last one where that is part of it."""
        wanted = frozenset(subset)
        if not self.subset <= wanted:
            self.subset = frozenset()
            self.rows, self.starts = self.whole
        columns = [j for j in subset if j not in self.subset]
        if columns:
            t = self.table
            self.rows, self.starts = kernels.refine(t.codes, t.levels, self.rows, self.starts, as_columns(columns), t.y)
            self.subset = wanted
        return self.rows, self.starts


class InformationGain(Evaluation):
    """Gain(A) = Ent(D) − Σ_v |D^v|/|D| Ent(D^v),  Ent(D) = −Σ_k p_k log₂ p_k, in bits; D^v are the rows that agree
    on all of A.

    Missing values count as a value. Continuous columns are cut into ``n_bins`` quantile bins, and so is a
    continuous target. Under ``task="auto"`` labels, booleans and whole numbers are classes (whole numbers up to 10
    of them, or up to 100 with 20 rows each on average); "classification" and "regression" say so.

    References: Zhou, Machine Learning, equations 11.1 and 11.2.
    """

    monotone = True

    def __init__(self, n_bins: int = 10, task: str = "auto") -> None:
        self.n_bins = n_bins
        self.task = task

    def prepare(self, source: Source, *, n_jobs: int | None = None, steps: Steps = silent) -> Counting:
        n_bins = check_count("n_bins", self.n_bins, at_least=2, at_most=254)
        task = check_choice("task", self.task, ("auto", "classification", "regression"))
        table = code_source(source, task=task, n_bins=n_bins, n_jobs=n_jobs, steps=steps)
        return Counting(table, thread_count(n_jobs))

    def score(self, state: Counting, subset: Index) -> float:
        return float(self.gains(state, subset[:-1], subset[-1:])[0]) if subset else 0.0

    def gains(self, state: Counting, subset: Index, candidates: Sequence[int]) -> np.ndarray:
        t = state.table
        out = np.empty(len(candidates))
        if not subset and len(candidates) == len(t.levels):
            everything = np.empty(len(t.levels))
            kernels.column_gains(t.codes, t.levels, *state.target, state.entropy, everything, state.n_threads)
            return everything[as_columns(candidates)]
        rows, starts = state.partition(subset)
        asked = as_columns(candidates)
        kernels.refined_gains(
            t.codes, t.levels, rows, starts, asked, *state.target, state.entropy, out, state.n_threads
        )
        return out

    def losses(self, state: Counting, subset: Index, candidates: Sequence[int]) -> np.ndarray:
        """By halving: the partition by all other columns is refined by one half of the candidates to go on with the
        other half, so a candidate costs log₂ |A| refinements instead of |A|.
        """
        t = state.table
        out = np.empty(len(candidates))
        going = set(candidates)
        rows, starts = state.partition(tuple(j for j in subset if j not in going))
        asked = as_columns(candidates)
        kernels.leave_out_gains(
            t.codes, t.levels, rows, starts, asked, *state.target, state.entropy, out, state.n_threads
        )
        return out


def as_columns(columns: Sequence[int]) -> np.ndarray:
    return np.asarray(columns, dtype=np.int64)
