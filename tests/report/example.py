"""A small summary, made by hand through the same functions as a real one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from tamis.report.summary import summarise
from tamis.selection import Additions, History
from tamis.sources import Column, Kind, Schema
from tamis.studies.select import SelectQuestion
from tamis.studies.select_answer import ClassLasso, SelectAnswer
from tamis.studies.select_methods import Plan, make_plan
from tamis.studies.select_search import ChosenColumns, Information


def summary(**names: Any) -> dict[str, Any]:
    return summarise(answer(**names))


def answer(
    column: str = "height",
    target: str = "bloom",
    level: str = "red",
    reason: str = "a date",
    n_classes: int = 2,
    table: str = "plants.csv",
    **last: str,
) -> SelectAnswer:
    """Two columns: a number, and a colour with two levels; the first enters the path at once, red later, blue never."""
    columns = (Column(column, Kind.CONTINUOUS), Column("colour", Kind.DISCRETE, 2, 2, (level, "blue")))
    source = SimpleNamespace(n_rows=40, names=[column, "colour"], schema=Schema(columns, Column(target, Kind.DISCRETE)))
    labels = ["no", *(f"yes{i}" for i in range(n_classes - 2)), last.get("class", "yes")]
    modelled = labels[1:] if n_classes == 2 else labels
    return SelectAnswer(
        question=SelectQuestion(table=Path(table), target=target),
        source=source,  # type: ignore[arg-type]
        usable=source,  # type: ignore[arg-type]
        task="classification",
        classes=[(float(i), label, 40 // n_classes) for i, label in enumerate(labels)],
        chosen=ChosenColumns(_plan(column), [column, "colour"], [], None, {}),
        information=Information(np.array([0.5, 0.25]), float(np.log2(n_classes)), 4),
        lassos=[ClassLasso(label, _model(flip=i)) for i, label in enumerate(modelled)],
        origin=[column, "colour", "colour"],
        levels=[None, level, "blue"],
        left_out={"seen": reason},
        notes=[],
        filled={"colour": 2},
    )


def _plan(column: str) -> Plan:
    return replace(
        make_plan(SelectQuestion(table=Path("plants.csv"), target="bloom"), "classification"),
        selector=_selector(column),
    )


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
        scores_path_=-np.array([[1.0, 1.2], [0.6, 0.8], [0.4, 0.6], [0.4, 0.58]]), scoring=None,
        alpha_min_=0.125, alpha_1se_=0.25,
        dual_gap_=1e-10, strategy_="gram",
    )  # fmt: skip
