"""Where the compared rows are: in memory, dense or sparse, or in a file that is read again for every pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
import scipy.sparse as sp

from tamis._core.errors import InputError
from tamis._kernels import kernels
from tamis.selection.relief.layout import ColumnLayout
from tamis.selection.relief.missing_values import ExpectedDifferences
from tamis.sources.base import Block


class RowStorage(Protocol):
    """Rows without their incomplete columns; columns are named by their places in it."""

    @property
    def n_columns(self) -> int: ...

    @property
    def coded(self) -> slice:
        """The columns that are compared as bytes."""
        ...

    @property
    def whole(self) -> bool:
        """All rows are at hand: there is one piece."""
        ...

    def pieces(self, expected: ExpectedDifferences) -> Iterator[tuple[int, Any]]:
        """(first row, rows as the kernels take them)"""
        ...

    def rows_at(self, rows: np.ndarray, expected: ExpectedDifferences) -> tuple[Any, np.ndarray]:
        """Rows for the kernels that hold these, and where they are among them."""
        ...

    def take(self, columns: np.ndarray) -> RowStorage: ...

    def shuffled(self, columns: np.ndarray, order: np.ndarray) -> RowStorage: ...


@dataclass(frozen=True)
class DenseStorage:
    """Continuous columns (n, p₁) and bytes (n, p₂)."""

    x: np.ndarray
    codes: np.ndarray
    whole: ClassVar[bool] = True

    @property
    def n_columns(self) -> int:
        return self.x.shape[1] + self.codes.shape[1]

    @property
    def coded(self) -> slice:
        return slice(self.x.shape[1], self.n_columns)

    def pieces(self, expected: ExpectedDifferences) -> Iterator[tuple[int, Any]]:
        yield 0, kernels.dense_rows(self.x, self.codes, expected.kernel())

    def rows_at(self, rows: np.ndarray, expected: ExpectedDifferences) -> tuple[Any, np.ndarray]:
        return kernels.dense_rows(self.x, self.codes, expected.kernel()), rows

    def take(self, columns: np.ndarray) -> DenseStorage:
        plain, coded = _parted(columns, self.x.shape[1])
        return DenseStorage(np.ascontiguousarray(self.x[:, plain]), np.ascontiguousarray(self.codes[:, coded]))

    def shuffled(self, columns: np.ndarray, order: np.ndarray) -> DenseStorage:
        plain, coded = _parted(columns, self.x.shape[1])
        return DenseStorage(_shuffled(self.x, plain, order), _shuffled(self.codes, coded, order))


@dataclass(frozen=True)
class SparseStorage:
    """CSR of scaled values, of which the discrete columns only differ or not."""

    x: Any
    discrete: np.ndarray
    whole: ClassVar[bool] = True
    coded: ClassVar[slice] = slice(0, 0)

    @property
    def n_columns(self) -> int:
        return int(self.x.shape[1])

    def _kernel(self, expected: ExpectedDifferences) -> Any:
        x = self.x
        parts = x.indptr.astype(np.int64), x.indices.astype(np.int32), x.data, self.discrete.astype(np.uint8)
        return kernels.SparseRows(*parts, expected.kernel())

    def pieces(self, expected: ExpectedDifferences) -> Iterator[tuple[int, Any]]:
        yield 0, self._kernel(expected)

    def rows_at(self, rows: np.ndarray, expected: ExpectedDifferences) -> tuple[Any, np.ndarray]:
        return self._kernel(expected), rows

    def take(self, columns: np.ndarray) -> SparseStorage:
        return SparseStorage(self.x[:, columns].tocsr(), self.discrete[columns])

    def shuffled(self, columns: np.ndarray, order: np.ndarray) -> SparseStorage:
        moves = np.isin(np.arange(self.n_columns), columns)
        stays = sp.diags_array((~moves).astype(np.float64))
        return SparseStorage(
            (self.x @ stays + self.x[order] @ sp.diags_array(moves.astype(np.float64))).tocsr(), self.discrete
        )


@dataclass(frozen=True)
class StreamedStorage:
    """Blocks of rows that are read, scaled and forgotten, pass after pass; ``blocks`` starts a pass."""

    blocks: Callable[[], Iterator[Block]]
    layout: ColumnLayout
    n_threads: int
    whole: ClassVar[bool] = False

    @property
    def n_columns(self) -> int:
        return len(self.layout.plain) + len(self.layout.coded)

    @property
    def coded(self) -> slice:
        return slice(len(self.layout.plain), self.n_columns)

    def _filled(self) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        start = 0
        for block in self.blocks():
            used = slice(None) if block.weight is None else block.weight > 0
            X = (block.X.toarray() if sp.issparse(block.X) else block.X)[used]
            if len(X):
                x, codes = self.layout.empty(len(X))
                self.layout.fill(X, 0, x, codes, self.n_threads)
                yield start, x, codes
                start += len(X)

    def pieces(self, expected: ExpectedDifferences) -> Iterator[tuple[int, Any]]:
        for start, x, codes in self._filled():
            yield start, kernels.dense_rows(x, codes, expected.kernel(slice(start, start + len(x))))

    def rows_at(self, rows: np.ndarray, expected: ExpectedDifferences) -> tuple[Any, np.ndarray]:
        x, codes = self.layout.empty(len(rows))
        for start, block_x, block_codes in self._filled():
            here = np.flatnonzero((rows >= start) & (rows < start + len(block_x)))
            x[here], codes[here] = block_x[rows[here] - start], block_codes[rows[here] - start]
        return kernels.dense_rows(x, codes, expected.kernel(rows)), np.arange(len(rows))

    def take(self, columns: np.ndarray) -> StreamedStorage:
        plain, coded = _parted(columns, len(self.layout.plain))
        return StreamedStorage(
            self.blocks, self.layout.take(plain, coded, np.arange(len(self.layout.other))), self.n_threads
        )

    def shuffled(self, columns: np.ndarray, order: np.ndarray) -> StreamedStorage:
        raise InputError(
            "p-values shuffle rows, which this table is too large for: give n_permutations=0 and no fdr, or fewer rows"
        )


def _parted(columns: np.ndarray, n_plain: int) -> tuple[np.ndarray, np.ndarray]:
    return columns[columns < n_plain], columns[columns >= n_plain] - n_plain


def _shuffled(x: np.ndarray, columns: np.ndarray, order: np.ndarray) -> np.ndarray:
    if len(columns) == x.shape[1]:
        return np.ascontiguousarray(x[order])
    out = x.copy()
    out[:, columns] = x[np.ix_(order, columns)]
    return out
