"""What a saved model must hold, so that a file with other content is one complaint on loading."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tamis.linear import BestSubset, BestSubsetClassifier, SparseClassifierCV, SparseRegressorCV
from tamis.sources.codebook import Codebook
from tamis.studies.fit import LOSSES, PENALTIES, RULES

Check = Callable[[Any, str], None]


class Unexpected(Exception):
    """Something in the file is not what is saved there."""


def text(value: Any, where: str) -> None:
    _require(isinstance(value, str), where, "a string", value)


def number(value: Any, where: str) -> None:
    plain = isinstance(value, (int, float)) and not isinstance(value, bool)
    _require(plain and math.isfinite(value), where, "a finite number", value)


def truth(value: Any, where: str) -> None:
    _require(isinstance(value, bool), where, "true or false", value)


def label(value: Any, where: str) -> None:
    _require(isinstance(value, (str, int, float, bool)), where, "a label", value)


def name_of(names: Mapping[str, Any]) -> Check:
    return lambda value, where: _require(
        isinstance(value, str) and value in names, where, f"one of {', '.join(names)}", value
    )


def maybe(check: Check) -> Check:
    return lambda value, where: None if value is None else check(value, where)


def listing(check: Check) -> Check:
    def checked(value: Any, where: str) -> None:
        _require(isinstance(value, list), where, "a list", value)
        for k, item in enumerate(value):
            check(item, f"{where}[{k}]")

    return checked


def record(**must: Check) -> Check:
    """A dictionary that has these keys, and may have others."""

    def checked(value: Any, where: str) -> None:
        _require(isinstance(value, dict), where, "a dictionary", value)
        for key, check in must.items():
            if key not in value:
                raise Unexpected(f"{where} lacks {key!r}")
            check(value[key], f"{where}.{key}")

    return checked


def _require(holds: bool, where: str, expected: str, given: Any) -> None:
    if not holds:
        raise Unexpected(f"{where} is {str(given)[:40]!r}, not {expected}")


CODEBOOK = listing(record(name=text, levels=maybe(listing(label)), fill=number, date=truth))
SUMMARY = record(
    question=record(target=text, penalty=name_of(PENALTIES), loss=name_of(LOSSES), rule=name_of(RULES)),
    data=record(
        rows=number, columns=number, left_out=listing(record(column=text, reason=text)), warnings=listing(text)
    ),
    classes=maybe(listing(text)),
    alpha=maybe(record(chosen=number)),
    subset=maybe(record(n_nonzero=number, sizes=listing(number), relative_gap=maybe(number))),
    kept=listing(text),
    error=record(measure=text, chosen=number, null=number),
    coefficients=listing(
        record(
            column=text,
            level=maybe(text),
            coefficient=number,
            per_sd=number,
            order=maybe(number),
            enters_at=maybe(number),
            **{"class": maybe(text)},
        )
    ),
    certificate=maybe(record(gap=number, objective=number)),
)
_ESTIMATE = record(value=number, low=number, high=number)
OF_CLASSES = maybe(record(auc=_ESTIMATE, accuracy=_ESTIMATE, null_accuracy=number, rows=number))
OF_NUMBERS = maybe(record(r2=_ESTIMATE, mae=_ESTIMATE, null_mae=number, rows=number))
OF_FOLDS = record(folds=number, spread=number, least=number)
OF_A_CLASS = listing(record(**{"class": text}))


def check_content(content: dict[str, Any]) -> None:
    """Raise Unexpected unless the summary can be printed and the model predicts for the columns of the codebook."""
    for key in ("model", "codebook", "summary"):
        if key not in content:
            raise Unexpected(f"it lacks {key!r}")
    codebook, summary = content["codebook"], content["summary"]
    CODEBOOK(codebook, "codebook")
    SUMMARY(summary, "summary")
    held_out = summary.get("held_out")  # models saved by earlier versions have none,
    (OF_NUMBERS if isinstance(held_out, dict) and "r2" in held_out else OF_CLASSES)(held_out, "summary.held_out")
    listing(text)(summary["question"].get("id", []), "summary.question.id")  # nor columns that name rows
    if "folds" in summary["error"]:
        OF_FOLDS(summary["error"], "summary.error")
    classes = summary["classes"]
    if classes is not None:
        _require(len(classes) > 1, "summary.classes", "two classes or more", classes)
    if len(classes or ()) > 2:
        OF_A_CLASS(summary["coefficients"], "summary.coefficients")
    try:
        json.dumps(summary, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise Unexpected(f"summary holds what JSON cannot say ({error})") from None
    n_columns = sum(len(entry.names) for entry in Codebook(codebook).entries)
    _check_model(content["model"], classes, summary["question"]["loss"], n_columns)


def _check_model(model: Any, classes: list[str] | None, loss: str, p: int) -> None:
    """It predicts a row of zeros: of p columns, and with a probability for each class; margins have none."""
    kinds = (SparseRegressorCV, BestSubset) if classes is None else (SparseClassifierCV, BestSubsetClassifier)
    _require(isinstance(model, kinds), "model", f"a {kinds[0].__name__}", type(model).__name__)
    row = np.zeros((1, p))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of columns without names
            if classes is None:
                given = model.predict(row)
            else:
                given = model.predict_proba(row) if loss != "svm" else model.decision_function(row)
        shape = np.shape(given)
    except Exception as error:  # whatever a part of the wrong type may raise
        raise Unexpected(f"model cannot predict {p} columns ({type(error).__name__})") from None
    expected = (1,) if classes is None or loss == "svm" else (1, len(classes))
    _require(shape == expected, "model's prediction", f"of shape {expected}", shape)
