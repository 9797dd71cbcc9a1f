"""A long table on Dask as entries that stay on the workers: names become numbers, by which Dask orders the entries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from tamis._core.errors import InputError
from tamis._core.memory import fits_memory, human_bytes
from tamis.lowrank.completion.observed import coded, joined, long_columns, values_of
from tamis.lowrank.completion.on_workers import Blocks, WorkerEntries
from tamis.sources.dask_tables import is_dask_frame
from tamis.sources.dask_workers import FAN_IN, OneThread, active_client, compute, computed, dask, kept_on_workers

ON_WORKERS = ("als", "factored")
ENTRY_BYTES = 100  # of an entry that is fitted here: by rows, by columns, and once more without those held out
POSITIONS = 1 << 40  # more rows than a partition has


class Named(NamedTuple):
    """Names in their order of appearance, and how many entries each has."""

    names: np.ndarray
    counts: np.ndarray

    @classmethod
    def of(cls, values: np.ndarray, counted: np.ndarray) -> Named:
        codes, names = coded(values)
        return cls(names, np.bincount(codes, weights=counted, minlength=len(names)))

    def merge(self, other: Named) -> Named:
        return self.of(np.concatenate([self.names, other.names]), np.concatenate([self.counts, other.counts]))


@dataclass(frozen=True)
class OnWorkers:
    """Entries on workers, and the names of rows and columns."""

    X: WorkerEntries
    row_names: np.ndarray
    column_names: np.ndarray


def stays_on_dask(X: Any, method: str) -> bool:
    """Whether a long table is worked on where it is: one too large to be held here, on the workers of a client."""
    if not is_dask_frame(X):
        return False
    n = int(sum(compute(X[[X.columns[0]]].map_partitions(len, meta=("rows", "int64")))))
    if fits_memory(ENTRY_BYTES * n):
        return False
    if method in ON_WORKERS and active_client() is not None:
        return True
    remedy = (
        "start a distributed.Client" if method in ON_WORKERS else "take method='als', which works on Dask's workers"
    )
    raise InputError(
        f"bringing {n:,} entries here from Dask needs {human_bytes(ENTRY_BYTES * n)}, more than may be held: {remedy}, "
        "or set memory_limit higher",
        argument="X",
    )


def entries_on_workers(X: Any, names: Any, duplicates: str) -> OnWorkers:
    """Of a Dask frame with a row for each entry: its row's name, its column's name, its value."""
    frame = X[list(X.columns[:3])] if names[0] is None else X[list(dict.fromkeys(names))]
    delayed = dask().delayed
    pieces = frame.to_delayed()
    found = [delayed(OneThread(_named), pure=False)(piece, tuple(names)) for piece in pieces]
    while len(found) > 1:
        groups = [found[k : k + FAN_IN] for k in range(0, len(found), FAN_IN)]
        found = [delayed(OneThread(_merged), pure=False)(*group) for group in groups]
    rows, columns, dtype = computed(found)[0]
    if not len(rows.names):
        raise InputError("the table has no row: there is nothing to complete from", argument="X")
    shared = [delayed(named.names, pure=False) for named in (rows, columns)]
    numbered = [
        delayed(OneThread(_numbered), pure=False)(piece, tuple(names), *shared, k * POSITIONS, dtype)
        for k, piece in enumerate(pieces)
    ]
    by_rows, by_columns = (_blocks(numbered, side, rows, columns, dtype, duplicates) for side in ("row", "column"))
    entries = WorkerEntries(by_rows, by_columns, (by_rows.rows(_counts), by_columns.rows(_counts)), dtype)
    return OnWorkers(entries, rows.names, columns.names)


def _blocks(numbered: list[Any], side: str, rows: Named, columns: Named, dtype: Any, duplicates: str) -> Blocks:
    """The entries of some rows, or columns, that follow each other, together: Dask's shuffle."""
    import dask.dataframe as dd

    mine, width = (rows, len(columns.names)) if side == "row" else (columns, len(rows.names))
    ends = _ends(mine.counts, len(numbered))
    frame = dd.from_delayed(numbered, meta=_empty(dtype), verify_meta=False)
    if len(ends) > 2:
        frame = frame.set_index(side, divisions=(*ends[:-1].tolist(), int(ends[-1]) - 1))
    task = dask().delayed(OneThread(_block), pure=False)
    pieces = frame.to_delayed()
    made = [
        task(piece, side, int(first), int(last), width, duplicates)
        for piece, first, last in zip(pieces, ends[:-1], ends[1:], strict=True)
    ]
    return Blocks(kept_on_workers(made), ends, width)


def _ends(counts: np.ndarray, n_blocks: int) -> np.ndarray:
    """Where blocks of about as many entries end; no block is without a row."""
    total = np.cumsum(counts)
    goals = np.arange(1, n_blocks) * (total[-1] / n_blocks)
    inner = np.searchsorted(total, goals) + 1
    return np.unique(np.concatenate([[0], inner[inner < len(counts)], [len(counts)]]))


# ---- tasks -----------------------------------------------------------------------------------------------------------


def _named(frame: Any, names: tuple[str | None, ...]) -> tuple[Named, Named, np.dtype]:
    rows, columns, values = long_columns(frame, names)
    values = values_of(values)
    seen = np.isfinite(values).astype(float)
    return Named.of(rows, seen), Named.of(columns, seen), values.dtype


def _merged(*parts: tuple[Named, Named, np.dtype]) -> tuple[Named, Named, np.dtype]:
    rows, columns, dtype = parts[0]
    for more_rows, more_columns, other in parts[1:]:
        rows, columns, dtype = rows.merge(more_rows), columns.merge(more_columns), np.promote_types(dtype, other)
    return rows, columns, dtype


def _numbered(
    frame: Any, names: tuple[str | None, ...], rows: np.ndarray, columns: np.ndarray, first: int, dtype: np.dtype
) -> Any:
    import pandas as pd

    given_rows, given_columns, values = long_columns(frame, names)
    values = values_of(values).astype(dtype, copy=False)
    keep = ~np.isnan(values)
    i, j = pd.Index(rows).get_indexer(given_rows), pd.Index(columns).get_indexer(given_columns)
    place = first + np.arange(len(values))
    found = {"row": i.astype(np.int64), "column": j.astype(np.int64), "value": values, "place": place}
    return pd.DataFrame(found)[keep]


def _empty(dtype: np.dtype) -> Any:
    import pandas as pd

    kinds = {"row": np.int64, "column": np.int64, "value": dtype, "place": np.int64}
    return pd.DataFrame({name: np.zeros(0, kind) for name, kind in kinds.items()})


def _block(frame: Any, side: str, first: int, last: int, width: int, duplicates: str) -> csr_array:
    frame = (frame.reset_index() if side not in frame.columns else frame).sort_values("place")
    other = "column" if side == "row" else "row"
    mine, across = frame[side].to_numpy() - first, frame[other].to_numpy()
    return joined(mine, across, frame["value"].to_numpy(), (last - first, width), duplicates)


def _counts(X: csr_array) -> np.ndarray:
    return np.diff(X.indptr).astype(np.int64)
