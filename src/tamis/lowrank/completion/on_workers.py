"""Observed entries that stay on Dask's workers: a long table whose entries this process does not hold.

Dask puts the entries in order twice, by rows and by columns, so that every block holds all entries of its rows (or
columns). A row's factors are then a ridge regression on one worker, with the others' factors sent to it; products with
the matrix are made block by block. Here come factors, biases, names, and a number for each row and column, never the
entries; only those that are held out, at most 200,000 of a part, are brought here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from tamis.lowrank.completion.leverages import leverage_sum, row_leverages, sampled_rows
from tamis.operators.base import Linear
from tamis.solvers.als import FactorPair, half_sweep, levels
from tamis.solvers.nuclear_completion import narrow, with_values
from tamis.sources.dask_workers import OneThread, computed, dask, kept_on_workers


@dataclass(frozen=True)
class Blocks:
    """The rows ends[k] … ends[k + 1] − 1 of a sparse matrix as a csr_array each, on the workers."""

    blocks: list[Any]
    ends: np.ndarray
    width: int

    def each(self, task: Callable[..., Any], *shared: Any, of_block: Callable[[int, int], tuple] | None = None) -> list:
        """``task(block, *shared, *of_block(first, last))`` of every block, brought here in order."""
        return computed(self._tasks(task, shared, of_block))

    def made(self, task: Callable[..., Any], *shared: Any, of_block: Any = None) -> Blocks:
        """Other blocks in their place, which stay on the workers."""
        return Blocks(kept_on_workers(self._tasks(task, shared, of_block)), self.ends, self.width)

    def rows(self, task: Callable[..., Any], *shared: Any, of_block: Any = None) -> np.ndarray:
        """The rows that the blocks give, one below the other."""
        return np.concatenate(self.each(task, *shared, of_block=of_block))

    def _tasks(self, task: Callable[..., Any], shared: tuple[Any, ...], of_block: Any) -> list[Any]:
        delayed = dask().delayed
        sent = [delayed(value, pure=False) for value in shared]  # once for all blocks
        run = delayed(OneThread(task), pure=False)
        own = [() if of_block is None else of_block(*pair) for pair in zip(self.ends[:-1], self.ends[1:], strict=True)]
        return [run(block, *sent, *more) for block, more in zip(self.blocks, own, strict=True)]


@dataclass(frozen=True)
class WorkerEntries:
    """The entries by rows and by columns; what ``solvers.als`` asks of entries, by passes over the blocks."""

    by_rows: Blocks
    by_columns: Blocks
    counts: tuple[np.ndarray, np.ndarray]  # entries of each row and column
    dtype: np.dtype

    @property
    def shape(self) -> tuple[int, int]:
        return self.by_columns.width, self.by_rows.width

    @property
    def nnz(self) -> int:
        return int(self.counts[0].sum())

    def row_factors(self, V: np.ndarray, alpha: float) -> np.ndarray:
        return self.by_rows.rows(half_sweep, V, alpha, 1)

    def column_factors(self, U: np.ndarray, alpha: float) -> np.ndarray:
        return self.by_columns.rows(half_sweep, U, alpha, 1)

    def row_levels(self, offset: np.ndarray, ridge: float) -> np.ndarray:
        return self.by_rows.rows(levels, offset, ridge, 1)

    def column_levels(self, offset: np.ndarray, ridge: float) -> np.ndarray:
        return self.by_columns.rows(levels, offset, ridge, 1)

    def matrix(self) -> WorkerMatrix:
        m, n = self.shape
        return WorkerMatrix(self, FactorPair(np.zeros((m, 0)), np.zeros((n, 0))))

    def residual(self, pair: FactorPair) -> WorkerMatrix:
        return WorkerMatrix(self, pair)

    def inner(self, R: WorkerMatrix) -> tuple[float, float]:
        return R.inner()

    def vanishes(self, R: WorkerMatrix) -> bool:
        return R.inner()[0] == 0.0

    # ---- what a completion asks beside ------------------------------------------------------------------------------

    def sums(self) -> tuple[np.ndarray, np.ndarray, float]:
        """Of the values of each row and each column, and of all squares about the mean of all."""
        rows, columns = self.by_rows.rows(_row_sums), self.by_columns.rows(_row_sums)
        return rows, columns, float(sum(self.by_rows.each(_squares_about, rows.sum() / max(self.nnz, 1))))

    def mean(self) -> float:
        return float(self.by_rows.rows(_row_sums).sum() / self.nnz)

    def off(self, mean: float, row_bias: np.ndarray | None, column_bias: np.ndarray | None) -> WorkerEntries:
        """The values without a mean and biases."""
        b, c = (
            np.zeros(size) if bias is None else bias
            for bias, size in zip((row_bias, column_bias), self.shape, strict=True)
        )
        return self._with(
            self.by_rows.made(_without, mean, c, of_block=lambda first, last: (b[first:last],)),
            self.by_columns.made(_without, mean, b, of_block=lambda first, last: (c[first:last],)),
            self.counts,
        )

    def apart(
        self, k: int, rng: np.random.Generator
    ) -> tuple[WorkerEntries, tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """The others, and k entries drawn as from a matrix in memory: rows, columns, values."""
        drawn = np.sort(rng.choice(self.nnz, k, replace=False))
        starts = np.append(0, np.cumsum(self.counts[0]))

        def places(first: int, last: int) -> tuple[np.ndarray]:
            low, high = np.searchsorted(drawn, starts[[first, last]])
            return (drawn[low:high] - starts[first],)

        found = self.by_rows.each(_entries_at, of_block=places)
        rows = np.concatenate([f[0] + first for f, first in zip(found, self.by_rows.ends[:-1], strict=True)])
        columns, values = (np.concatenate([f[i] for f in found]) for i in (1, 2))
        order = np.lexsort((rows, columns))
        turned, of = columns[order], rows[order]

        def pairs(first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
            low, high = np.searchsorted(turned, (first, last))
            return turned[low:high] - first, of[low:high]

        counts = tuple(
            count - np.bincount(at, minlength=len(count))
            for count, at in zip(self.counts, (rows, columns), strict=True)
        )
        rest = self._with(
            self.by_rows.made(_dropped, of_block=places), self.by_columns.made(_dropped_pairs, of_block=pairs), counts
        )
        return rest, (rows, columns, values)

    def leverages(
        self, pair: FactorPair, ridges: tuple[np.ndarray, np.ndarray], rows: np.ndarray, columns: np.ndarray
    ) -> np.ndarray:
        """Of pairs of a row and a column: both terms."""
        U, V = pair.U, pair.V
        of_rows = _of_queries(self.by_rows, V, ridges[0], rows, V[columns])
        return of_rows + _of_queries(self.by_columns, U, ridges[1], columns, U[rows])

    def leverage_sums(self, pair: FactorPair, ridges: tuple[np.ndarray, np.ndarray]) -> tuple[float, float]:
        """Over the observed entries, from a sample of rows and one of columns."""
        return (
            _sampled(self.by_rows, pair.V, ridges[0]),
            _sampled(self.by_columns, pair.U, ridges[1]),
        )

    def _with(self, by_rows: Blocks, by_columns: Blocks, counts: Any) -> WorkerEntries:
        return WorkerEntries(by_rows, by_columns, counts, self.dtype)


class WorkerMatrix(Linear):
    """X − U Vᵀ at the observed entries, 0 elsewhere: products block by block."""

    def __init__(self, entries: WorkerEntries, pair: FactorPair) -> None:
        self.entries, self.pair = entries, pair
        self.shape, self.dtype = entries.shape, np.dtype(np.float64)

    def forward(self, x: np.ndarray) -> np.ndarray:
        U, V = self.pair.U, self.pair.V
        return self.entries.by_rows.rows(_product, V, x, of_block=lambda first, last: (U[first:last],))

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        U, V = self.pair.U, self.pair.V
        return self.entries.by_columns.rows(_product, U, r, of_block=lambda first, last: (V[first:last],))

    def astype(self, dtype: Any) -> WorkerMatrix:
        """Products are in float64 whatever the entries are."""
        del dtype
        return self

    def inner(self) -> tuple[float, float]:
        """‖R‖² and ⟨X, R⟩."""
        U, V = self.pair.U, self.pair.V
        found = self.entries.by_rows.each(_inner, V, of_block=lambda first, last: (U[first:last],))
        return float(sum(f[0] for f in found)), float(sum(f[1] for f in found))


# ---- tasks: a block first, then what is shared, then what is for this block alone ------------------------------------


def _row_sums(X: csr_array) -> np.ndarray:
    return np.bincount(_row_of(X), weights=X.data, minlength=X.shape[0])


def _row_of(X: csr_array) -> np.ndarray:
    return np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))


def _squares_about(X: csr_array, mean: float) -> float:
    return float(np.square(X.data.astype(np.float64) - mean).sum())


def _without(X: csr_array, mean: float, across: np.ndarray, along: np.ndarray) -> csr_array:
    level = (mean + along[_row_of(X)]) + across[X.indices]
    return with_values(X, (X.data - level).astype(X.dtype, copy=False))


def _entries_at(X: csr_array, places: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return _row_of(X)[places], X.indices[places].astype(np.int64), X.data[places].astype(np.float64)


def _dropped(X: csr_array, places: np.ndarray) -> csr_array:
    keep = np.ones(X.nnz, bool)
    keep[places] = False
    indptr = np.append(0, np.cumsum(np.bincount(_row_of(X)[keep], minlength=X.shape[0])))
    return narrow(csr_array((X.data[keep], X.indices[keep], indptr), shape=X.shape))


def _dropped_pairs(X: csr_array, rows: np.ndarray, columns: np.ndarray) -> csr_array:
    key = _row_of(X) * np.int64(X.shape[1]) + X.indices
    return _dropped(X, np.searchsorted(key, np.sort(rows * np.int64(X.shape[1]) + columns)))


def _residual(X: csr_array, V: np.ndarray, U: np.ndarray) -> np.ndarray:
    if not V.shape[1]:
        return X.data.astype(np.float64, copy=False)
    return X.data - np.einsum("ek,ek->e", U[_row_of(X)], V[X.indices])


def _product(X: csr_array, V: np.ndarray, B: np.ndarray, U: np.ndarray) -> np.ndarray:
    return np.asarray(with_values(X, _residual(X, V, U)) @ B)


def _inner(X: csr_array, V: np.ndarray, U: np.ndarray) -> tuple[float, float]:
    r = _residual(X, V, U)
    return float(r @ r), float(X.data.astype(np.float64, copy=False) @ r)


def _of_queries(blocks: Blocks, V: np.ndarray, ridge: np.ndarray, rows: np.ndarray, Q: np.ndarray) -> np.ndarray:
    order = np.argsort(rows, kind="stable")
    in_order = rows[order]

    def queries(first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
        low, high = np.searchsorted(in_order, (first, last))
        return in_order[low:high] - first, Q[order[low:high]]

    out = np.empty(len(rows))
    out[order] = blocks.rows(_leverages_at, V, ridge, of_block=queries)
    return out


def _leverages_at(X: csr_array, V: np.ndarray, ridge: np.ndarray, rows: np.ndarray, Q: np.ndarray) -> np.ndarray:
    return row_leverages(X, V, ridge, rows, Q, 1)


def _sampled(blocks: Blocks, V: np.ndarray, ridge: np.ndarray) -> float:
    m = int(blocks.ends[-1])
    rows = sampled_rows(m)
    of_block = lambda first, last: (rows[(rows >= first) & (rows < last)] - first,)  # noqa: E731
    found = blocks.each(leverage_sum, V, ridge, of_block=of_block)
    return float(sum(found)) * m / len(rows)
