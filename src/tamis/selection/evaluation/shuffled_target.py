"""Targets shuffled within cells of rows, and what counts make of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tamis._core.memory import require_memory
from tamis._kernels import kernels
from tamis.sources.base import Source, row_values
from tamis.stats.coded import CodedTable, column_groups

if TYPE_CHECKING:
    from tamis.selection.evaluation.counting import PartitionSums

MOST_CELLS = 1 << 19  # rows × columns of a table that is shuffled; of a larger one rows are drawn …
LEAST_ROWS = 2_048  # … but not fewer than these


@dataclass(frozen=True)
class ValueOrder:
    """The columns whose bins are fitted to the target: ``order`` are the rows by rising value, missing ones last,
    ``rank`` the place of each one's value among the distinct values, −1 where it is missing. ``place[j]`` is the row of
    both that belongs to column j, −1 for a column whose codes stay."""

    place: np.ndarray
    order: np.ndarray
    rank: np.ndarray


def value_order(source: Source, table: CodedTable) -> ValueOrder:
    """Of a source in memory; rows of weight 0 are left out, as they are from the table."""
    p, n, q = len(table.levels), len(table.y), len(table.by_target)
    require_memory(8 * n * q, f"the order of {n:,} × {q:,} values", "select columns by Ranking first")
    place = np.full(p, -1, dtype=np.int64)
    place[table.by_target] = np.arange(q)
    order, rank = np.empty((q, n), np.int32), np.empty((q, n), np.int32)
    used = _used_rows(source, n)
    for first, X in column_groups(source) if q else ():
        for j in range(first, first + X.shape[1]):
            if place[j] >= 0:
                x = np.asarray(X[used, j - first], dtype=np.float64)
                order[place[j]] = np.argsort(x, kind="stable")  # NaN comes last
                values = x[order[place[j]]]
                rank[place[j]] = np.cumsum(np.r_[False, values[1:] != values[:-1]])
                rank[place[j]][np.isnan(values)] = -1
    return ValueOrder(place, order, rank)


def _used_rows(source: Source, n: int) -> np.ndarray | slice:
    weight = row_values(source)[1]
    return slice(None) if weight is None or len(weight) == n else weight > 0


def shuffles_within(
    rows: np.ndarray, starts: np.ndarray, n: int, n_shuffles: int, rng: np.random.Generator
) -> np.ndarray:
    """(n_shuffles, n) which row's target each row gets: cell c holds rows[starts[c] : starts[c + 1]], and a row in
    none keeps its own."""
    cell = np.repeat(np.arange(len(starts) - 1, dtype=np.float64), np.diff(starts))
    taken = np.argsort(cell + rng.random((n_shuffles, len(rows))), axis=1)
    out = np.tile(np.arange(n, dtype=np.int32), (n_shuffles, 1))
    out[:, rows] = rows[taken]
    return out


def shuffled_sums(
    state: PartitionSums, values: ValueOrder, subset: tuple[int, ...], candidates: Sequence[int], taken: np.ndarray
) -> np.ndarray:
    """(n_shuffles, n_candidates, width) sums of the partition by the subset and each candidate where row i has the
    target and the weight of row ``taken[b, i]``; bins that follow the target are cut anew."""
    t, B = state.table, len(taken)
    out = np.empty((len(candidates), B * state.width))
    weights = np.ascontiguousarray(t.weight[taken]) if len(t.weight) else np.empty((0, 0))
    kernels.shuffled_sums(
        t.codes,
        t.levels,
        *state.partition(subset),
        np.asarray(candidates, dtype=np.int64),
        values.place,
        values.order,
        values.rank,
        np.ascontiguousarray(t.y[taken]),
        t.n_classes,
        weights,
        t.total,
        state.xlogx,
        state.width,
        out,
        state.n_threads,
    )
    return out.reshape(len(candidates), B, state.width).transpose(1, 0, 2)


def drawn_rows(y: np.ndarray, n_columns: int) -> np.ndarray | None:
    """Rows of a table too large to be shuffled whole, as many of each class as it has of them; None where it is not.

    The draw looks at the target alone, so that a column that has nothing to do with it has nothing to do with it in
    these rows.
    """
    n = len(y)
    most = max(LEAST_ROWS, MOST_CELLS // max(1, n_columns))
    if n <= most:
        return None
    rng = np.random.default_rng(n)
    shuffled = rng.permutation(n)
    by_class = shuffled[np.argsort(y[shuffled], kind="stable")]
    return np.sort(by_class[np.linspace(0, n - 1, most).round().astype(np.intp)])
