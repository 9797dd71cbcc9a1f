"""Cuts of columns from counts of all rows in fine cells: for streams that are longer than a ``RowSample``.

The sample gives a grid of up to 1,024 cells for each column, a second pass counts every row in them, and the cuts are
chosen among the ends of cells by these counts. The rows below a quantile cut are then off by less than a cell: by
``largest_share`` of all rows, which is known, and not by what a sample happens to hold. Any split of the rows into
blocks and partitions gives the same grid, the same counts and the same cuts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tamis.stats.binning import Bins, RowSample, quantile_bins, supervised_bins
from tamis.stats.counts import JointCounts

MOST_CELLS = 1 << 10
LEAST_CELLS = 1 << 6
TABLE_BYTES = 1 << 26  # of the counts of all columns
ALL_ROWS = Bins((np.empty(0),))  # a target of one class


def cell_bins(sample: RowSample, binned: np.ndarray, n_classes: int) -> Bins:
    """The cells of the columns in a mask, about equal in weight; the others have one cell.

    1,024 for each column, or as many as 64 MB of counts hold, but at least 64.
    """
    assert sample.rows is not None, "no rows were seen"
    row_bytes = 8 * (n_classes + 1) * max(1, int(np.count_nonzero(binned)))
    n_cells = max(LEAST_CELLS, min(MOST_CELLS, TABLE_BYTES // row_bytes))
    cells = iter(quantile_bins(sample.rows, n_cells, sample.weight, np.flatnonzero(binned)).cuts)
    return Bins(tuple(next(cells) if b else np.empty(0) for b in binned))


@dataclass(frozen=True)
class FineCounts:
    """The weight of each (cell, class) over all rows, and the cuts that follow from it."""

    counts: JointCounts

    @property
    def largest_share(self) -> np.ndarray:
        """Of each column, the share of the weight in its fullest cell, which is the most that a quantile cut has below
        it too much."""
        return np.array([cells.sum(axis=1).max(initial=0.0) / max(cells.sum(), 1.0) for _, cells in self._columns()])

    def quantile_bins(self, n_bins: int) -> Bins:
        """Cuts at the ends of cells: the least with at least k/B of the weight at or below it."""
        found = []
        for ends, cells in self._columns():
            weight = cells.sum(axis=1)
            filled = weight > 0
            found.append(_cuts(quantile_bins(ends[filled, None], n_bins, weight[filled])) if filled.any() else ends[:0])
        return Bins(tuple(found))

    def supervised_bins(self) -> Bins:
        """Cuts at the ends of cells where the classes change, as ``supervised_bins`` of rows."""
        found = []
        for ends, cells in self._columns():
            cell, label = np.nonzero(cells)
            rows = ends[cell, None], label.astype(np.int32), cells.shape[1], cells[cell, label]
            found.append(_cuts(supervised_bins(*rows)) if len(cell) else ends[:0])
        return Bins(tuple(found))

    def _columns(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """(upper ends of the cells, weight by cell and class), rows with a value only."""
        for j, cuts in enumerate(self.counts.bins.cuts):
            yield np.append(cuts, np.inf), self.counts.column(j)[:-1, :-1]


def _cuts(bins: Bins) -> np.ndarray:
    return bins.cuts[0]
