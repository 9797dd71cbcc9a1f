"""What a chosen column does to the prediction: its coefficient in a linear model of the chosen columns."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis.selection.comparison.learners import linear_model
from tamis.sources import Columns, Encoded, gather
from tamis.studies.prepared_table import PreparedTable


@dataclass(frozen=True)
class Effect:
    """Per standard deviation of the column, the other chosen ones held still: of the target, or of the log-odds of
    ``about``, a class; ``level`` is the label whose 0/1 column it is."""

    value: float
    level: str | None = None
    about: str | None = None


def column_effects(table: PreparedTable, chosen: Sequence[str]) -> dict[str, Effect]:
    """By column, the largest over its labels and the classes. Classes are fitted by logistic regression, numbers by
    ridge regression, as the linear learner of the comparison is."""
    if not chosen:
        return {}
    numbers: Any = Encoded(Columns(table.usable, [table.usable.names.index(name) for name in chosen]), keep=chosen)
    block = gather(numbers)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it did not converge: the direction is what is shown
        model = linear_model(table.task, False).fit(np.asarray(block.X), np.asarray(block.y))[-1]
    coef = np.atleast_2d(model.coef_)
    classes = _labels(table, getattr(model, "classes_", None))
    found: dict[str, Effect] = {}
    for k, (name, origin) in enumerate(zip(numbers.names, numbers.origin, strict=True)):
        row = int(np.abs(coef[:, k]).argmax())
        one = Effect(float(coef[row, k]), None if name == origin else name.removeprefix(f"{origin}="), classes[row])
        if origin not in found or abs(one.value) > abs(found[origin].value):
            found[origin] = one
    return found


def _labels(table: PreparedTable, values: np.ndarray | None) -> list[str | None]:
    """The class that each row of the coefficients speaks for: of two, the second."""
    if values is None:
        return [None]
    levels = table.usable.schema.target.levels if table.usable.schema.target else None
    named: list[str | None] = [str(levels[int(v)]) if levels else f"{v:g}" for v in values]
    return named[1:] if len(named) == 2 else named
