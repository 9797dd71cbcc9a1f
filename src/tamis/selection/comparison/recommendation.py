"""The columns that a configuration chooses from all rows, what they are worth, and the selector that finds them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis._core.errors import InputError
from tamis.selection.comparison.configurations import ALL, NONE, Comparer, Configuration, candidate_order
from tamis.selection.comparison.executor import Outcome
from tamis.selection.comparison.interchangeable import subset_scores
from tamis.selection.comparison.method_selector import MethodSelector
from tamis.selection.comparison.resampling import Corrected
from tamis.selection.comparison.scored_configurations import Scored
from tamis.selection.comparison.scores import NOT_KNOWN, Estimate, in_digits


@dataclass(frozen=True)
class Recommended:
    """The columns to use, and what the procedure that found them is worth.

    Attributes
    ----------
    features : list of names, or positions without names; in the order of the method
    method, size, learner : the configuration; method "none" or "all" where no column, or all of them, are best
    score : of the whole procedure on rows that chose nothing, corrected for having chosen
    interval : (low, high), 95 %
    against_none, against_all : Estimate(value, low, high) of the difference to no column and to all columns
    better_than_none : whether the low end of ``against_none`` is above 0
    score_while_choosing : what people usually quote: the learner cross-validated on the columns that the best-scoring
        configuration chooses from all rows. It has seen the rows it is scored on.
    reason : why this configuration, in a sentence
    all_columns, all_against_none : Estimate(value, low, high) of the score of all columns and its difference to none
    """

    features: list[Any]
    method: str
    size: int
    learner: str
    score: float
    interval: tuple[float, float]
    against_none: Estimate
    against_all: Estimate
    better_than_none: bool
    score_while_choosing: float
    reason: str
    all_columns: Estimate = NOT_KNOWN
    all_against_none: Estimate = NOT_KNOWN


def chosen_columns(comparer: Comparer, choice: Configuration) -> list[int]:
    """Columns that the configuration chooses from all rows."""
    if choice.method == NONE:
        return list(comparer.kept)
    if choice.method == ALL:
        return list(range(comparer.table.p))
    outcome = _order_of_all_rows(comparer, choice)
    columns = comparer.subset(outcome, choice.size)
    if columns is None:
        if outcome.failure:
            raise InputError(f"{choice.method} failed on all rows: {outcome.failure}", argument="methods")
        columns = comparer.longest(outcome)  # fewer columns entered its path than in every fold
    return list(columns)


def _order_of_all_rows(comparer: Comparer, choice: Configuration) -> Outcome:
    work = comparer.sequence_work(comparer.method(choice.method), np.arange(comparer.table.n), "all rows")
    comparer.executor.do([work], comparer.table, "choosing from all rows", share=np.inf)
    if not comparer.executor.has(work):  # interrupted: it is needed all the same
        comparer.executor.outcomes.update(work.run(comparer.table, np.inf))
    return comparer.executor.outcomes[work.key]


def size_of(comparer: Comparer, choice: Configuration, features: list[int]) -> int:
    """Columns, or groups of them, that are chosen from all rows: a selector that tells one subset and no order may
    choose more or fewer than in the folds."""
    candidates = comparer.table.candidates
    if choice.method in (NONE, ALL):
        return choice.size
    return candidates.n_kept + len(candidate_order(np.array(features), candidates))


def score_while_choosing(scored: Scored) -> float:
    """The learner cross-validated on the columns that the best configuration of a method chooses from all rows."""
    top, comparer = scored.best_of_methods, scored.comparer
    subset = tuple(chosen_columns(comparer, top))
    learner = comparer.learner(top.learner)
    assert learner is not None
    everywhere = [subset] * len(comparer.splits)
    found = subset_scores(comparer, learner, [everywhere], scored.score, "scoring while choosing", np.inf)
    return np.nan if found is None else float(scored.score.reported(found[1].mean[0, 0]))


def recommended(scored: Scored, corrected: Corrected, features: list[int], quoted: float) -> Recommended:
    choice, best = scored.choice, scored.best
    top = scored.complete.index(best)
    _, error = scored.rule.differences(scored.scores, np.array([top]))
    own = scored.score.reported_error(scored.mean[top], float(error[0, scored.complete.index(choice)]))
    value = corrected.score
    return Recommended(
        features=[scored.comparer.table.names[j] for j in features],
        method=choice.method,
        size=size_of(scored.comparer, choice, features),
        learner=choice.learner,
        score=value.value,
        interval=(value.low, value.high),
        against_none=corrected.against_none,
        against_all=corrected.against_all,
        better_than_none=bool(corrected.against_none.low > 0),
        score_while_choosing=quoted,
        reason=_reason(
            choice,
            best,
            (scored.reported(choice), scored.reported(best)),
            own,
            _in_words(scored.comparer, best),
            _range_in_words(scored.comparer.n_features),
        ),
        all_columns=corrected.all_columns,
        all_against_none=corrected.all_against_none,
    )


def _range_in_words(n_features: tuple[int, int] | None) -> str:
    if n_features is None:
        return ""
    low, high = n_features
    return f"of the {low if low == high else f'{low} to {high}'} columns asked for, "


def _reason(
    choice: Configuration, best: Configuration, scores: tuple[float, float], error: float, words: str, of_which: str
) -> str:
    """Why the choice is the choice."""
    chosen, top = scores
    if of_which and choice.size == best.size:
        return f"{of_which}no configuration scores better than this one ({in_digits(chosen)})"
    if choice == best:
        return f"no configuration scores better than this one ({in_digits(top)}), and none that is smaller comes close"
    return (
        f"{of_which}the fewest columns whose score ({in_digits(chosen)}) is within one standard error "
        f"({in_digits(error)}) of the best, {in_digits(top)} with {words}"
    )


def _in_words(comparer: Comparer, configuration: Configuration) -> str:
    learner = comparer.learner(configuration.learner)
    with_learner = "" if learner is None else f" and {learner.words}"
    if configuration.method in (NONE, ALL):
        return ("no column" if configuration.method == NONE else "all columns") + with_learner
    method = comparer.method(configuration.method).words(comparer.table.task)
    columns = f"{configuration.size} column{'s' if configuration.size > 1 else ''}"
    return f"{columns} by {method}{with_learner}"


def fitted_selector(
    comparer: Comparer, choice: Configuration, features: list[int], keep: Any, feature_groups: Any
) -> MethodSelector:
    """The configuration as a selector that has chosen from all rows."""
    table, method, state = comparer.table, choice.method, comparer.seed
    if choice.method not in (NONE, ALL):
        made = comparer.method(choice.method)
        method = getattr(made, "selector", made.name)
        state = comparer.sequence_work(made, np.arange(table.n), "all rows").random_state
    selector = MethodSelector(
        method,
        size_of(comparer, choice, features),
        keep=keep,
        feature_groups=feature_groups,
        task=table.task,
        random_state=state,
    )
    selector.n_features_in_ = table.p
    if all(isinstance(name, str) for name in table.names):
        selector.feature_names_in_ = np.array(table.names, dtype=object)
    selector._library = None
    selector._learn_choice(features, table.names)
    return selector
