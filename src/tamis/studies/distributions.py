"""How the values of a column are spread, for each class of the target."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis.sources import Columns, gather
from tamis.studies.prepared_table import PreparedTable
from tamis.studies.select_search import Classes

BINS = 24
MOST_LEVELS = 12
MOST_CLASSES = 4  # the most frequent ones
MOST_COLUMNS = 100
MOST_ROWS = 20_000


@dataclass(frozen=True)
class Distribution:
    """``shares`` (classes, bins) of the rows of each class; ``edges`` of numbers, or ``levels``, one for each bin."""

    shares: np.ndarray
    edges: tuple[float, float] | None
    levels: list[str] | None


def shown_classes(classes: Classes) -> Classes:
    """The most frequent, in sorted order."""
    return sorted(sorted(classes, key=lambda c: -c[2])[:MOST_CLASSES])


def distributions(table: PreparedTable, names: Iterable[str], classes: Classes) -> dict[str, Distribution]:
    """Of some columns, by name; all rows are one class where the target is a number."""
    names = list(names)[:MOST_COLUMNS]
    at = [table.usable.names.index(name) for name in names]
    block = gather(Columns(table.usable, at))
    X = block.X.toarray() if hasattr(block.X, "toarray") else np.asarray(block.X, dtype=np.float64)
    step = -(-len(X) // MOST_ROWS)
    X, y = X[::step], np.asarray(block.y)[::step]
    of = [y == value for value, *_ in shown_classes(classes)] or [np.ones(len(X), dtype=bool)]
    columns = [table.usable.schema.columns[j] for j in at]
    return {name: _distribution(X[:, k], of, columns[k]) for k, name in enumerate(names)}


def _distribution(x: np.ndarray, of: list[np.ndarray], column: Any) -> Distribution:
    if column.levels is not None:
        counts = np.array(
            [np.bincount(x[rows & ~np.isnan(x)].astype(int), minlength=len(column.levels)) for rows in of]
        )
        often = np.sort(np.argsort(-counts.sum(axis=0), kind="stable")[:MOST_LEVELS])
        return Distribution(_shares(counts[:, often]), None, [str(column.levels[j]) for j in often])
    present = x[np.isfinite(x)]
    low, high = np.quantile(present, [0.005, 0.995]) if len(present) else (0.0, 1.0)
    if not low < high:
        low, high = float(present.min(initial=0.0)), float(present.max(initial=1.0))
    values = np.unique(present)
    bins = len(values) if 1 < len(values) <= MOST_LEVELS else BINS
    clipped = np.clip(x, low, high)
    counts = np.array([np.histogram(clipped[rows & ~np.isnan(x)], bins, (low, high))[0] for rows in of])
    return Distribution(_shares(counts), (float(low), float(high)), None)


def _shares(counts: np.ndarray) -> np.ndarray:
    return np.asarray(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1))
