"""The methods of ``tamis select``: each makes a selector, and says what it does.

A method is a function from the question and the task to a ``Plan``, and an entry in ``METHODS``. Its selector needs
``selected_features_``; the report shows its ``score_``, ``status_``, ``history_`` and ``n_recalled_``, too, if there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tamis._core.checks import check_count
from tamis._core.errors import InputError
from tamis.selection import LasVegasWrapper, ReliefF, ReliefWeight, RReliefF, SubsetSelector, TreeSelector
from tamis.selection.description import ScoreDescription, SearchDescription
from tamis.selection.evaluation import EVALUATIONS
from tamis.selection.search import SEARCHES
from tamis.studies.learners import learner_for
from tamis.studies.question import flag
from tamis.studies.select import SelectQuestion
from tamis.studies.settings import set_parameters

FOLDS = 5
RATE = 0.1  # of false discoveries
IMPORTANCE = ScoreDescription("importance in splits", "its columns' share in what the splits gain")


@dataclass(frozen=True)
class Judged:
    """What a method knows of each column: what it is called, and the attribute of the fitted selector."""

    name: str
    attribute: str
    error: str | None = None  # the attribute with standard errors
    pvalue: str | None = None  # and with p-values


@dataclass(frozen=True)
class Plan:
    """A selector that is not fitted yet, and words about it."""

    selector: Any
    meaning: ScoreDescription  # of its score
    name: str
    who: str  # as in "the forward search chose 3 columns"
    way: SearchDescription
    options: dict[str, Any]  # options of its own, as typed or as it fills them in
    judged: Judged | None = None  # where it has a number for each column


@dataclass(frozen=True)
class Method:
    make: Callable[[SelectQuestion, str], Plan]
    options: frozenset[str]  # of the question, that it makes use of


def make_plan(question: SelectQuestion, task: str) -> Plan:
    """The selector that was asked for. An option that its method makes no use of is a complaint."""
    method = METHODS[question.one_method]
    for name in question.chosen_options():
        takers = [other for other, known in METHODS.items() if name in known.options]
        if takers and question.one_method not in takers:
            raise InputError(
                f"{flag(name, question.options()[name][1])} is not for --method {question.one_method}: leave it out, "
                f"or take --method {' or '.join(takers)}",
                argument=name,
            )
    return method.make(question, task)


def _search(question: SelectQuestion, task: str) -> Plan:
    names = question.search, question.evaluation
    search, evaluation = SEARCHES[names[0]](), EVALUATIONS[names[1]]()
    set_parameters(question.settings, {names[0]: search, names[1]: evaluation})
    if "task" in evaluation.get_params():
        evaluation.set_params(task=task)
    if "cv" in evaluation.get_params():
        evaluation.set_params(cv=shuffled(evaluation.cv, "regression"))
    selector = SubsetSelector(search, evaluation, random_state=0)  # the same command gives the same answer
    way, options = search.describe(), {"search": names[0], "evaluation": names[1]}
    return Plan(selector, evaluation.describe(), way.name, f"the {way.name} search", way, options)


def _las_vegas(question: SelectQuestion, task: str) -> Plan:
    if question.asks("patience") and question.asks("trials"):
        raise InputError(
            f"--patience {question.patience} and --trials {question.trials} are two ways to end: give one of them",
            argument="trials",
        )
    name, learner = learner_for(question.estimator, task, question.target)
    scoring = "accuracy" if task == "classification" else "r2"
    selector = LasVegasWrapper(
        learner, scoring=scoring, cv=FOLDS, patience=question.patience, trials=question.trials, random_state=0
    )
    set_parameters(
        question.settings, {"lasvegas": selector, name: learner[-1] if hasattr(learner, "steps") else learner}
    )
    selector.set_params(cv=shuffled(selector.cv, task))
    means = selector.parts()[1].describe()
    options = {"estimator": name, "patience": selector.patience if selector.trials is None else None}
    options["trials"] = selector.trials
    return Plan(selector, means, "Las Vegas", "the Las Vegas wrapper", selector.describe(), options)


def _relief(question: SelectQuestion, task: str) -> Plan:
    """Where no number of columns is given, those that stand out from shuffled ones."""
    _one_number(question)
    kind = ReliefF if task == "classification" else RReliefF
    selector = kind(random_state=0)
    if task == "classification":
        selector.set_params(task=task)
    set_parameters(question.settings, {"relief": selector})
    if question.n_features is None and selector.fdr is None and selector.threshold is None:
        selector.set_params(fdr=RATE)
    options = {"neighbors": selector.n_neighbors, "fdr": selector.fdr}
    return Plan(
        selector, ReliefWeight().describe(), kind.__name__, kind.__name__, selector.describe(), options, RELEVANCE
    )


def _tree(question: SelectQuestion, task: str) -> Plan:
    _one_number(question)
    word = question.estimator or "tree"
    if word not in ("tree", "forest"):
        raise InputError(f"--estimator {word} has no splits: --method tree takes tree or forest", argument="estimator")
    learner = learner_for(word, task, question.target)[1]
    selector = TreeSelector(learner)
    set_parameters(question.settings, {"tree": learner} if word == "tree" else {"forest": learner})
    what = "the decision tree" if word == "tree" else "the forest"
    return Plan(selector, IMPORTANCE, word, what, selector.describe(), {"estimator": word}, SHARE)


def _one_number(question: SelectQuestion) -> None:
    if isinstance(question.n_features, tuple):
        low, high = question.n_features
        raise InputError(
            f"--n-features {low}-{high}: --method {question.one_method} takes one number, such as {high}",
            argument="n_features",
        )


def shuffled(cv: Any, task: str) -> Any:
    """So many folds of shuffled rows: tables often come sorted."""
    from sklearn.model_selection import KFold, StratifiedKFold

    kind = StratifiedKFold if task == "classification" else KFold
    return kind(check_count("cv", cv, at_least=2), shuffle=True, random_state=0) if isinstance(cv, int) else cv


RELEVANCE = Judged("relevance", "relevance_", "standard_errors_", "pvalues_")
SHARE = Judged("importance", "importances_")
SEARCHING = frozenset({"n_features", "keep", "feature_groups", "time_limit", "checkpoint"})
METHODS = {
    "search": Method(_search, SEARCHING | {"search", "evaluation"}),
    "lasvegas": Method(_las_vegas, SEARCHING | {"estimator", "patience", "trials"}),
    "relief": Method(_relief, frozenset({"n_features"})),
    "tree": Method(_tree, frozenset({"n_features", "keep", "feature_groups", "estimator"})),
}
