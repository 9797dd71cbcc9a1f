"""What the members of the Relief family share: arguments, rounds, p-values and the cut."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tamis._core.checks import check_choice, check_count, check_number
from tamis._core.errors import InputError
from tamis._core.progress import ProgressMixin, Steps, reports_progress, silent
from tamis._core.random import as_rng
from tamis._core.threads import thread_count
from tamis.base.fitting import all_or_nothing
from tamis.base.training_data import open_source
from tamis.selection.columns import ColumnSelector
from tamis.selection.description import SearchDescription
from tamis.selection.relief.permutation import benjamini_hochberg, permutation_pvalues
from tamis.selection.relief.sampling import SampledSums, add_rows, add_rows_until_settled
from tamis.selection.relief.table import ReliefTable, TargetLabels, read_table
from tamis.selection.relief.weight_sums import WeightAccumulator
from tamis.sources.base import Source
from tamis.stats.coded import read_target

PERMUTATIONS = 50


@dataclass(frozen=True)
class ReliefResult:
    """What was found about the columns. ``rounds`` counts how often a column was weighed before it was removed."""

    relevance: np.ndarray
    standard_errors: np.ndarray
    rounds: np.ndarray
    values: np.ndarray | None
    queries: np.ndarray  # the rows that were averaged over
    status: str
    pvalues: np.ndarray | None = None

    @property
    def order(self) -> np.ndarray:
        """The columns, best first: those that stayed longer, then those of higher relevance."""
        return np.lexsort((-self.relevance, -self.rounds))


class ReliefBase(ProgressMixin, ColumnSelector):
    """What the members of the family share; each says which the neighbours of a row are and what each counts."""

    n_features: int | None
    threshold: float | None
    fdr: float | None
    n_permutations: int | None
    n_samples: Any
    removal: float | None
    power: int
    time_limit: float | None
    task: str
    discrete: Any
    n_jobs: int | None
    random_state: Any

    @all_or_nothing
    @reports_progress
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> ReliefBase:
        """Weigh the columns of X, anything that ``as_source`` takes, by how they separate near rows of unlike y.

        A row of weight w counts as w equal rows.
        """
        self._check_cut()
        self._permutation_count()
        source = open_source(X, y, sample_weight, self.discrete, type(self).__name__)
        if self.n_features is not None:
            check_count("n_features", self.n_features, at_most=source.n_features)
        names = self._learn_names(X, source)
        found = self.measure(source, steps=self._steps)
        self.relevance_, self.standard_errors_ = found.relevance, found.standard_errors
        self.n_samples_, self.status_ = len(found.queries), found.status
        self.__dict__.pop("pvalues_", None)
        if found.pvalues is not None:
            self.pvalues_ = found.pvalues
        self._learn_choice(self._chosen(found), names)
        self._warn_of_row_labels(source, names)
        self._learn_classes(found.values, source, y)
        return self

    def measure(self, source: Source, steps: Steps = silent) -> ReliefResult:
        """The relevance of every column of a source with a target; nothing is chosen."""
        n_threads = thread_count(self.n_jobs)
        labels, values, weight = self._labels(source)
        power = check_choice("power", self.power, (1, 2))
        table = read_table(source, labels, weight, squared=power == 2, n_threads=n_threads)
        rng = as_rng(self.random_state)
        found = replace(self._estimate(table, n_threads, rng, steps), values=values)
        times = self._permutation_count()
        if not times:
            return found

        def again(shuffled: ReliefTable) -> np.ndarray:
            return self._rounds(shuffled, found.queries, n_threads, silent).relevance

        return replace(found, pvalues=permutation_pvalues(again, table, found.relevance, times, rng, steps))

    def describe(self) -> SearchDescription:
        """What it does, which columns it keeps and what that proves, in words."""
        some = "" if self.n_samples is None else f" {_rows_in_words(self.n_samples)}, drawn at random, were compared."
        tested = self.fdr is not None
        return SearchDescription(
            "Relief",
            f"Every row is compared with the rows nearest to it, those of its own kind and others.{some}",
            f"It kept the columns that stand out from shuffled ones, at a false discovery rate of {self.fdr:g}."
            if tested
            else "It kept the columns above the threshold.",
            "p-values come from shuffled rows; they say that a column has to do with the target in these rows, not why"
            if tested
            else "a high relevance is no proof: chance alone gives some columns more than others",
            moves=False,
            score="A column is relevant where it differs more between near rows whose targets differ than between near "
            "rows whose targets are alike, so columns that tell something only together are seen.",
        )

    # ---- the arguments ---------------------------------------------------------------------------------------------

    def _check_cut(self) -> None:
        ways = {
            name: value for name in ("n_features", "threshold", "fdr") if (value := getattr(self, name)) is not None
        }
        if len(ways) > 1:
            given = " and ".join(f"{name}={value!r}" for name, value in ways.items())
            raise InputError(f"{given} are {len(ways)} ways to choose: give one", argument=next(iter(ways)))
        if self.threshold is not None:
            check_number("threshold", self.threshold)
        if self.fdr is not None:
            check_number("fdr", self.fdr, above=0, at_most=1)
        for name in ("removal", "time_limit"):
            if getattr(self, name) is not None:
                check_number(name, getattr(self, name), above=0, at_most=1 if name == "removal" else np.inf)
        settles = isinstance(self.n_samples, str)
        if (settles or self.removal is not None) and self.n_features is None:
            name = "n_samples" if settles else "removal"
            raise InputError(
                f"{name}={getattr(self, name)!r} needs n_features: how many columns to end with", argument=name
            )
        if settles and self.removal is not None:
            raise InputError(
                f"removal={self.removal!r} weighs again and again: give n_samples as a number", argument="removal"
            )
        if self.time_limit is not None and not settles:
            raise InputError(
                f"time_limit={self.time_limit!r} is for n_samples='auto', which asks ever more rows",
                argument="time_limit",
            )

    def _permutation_count(self) -> int:
        if self.n_permutations is None:
            return 0 if self.fdr is None else PERMUTATIONS
        times = check_count("n_permutations", self.n_permutations, at_least=0)
        if self.fdr is not None and times == 0:
            raise InputError("n_permutations=0 leaves fdr without p-values: leave it out, or give 20 or more")
        return times

    def _labels(self, source: Source) -> tuple[TargetLabels, np.ndarray | None, np.ndarray | None]:
        """Classes, their values in the order of their codes, and the weights."""
        target, _, weight = read_target(source, check_choice("task", self.task, ("auto", "classification")))
        if target.values is None:
            raise InputError(
                f"{type(self).__name__} compares classes, but y is continuous (whole numbers with more than 10 values "
                "are, unless there are few of them with many rows each): give task='classification', or take RReliefF"
            )
        labels = TargetLabels(target.codes, target.n_classes)
        if weight is not None and len(np.unique(target.codes[weight > 0])) < target.n_classes:
            kept, codes = np.unique(target.codes[weight > 0], return_inverse=True)
            if len(kept) < 2:
                raise InputError("y has only one class among the rows of a weight above 0: give at least two")
            y = np.zeros_like(target.codes)
            y[weight > 0] = codes
            return TargetLabels(y, len(kept)), target.values[kept], weight
        return labels, target.values, weight

    # ---- the work --------------------------------------------------------------------------------------------------

    def _accumulator(self, table: ReliefTable, n_threads: int) -> WeightAccumulator:
        raise NotImplementedError

    def _estimate(self, table: ReliefTable, n_threads: int, rng: np.random.Generator, steps: Steps) -> ReliefResult:
        if isinstance(self.n_samples, str):
            check_choice("n_samples", self.n_samples, ("auto",))
            accumulator, most = self._accumulator(table, n_threads), int(self.n_features or 0)
            drawn = add_rows_until_settled(accumulator, table.n, most, rng, self.time_limit, steps)
            return _relief_result(table, drawn)
        m = table.n if self.n_samples is None else check_count("n_samples", self.n_samples, at_most=table.n)
        queries = np.arange(table.n) if m == table.n else np.sort(rng.choice(table.n, m, replace=False))
        return self._rounds(table, queries, n_threads, steps)

    def _rounds(self, table: ReliefTable, queries: np.ndarray, n_threads: int, steps: Steps) -> ReliefResult:
        """The columns weighed by some rows; with ``removal`` again and again, without the last ones."""
        found = _relief_result(table, add_rows(self._accumulator(table, n_threads), queries))
        if self.removal is None:
            return found
        sizes = _shrinking_sizes(len(table.order), int(self.n_features or 0), float(self.removal))
        for size in steps(sizes, "removing columns"):
            stay = np.sort(found.order[:size])
            fewer = table.take(stay)
            part = _relief_result(fewer, add_rows(self._accumulator(fewer, n_threads), queries), len(found.rounds))
            for whole, new in ((found.relevance, part.relevance), (found.standard_errors, part.standard_errors)):
                whole[stay] = new[stay]
            found.rounds[stay] += 1
        return found

    def _chosen(self, found: ReliefResult) -> list[int]:
        if self.fdr is not None:
            assert found.pvalues is not None
            return found.order[np.isin(found.order, benjamini_hochberg(found.pvalues, self.fdr))].tolist()
        if self.n_features is not None:
            return found.order[: self.n_features].tolist()
        tau = 0.0 if self.threshold is None else float(self.threshold)
        return found.order[found.relevance[found.order] > tau].tolist()


def _rows_in_words(n_samples: Any) -> str:
    return "As many rows as it takes" if isinstance(n_samples, str) else f"{n_samples:,} rows"


def _relief_result(table: ReliefTable, drawn: SampledSums, p: int | None = None) -> ReliefResult:
    """In the order of the columns of the source."""
    p = len(table.order) if p is None else p
    mean, error = np.full(p, np.nan), np.full(p, np.nan)
    sums = drawn.sums
    mean[table.order] = sums.mean
    error[table.order] = sums.standard_error if table.labels.numbers is None else sums.row_error
    return ReliefResult(mean, error, np.zeros(p, np.int64), None, drawn.queries, drawn.status)


def _shrinking_sizes(p: int, least: int, share: float) -> list[int]:
    """Sizes below p down to ``least``, each less by this share, at least by one."""
    sizes = []
    while p > least:
        p = max(least, min(p - 1, int(np.floor(p * (1 - share)))))
        sizes.append(p)
    return sizes
