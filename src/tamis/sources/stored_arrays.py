"""Arrays of numbers on disk that are read by rows: Zarr arrays, and memory maps that memory does not hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tamis._core.errors import InputError
from tamis._core.memory import held_memory
from tamis.sources.arrays import as_slice
from tamis.sources.base import Block, Column, Partitioned, RowValues, Schema
from tamis.sources.kinds import Discrete, as_discrete
from tamis.sources.profile import NumberProfile
from tamis.sources.target import Target

BLOCK_BYTES = 1 << 23
PARTITION_BYTES = 1 << 28


def is_stored(X: Any) -> bool:
    """A Zarr array, or a memory map of a file that does not fit into the memory for rows."""
    if type(X).__module__.partition(".")[0] == "zarr" and hasattr(X, "shape") and hasattr(X, "dtype"):
        return True
    return isinstance(X, np.memmap) and getattr(X, "filename", None) is not None and X.nbytes > held_memory()


class StoredSource(Partitioned):
    """A stored matrix with its target and weights; each pass reads it again, some rows at a time."""

    in_memory = False
    by_columns = False

    def __init__(
        self, X: Any, target: Target | None = None, weight: np.ndarray | None = None, discrete: Any = "auto"
    ) -> None:
        if len(X.shape) != 2:
            raise InputError(f"Expected 2D array, got {len(X.shape)}D array instead: X has shape {tuple(X.shape)}")
        if np.dtype(X.dtype).kind not in "fiub":
            raise InputError(f"X is stored as {X.dtype}: only arrays of numbers are read by rows", argument="X")
        self.rows_of = MappedRows(X) if isinstance(X, np.memmap) else X
        self.n_rows: int | None = int(X.shape[0])
        self.n_features = int(X.shape[1])
        self.names = [f"x{j}" for j in range(self.n_features)]
        self.first_row = 0
        self.target, self.weight = target, weight
        self.discrete: Discrete = as_discrete(discrete, self.names)
        self.dtype = np.dtype(np.float32 if X.dtype == np.float32 else np.float64)
        chunk = getattr(X, "chunks", None)
        self.step = self._step(BLOCK_BYTES, 1 if chunk is None else int(chunk[0]))

    def _step(self, n_bytes: int, chunk: int) -> int:
        """Rows of about so many bytes: whole chunks where they are stored in chunks."""
        rows = max(1, n_bytes // (8 * max(1, self.n_features)))
        return max(chunk, rows // chunk * chunk)

    @property
    def labels(self) -> list[str]:
        return [self.target.name] if self.target is not None and self.target.is_label else []

    def _make_schema(self) -> Schema:
        profile = NumberProfile(self.n_features)
        for block in self.blocks():
            profile.add(block.X)
        columns = [profile.column(j, name) for j, name in enumerate(self.names)]
        return Schema(self.discrete.applied(columns), self.target_column())

    @property
    def weighted(self) -> bool:
        return self.weight is not None

    def target_column(self) -> Column | None:
        return None if self.target is None else self.target.column

    def row_values(self) -> RowValues:
        return None if self.target is None else self.target.values, self.weight

    def blocks(self, columns: Sequence[int] | None = None) -> Iterator[Block]:
        n, chosen = self.n_rows or 0, slice(None) if columns is None else as_slice(columns)
        for start in range(0, n, self.step):
            rows = slice(start, min(n, start + self.step))
            stored = slice(self.first_row + rows.start, self.first_row + rows.stop)
            X = np.asarray(self.rows_of[stored])[:, chosen].astype(self.dtype, copy=False)
            y, weight = (None if v is None else v[rows] for v in self.row_values())
            yield Block(X, y, weight, stored.start)

    def partitions(self) -> Sequence[StoredSource]:
        """Runs of rows of about 256 MB."""
        n, rows = self.n_rows or 0, self.step * max(1, PARTITION_BYTES // BLOCK_BYTES)
        if n <= rows:
            return [self]
        return [self._rows(start, min(n, start + rows)) for start in range(0, n, rows)]

    def _rows(self, start: int, stop: int) -> StoredSource:
        part = self._copy()
        part.n_rows, part.first_row = stop - start, self.first_row + start
        part.target = None if self.target is None else self.target.rows(slice(start, stop))
        part.weight = None if self.weight is None else self.weight[start:stop]
        return part


class MappedRows:
    """A memory map that is opened anew for each reading: what was read does not stay in memory, and a pickle holds the
    name of the file, not the numbers.
    """

    def __init__(self, X: np.memmap) -> None:
        order = "C" if X.flags.c_contiguous else "F"
        if not X.flags.forc or X.base is None or isinstance(X.base, np.memmap):
            raise InputError(
                "X is a part of a memory map larger than the memory limit: give the map of the whole file, or raise "
                "tamis.set_config(memory_limit=…)",
                argument="X",
            )
        self.opened: dict[str, Any] = {
            "filename": str(X.filename), "dtype": X.dtype, "mode": "r", "offset": X.offset, "shape": X.shape,
            "order": order,
        }  # fmt: skip

    def __getitem__(self, rows: slice) -> np.ndarray:
        try:
            return np.array(np.memmap(**self.opened)[rows])
        except (OSError, ValueError) as error:
            raise InputError(f"{self.opened['filename']} has changed since it was mapped: {error}") from None
