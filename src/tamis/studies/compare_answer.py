"""The answer of ``tamis compare``, and of ``tamis select`` where no method is named, about one table."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tamis._core.errors import InputError
from tamis.selection import InformationGain
from tamis.selection.comparison import Comparison
from tamis.selection.comparison.compare import comparison_run
from tamis.sources import Columns, Source
from tamis.studies.columns import group_lists
from tamis.studies.compare import CompareQuestion
from tamis.studies.distributions import Distribution, distributions
from tamis.studies.effects import Effect, column_effects
from tamis.studies.prepared_table import PreparedTable, prepare
from tamis.studies.select import SelectQuestion
from tamis.studies.select_search import Classes, class_counts, label


@dataclass(frozen=True)
class CompareAnswer:
    """What was found."""

    question: CompareQuestion | SelectQuestion
    comparison: Comparison
    source: Source  # every column but the target and the dropped ones
    usable: Source  # those that could be chosen
    task: str
    classes: Classes
    gains: np.ndarray  # bits that each usable column tells by itself
    entropy: float  # bits there are to know about the target
    left_out: dict[str, str]
    notes: list[str]
    effects: dict[str, Effect] = field(default_factory=dict)  # of the chosen columns
    spread: dict[str, Distribution] = field(default_factory=dict)  # of the chosen columns and those that tell most
    seconds: float = 0.0

    @property
    def chosen(self) -> list[str]:
        """The columns to use: none where no set is shown to be better than none."""
        found = self.comparison.recommended_
        return [str(name) for name in found.features] if found.better_than_none else list(self.question.keep)


def answer(
    question: CompareQuestion | SelectQuestion,
    source: Source,
    with_progress: Callable[[Any], Any] = lambda estimator: estimator,
) -> CompareAnswer:
    """Answer the question about a table that is open."""
    begun = time.perf_counter()
    table = prepare(question, source)
    found, more = _compare(question, table, with_progress)
    gains, entropy = _information(table, found)
    classes = class_counts(table.usable) if table.task == "classification" else []
    chosen = [str(name) for name in found.recommended_.features] if found.recommended_.better_than_none else []
    return CompareAnswer(
        question,
        found,
        table.source,
        table.usable,
        table.task,
        classes,
        gains,
        entropy,
        table.left_out,
        table.notes + more,
        column_effects(table, chosen),
        distributions(table, dict.fromkeys([*chosen, *_first(table, gains)]), classes),
        time.perf_counter() - begun,
    )


def _compare(
    question: CompareQuestion | SelectQuestion, table: PreparedTable, with_progress: Callable[[Any], Any]
) -> tuple[Comparison, list[str]]:
    """Where the time that nobody asked for was over before anything was finished, the quickest method alone."""
    try:
        return with_progress(_run(question, table)).fit(table.usable, None).comparison_, []
    except InputError as error:
        if error.argument != "time_limit" or question.seconds is None or "time_limit" in question.given:
            raise
    quick = _run(question, table, methods=["mrmr"], estimator="linear", time_limit=None)
    note = f"{question.seconds:g} seconds did not suffice for a comparison: one method only, mRMR with a linear model"
    return with_progress(quick).fit(table.usable, None).comparison_, [f"{note}; --time gives it more seconds"]


def _run(question: CompareQuestion | SelectQuestion, table: PreparedTable, **instead: Any) -> Any:
    options: dict[str, Any] = {"cv": table.splits(5), "time_limit": question.seconds}
    if isinstance(question, CompareQuestion):
        options = {
            "methods": question.methods or "auto",
            "cv": table.splits(question.cv),
            "n_repeats": question.n_repeats,
            "scoring": question.scoring,
            "n_shuffles": question.n_shuffles,
            "time_limit": question.seconds,
        }
    return comparison_run(
        **{**options, **instead},
        n_features=question.n_features,
        keep=question.keep or None,
        feature_groups=_feature_groups(question, table),
        groups=table.together,
        checkpoint=question.checkpoint,
        task=question.task,
    )


def _feature_groups(question: CompareQuestion | SelectQuestion, table: PreparedTable) -> dict[str, list[str]] | None:
    lists = group_lists("feature_groups", question.feature_groups, table.usable.names, table.left_out)
    return {label(members): members for members in lists} or None


def _first(table: PreparedTable, gains: np.ndarray) -> list[str]:
    return [table.usable.names[j] for j in np.argsort(-gains, kind="stable")]


def _information(table: PreparedTable, found: Comparison) -> tuple[np.ndarray, float]:
    """Bits of each column by itself, as the noise floor has them where it was computed, and of the target."""
    counting = InformationGain(task=table.task)
    if found.noise_floor_ is not None:
        state = counting.prepare(Columns(table.usable, [0]))
        return np.asarray(found.noise_floor_.scores), float(state.entropy)
    state = counting.prepare(table.usable)
    return np.asarray(counting.gains(state, (), range(table.usable.n_features))), float(state.entropy)
