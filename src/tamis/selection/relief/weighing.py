"""How far the columns of some rows differ from their neighbours', added up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np

from tamis._core.memory import require_memory
from tamis._kernels import kernels
from tamis.selection.relief.table import Table

ROOM = 1 << 26  # bytes for what some rows say of all columns, or for their distances from all rows


class Neighbours(NamedTuple):
    """The first ``used`` rows of each list, −1 for none, and what a difference from them counts."""

    rows: np.ndarray
    shares: np.ndarray
    used: np.ndarray
    in_order: bool = False  # of the table, but for a stretch of 64 rows


class Nearest(NamedTuple):
    """(m, K, t) rows of each class, nearest first, −1 where there are no more; their distances; and how many of the k
    asked for each stands for."""

    rows: np.ndarray
    distances: np.ndarray
    counts: np.ndarray


Sharing = Callable[[Table, np.ndarray, Nearest], tuple[np.ndarray, np.ndarray]]


class Weigher(Protocol):
    """Adds up what rows say; they may come in several lots."""

    def extend(self, queries: np.ndarray) -> None: ...

    def result(self) -> Said: ...


@dataclass
class Said:
    """Σ w r, Σ w r² and Σ w over rows of weight w that say r of a column."""

    sum: np.ndarray
    square: np.ndarray
    total: float = 0.0

    @classmethod
    def nothing(cls, table: Table) -> Said:
        return cls(np.zeros(len(table.order)), np.zeros(len(table.order)))

    def add(self, table: Table, queries: np.ndarray, near: Neighbours, n_threads: int) -> None:
        """What these rows say; a few at a time, so that it is never held for all of them."""
        for part in _lots(len(queries), 8 * len(table.order)):
            rows = queries[part]
            said = np.zeros((len(rows), len(table.order)))
            mine, places = table.some(rows)
            lists = [np.ascontiguousarray(given[part]) for given in near[:3]]
            for start, piece in table.pieces():
                kernels.add_differences(mine, places, piece, start, *lists, near.in_order, said, n_threads)
            weight = table.weight[rows] if len(table.weight) else np.ones(len(rows))
            kernels.fold_rows(said, weight, self.sum, self.square, n_threads)
            self.total += float(weight.sum())

    @property
    def mean(self) -> np.ndarray:
        return self.sum / self.total

    @property
    def standard_error(self) -> np.ndarray:
        """Of the mean over the rows, as far as these are independent."""
        if self.total <= 1:
            return np.full(len(self.sum), np.nan)
        return np.sqrt(np.maximum(self.square / self.total - self.mean**2, 0.0) / (self.total - 1))


@dataclass
class ByCount:
    """Neighbours are the k nearest rows of each class; ``sharing`` says what each counts, once all are known."""

    table: Table
    k: int
    sharing: Sharing
    n_threads: int
    queries: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    lots: list[Nearest] = field(default_factory=list)

    def extend(self, queries: np.ndarray) -> None:
        self.queries = np.concatenate([self.queries, queries])
        self.lots.append(nearest_rows(self.table, queries, self.k, self.n_threads))

    def result(self) -> Said:
        every = self.lots[0] if len(self.lots) == 1 else Nearest(*map(np.concatenate, zip(*self.lots, strict=True)))
        self.lots = [every]
        rows, shares = self.sharing(self.table, self.queries, every)
        said = Said.nothing(self.table)
        said.add(self.table, self.queries, Neighbours(rows, shares, np.full(len(rows), rows.shape[1])), self.n_threads)
        return said


@dataclass
class ByRadius:
    """Neighbours are the rows nearer than the mean of a row's distances less half their standard deviation;
    ``worth[c, d]`` is what those of class d count together to a row of class c."""

    table: Table
    worth: np.ndarray
    n_threads: int

    def __post_init__(self) -> None:
        self.said = Said.nothing(self.table)

    def extend(self, queries: np.ndarray) -> None:
        table, labels = self.table, self.table.labels
        for part in _lots(len(queries), 12 * table.n):
            rows = queries[part]
            D, lists = np.empty((len(rows), table.n)), np.empty((len(rows), table.n), np.int32)
            used = np.empty(len(rows), np.int64)
            mine, places = table.some(rows)
            run = table.store.whole and rows[0] % 32 == 0 and rows[-1] - rows[0] == len(rows) - 1
            for start, piece in table.pieces():
                kernels.row_distances(mine, places, piece, start, int(rows[0]) if run else -1, D, self.n_threads)
            kernels.rows_within(
                D, rows, labels.y[rows], labels.y, table.weight, self.worth, lists, used, self.n_threads
            )
            self.said.add(table, rows, Neighbours(lists, D, used, True), self.n_threads)

    def result(self) -> Said:
        return self.said


def nearest_rows(table: Table, queries: np.ndarray, k: int, n_threads: int) -> Nearest:
    """The nearest rows of each class to those asked for, as many as make k by their weights. Of equally near ones the
    lowest comes first. A row is no neighbour of itself, but a weight of w counts as w equal rows."""
    again = table.weight[queries] > 1 if len(table.weight) else np.zeros(len(queries), bool)
    size = (len(queries), table.labels.n_classes, _enough(table, k))
    require_memory(
        12.0 * size[0] * size[1] * size[2],
        f"{size[2]} neighbours of {size[0]:,} rows in each class",
        "sample fewer rows",
    )
    rows, distances = np.full(size, -1, np.int32), np.full(size, np.inf)
    out = rows.reshape(-1), distances.reshape(-1), n_threads
    flags = again.astype(np.uint8)
    if table.store.whole and len(queries) == table.n and (queries == np.arange(table.n)).all():
        ((_, piece),) = table.pieces()
        kernels.nearest_all(piece, flags, size[2], *out)
    else:
        _nearest_among(table, queries, flags, size[2], *out)
    return Nearest(rows, distances, counted(table, queries, rows, k))


def _nearest_among(
    table: Table, queries: np.ndarray, again: np.ndarray, k: int, rows: np.ndarray, near: np.ndarray, n_threads: int
) -> None:
    each = table.labels.n_classes * k
    for part in _lots(len(queries), 8 * len(table.order)) if not table.store.whole else [slice(0, len(queries))]:
        mine, places = table.some(queries[part])
        out = slice(part.start * each, part.stop * each)
        for start, piece in table.pieces():
            kernels.nearest_among(
                mine, places, queries[part], piece, start, again[part], k, rows[out], near[out], n_threads
            )


def counted(table: Table, queries: np.ndarray, rows: np.ndarray, k: int) -> np.ndarray:
    """How many of the k nearest each of the rows, nearest first along the last axis, stands for."""
    if not len(table.weight):
        return (rows >= 0).astype(np.float64)
    own = queries.reshape((-1,) + (1,) * (rows.ndim - 1))
    weight = np.where(rows >= 0, table.weight[rows] - (rows == own), 0.0)
    before = np.cumsum(weight, axis=-1) - weight
    return np.clip(k - before, 0.0, weight)


def _enough(table: Table, k: int) -> int:
    """How many rows make k neighbours, whatever their weights."""
    weight = table.weight
    if not len(weight):
        return min(k, table.n)
    least = min(weight.min(), (weight[weight > 1] - 1).min(initial=np.inf))
    return int(min(np.ceil(k / min(1.0, least)), table.n))


def _lots(m: int, row_bytes: int) -> Iterator[slice]:
    step = max(32, ROOM // max(1, row_bytes) // 32 * 32)
    for first in range(0, m, step):
        yield slice(first, min(m, first + step))
