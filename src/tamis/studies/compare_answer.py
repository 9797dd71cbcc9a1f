"""The answer of ``tamis compare`` about one table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tamis._core.checks import suggestion
from tamis._core.errors import InputError
from tamis.selection.comparison.compare import comparison_run
from tamis.sources import Columns, Encoded, Source, check_learnable, gather
from tamis.studies.columns import all_but, check_used, without
from tamis.studies.compare import CompareAnswer, CompareQuestion


def answer(question: CompareQuestion, source: Source, with_progress: Callable[[Any], Any]) -> CompareAnswer:
    """Answer the question about a table that is open."""
    _check_columns(question)
    source, groups = _without_groups(without(source, question.drop), question)
    check_learnable(source, None if question.task == "auto" else question.task)
    encoded: Any = Encoded(source, keep=question.keep)
    usable = all_but(source, encoded.left_out)
    for name in question.keep:
        check_used("keep", name, usable.names, encoded.left_out)
    run = comparison_run(
        methods=question.methods or "auto",
        cv=question.cv,
        n_repeats=question.n_repeats,
        scoring=question.scoring,
        groups=groups,
        keep=question.keep or None,
        n_shuffles=question.n_shuffles,
        time_limit=question.time_limit,
        checkpoint=question.checkpoint,
        task=question.task,
    )
    found = with_progress(run).fit(usable, None).comparison_
    n = usable.n_rows if usable.n_rows is not None else 0
    return CompareAnswer(question, found, int(n), usable.n_features, dict(encoded.left_out))


def _check_columns(question: CompareQuestion) -> None:
    """No option names the target, none what another one takes away."""
    groups = [] if question.groups is None else [question.groups]
    for given, argument in ((question.drop, "drop"), (question.keep, "keep"), (groups, "groups")):
        if question.target in given:
            raise InputError(f"--{argument} {question.target!r} is the target: name another column", argument=argument)
        for name in given:
            if argument != "drop" and name in question.drop:
                raise InputError(
                    f"--{argument} {name!r} is left out by --drop: leave one of them out", argument=argument
                )
            if argument == "keep" and name in groups:
                raise InputError(f"--keep {name!r} is the column of --groups, which is not chosen", argument="keep")


def _without_groups(source: Source, question: CompareQuestion) -> tuple[Source, np.ndarray | None]:
    """The table without the column of groups, and the group of each row."""
    if question.groups is None:
        return source, None
    if question.groups not in source.names:
        raise InputError(
            f"--groups {question.groups!r} is not a column of the table{suggestion(question.groups, source.names)}",
            argument="groups",
        )
    at = source.names.index(question.groups)
    values = np.asarray(gather(Columns(source, [at])).X)[:, 0]
    missing = int(np.isnan(values).sum())
    if missing:
        raise InputError(
            f"--groups {question.groups!r} is empty in {missing:,} of {len(values):,} rows: give each row a group",
            argument="groups",
        )
    return without(source, [question.groups]), np.unique(values, return_inverse=True)[1]
