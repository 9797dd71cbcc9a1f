"""A table as Relief compares its rows: every difference between 0 and 1, missing values by what
is expected of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis._core.memory import available_memory, require_memory
from tamis.selection.relief.layout import ColumnLayout
from tamis.selection.relief.missing_values import ExpectedDifferences, IncompleteColumns
from tamis.selection.relief.row_storage import DenseStorage, RowStorage, SparseStorage, StreamedStorage
from tamis.sources.base import Source, Workers, discrete_columns, gather, matrix_of, workers_of
from tamis.stats.coded import column_groups
from tamis.stats.coding import MOST_DISCRETE, refuse_infinite

HELD = 0.25  # of the free memory: a compared copy of the rows that is larger is made anew for every pass


@dataclass(frozen=True)
class TargetLabels:
    """What is to be predicted: classes of the rows as codes, or numbers (then all rows are of class 0)."""

    y: np.ndarray
    n_classes: int
    numbers: np.ndarray | None = None

    def permuted(self, order: np.ndarray) -> TargetLabels:
        return TargetLabels(self.y[order], self.n_classes, None if self.numbers is None else self.numbers[order])


@dataclass(frozen=True)
class ReliefTable:
    """Rows with their target and their weights (empty: 1 each). ``order`` says which column of the source each
    column is: those of the storage, then the incomplete ones. ``workers`` compare the rows where they are not compared
    here."""

    storage: RowStorage
    incomplete: IncompleteColumns
    order: np.ndarray
    labels: TargetLabels
    weight: np.ndarray
    squared: bool
    workers: Workers | None = None

    @property
    def n(self) -> int:
        return len(self.labels.y)

    @cached_property
    def expected(self) -> ExpectedDifferences:
        n_bytes = 8 * self.incomplete.values.size * (1 + self.labels.n_classes)
        require_memory(
            n_bytes, f"{len(self.incomplete.values):,} columns with missing values", "fill some of them first"
        )
        return self.incomplete.expected(self.labels.y, self.labels.n_classes, self.weight, self.squared)

    def pieces(self) -> Iterator[tuple[int, Any]]:
        return self.storage.pieces(self.expected)

    def rows_at(self, rows: np.ndarray) -> tuple[Any, np.ndarray]:
        return self.storage.rows_at(rows, self.expected)

    def permuted(self, order: np.ndarray) -> ReliefTable:
        """The rows with each other's labels."""
        return replace(self, labels=self.labels.permuted(order))

    def take(self, columns: np.ndarray) -> ReliefTable:
        """Some columns of the source, those that are there."""
        stored, incomplete = self._places(columns)
        order = np.concatenate([self.order[stored], self.order[self.storage.n_columns + incomplete]])
        return replace(
            self, storage=self.storage.take(stored), incomplete=self.incomplete.take(incomplete), order=order
        )

    def shuffled(self, columns: np.ndarray, order: np.ndarray) -> ReliefTable:
        """Rows of these columns go together to other rows; the labels and the other columns stay."""
        stored, incomplete = self._places(columns)
        return replace(
            self, storage=self.storage.shuffled(stored, order), incomplete=self.incomplete.shuffled(incomplete, order)
        )

    def _places(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        places = np.flatnonzero(np.isin(self.order, columns))
        stored = self.storage.n_columns
        return places[places < stored], places[places >= stored] - stored


def read_table(
    source: Source, labels: TargetLabels, weight: np.ndarray | None, *, squared: bool, n_threads: int
) -> ReliefTable:
    """All columns of a source and its rows of a weight above 0."""
    used = None if weight is None or weight.all() else weight > 0
    if used is not None:
        labels = labels.permuted(np.flatnonzero(used))
    kept = np.empty(0) if weight is None else np.ascontiguousarray(weight[weight > 0], dtype=np.float64)
    if sp.issparse(matrix_of(source)):
        storage, incomplete, order = _sparse(source, used)
    else:
        storage, incomplete, order = _dense(source, len(labels.y), used, n_threads)
    workers = workers_of(source) if storage.whole else None
    return ReliefTable(storage, incomplete, order, labels, kept, squared, workers)


def _dense(
    source: Source, n: int, used: np.ndarray | None, n_threads: int
) -> tuple[RowStorage, IncompleteColumns, np.ndarray]:
    discrete, held_array = discrete_columns(source), matrix_of(source)

    def groups() -> Iterator[tuple[int, np.ndarray]]:
        return ((first, X if used is None else X[used]) for first, X in column_groups(source))

    def layout_of(first: int, X: np.ndarray) -> ColumnLayout:
        columns = slice(first, first + X.shape[1])
        return ColumnLayout.of(
            X, source.names[columns], None if discrete is None else discrete[columns], n_threads, first
        )

    layout = ColumnLayout.joined(layout_of(first, X) for first, X in groups())
    if held_array is not None and used is None and (codes := layout.bytes_of(held_array)) is not None:
        return (
            DenseStorage(layout.empty(n)[0], codes),
            IncompleteColumns(np.empty((0, n)), layout.other_discrete),
            layout.order,
        )
    free = available_memory()
    fits = free is None or n * layout.row_bytes <= HELD * free
    x, codes = layout.empty(n if fits else 0)
    values = [np.empty((0, n))]
    for first, X in groups() if fits or len(layout.other) else ():
        values.append(layout.incomplete(X, first))
        if fits:
            layout.fill(X, first, x, codes, n_threads)
    incomplete = IncompleteColumns(np.concatenate(values), layout.other_discrete)
    storage = DenseStorage(x, codes) if fits else StreamedStorage(source.blocks, layout, n_threads)
    return storage, incomplete, layout.order


def _sparse(source: Source, used: np.ndarray | None) -> tuple[RowStorage, IncompleteColumns, np.ndarray]:
    """Columns are scaled by their width; those without a zero, which alone can lie far from it, are also moved to it.

    Differences do not depend on where 0 is, but squares of them are computed as a² − 2ab + b², which has the digits of
    a − b only near 0.
    """
    X = gather(source).X
    X = sp.csc_array(X if used is None else X[used], dtype=np.float64)
    X.sum_duplicates()
    X.eliminate_zeros()
    low, high, few = _sparse_columns(X)
    refuse_infinite(source.names, low, high)
    declared = discrete_columns(source)
    discrete = few if declared is None else declared
    missing = np.bincount(_column_of(X)[np.isnan(X.data)], minlength=X.shape[1])
    full, other = np.flatnonzero(missing == 0), np.flatnonzero(missing > 0)
    column, whole = _column_of(X), np.diff(X.indptr) == X.shape[0]
    X.data -= np.where(whole & ~discrete, low, 0.0)[column]  # the zeros this makes stay stored
    X.data /= np.where(discrete | (high <= low), 1.0, high - low)[column]
    incomplete = IncompleteColumns(X[:, other].toarray().T, discrete[other])
    return SparseStorage(X[:, full].tocsr(), discrete[full]), incomplete, np.concatenate([full, other])


def _column_of(X: Any) -> np.ndarray:
    return np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))


def _sparse_columns(X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lowest and highest value of every column, and whether it holds whole numbers with at most 10 values."""
    n, p = X.shape
    seen = ~np.isnan(X.data)
    data, column = X.data[seen], _column_of(X)[seen]
    zeros = np.diff(X.indptr) < n
    low, high = np.where(zeros, 0.0, np.inf), np.where(zeros, 0.0, -np.inf)
    np.minimum.at(low, column, data)
    np.maximum.at(high, column, data)
    whole = np.ones(p, bool)
    whole[column[data != np.rint(data)]] = False
    order = np.lexsort((data, column))
    fresh = np.ones(len(order), bool)
    fresh[1:] = (np.diff(column[order]) != 0) | (np.diff(data[order]) != 0)
    distinct = np.bincount(column[order][fresh], minlength=p) + zeros
    return low, high, whole & (distinct <= MOST_DISCRETE)
