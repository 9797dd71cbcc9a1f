"""The answer of ``tamis fit``: a sparse model of one table with its penalty chosen along a path."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tamis._core.checks import check_count, check_number, shorten
from tamis._core.errors import InputError
from tamis._core.files import is_standard_output
from tamis._core.memory import held_memory
from tamis.sources import Column, Encoded, Kind, Source, check_learnable
from tamis.sources.base import workers_of
from tamis.sources.codebook import Codebook
from tamis.sources.views import InMemory
from tamis.studies.columns import all_but, check_ids_of, check_used, group_lists, identifiers, without
from tamis.studies.fit import GROUPED, LOSSES, MIXED, RULES, SUBSET_LOSSES, SUBSET_RULES, FitQuestion
from tamis.studies.fit_held_out import HeldOut, held_out_scores
from tamis.studies.outputs import check_written

HELD = 1.0  # of the memory for rows that coded rows may take; where they take more, files are passed over again


@dataclass(frozen=True)
class FitAnswer:
    """The model, and how the table was made into numbers for it."""

    question: FitQuestion
    task: str
    loss: str
    model: Any
    codebook: Codebook
    n_rows: int
    origin: list[str]  # the column of the table each coefficient comes from
    levels: list[str | None]  # and the label of it, for indicators
    left_out: dict[str, str]
    filled: dict[str, int]
    null_error: float | None  # of the folds; None where an information criterion chose
    unlabelled: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    held_out: HeldOut | None = None  # what choice of α and fit are worth on rows that took no part


def check_files(question: FitQuestion) -> None:
    """A table to fit with its target, or a saved model: one of them, and no option of the other."""
    table, model = question.table, question.model
    if table is None and model is None:
        raise InputError("give a table to fit and its --target, or a saved --model", argument="table")
    if table is not None and model is not None:
        raise InputError(
            "give a table to fit or a saved --model, not both; rows to predict go to --predict", argument="model"
        )
    if model is not None and question.fitting():
        raise InputError(f"{question.fitting()[0]} is for fitting: a saved --model has been fitted", argument="model")
    if model is not None and question.out is not None and question.predict is None:
        raise InputError(
            "--out has nothing to write: with --model it takes the predictions of --predict", argument="out"
        )
    if model is not None and question.id and question.predict is None:
        raise InputError("--id has no effect without --predict: a saved --model has been fitted", argument="id")
    if table is not None and question.target is None:
        raise InputError("--target is missing: the column to predict", argument="target")
    if table is not None and is_standard_output(question.out) and (question.json or question.predict is not None):
        what = "--json" if question.json else "--predict"
        raise InputError(
            f"--out goes to standard output, where {what} prints too: give --out the name of a file", argument="out"
        )
    check_written(question, {"out": question.out, "report": question.page}, [table, question.predict], [model])


def check_options(question: FitQuestion) -> None:
    """Options that would have no effect are complaints."""
    penalty, rule = question.penalty, question.chosen_by
    if question.best_subset is not None:
        _check_subset(question)
    if question.target in question.drop:
        raise InputError(f"--drop {question.target!r} is the target: it cannot be left out", argument="drop")
    _check_ids(question)
    if question.asks("l1_ratio") and penalty not in MIXED:
        raise InputError(
            f"--l1-ratio belongs to --penalty {_as_typed(*MIXED)}, not to {_as_typed(penalty)}", argument="l1_ratio"
        )
    check_number("l1_ratio", question.l1_ratio, at_least=0, at_most=1)
    if question.groups and penalty not in GROUPED:
        raise InputError(
            f"--groups belongs to --penalty {_as_typed(*GROUPED)}, not to {_as_typed(penalty)}", argument="groups"
        )
    if question.asks("cv") and not RULES[rule].folds:
        raise InputError(f"--cv has no effect with --rule {rule}, which needs no folds: leave one out", argument="cv")
    check_count("cv", question.cv, at_least=2)


def _check_ids(question: FitQuestion) -> None:
    """--id names columns that no other option uses."""
    for k, name in enumerate(question.id):
        why = None
        if name == question.target:
            why = "is the target: name another column"
        elif name in question.drop:
            why = "is left out by --drop: leave one of them out"
        elif name in question.include:
            why = "is no candidate, but --include would have it used: leave one of them out"
        elif name in question.id[:k]:
            why = "is given twice: give it once"
        if why is not None:
            raise InputError(f"--id {name!r} {why}", argument="id")


def _check_subset(question: FitQuestion) -> None:
    """--best-subset takes the place of a penalty."""
    if question.asks("penalty"):
        raise InputError(
            "--best-subset and --penalty are two ways to few columns: give one of them", argument="penalty"
        )
    given = question.best_subset
    low, high = given if isinstance(given, tuple) else (given, given)
    check_count("best_subset", low, at_least=0)
    check_count("best_subset", high, at_least=0)
    if low is None or high is None or low > high:
        raise InputError(f"--best-subset {low}-{high} holds no number: give the smaller first", argument="best_subset")
    if question.loss not in ("auto", *SUBSET_LOSSES):
        raise InputError(
            f"--best-subset is for --loss {' and '.join(SUBSET_LOSSES)}, not for {question.loss}: use --penalty l0",
            argument="loss",
        )
    if question.chosen_by not in SUBSET_RULES:
        raise InputError(
            f"--best-subset is chosen by --rule {' or '.join(SUBSET_RULES)}, not by {question.rule}", argument="rule"
        )
    if question.asks("rule") and low == high:
        raise InputError(f"--rule has no effect with one size, --best-subset {low}: leave it out", argument="rule")


def answer(question: FitQuestion, source: Source, with_progress: Callable[[Any], Any]) -> FitAnswer:
    """Encode the table and fit."""
    check_options(question)
    source = without(source, question.drop)
    check_ids_of(question.id, source.names)
    source = all_but(source, question.id)
    if source.n_features == 0:
        raise InputError("no column is left to learn from besides the target", argument="id")
    task = _learnable(question, source)
    loss = _loss(question, task)
    not_asked_for = identifiers(source, question.include)
    if len(not_asked_for) == source.n_features:
        left = shorten(f"{k} ({v})" for k, v in not_asked_for.items())
        raise InputError(f"no column is left to learn from: {left}", argument="include")
    encoded = Encoded(all_but(source, not_asked_for), keep=question.include)
    _check_included(question.include, source, encoded)
    _check_folds(question, encoded.n_rows or 0, source.schema.target if task == "classification" else None)
    small = 8 * (encoded.n_rows or 0) * encoded.n_features <= HELD * held_memory()
    rows = InMemory(encoded) if small and workers_of(encoded) is None else encoded
    datafit = _datafit(loss, rows)
    if question.best_subset is None:
        estimator = with_progress(_estimator(question, task, datafit, _penalty(question, encoded.origin)))
    else:
        estimator = with_progress(_subset_estimator(question, task))
    with warnings.catch_warnings(record=True) as complaints:
        warnings.simplefilter("always")
        model = estimator.fit(rows).set_callbacks()  # nobody watches any more
    held_out, unknown = _held_out(question, task, rows, model)
    return FitAnswer(
        question,
        task,
        loss,
        model,
        Codebook.of(encoded),
        encoded.n_rows or 0,
        encoded.origin,
        [None if n == o else n.removeprefix(f"{o}=") for n, o in zip(encoded.names, encoded.origin, strict=True)],
        {**not_asked_for, **encoded.left_out},
        encoded.filled,
        None if not RULES[question.chosen_by].folds else null_error(rows, model.cv, task, datafit),
        encoded.unlabelled,
        encoded.notes + list(dict.fromkeys(str(complaint.message) for complaint in complaints)) + unknown,
        held_out,
    )


def _held_out(question: FitQuestion, task: str, rows: Any, model: Any) -> tuple[HeldOut | None, list[str]]:
    """Scores on rows that took no part; where they are not computed, a note says so."""
    scores = "AUC and accuracy" if task == "classification" else "R² and mean absolute error"
    if question.no_nested:
        return None, [f"--no-nested: {scores} on rows that took no part were not computed"]
    if not isinstance(rows, InMemory):
        return None, [f"{scores} are not known: each fold would pass over the files again"]
    return held_out_scores(rows, model, _target(rows), task)


def _check_included(include: Sequence[str], source: Source, encoded: Encoded) -> None:
    """--include is for columns of numbers that look like identifiers; on others it would have no effect."""
    for name in include:
        check_used("include", name, encoded.origin, encoded.left_out)
        if source.schema.columns[source.names.index(name)].kind is not Kind.IDENTIFIER:
            raise InputError(
                f"--include {name!r} does not look like an identifier, it is used anyway: leave --include out",
                argument="include",
            )


def _check_folds(question: FitQuestion, n_rows: int, classes: Column | None) -> None:
    """Every fold has a row, and of classes a row of the largest."""
    if not RULES[question.chosen_by].folds:
        return
    if n_rows < question.cv:
        raise InputError(
            f"{question.cv} folds need as many rows, the table has {n_rows}: ask for fewer with --cv", argument="cv"
        )
    largest = max(classes.counts, default=n_rows) if classes is not None and classes.counts else n_rows
    if largest < question.cv:
        raise InputError(
            f"{question.cv} folds need as many rows of a class, the largest has {largest}: ask for fewer with --cv",
            argument="cv",
        )


def _task(question: FitQuestion) -> str | None:
    """The task asked for, in words or by the loss; None: the values of the target decide."""
    by_loss = None if question.loss == "auto" else LOSSES[question.loss].task
    if question.task == "auto":
        return by_loss
    if by_loss is not None and by_loss != question.task:
        raise InputError(f"--loss {question.loss} is for {by_loss}, not for --task {question.task}", argument="loss")
    return question.task


def _learnable(question: FitQuestion, source: Source) -> str:
    """The task; where the loss was what asked for it, the complaint is about that."""
    try:
        return check_learnable(source, _task(question))
    except InputError as error:
        what, found, _ = str(error).partition(": use task")
        if not found or question.task != "auto":
            raise
        fitting = [name for name, loss in LOSSES.items() if loss.task != LOSSES[question.loss].task]
        raise InputError(f"--loss {question.loss}: {what}: use {' or '.join(fitting)}", argument="loss") from None


def _loss(question: FitQuestion, task: str) -> str:
    if question.loss != "auto":
        return question.loss
    return "squared" if task == "regression" else "logistic"


def _datafit(loss: str, rows: Any) -> Any:
    """Of Huber δ is 1.345 standard deviations of the target, as its median absolute deviation tells them."""
    if loss != "huber":
        return LOSSES[loss].datafit
    from tamis.datafits import Huber

    y = _target(rows)
    spread = 1.4826 * float(np.median(np.abs(y - np.median(y)))) or float(np.std(y))
    return Huber(1.345 * spread)


def _target(rows: Any) -> np.ndarray:
    return np.concatenate([block.y for block in rows.blocks([])])


def null_error(rows: Any, cv: Any, task: str, datafit: Any) -> float:
    """The held-out error of predictions that know no column: the best constant, or the shares of the classes.

    On the path of a fold, α_max of all rows need not be large enough for that.
    """
    from tamis.datafits import as_datafit

    y = _target(rows)
    if task == "classification" and datafit == "logistic":
        return float(np.mean([_log_loss(y[train], y[test]) for train, test in cv.split(y, y)]))
    fit: Any = as_datafit(datafit)
    given = np.where(y == np.unique(y)[-1], 1.0, -1.0) if task == "classification" else y
    factor = 2.0 if datafit == "squared" else 1.0  # the squared error is twice the loss
    errors = [
        fit.value(given[test], np.full(len(test), fit.null_prediction(given[train]))) for train, test in cv.split(y, y)
    ]
    return factor * float(np.mean(errors))


def _log_loss(known: np.ndarray, y: np.ndarray) -> float:
    labels, counts = np.unique(known, return_counts=True)
    share = dict(zip(labels.tolist(), counts / len(known), strict=True))
    shares = np.array([share.get(label, 0.0) for label in y.tolist()])
    return float(-np.log(np.maximum(shares, np.finfo(float).eps)).mean())  # a class that no other fold has


def _estimator(question: FitQuestion, task: str, datafit: Any, penalty: Any) -> Any:
    from tamis.linear import SparseClassifierCV, SparseRegressorCV

    Model = SparseRegressorCV if task == "regression" else SparseClassifierCV
    return Model(datafit, penalty, rule=question.rule, cv=_folds(question, task), standardize=True)


def _subset_estimator(question: FitQuestion, task: str) -> Any:
    from tamis.linear import BestSubset, BestSubsetClassifier

    given = question.best_subset
    sizes = list(range(given[0], given[1] + 1)) if isinstance(given, tuple) else given
    Model = BestSubset if task == "regression" else BestSubsetClassifier
    rule = SUBSET_RULES[question.chosen_by]
    return Model(sizes, rule=rule, cv=_folds(question, task), standardize=True)


def _folds(question: FitQuestion, task: str) -> Any:
    from sklearn.model_selection import KFold, StratifiedKFold

    Folds = KFold if task == "regression" else StratifiedKFold
    return Folds(question.cv, shuffle=True, random_state=0)  # tables often come sorted


def _penalty(question: FitQuestion, origin: list[str]) -> Any:
    from tamis.penalties import KINDS, L1, L1L2, Fused, Group, SparseGroup

    rho = question.l1_ratio
    if question.penalty in GROUPED:
        labels = _group_labels(question.groups, origin)
        return Group(labels) if question.penalty == "group" else SparseGroup(labels, rho)
    kinds = {"l1": L1(), "elastic": L1L2(rho), "adaptive": "adaptive", "fused": Fused(rho)}
    return kinds[question.penalty] if question.penalty in kinds else KINDS[question.penalty]()


def _as_typed(*penalties: str) -> str:
    return " and ".join(penalty.replace("_", "-") for penalty in penalties)


def _group_labels(groups: Sequence[str], origin: list[str]) -> list[str]:
    """The group of every coded column: that of its table column, which stands alone unless a list names it."""
    lists = [] if list(groups) == ["one-hot"] else group_lists("groups", groups, set(origin))
    place = {name: ",".join(members) for members in lists for name in members}
    return [place.get(name, name) for name in origin]
