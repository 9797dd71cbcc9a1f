"""A small summary, made by hand through the same functions as a real one."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from tamis.report.methods import Made, make
from tamis.report.question import Question
from tamis.report.searching import Known, Searched
from tamis.report.study import ClassLasso, Study
from tamis.report.summary import summarise
from tamis.selection import Additions, History
from tamis.sources import Column, Kind, Schema


def summary(**names: Any) -> dict[str, Any]:
    table = names.pop("table", "plants.csv")
    return summarise(study(**names), table=table, table_name=table, command=f"tamis select {table}")


def study(
    column: str = "height",
    target: str = "bloom",
    level: str = "red",
    reason: str = "a date",
    n_classes: int = 2,
    **last: str,
) -> Study:
    """Two columns: a number, and a colour with two levels; the first enters the path at once, red later, blue never."""
    columns = (Column(column, Kind.CONTINUOUS), Column("colour", Kind.DISCRETE, 2, 2, (level, "blue")))
    source = SimpleNamespace(n_rows=40, names=[column, "colour"], schema=Schema(columns, Column(target, Kind.DISCRETE)))
    labels = ["no", *(f"yes{i}" for i in range(n_classes - 2)), last.get("class", "yes")]
    asked = labels[1:] if n_classes == 2 else labels
    return Study(
        question=Question(target),
        source=source,  # type: ignore[arg-type]
        usable=source,  # type: ignore[arg-type]
        task="classification",
        classes=[(float(i), label, 40 // n_classes) for i, label in enumerate(labels)],
        searched=Searched(_made(column), [column, "colour"], [], None, {}),
        known=Known(np.array([0.5, 0.25]), float(np.log2(n_classes)), 4),
        lassos=[ClassLasso(label, _model(flip=i)) for i, label in enumerate(asked)],
        origin=[column, "colour", "colour"],
        levels=[None, level, "blue"],
        left_out={"seen": reason},
        notes=[],
        filled={"colour": 2},
    )


def _made(column: str) -> Made:
    return replace(make(Question("bloom"), "classification"), selector=_selector(column))


def _selector(column: str) -> Any:
    """Forward: the column before colour, then both."""
    history = History([column, "colour"])
    for questions, scores, kept in ((Additions((), (0, 1)), [0.5, 0.25], 0), (Additions((0,), (1,)), [0.75], 0)):
        history.add(questions, np.array(scores), 0.1)
        questions.keep(kept, "best of the round")
    return SimpleNamespace(feature_groups=None, score_=0.75, status_="finished", n_recalled_=0, history_=history)


def _model(flip: int = 0) -> Any:
    """Four alphas; the path in units of the columns, whose standard deviations are 2, 1 and 1."""
    path = np.array([[0, 0, 0], [0.5, 0, 0], [1.0, -0.5, 0], [1.5, -1, 0]])
    return SimpleNamespace(
        alphas_=np.array([1.0, 0.5, 0.25, 0.125]), coef_path_=-path if flip else path, scale_=np.array([2.0, 1.0, 1.0]),
        mse_path_=np.array([[1.0, 1.2], [0.6, 0.8], [0.4, 0.6], [0.4, 0.58]]), alpha_min_=0.125, alpha_1se_=0.25,
        dual_gap_=1e-10, strategy_="gram",
    )  # fmt: skip
