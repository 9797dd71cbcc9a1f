"""The configurations that are finished in every split, their scores, and the one that the rule takes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tamis._core.errors import InputError
from tamis.selection.comparison.configurations import ALL, NONE, Comparer, Configuration
from tamis.selection.comparison.executor import first_failure
from tamis.selection.comparison.resampling import Corrected, Predictions, corrected_score, fold_scores
from tamis.selection.comparison.scores import NOT_KNOWN, Score
from tamis.selection.comparison.selection_rule import FoldScores, Rule

RESAMPLES = 1000
SLOW_RESAMPLES = 100  # where a scorer of scikit-learn's is called for every configuration and split


@dataclass(frozen=True)
class Scored:
    """``scores`` of the ``complete`` among ``everything``, under the weights of the rows."""

    comparer: Comparer
    score: Score
    everything: list[Configuration]
    complete: list[Configuration]
    predictions: Predictions
    rule: Rule
    scores: FoldScores

    @classmethod
    def of(cls, comparer: Comparer, score: Score) -> Scored:
        """What the work that is done tells; an error where it tells nothing."""
        everything = comparer.configurations()
        complete, predictions = comparer.assemble(everything)
        if not any(_chooses(c) for c in complete) and (any(map(_chooses, everything)) or len(complete) < 2):
            raise _nothing_done(comparer)
        scores = fold_scores(predictions, score, _row_weights(comparer)[:, None])
        if not np.isfinite(scores.S).all():
            raise _nothing_to_score(score)
        return cls(comparer, score, everything, complete, predictions, _rule(comparer, complete), scores)

    @cached_property
    def weights(self) -> np.ndarray:
        """(n,) of the rows."""
        return _row_weights(self.comparer)

    @cached_property
    def mean(self) -> np.ndarray:
        """(C,) scores."""
        return self.scores.mean[0]

    @cached_property
    def choice(self) -> Configuration:
        """What the rule takes."""
        return self.complete[int(self.rule.choose(self.scores)[0])]

    @cached_property
    def best(self) -> Configuration:
        return self.complete[int(self.rule.best(self.mean[None])[0])]

    @cached_property
    def best_of_methods(self) -> Configuration:
        """The best of at least one column that a method chose; where there is one candidate, all columns."""
        among = [i for i, c in enumerate(self.complete) if _chooses(c)]
        return self.complete[max(among or self.at(ALL), key=lambda i: self.mean[i])]

    @cached_property
    def above_none(self) -> float:
        """The score of the choice less that of no column."""
        none = self.mean[self.at(NONE)].max()
        return float(self.mean[self.complete.index(self.choice)] - none)

    def at(self, method: str) -> np.ndarray:
        """Positions of the configurations of a method."""
        return np.array([i for i, c in enumerate(self.complete) if c.method == method], dtype=int)

    def reported(self, configuration: Configuration) -> float:
        return float(self.score.reported(self.mean[self.complete.index(configuration)]))

    def corrected(self, groups: np.ndarray | None) -> Corrected:
        """The score of the whole procedure, corrected for having chosen."""
        table = self.comparer.table
        units = np.arange(table.n) if groups is None else np.unique(groups, return_inverse=True)[1]
        rng = np.random.default_rng([self.comparer.seed, 5])
        none, all_ = self.at(NONE), self.at(ALL)
        executor = self.comparer.executor

        def go_on() -> bool:
            return executor.goes_on(share=0.9)

        try:
            return corrected_score(
                self.predictions, self.score, self.rule, none, all_, units, table.weight, self.n_resamples, rng, go_on
            )
        except KeyboardInterrupt:
            executor.status = "interrupted"
            return Corrected(NOT_KNOWN, NOT_KNOWN, NOT_KNOWN, np.zeros(len(self.complete), dtype=np.intp), 0)

    @property
    def n_resamples(self) -> int:
        """That are asked for."""
        return RESAMPLES if self.score.fast else SLOW_RESAMPLES

    def of_configurations(self, values: np.ndarray, shown: Iterable[Configuration]) -> list[float]:
        """Values (C,) of the complete configurations; NaN of the others."""
        place = {c: i for i, c in enumerate(self.complete)}
        return [float(values[place[c]]) if c in place else np.nan for c in shown]


def _chooses(configuration: Configuration) -> bool:
    return configuration.method not in (NONE, ALL)


def _row_weights(comparer: Comparer) -> np.ndarray:
    weight = comparer.table.weight
    return np.ones(comparer.table.n) if weight is None else weight


def _rule(comparer: Comparer, complete: list[Configuration]) -> Rule:
    ratio = float(np.mean([len(test) / len(train) for train, test in comparer.splits]))
    sizes = np.array([c.size for c in complete])
    if comparer.n_features is None:
        return Rule(sizes, ratio)
    low, high = comparer.n_features
    allowed = (sizes >= low) & (sizes <= high)
    if not allowed.any():
        raise _nothing_done(comparer)
    return Rule(sizes, ratio, allowed=allowed)


def _nothing_to_score(score: Score) -> InputError:
    if score.name == "roc_auc":
        return InputError(
            "no fold has rows to score: the AUC compares rows of two classes within a fold; give a cv whose folds have "
            "several rows of each, or scoring='accuracy'",
            argument="cv",
        )
    if score.failures:
        return InputError(f"scoring={score.name!r} scores no fold: {score.failures[0]}", argument="scoring")
    return InputError(f"no fold has rows to score by {score.words}: give another cv or scoring", argument="cv")


def _nothing_done(comparer: Comparer) -> BaseException:
    executor = comparer.executor
    if executor.status == "interrupted":
        return KeyboardInterrupt()
    if executor.status == "time_limit":
        return InputError(
            f"time_limit={executor.time_limit:g} s was over before one method was finished in all folds: raise it",
            argument="time_limit",
        )
    return first_failure(executor.outcomes)
