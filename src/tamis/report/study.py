"""What ``tamis select`` asks of the library about one table: gains, a search, the lasso; and what was left out."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tamis._core.checks import shorten, suggestion
from tamis._core.errors import InputError
from tamis.report.views import Columns, Indicator
from tamis.sources import Kind, Source

LEFT_OUT = (Kind.CONSTANT, Kind.IDENTIFIER, Kind.DATE, Kind.TEXT)
MOST_COEFFICIENTS = 5_000  # the Gram matrix of the lasso's road takes 8 p² bytes: 200 MB
MOST_CLASSES = 20  # one lasso each; the rarer classes are left to the information gain
FOLDS = 5


@dataclass(frozen=True)
class Question:
    """What is asked of a table."""

    target: str
    task: str = "auto"
    n_features: int | None = None
    search: str = "forward"
    drop: Sequence[str] = ()


@dataclass(frozen=True)
class ClassLasso:
    """A fitted LassoCV, and the class whose 0/1 indicator it predicts (None for regression)."""

    label: str | None
    model: Any

    @property
    def path(self) -> np.ndarray:
        """(n_alphas, p) coefficients per standard deviation of their column."""
        return self.model.coef_path_ * self.model.scale_

    @property
    def ratios(self) -> np.ndarray:
        """α/α_max of each point of the path."""
        return self.model.alphas_ / self.model.alphas_[0]

    def at(self, alpha: float) -> int:
        """Where on the path an alpha lies."""
        return int(np.argmin(np.abs(self.model.alphas_ - alpha)))


@dataclass(frozen=True)
class Study:
    """The answers, still as fitted estimators."""

    question: Question
    source: Source  # every column but the target and the dropped ones
    usable: Source  # those the selector saw
    task: str
    classes: list[tuple[float, str, int]]  # value in the blocks, label, rows
    selector: Any
    lassos: list[ClassLasso]
    origin: list[str]  # the column each lasso coefficient comes from
    levels: list[str | None]  # and the level of it, for one-hot columns
    left_out: dict[str, str]
    notes: list[str]
    seconds: float = 0.0
    filled: dict[str, int] = field(default_factory=dict)


def run_study(source: Source, question: Question, watched: Callable[[Any], Any] = lambda estimator: estimator) -> Study:
    """Answer the question. ``watched`` may attach callbacks to each estimator before it is fitted."""
    from tamis import SubsetSelector
    from tamis.sources.encode import Encoded
    from tamis.sources.learnable import check_learnable

    begun = time.perf_counter()
    if question.target in question.drop:
        raise InputError(f"--drop {question.target!r} is the target: it cannot be left out")
    source = without(source, question.drop)
    task = check_learnable(source, question.task)
    usable, left_out = split_usable(source)
    classes = class_counts(source) if task == "classification" else []
    selector = watched(SubsetSelector(question.search, n_features=question.n_features)).fit(usable)
    encoded = Encoded(usable)
    kept, notes = _narrow(encoded, selector, usable.names)
    lassos, more = fit_lassos(Columns(encoded, kept) if len(kept) < encoded.n_features else encoded, classes, watched)
    return Study(
        question, source, usable, task, classes, selector, lassos,
        [encoded.origin[encoded.names[j]] for j in kept], [_level(encoded, j) for j in kept],
        left_out | dict(encoded.left_out), notes + more, time.perf_counter() - begun, dict(encoded.filled),
    )  # fmt: skip


def without(source: Source, drop: Sequence[str]) -> Source:
    """The source without the dropped columns; an unknown name is a complaint, not a shrug."""
    for name in drop:
        if name not in source.names:
            raise InputError(f"--drop {name!r} is not a column of the table{suggestion(name, source.names)}")
    kept = [j for j, name in enumerate(source.names) if name not in drop]
    if not kept:
        raise InputError("--drop leaves no column besides the target")
    return Columns(source, kept) if drop else source


def split_usable(source: Source) -> tuple[Source, dict[str, str]]:
    """The columns that can tell something, and why the others cannot."""
    columns = source.schema.columns
    left_out = {c.name: _reason(c, source.n_rows) for c in columns if c.kind in LEFT_OUT or not c.readable}
    kept = [j for j, c in enumerate(columns) if c.name not in left_out]
    if not kept:
        some = shorten(f"{name}: {why}" for name, why in left_out.items())
        raise InputError(f"no column can tell anything about the target: {some}")
    return (Columns(source, kept) if left_out else source), left_out


def _reason(column: Any, n_rows: int | None) -> str:
    if column.missing and column.missing == n_rows:
        return "entirely missing"
    if column.kind is Kind.CONSTANT:
        return "constant"
    if column.kind is Kind.IDENTIFIER:
        return "looks like an identifier: every row has its own value"
    return "a date" if column.kind is Kind.DATE else "free text: too many different values"


def class_counts(source: Source) -> list[tuple[float, str, int]]:
    """Value, label and rows of each class, in sorted order."""
    tally: dict[float, int] = {}
    for block in source.blocks([0]):
        values, counts = np.unique(np.asarray(block.y), return_counts=True)
        for value, rows in zip(values, counts, strict=True):
            tally[float(value)] = tally.get(float(value), 0) + int(rows)
    levels = source.schema.target.levels if source.schema.target else None
    return [(v, str(levels[int(v)]) if levels else f"{v:g}", tally[v]) for v in sorted(tally) if not math.isnan(v)]


def _narrow(encoded: Any, selector: Any, names: list[str]) -> tuple[list[int], list[str]]:
    """Positions of the encoded columns the lasso gets: all of them, or those of the columns that tell most."""
    if encoded.n_features <= MOST_COEFFICIENTS:
        return list(range(encoded.n_features)), []
    gain = dict(zip(names, selector.scores_, strict=True))
    order = sorted(range(encoded.n_features), key=lambda j: -gain[encoded.origin[encoded.names[j]]])
    most = f"{MOST_COEFFICIENTS:,} of {encoded.n_features:,}"
    return sorted(order[:MOST_COEFFICIENTS]), [f"the lasso saw the {most} encoded columns with the largest gain"]


def _level(encoded: Any, j: int) -> str | None:
    name = encoded.names[j]
    column = encoded.origin[name]
    return None if name == column else name.removeprefix(f"{column}=")


def fit_lassos(
    source: Source, classes: list[tuple[float, str, int]], watched: Callable[[Any], Any]
) -> tuple[list[ClassLasso], list[str]]:
    """One LassoCV for regression and for two classes (the second against the first), one per class beyond that."""
    if not classes:
        return [ClassLasso(None, _fit(source, watched))], []
    asked = classes[1:] if len(classes) == 2 else sorted(sorted(classes, key=lambda c: -c[2])[:MOST_CLASSES])
    rest = len(classes) - len(asked)
    notes = [f"the lasso was fitted for the {MOST_CLASSES} most frequent of {len(classes)} classes"] if rest > 1 else []
    return [ClassLasso(label, _fit(Indicator(source, value), watched)) for value, label, _ in asked], notes


def _fit(source: Source, watched: Callable[[Any], Any]) -> Any:
    from tamis import LassoCV

    return watched(LassoCV(cv=FOLDS, rule="1se", standardize=True)).fit(source)
