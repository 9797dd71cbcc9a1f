"""The answer of ``tamis select`` about one table: gains, the columns chosen, the lasso; and what was left out."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from tamis._core.errors import ConvergenceWarning, InputError
from tamis._core.files import is_standard_output
from tamis._core.series import CoefficientPath, ErrorCurve, coefficient_path, error_curve
from tamis.selection.comparison.nested_score import NestedScore
from tamis.sources import Source
from tamis.sources.views import Columns, Indicator
from tamis.studies.outputs import check_written
from tamis.studies.prepared_table import prepare
from tamis.studies.select import SelectQuestion
from tamis.studies.select_methods import FOLDS
from tamis.studies.select_nested import nested_score
from tamis.studies.select_search import (
    ChosenColumns,
    Classes,
    Information,
    class_counts,
    column_information,
    search_columns,
)

MOST_COEFFICIENTS = 5_000  # the Gram matrix of the lasso takes 8 p² bytes: 200 MB
SMALLEST, LARGEST = 1e-150, 1e150  # of the target's size: squares beyond have no room for digits
MOST_CLASSES = 20  # one lasso each; the rarer classes are left to the information gain


@dataclass(frozen=True)
class ClassLasso:
    """A fitted LassoCV (label None), or a sparse logistic regression of one class against the others."""

    label: str | None
    model: Any

    @cached_property
    def path(self) -> CoefficientPath:
        return coefficient_path(self.model)

    @cached_property
    def curve(self) -> ErrorCurve:
        return error_curve(self.model)

    def explained(self, alpha: float) -> float:
        """The share of the variance, or of the log loss, in rows left out that the model at an α explains."""
        return float(1 - self.curve.mean[self.path.position(alpha)] / self.curve.mean[0])


@dataclass(frozen=True)
class LinearColumn:
    """A column in the lassos: the largest coefficient over its levels and the classes, and where it enters first."""

    coefficient: float = 0.0  # per standard deviation, at the choice of one standard error
    level: str | None = None
    label: str | None = None  # the class it is largest for
    enters: float | None = None  # α/α_max; None: never
    step: int | None = None  # and its position on the path


@dataclass(frozen=True)
class SelectAnswer:
    """What was found, still as fitted estimators."""

    question: SelectQuestion
    source: Source  # every column but the target and the dropped ones
    usable: Source  # those the selector saw
    task: str
    classes: Classes
    chosen: ChosenColumns
    information: Information
    lassos: list[ClassLasso]
    origin: list[str]  # the column each lasso coefficient comes from
    levels: list[str | None]  # and the level of it, for one-hot columns
    left_out: dict[str, str]
    notes: list[str]
    nested: NestedScore | None = None  # of the choice, on rows that took no part in it; None: not known
    seconds: float = 0.0
    filled: dict[str, int] = field(default_factory=dict)
    unlabelled: dict[str, int] = field(default_factory=dict)

    def kept(self, coefficients: np.ndarray) -> list[str]:
        """The columns with a coefficient that is not zero, strongest first."""
        order = np.argsort(-np.abs(coefficients), kind="stable")
        return list(dict.fromkeys(self.origin[j] for j in order if coefficients[j] != 0))

    def linear_columns(self) -> dict[str, LinearColumn]:
        """By name, every column that the lassos saw."""
        found = {name: LinearColumn() for name in self.origin}
        for lasso in self.lassos:
            coefs, ratios = lasso.path.per_sd, lasso.path.ratios
            at = coefs[lasso.path.position(lasso.model.alpha_1se_)]
            for j, name in enumerate(self.origin):
                if abs(at[j]) > abs(found[name].coefficient):
                    largest = LinearColumn(float(at[j]), self.levels[j], lasso.label)
                    found[name] = replace(largest, enters=found[name].enters, step=found[name].step)
                entry, known = np.flatnonzero(coefs[:, j]), found[name].enters
                if len(entry) and (known is None or ratios[entry[0]] > known):
                    found[name] = replace(found[name], enters=float(ratios[entry[0]]), step=int(entry[0]))
        return found


def check_files(question: SelectQuestion) -> None:
    """Of the report and of the file to resume from: neither is what is read, nor the other."""
    report, checkpoint = question.report, question.checkpoint
    check_written(question, {"out": report, "checkpoint": checkpoint}, [question.table])
    if checkpoint is not None and checkpoint.exists() and not checkpoint.is_file():
        raise InputError(
            f"--resume {str(checkpoint)!r} is no file: give the name of a file, or of one to be written",
            argument="checkpoint",
        )
    if question.json and is_standard_output(report):
        raise InputError(
            "--out goes to standard output, where --json prints too: give --out the name of a file", argument="out"
        )


def answer(
    question: SelectQuestion, source: Source, with_progress: Callable[[Any], Any] = lambda estimator: estimator
) -> SelectAnswer:
    """Answer the question about a table that is open."""
    begun = time.perf_counter()
    table = prepare(question, source)
    source, usable, encoded, task = table.source, table.usable, table.encoded, table.task
    if task == "regression":
        _check_squares(source.schema.target)
    classes = class_counts(usable) if task == "classification" else []
    _check_range(question.n_features)
    chosen = search_columns(usable, encoded, question, task, classes, with_progress)
    information = column_information(usable, chosen, task)
    nested, nested_notes = nested_score(table, question, chosen, with_progress)
    kept, notes = _narrow(encoded, dict(zip(usable.names, information.gains, strict=True)))
    lassos, more = fit_lassos(
        Columns(encoded, kept) if len(kept) < encoded.n_features else encoded, classes, with_progress
    )
    return SelectAnswer(
        question=question,
        source=source,
        usable=usable,
        task=task,
        classes=classes,
        chosen=chosen,
        information=information,
        lassos=lassos,
        origin=[encoded.origin[j] for j in kept],
        levels=[_level(encoded.names[j], encoded.origin[j]) for j in kept],
        left_out=table.left_out,
        filled=encoded.filled,
        unlabelled=encoded.unlabelled,
        notes=table.notes + notes + more + nested_notes,
        nested=nested,
        seconds=time.perf_counter() - begun,
    )


def _check_squares(target: Any) -> None:
    """The lasso's errors are squares of the target, whose size must be a floating point number."""
    largest = max(abs(target.low), abs(target.high))
    if not SMALLEST < largest < LARGEST:
        raise InputError(
            f"the target {target.name!r} reaches {largest:.1g}, whose square is no floating point number: "
            "give it in another unit"
        )


def _check_range(n_features: int | tuple[int, int] | None) -> None:
    if isinstance(n_features, tuple) and n_features[0] > n_features[1]:
        low, high = n_features
        raise InputError(
            f"--n-features {low}-{high} asks for at least {low} and at most {high}: swap them", argument="n_features"
        )


def _narrow(encoded: Any, gain: dict[str, float]) -> tuple[list[int], list[str]]:
    """Positions of the encoded columns the lasso gets: all of them, or those of the columns that tell most."""
    if encoded.n_features <= MOST_COEFFICIENTS:
        return list(range(encoded.n_features)), []
    order = sorted(range(encoded.n_features), key=lambda j: -gain[encoded.origin[j]])
    most = f"{MOST_COEFFICIENTS:,} of {encoded.n_features:,}"
    return sorted(order[:MOST_COEFFICIENTS]), [f"the lasso saw the {most} encoded columns with the largest gain"]


def _level(name: str, column: str) -> str | None:
    """‘red’ of ‘colour=red’; None for a column of numbers."""
    return None if name == column else name.removeprefix(f"{column}=")


def fit_lassos(
    source: Source, classes: Classes, with_progress: Callable[[Any], Any]
) -> tuple[list[ClassLasso], list[str]]:
    """A lasso for regression; sparse logistic regression of the second of two classes, or of each of more."""
    with warnings.catch_warnings(record=True) as complaints:
        warnings.simplefilter("always", ConvergenceWarning)
        warnings.filterwarnings("ignore", "The least populated class")  # a rare class is missing in some folds
        if not classes:
            return [ClassLasso(None, _fit(source, with_progress))], _notes(complaints)
        fitted = classes[1:] if len(classes) == 2 else sorted(sorted(classes, key=lambda c: -c[2])[:MOST_CLASSES])
        lassos = [ClassLasso(label, _fit_class(Indicator(source, value), with_progress)) for value, label, _ in fitted]
    few = [f"the lasso was fitted for the {MOST_CLASSES} most frequent of {len(classes)} classes"]
    return lassos, _notes(complaints) + (few if len(classes) > MOST_CLASSES else [])


def _notes(complaints: Sequence[warnings.WarningMessage]) -> list[str]:
    """What the estimators warned about, each once."""
    return list(dict.fromkeys(str(complaint.message) for complaint in complaints))


def _fit(source: Source, with_progress: Callable[[Any], Any]) -> Any:
    from sklearn.model_selection import KFold

    from tamis.linear import LassoCV

    folds = KFold(FOLDS, shuffle=True, random_state=0)  # tables often come sorted
    return with_progress(LassoCV(cv=folds, rule="1se", standardize=True)).fit(source)


def _fit_class(source: Source, with_progress: Callable[[Any], Any]) -> Any:
    from sklearn.model_selection import StratifiedKFold

    from tamis.linear import SparseClassifierCV

    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    return with_progress(SparseClassifierCV(cv=folds, rule="1se", standardize=True)).fit(source)
