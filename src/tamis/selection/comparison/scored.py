"""The configurations that are finished in every split, their scores, and the one that the rule takes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tamis._core.errors import InputError
from tamis.selection.comparison.configurations import ALL, NONE, Comparer, Configuration
from tamis.selection.comparison.resampling import Corrected, Predictions, corrected_score, fold_scores
from tamis.selection.comparison.rule import Rule
from tamis.selection.comparison.scores import Score
from tamis.selection.comparison.work import first_failure

RESAMPLES = 1000
SLOW_RESAMPLES = 100  # where a scorer of scikit-learn's is called for every configuration and split


@dataclass(frozen=True)
class Scored:
    """``S`` (C, J) are the shares of the splits in the scores of the ``complete`` among ``everything``."""

    comparer: Comparer
    score: Score
    everything: list[Configuration]
    complete: list[Configuration]
    predictions: Predictions
    rule: Rule
    S: np.ndarray

    @classmethod
    def of(cls, comparer: Comparer, score: Score) -> Scored:
        """What the work that is done tells; an error where it tells nothing."""
        everything = comparer.configurations()
        complete, predictions = comparer.assemble(everything)
        if all(c.method in (NONE, ALL) for c in complete):
            raise _nothing_done(comparer)
        S = fold_scores(predictions, score, _row_weights(comparer)[:, None])[0]
        if not np.isfinite(S).all():
            raise InputError("no fold has rows to score: give more rows, or rows of more than one class", argument="y")
        return cls(comparer, score, everything, complete, predictions, _rule(comparer, complete), S)

    @cached_property
    def weights(self) -> np.ndarray:
        """(n,) of the rows."""
        return _row_weights(self.comparer)

    @cached_property
    def mean(self) -> np.ndarray:
        """(C,) scores."""
        return np.asarray(self.S.mean(axis=1))

    @cached_property
    def choice(self) -> Configuration:
        """What the rule takes."""
        return self.complete[int(self.rule.choose(self.S[None])[0])]

    @cached_property
    def best(self) -> Configuration:
        return self.complete[int(self.rule.best(self.mean[None])[0])]

    @cached_property
    def best_of_methods(self) -> Configuration:
        """The best of at least one column that a method chose."""
        among = [i for i, c in enumerate(self.complete) if c.method not in (NONE, ALL)]
        return self.complete[max(among, key=lambda i: self.mean[i])]

    @cached_property
    def above_none(self) -> float:
        """The score of the choice less that of no column."""
        none = self.mean[self.at(NONE)].max()
        return float(self.mean[self.complete.index(self.choice)] - none)

    def at(self, method: str) -> np.ndarray:
        """Positions of the configurations of a method."""
        return np.array([i for i, c in enumerate(self.complete) if c.method == method], dtype=int)

    def told(self, configuration: Configuration) -> float:
        return float(self.score.told(self.mean[self.complete.index(configuration)]))

    def corrected(self, groups: np.ndarray | None) -> Corrected:
        """The score of the whole procedure, corrected for having chosen."""
        table = self.comparer.table
        units = np.arange(table.n) if groups is None else np.unique(groups, return_inverse=True)[1]
        rng = np.random.default_rng([self.comparer.seed, 5])
        times = RESAMPLES if self.score.fast else SLOW_RESAMPLES
        none, all_ = self.at(NONE), self.at(ALL)
        return corrected_score(self.predictions, self.score, self.rule, none, all_, units, table.weight, times, rng)

    def of_configurations(self, values: np.ndarray, shown: Iterable[Configuration]) -> list[float]:
        """Values (C,) of the complete configurations; NaN of the others."""
        place = {c: i for i, c in enumerate(self.complete)}
        return [float(values[place[c]]) if c in place else np.nan for c in shown]


def _row_weights(comparer: Comparer) -> np.ndarray:
    weight = comparer.table.weight
    return np.ones(comparer.table.n) if weight is None else weight


def _rule(comparer: Comparer, complete: list[Configuration]) -> Rule:
    ratio = float(np.mean([len(test) / len(train) for train, test in comparer.splits]))
    return Rule(np.array([c.size for c in complete]), 1 / len(comparer.splits) + ratio)


def _nothing_done(comparer: Comparer) -> BaseException:
    bench = comparer.bench
    if bench.status == "interrupted":
        return KeyboardInterrupt()
    if bench.status == "time_limit":
        return InputError(
            f"time_limit={bench.time_limit:g} s was over before one method was finished in all folds: raise it",
            argument="time_limit",
        )
    return first_failure(bench.outcomes)
