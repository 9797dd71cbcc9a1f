"""Configurations method × size × learner, and their predictions for the rows left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from tamis._core.checks import check_count
from tamis._core.errors import InputError
from tamis.base.splits import Split
from tamis.selection.candidates import Candidates
from tamis.selection.comparison.executor import CHUNK, Executor, FitWork, Outcome, SequenceWork, fit_key
from tamis.selection.comparison.learners import Learner, RowPredictions, constant_prediction
from tamis.selection.comparison.methods import Method
from tamis.selection.comparison.resampling import Predictions
from tamis.selection.comparison.scores import split_predictions
from tamis.selection.comparison.table import ComparisonTable

NONE, ALL = "none", "all"
MANY_COLUMNS = 2000  # a linear model of more takes seconds
COARSE = (1, 2, 3, 5, 8, 12, 20)  # sizes that a costly learner is fitted on first


class Configuration(NamedTuple):
    """``method`` "none" or "all" for no column (but the kept ones) and for all; ``learner`` "" where none is fitted, or
    "always" and a class."""

    method: str
    size: int
    learner: str


def as_choice(n_features: Any, candidates: Candidates) -> tuple[int, int] | None:
    """The least and the most columns, or groups of them, that may be chosen, kept ones counted."""
    if n_features is None:
        return None
    ends = n_features if isinstance(n_features, tuple) and len(n_features) == 2 else (n_features, n_features)
    low, high = (check_count("n_features", end) for end in ends)
    kept, most = candidates.n_kept, candidates.n_kept + len(candidates)
    if low > high:
        message = f"n_features={low}-{high} asks for at least {low} and at most {high}: swap them"
    elif high > most:
        message = f"n_features must be at most the number of columns, {most}; got {high}"
    elif low < kept:
        message = f"n_features={low} is less than the {kept} that keep asks for"
    else:
        return low, high
    raise InputError(message, argument="n_features")


def as_sizes(sizes: Any, candidates: Candidates, n_features: tuple[int, int] | None = None) -> list[int]:
    """Numbers of columns or groups, kept ones counted: 0 to 20, doubling to all, and the ends of ``n_features``; none
    and all left out, which are compared in any case.
    """
    low, high = candidates.n_kept, candidates.n_kept + len(candidates)
    if low == high:
        raise InputError(f"keep holds all {low} columns: there is nothing to choose", argument="keep")
    if isinstance(sizes, str):
        if sizes != "auto":
            raise InputError(f"sizes must be 'auto' or numbers of columns, got {sizes!r}", argument="sizes")
        found = list(range(min(20, high) + 1))
        while found[-1] < high:
            found.append(min(high, 2 * found[-1]))
    else:
        given = list(sizes) if np.iterable(sizes) else [sizes]
        if not given:
            raise InputError("sizes is empty: give numbers of columns, or 'auto'", argument="sizes")
        found = [check_count("sizes", k, at_least=0, at_most=high) for k in given]
    return sorted({k for k in (*found, *(n_features or ())) if low < k < high})


@dataclass
class Comparer:
    """The work of one comparison on one table. ``tag`` tells its pieces from those of other targets."""

    executor: Executor
    table: ComparisonTable
    splits: list[Split]
    methods: list[Method]
    learners: list[Learner]
    sizes: list[int]
    seed: int
    n_features: tuple[int, int] | None = None  # how many columns may be chosen, None: any number
    tag: str = ""
    each_class: bool = False  # no column: every class is tried, for a score that asks for one of them
    _orders: dict[int, tuple[Outcome, list[int]]] = field(default_factory=dict)  # by the place in memory

    def method(self, name: str) -> Method:
        return next(one for one in self.methods if one.name == name)

    def learner(self, name: str) -> Learner | None:
        """None of "", where nothing is fitted."""
        return next((one for one in self.learners if one.name == name), None)

    # ---- sequences ---------------------------------------------------------------------------------------------------

    def sequence_work(self, method: Method, rows: np.ndarray, name: str) -> SequenceWork:
        number = int.from_bytes(f"{method.name} {name}".encode(), "little") % (2**61 - 1)
        state = int(np.random.default_rng([self.seed, 3, number]).integers(2**31 - 1))
        return SequenceWork(f"sequence {self.tag}{name} {method.name}", method, rows, state)

    def find_sequences(self, share: float = 0.5) -> None:
        ordered = sorted(self.methods, key=lambda m: m.cost)
        pieces = [self._split_sequence(method, j) for method in ordered for j in range(len(self.splits))]
        self.executor.do(pieces, self.table, f"{self.tag}choosing in the folds", share)

    def _split_sequence(self, method: Method, j: int) -> SequenceWork:
        return self.sequence_work(method, self.splits[j][0], f"split {j}")

    def sequence(self, method: Method, rows: np.ndarray, name: str) -> Outcome | None:
        return self.executor.outcomes.get(self.sequence_work(method, rows, name).key)

    def split_sequence(self, method: Method, j: int) -> Outcome | None:
        return self.executor.outcomes.get(self._split_sequence(method, j).key)

    def subset(self, outcome: Outcome | None, size: int) -> tuple[int, ...] | None:
        """Columns of the table at a size; None where the sequence does not have it."""
        if outcome is None or outcome.failure:
            return None
        candidates, chosen = self.table.candidates, self._order(outcome)
        free = len(chosen) if outcome.arrays[1] else size - candidates.n_kept
        return None if free > len(chosen) else tuple(candidates.columns(tuple(chosen[:free])))

    def longest(self, outcome: Outcome) -> tuple[int, ...]:
        """All columns of a sequence."""
        return tuple(self.table.candidates.columns(tuple(self._order(outcome))))

    def _order(self, outcome: Outcome) -> list[int]:
        """Candidates in the order of a sequence; kept, for every size asks for it."""
        if id(outcome) not in self._orders:
            self._orders[id(outcome)] = outcome, candidate_order(outcome.arrays[0], self.table.candidates)
        return self._orders[id(outcome)][1]

    # ---- fits --------------------------------------------------------------------------------------------------------

    @property
    def kept(self) -> tuple[int, ...]:
        return tuple(self.table.candidates.kept)

    def all_sizes(self, method: Method) -> list[int]:
        """The sizes of the comparison; of a method that tells one subset and no order, the mean size of these."""
        found = [self.split_sequence(method, j) for j in range(len(self.splits))]
        done = [outcome for outcome in found if outcome is not None and not outcome.failure]
        if not done or not any(outcome.arrays[1] for outcome in done):
            return self.sizes
        own = [len(self._order(outcome)) for outcome in done if outcome.arrays[1]]
        return [round(float(np.mean(own))) + self.table.candidates.n_kept]

    def fits_to_do(self) -> Iterator[tuple[tuple[int, int, int], Learner, int, tuple[int, ...]]]:
        """(priority, learner, split, columns) of every fit; the same subset may be wanted more than once."""
        everything = tuple(range(self.table.p))
        for learner in self.learners:
            for j in range(len(self.splits)):
                if self.kept:
                    yield (0, 0, 0), learner, j, self.kept
                yield (_pass_of_all(learner, self.table.p), 0, 0), learner, j, everything
                for m, method in enumerate(self.methods):
                    found = self.split_sequence(method, j)
                    for size in self.all_sizes(method):
                        columns = self.subset(found, size)
                        if columns is not None:
                            yield (_pass(learner, size), size, m), learner, j, columns

    def fit_all(self, share: float = 0.75) -> None:
        """Cheap learners up to 20 columns and on all, costly ones at few sizes, then larger subsets and other sizes."""
        ordered = sorted(self.fits_to_do(), key=lambda w: (w[0], w[1].name, w[2]))
        bundles: dict[Any, dict[str, tuple[int, ...]]] = {}
        seen: set[str] = set()
        for (stage, size, _), learner, j, columns in ordered:
            key = self.fit_key(learner, j, columns)
            if key not in seen:
                seen.add(key)
                band = size if size > 20 or learner.cost > 1 else size // CHUNK
                bundles.setdefault((stage, band, learner.name, j), {})[key] = columns
        pieces = [self._fit_work(place, subsets) for place, subsets in bundles.items()]
        self.executor.do(pieces, self.table, f"{self.tag}predicting the rows left out", share)

    def fit_key(self, learner: Learner, j: int, columns: Sequence[int]) -> str:
        return fit_key(f"{self.tag}split {j}", learner, columns)

    def _fit_work(self, place: tuple[int, int, str, int], subsets: dict[str, tuple[int, ...]]) -> FitWork:
        learner = self.learner(place[2])
        assert learner is not None
        return FitWork(learner, *self.splits[place[3]], subsets)

    # ---- predictions -------------------------------------------------------------------------------------------------

    def predictions_of(self, configuration: Configuration) -> list[Outcome | None]:
        """For each split."""
        return [self._prediction(configuration, j) for j in range(len(self.splits))]

    def _prediction(self, configuration: Configuration, j: int) -> Outcome | None:
        if configuration.method == NONE and not self.kept:
            train, test = self.splits[j]
            always = None if not configuration.learner else self._constants.index(configuration.learner)
            return Outcome(constant_prediction(self.table.rows(train), len(test), always).arrays, 0.0)
        columns = self.columns_in_split(configuration, j)
        if columns is None:
            return None
        learner = self.learner(configuration.learner)
        assert learner is not None
        return self.executor.outcomes.get(self.fit_key(learner, j, columns))

    def columns_in_split(self, configuration: Configuration, j: int) -> tuple[int, ...] | None:
        if configuration.method == NONE:
            return self.kept
        if configuration.method == ALL:
            return tuple(range(self.table.p))
        return self.subset(self.split_sequence(self.method(configuration.method), j), configuration.size)

    def configurations(self) -> list[Configuration]:
        """All, by growing size: none, those of the methods, all columns."""
        low = self.table.candidates.n_kept
        high = low + len(self.table.candidates)
        none = [Configuration(NONE, low, one.name) for one in self.learners] if self.kept else []
        found = none or [Configuration(NONE, low, name) for name in ("", *self._constants)]
        of_methods = [
            Configuration(method.name, size, learner.name)
            for method in self.methods
            for size in self.all_sizes(method)
            for learner in self.learners
        ]
        found += sorted(of_methods, key=lambda c: c.size)
        return found + [Configuration(ALL, high, one.name) for one in self.learners]

    @property
    def _constants(self) -> list[str]:
        if not self.each_class or self.table.classes is None:
            return []
        return [f"always {label}" for label in self.table.classes]

    def assemble(self, configurations: list[Configuration]) -> tuple[list[Configuration], Predictions]:
        """The configurations that were finished in every split, and their predictions, equal ones held once."""
        complete, outcomes = [], []
        for configuration in configurations:
            found = self.predictions_of(configuration)
            if all(one is not None and not one.failure for one in found):
                complete.append(configuration)
                outcomes.append(found)
        place = np.empty((len(complete), len(self.splits)), dtype=np.intp)
        splits = []
        for j, (train, test) in enumerate(self.splits):
            seen: dict[int, int] = {}
            values: list[RowPredictions] = []
            probabilities: list[bool] = []
            for c, found in enumerate(outcomes):
                outcome = found[j]
                assert outcome is not None
                if id(outcome) not in seen:
                    seen[id(outcome)] = len(values)
                    values.append(RowPredictions(*outcome.arrays))
                    learner = self.learner(complete[c].learner)
                    probabilities.append(learner is None or learner.probabilities)
                place[c, j] = seen[id(outcome)]
            splits.append(split_predictions(self.table, train, test, values, probabilities))
        return complete, Predictions(splits, place)


def _pass(learner: Learner, size: int) -> int:
    """Small subsets before large ones, so that no learner waits for the largest of another."""
    if learner.cost == 1:
        return 0 if size <= 20 else 3
    if size > 20:
        return 5
    return 2 if size in COARSE else 4


def _pass_of_all(learner: Learner, p: int) -> int:
    """All columns are what every choice is compared with: first, unless they take long."""
    if learner.cost == 1:
        return 0 if p <= MANY_COLUMNS else 1
    return 2 if p <= COARSE[-1] * 2 else 9


def candidate_order(order: np.ndarray, candidates: Candidates) -> list[int]:
    """Candidates in the order of the first of their columns."""
    if candidates.single and not candidates.kept:
        return [int(j) for j in order]
    of_column = {j: c for c, members in enumerate(candidates.members) for j in members}
    return list(dict.fromkeys(of_column[int(j)] for j in order if int(j) in of_column))
