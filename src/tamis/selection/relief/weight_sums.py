"""Sums over rows of how far their columns differ from their neighbours', weighted: what the relevance is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from tamis._core.memory import require_memory
from tamis._kernels import kernels
from tamis.selection.relief.table import ReliefTable
from tamis.sources.base import Shared

ROOM = 1 << 26  # bytes for the contributions of some rows to all columns, or for their distances from all rows


class Neighbours(Protocol):
    """The neighbours of some rows, and what a difference from each counts: its weight, below 0 for a hit."""

    def take(self, part: slice) -> Neighbours:
        """Those of some of the rows."""
        ...

    def add(
        self, rows: QueryRows, piece: Any, start: int, contributions: np.ndarray, pooled: np.ndarray, n_threads: int
    ) -> None:
        """Add how far the rows differ from those of their neighbours that are in a piece of the table."""
        ...

    def totals(self, weight: np.ndarray) -> WeightTotals: ...

    def balance(self) -> np.ndarray:
        """Σ of the weights of each row's neighbours: 0 if its hits count as much as its misses."""
        ...


class QueryRows(NamedTuple):
    """Rows for the kernels, where the queries are among them, which rows of the table these are, and what each of them
    weighs."""

    kernel: Any
    places: np.ndarray
    ids: np.ndarray
    weight: np.ndarray


class WeightTotals(NamedTuple):
    """Over all pairs of a row and a neighbour: Σ |weight| of misses and of hits, and Σ of all weights squared."""

    misses: float = 0.0
    hits: float = 0.0
    squares: float = 0.0

    @classmethod
    def of(cls, weights: np.ndarray, squares: np.ndarray, row_weight: np.ndarray) -> WeightTotals:
        """Of (m, t) weights of neighbours and their squares."""
        parts = np.maximum(weights, 0), np.maximum(-weights, 0), squares
        return cls(*(float(row_weight @ x.sum(axis=1)) for x in parts))

    def __add__(self, other: WeightTotals) -> WeightTotals:  # type: ignore[override]
        return WeightTotals(*(a + b for a, b in zip(self, other, strict=True)))


@dataclass(frozen=True)
class NearestNeighbours:
    """(m, t) rows, −1 for none, their weights, and the squares of these; of a row that stands for several the sums."""

    rows: np.ndarray
    weights: np.ndarray
    squares: np.ndarray

    @classmethod
    def of(cls, rows: np.ndarray, counts: np.ndarray, each: np.ndarray) -> NearestNeighbours:
        """Of rows that stand for ``counts`` equal ones with a weight of ``each``."""
        return cls(*(x.reshape(len(rows), -1) for x in (rows, counts * each, counts * each**2)))

    def take(self, part: slice) -> NearestNeighbours:
        return NearestNeighbours(*(np.ascontiguousarray(x[part]) for x in (self.rows, self.weights, self.squares)))

    def add(
        self, rows: QueryRows, piece: Any, start: int, contributions: np.ndarray, pooled: np.ndarray, n_threads: int
    ) -> None:
        kernels.add_listed(
            rows.kernel, rows.places, piece, start, self.rows, self.weights, rows.weight, contributions, pooled,
            n_threads,
        )  # fmt: skip

    def totals(self, weight: np.ndarray) -> WeightTotals:
        return WeightTotals.of(self.weights, self.squares, weight)

    def balance(self) -> np.ndarray:
        return self.weights.sum(axis=1)


@dataclass(frozen=True)
class RadiusNeighbours:
    """Bits of the rows that are near, how many there are of each class, and what these count together."""

    near: np.ndarray
    counts: np.ndarray
    class_weights: np.ndarray
    table: ReliefTable

    def take(self, part: slice) -> RadiusNeighbours:
        return RadiusNeighbours(self.near[part], self.counts[part], self.class_weights[part], self.table)

    def add(
        self, rows: QueryRows, piece: Any, start: int, contributions: np.ndarray, pooled: np.ndarray, n_threads: int
    ) -> None:
        scale, table = _ratio(self.class_weights, self.counts), self.table
        kernels.add_within(
            rows.kernel, rows.places, rows.ids, piece, start, self.near, scale, table.labels.y, table.weight,
            rows.weight, contributions, pooled, n_threads,
        )  # fmt: skip

    def totals(self, weight: np.ndarray) -> WeightTotals:
        return WeightTotals.of(self._weights(), _ratio(self.class_weights**2, self.counts), weight)

    def balance(self) -> np.ndarray:
        return self._weights().sum(axis=1)

    def _weights(self) -> np.ndarray:
        return np.where(self.counts > 0, self.class_weights, 0.0)


class NearestRows(NamedTuple):
    """(m, K, t) rows of each class, nearest first, −1 where there are no more; their distances; and how many of the k
    neighbours each stands for."""

    rows: np.ndarray
    distances: np.ndarray
    counts: np.ndarray


NeighbourWeighting = Callable[[ReliefTable, np.ndarray, NearestRows], NearestNeighbours]


class WeightAccumulator(Protocol):
    """Adds up the contributions of rows, which may come in several chunks."""

    def extend(self, queries: np.ndarray) -> None: ...

    def result(self) -> WeightSums: ...


@dataclass
class WeightSums:
    """Σ w r, Σ w r² and Σ w over rows of weight w that contribute r to a column, and with the balance b of their
    neighbours' weights v Σ w b r and Σ w b². Over the pairs of a row and a neighbour, which differ by d: Σ |v| d of the
    hits and Σ |v| d² of all (but of ``coded`` columns, where d is 0 or 1), with the totals of v."""

    sum: np.ndarray
    square: np.ndarray
    cross: np.ndarray
    pooled: np.ndarray
    coded: slice
    total: float = 0.0
    balance: float = 0.0
    totals: WeightTotals = field(default_factory=WeightTotals)

    @classmethod
    def zero(cls, table: ReliefTable) -> WeightSums:
        p = len(table.order)
        return cls(np.zeros(p), np.zeros(p), np.zeros(p), np.zeros((2, p)), table.storage.coded)

    def add(self, table: ReliefTable, queries: np.ndarray, near: Neighbours, n_threads: int) -> None:
        """The contributions of these rows; a few at a time, so that they are never held for all of them."""
        p = len(table.order)
        for part in _row_chunks(len(queries), 8 * p):
            ids, some = queries[part], near.take(part)
            weight = table.weight[ids] if len(table.weight) else np.ones(len(ids))
            rows = QueryRows(*table.rows_at(ids), ids, weight)
            contributions, pooled = np.zeros((len(ids), p)), np.zeros((-(-len(ids) // kernels.relief_block) * 2, p))
            for start, piece in table.pieces():
                some.add(rows, piece, start, contributions, pooled, n_threads)
            kernels.fold_rows(contributions, weight, self.sum, self.square, n_threads)
            balance = some.balance()
            if not np.allclose(balance, 0.0, atol=1e-12):
                self.cross += (weight * balance) @ contributions
                self.balance += float(weight @ balance**2)
            self.pooled += pooled.reshape(-1, 2, p).sum(axis=0)
            self.totals = self.totals + some.totals(weight)
            self.total += float(weight.sum())

    def merge(self, other: WeightSums) -> None:
        """The sums over other rows as well."""
        for mine, theirs in zip(self._arrays, other._arrays, strict=True):
            mine += theirs
        self.total += other.total
        self.balance += other.balance
        self.totals = self.totals + other.totals

    @property
    def _arrays(self) -> tuple[np.ndarray, ...]:
        return self.sum, self.square, self.cross, self.pooled

    @property
    def mean(self) -> np.ndarray:
        return self.sum / self.total

    @property
    def row_error(self) -> np.ndarray:
        """Standard error of the mean if the rows are drawn from many. A row whose neighbours' weights do not balance
        would contribute the more the more all rows differ: that part, its balance times the mean of all differences,
        is left out."""
        if self.total <= 1:
            return np.full(len(self.sum), np.nan)
        misses, hits, _ = self.totals
        apart = _ratio(self.sum + 2 * self.pooled[0], misses + hits)
        mean = self.mean - apart * (misses - hits) / self.total
        square = (self.square - 2 * apart * self.cross + apart**2 * self.balance) / self.total
        return np.sqrt(np.maximum(square - mean**2, 0.0) / (self.total - 1))

    @property
    def standard_error(self) -> np.ndarray:
        """Of the mean, from the differences of all pairs about the mean of the hits and that of the misses, whose
        variance is taken to be one (Le and others 2019): it times Σ v² of the weights v."""
        misses, hits, squares = self.totals
        count = (misses + hits) ** 2 / squares if squares > 0 else 0.0
        if count <= 2 + 1e-9 or self.total <= 1:
            return np.full(len(self.sum), np.nan)
        of_hits, squared = self.pooled
        of_misses = self.sum + of_hits
        squared = squared.copy()
        squared[self.coded] = (of_hits + of_misses)[self.coded]
        within = squared - _ratio(of_misses**2, misses) - _ratio(of_hits**2, hits)
        variance = np.maximum(within, 0.0) / (misses + hits) * count / (count - 2)
        return np.sqrt(variance * squares) / self.total


class OnWorkers:
    """What accumulators share: the table on the workers, which take blocks of queries."""

    table: ReliefTable

    @cached_property
    def shared(self) -> Shared | None:
        workers = self.table.workers
        return None if workers is None else workers.share(replace(self.table, workers=None))


def query_blocks(m: int, shared: Shared) -> list[slice]:
    """Four for each thread of the workers, of at least 32 rows."""
    step = max(32, -(-m // (4 * shared.n_threads)))
    return [slice(first, min(m, first + step)) for first in range(0, m, step)]


@dataclass
class NearestAccumulator(OnWorkers):
    """Neighbours are the k nearest rows of each class; ``weighting`` says what each counts, once all are found."""

    table: ReliefTable
    k: int
    weighting: NeighbourWeighting
    n_threads: int
    queries: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    chunks: list[NearestRows] = field(default_factory=list)

    def extend(self, queries: np.ndarray) -> None:
        self.queries = np.concatenate([self.queries, queries])
        self.chunks.append(self._nearest(queries))

    def _nearest(self, queries: np.ndarray) -> NearestRows:
        if self.shared is None:
            return nearest_rows(self.table, queries, self.k, self.n_threads)
        blocks = [(queries[part], self.k) for part in query_blocks(len(queries), self.shared)]
        return NearestRows(*map(np.concatenate, zip(*self.shared.map(_nearest_of_block, blocks), strict=True)))

    def result(self) -> WeightSums:
        every = (
            self.chunks[0]
            if len(self.chunks) == 1
            else NearestRows(*map(np.concatenate, zip(*self.chunks, strict=True)))
        )
        self.chunks = [every]
        sums, near = WeightSums.zero(self.table), self.weighting(self.table, self.queries, every)
        if self.shared is None:
            sums.add(self.table, self.queries, near, self.n_threads)
            return sums
        blocks = [(self.queries[part], near.take(part)) for part in query_blocks(len(self.queries), self.shared)]
        for part in self.shared.map(_sums_of_block, blocks):
            sums.merge(part)
        return sums


@dataclass
class RadiusAccumulator(OnWorkers):
    """Neighbours are the rows nearer than the mean of a row's distances less half their standard deviation;
    ``class_weights[c, d]`` is what those of class d count together to a row of class c."""

    table: ReliefTable
    class_weights: np.ndarray
    n_threads: int

    def __post_init__(self) -> None:
        self.sums = WeightSums.zero(self.table)

    def extend(self, queries: np.ndarray) -> None:
        if self.shared is None:
            self._extend_here(queries)
            return
        blocks = [(queries[part], self.class_weights) for part in query_blocks(len(queries), self.shared)]
        for part in self.shared.map(_sums_within_radius, blocks):
            self.sums.merge(part)

    def _extend_here(self, queries: np.ndarray) -> None:
        table, labels = self.table, self.table.labels
        for part in _row_chunks(len(queries), 8 * table.n):
            rows = queries[part]
            D, near = np.empty((len(rows), table.n)), np.empty((len(rows), -(-table.n // 64)), np.uint64)
            counts = np.empty((len(rows), labels.n_classes))
            mine, places = table.rows_at(rows)
            run = table.storage.whole and rows[0] % 32 == 0 and rows[-1] - rows[0] == len(rows) - 1
            for start, piece in table.pieces():
                kernels.row_distances(mine, places, piece, start, int(rows[0]) if run else -1, D, self.n_threads)
            kernels.rows_within(D, rows, labels.y, table.weight, near, counts, self.n_threads)
            neighbours = RadiusNeighbours(near, counts, self.class_weights[labels.y[rows]], table)
            self.sums.add(table, rows, neighbours, self.n_threads)

    def result(self) -> WeightSums:
        return self.sums


def _nearest_of_block(table: ReliefTable, block: tuple[np.ndarray, int]) -> NearestRows:
    return nearest_rows(table, *block, n_threads=1)


def _sums_of_block(table: ReliefTable, block: tuple[np.ndarray, NearestNeighbours]) -> WeightSums:
    sums = WeightSums.zero(table)
    sums.add(table, *block, n_threads=1)
    return sums


def _sums_within_radius(table: ReliefTable, block: tuple[np.ndarray, np.ndarray]) -> WeightSums:
    queries, class_weights = block
    accumulator = RadiusAccumulator(table, class_weights, 1)
    accumulator.extend(queries)
    return accumulator.result()


def nearest_rows(table: ReliefTable, queries: np.ndarray, k: int, n_threads: int) -> NearestRows:
    """The nearest rows of each class to the queries, as many as make k by their weights. Of equally near ones the
    lowest comes first. A row is no neighbour of itself, but a weight of w counts as w equal rows."""
    again = table.weight[queries] > 1 if len(table.weight) else np.zeros(len(queries), bool)
    size = (len(queries), table.labels.n_classes, _rows_needed(table, k))
    require_memory(
        12.0 * size[0] * size[1] * size[2],
        f"{size[2]} neighbours of {size[0]:,} rows in each class",
        "sample fewer rows",
    )
    rows, distances = np.full(size, -1, np.int32), np.full(size, np.inf)
    out = rows.reshape(-1), distances.reshape(-1), n_threads
    flags = again.astype(np.uint8)
    if table.storage.whole and len(queries) == table.n and (queries == np.arange(table.n)).all():
        ((_, piece),) = table.pieces()
        kernels.nearest_all(piece, flags, size[2], *out)
    else:
        _nearest_among(table, queries, flags, size[2], *out)
    return NearestRows(rows, distances, neighbour_counts(table, queries, rows, k))


def _nearest_among(
    table: ReliefTable,
    queries: np.ndarray,
    again: np.ndarray,
    k: int,
    rows: np.ndarray,
    near: np.ndarray,
    n_threads: int,
) -> None:
    each = table.labels.n_classes * k
    for part in (
        _row_chunks(len(queries), 8 * len(table.order)) if not table.storage.whole else [slice(0, len(queries))]
    ):
        mine, places = table.rows_at(queries[part])
        out = slice(part.start * each, part.stop * each)
        for start, piece in table.pieces():
            kernels.nearest_among(
                mine, places, queries[part], piece, start, again[part], k, rows[out], near[out], n_threads
            )


def neighbour_counts(table: ReliefTable, queries: np.ndarray, rows: np.ndarray, k: int) -> np.ndarray:
    """How many of the k nearest each of the rows, nearest first along the last axis, stands for."""
    if not len(table.weight):
        return (rows >= 0).astype(np.float64)
    own = queries.reshape((-1,) + (1,) * (rows.ndim - 1))
    weight = np.where(rows >= 0, table.weight[rows] - (rows == own), 0.0)
    before = np.cumsum(weight, axis=-1) - weight
    return np.clip(k - before, 0.0, weight)


def _rows_needed(table: ReliefTable, k: int) -> int:
    """How many rows make k neighbours, whatever their weights."""
    weight = table.weight
    if not len(weight):
        return min(k, table.n)
    least = min(weight.min(), (weight[weight > 1] - 1).min(initial=np.inf))
    return int(min(np.ceil(k / min(1.0, least)), table.n))


def _ratio(a: np.ndarray, b: np.ndarray | float) -> np.ndarray:
    """a / b, 0 where b is 0."""
    return np.divide(a, b, out=np.zeros_like(a), where=np.asarray(b) > 0)


def _row_chunks(m: int, row_bytes: int) -> Iterator[slice]:
    step = max(32, ROOM // max(1, row_bytes) // 32 * 32)
    for first in range(0, m, step):
        yield slice(first, min(m, first + step))
