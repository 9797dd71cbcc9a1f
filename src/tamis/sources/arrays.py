"""Rows from arrays in memory: dense (C or F order) and sparse. Blocks are views; integers and booleans are copied."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis.sources.base import Block, Column, RowValues, Schema
from tamis.sources.kinds import Discrete
from tamis.sources.profile import NumberProfile
from tamis.sources.target import Target

VIEW_BYTES = 1 << 28  # in memory a block is a view, so blocks are few; the kernels cut them for the cache
COPY_BYTES = 1 << 26  # where blocks must be converted


class ArraySource:
    """A dense or sparse matrix of numbers with its target and weights."""

    in_memory = True
    first_row = 0

    def __init__(
        self,
        X: Any,
        names: list[str] | None,
        target: Target | None = None,
        weight: np.ndarray | None = None,
        discrete: Discrete | None = None,
    ) -> None:
        self.matrix = X
        self.frame: Any = None  # the narwhals frame around X, where there is one
        self._names = names
        self.target = target
        self.y = None if target is None else target.values
        self.weight = weight
        self.discrete = discrete or Discrete("auto", ())
        self.n_rows: int | None = X.shape[0]
        self.block_bytes = VIEW_BYTES if X.dtype in (np.float32, np.float64) else COPY_BYTES

    @cached_property
    def X(self) -> Any:
        """Sparse rows are CSR: another format is converted when rows are read, and not before."""
        return self.matrix.tocsr() if sp.issparse(self.matrix) else self.matrix

    @cached_property
    def names(self) -> list[str]:
        """As given, or x0, x1, …: made when they are first needed, for there may be many."""
        return [f"x{j}" for j in range(self.n_features)] if self._names is None else self._names

    @property
    def n_features(self) -> int:
        return int(self.matrix.shape[1])

    @property
    def labels(self) -> list[str]:
        return [self.target.name] if self.target is not None and self.target.is_label else []

    def original(self) -> Any | None:
        """The frame that the numbers came from."""
        return None if self.frame is None else self.frame.to_native()

    @cached_property
    def schema(self) -> Schema:
        profile = NumberProfile(self.n_features)
        for block in self.blocks():
            profile.add(block.X)
        columns = [profile.column(j, name) for j, name in enumerate(self.names)]
        return Schema(self.discrete.applied(columns), None if self.target is None else self.target.column)

    @property
    def discrete_mask(self) -> np.ndarray | None:
        return self.discrete.mask

    @property
    def weighted(self) -> bool:
        return self.weight is not None

    def target_column(self) -> Column | None:
        return None if self.target is None else self.target.column

    def row_values(self) -> RowValues:
        return self.y, self.weight

    def whole(self, columns: Sequence[int] | None = None) -> Block:
        """All rows at once, a view where the numbers are floats and the columns a run."""
        return self._block(slice(0, self.X.shape[0]), columns)

    def blocks(self, columns: Sequence[int] | None = None) -> Iterator[Block]:
        for rows in self._cuts():
            yield self._block(rows, columns)

    def partitions(self) -> Sequence[ArraySource]:
        return [self]

    def _block(self, rows: slice, columns: Sequence[int] | None) -> Block:
        X = _rows(self.X, rows)
        X = X if columns is None else X[:, as_slice(columns)]
        return Block(_as_float(X), _part(self.y, rows), _part(self.weight, rows), rows.start)

    def _cuts(self) -> Iterator[slice]:
        n, p = self.X.shape
        numbers = self.X.nnz / max(1, n) if sp.issparse(self.X) else p
        step = max(1, int(self.block_bytes / (8 * max(1.0, numbers))))
        for start in range(0, n, step):
            yield slice(start, min(n, start + step))


def _rows(X: Any, rows: slice) -> Any:
    if not sp.issparse(X) or (rows.start == 0 and rows.stop == X.shape[0]):
        return X[rows] if not sp.issparse(X) else X
    first, last = X.indptr[rows.start], X.indptr[rows.stop]
    parts = (X.data[first:last], X.indices[first:last], X.indptr[rows.start : rows.stop + 1] - first)
    return type(X)(parts, shape=(rows.stop - rows.start, X.shape[1]), copy=False)


def as_slice(positions: Sequence[int]) -> Any:
    """A run of positions as a slice, which is a view; other choices as a list, which copies."""
    chosen = [int(j) for j in positions]
    if chosen and chosen == list(range(chosen[0], chosen[0] + len(chosen))):
        return slice(chosen[0], chosen[0] + len(chosen))
    return chosen


def _part(values: np.ndarray | None, rows: slice) -> np.ndarray | None:
    return None if values is None else values[rows]


def _as_float(X: Any) -> Any:
    return X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)
