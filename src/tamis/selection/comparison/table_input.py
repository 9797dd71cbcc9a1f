"""From what the user gave to the table of a comparison."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis._core.errors import InputError
from tamis._core.memory import available_memory, human_bytes
from tamis.base.new_rows import require_no_infinity
from tamis.base.training_data import open_source
from tamis.selection.candidates import as_candidates
from tamis.selection.columns import column_names, labels_of
from tamis.selection.comparison.table import ComparisonTable, WithRowValues
from tamis.selection.learner import target_classes
from tamis.sources import InMemory, SomeRows, Source, gather
from tamis.sources.base import discrete_columns, original_of, row_values
from tamis.sources.learnable import require_squares

SHARE = 0.125  # of the free memory that the table itself may take: fits copy parts of it


def read_table(
    X: Any,
    y: Any,
    sample_weight: Any,
    keep: Any,
    feature_groups: Any,
    seed: int,
    name: str,
    model: Any = None,
    task: str = "auto",
) -> tuple[ComparisonTable, list[str], np.ndarray | None]:
    """The table, notes, and which rows it has (None: all). What the target is, ``task`` says, else the model."""
    source = open_source(X, y, sample_weight, "auto", name)
    names = column_names(X, source)
    source, notes, sampled = _rows_in_memory(source, seed)
    block = gather(source)
    target, weight = row_values(source)
    assert target is not None
    classes = target_classes(source, target, "estimator", model if task == "auto" else None, task)
    levels = tuple(column.levels for column in _label_columns(source))
    values = block.X.tocsr() if sp.issparse(block.X) else np.asarray(block.X)
    require_no_infinity(values, names)
    _refuse_numbers_as_classes(classes, target, model, task)
    as_given, codes, labels = target, None, None
    if classes is None:
        require_squares(np.asarray(target, dtype=np.float64))
    if classes is not None and classes.values is not None:
        labels = labels_of(classes.values, source, y)
        order = np.argsort(labels, kind="stable")  # as learners sort them
        labels, codes = labels[order], np.argsort(order)[classes.codes]
        as_given = labels[codes]
    discrete = discrete_columns(source)
    mask = np.zeros(values.shape[1], dtype=bool) if discrete is None else np.asarray(discrete)
    if discrete is None and not sp.issparse(values):
        mask = source.schema.discrete
    if (
        weight is not None and (weight != np.rint(weight)).any()
    ):  # whole weights count rows, of others only ratios matter
        weight = weight / weight[weight > 0].mean()
        source = WithRowValues(source, target, weight)
    table = ComparisonTable(
        source, values, levels, mask, as_given, labels, codes, weight,
        as_candidates(names, keep, feature_groups), names, original_of(source),
    )  # fmt: skip
    return table, notes, sampled


def _refuse_numbers_as_classes(classes: Any, target: np.ndarray, model: Any, task: str) -> None:
    if classes is not None and not np.array_equal(target, np.rint(target)) and len(classes.values) > len(target) // 2:
        values = f"y holds {len(classes.values)} different numbers in {len(target)} rows"
        if task != "auto":
            raise InputError(f"task={task!r} asks for classes, but {values}: give task='regression'", argument="task")
        raise InputError(
            f"estimator={type(model).__name__} predicts classes, but {values}: give a regressor, or classes",
            argument="estimator",
        )


def _label_columns(source: Source) -> Any:
    """The columns; of an array of numbers, whose schema costs a pass, some without labels."""
    if source.labels:
        return source.schema.columns
    from tamis.sources.base import Column, Kind

    return [Column(name, Kind.CONTINUOUS) for name in source.names]


def _rows_in_memory(source: Source, seed: int) -> tuple[Source, list[str], np.ndarray | None]:
    """Rows in memory: all, or as many as an eighth of the free memory holds, drawn at random."""
    if source.in_memory:
        return source, [], None
    n, p = source.n_rows, source.n_features
    if n is None:
        n = sum(len(block) for block in source.blocks([]))
    free = available_memory()
    most = n if free is None else int(SHARE * free // (8 * max(1, p)))
    if n <= most:
        return InMemory(source), [], None
    if most < 100:
        raise InputError(f"rows of {p:,} columns need {human_bytes(8 * p)} each: select fewer columns first")
    rows = np.sort(np.random.default_rng([seed, 4]).choice(n, most, replace=False))
    note = (
        f"{n:,} rows do not fit: they were read in a stream, and everything was done on a random sample of {most:,} "
        f"of them"
    )
    return InMemory(SomeRows(source, rows)), [note], rows
