"""The rows that redundancy is sought in, as numbers, as logarithms, as ranks and as codes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import gammaln
from scipy.stats import rankdata

from tamis._core.memory import require_memory
from tamis._kernels import kernels
from tamis.sources.base import Source
from tamis.stats import collect
from tamis.stats.binning import Bins, RowSample, sample_size
from tamis.stats.coding import refuse_infinite

MOST_VALUES = 1000  # of a column that may be a function, or have one


@dataclass(frozen=True)
class SampledRows:
    """Rows in an order of chance that does not depend on how they were read; labels are positions, gaps NaN."""

    X: np.ndarray
    y: np.ndarray | None
    weight: np.ndarray
    is_label: np.ndarray

    @cached_property
    def numbers(self) -> np.ndarray:
        """Positions of the columns of numbers that are compared as such: of those with gaps as many, the fullest
        first, as leave at least half of the rows complete. Constant columns are none of them.
        """
        gaps = np.isnan(self.X)
        varied = np.nanmax(self.X, axis=0, initial=-np.inf) > np.nanmin(self.X, axis=0, initial=np.inf)
        columns = np.flatnonzero(~self.is_label & varied)
        order = columns[np.argsort(gaps[:, columns].sum(axis=0), kind="stable")]
        hit = np.logical_or.accumulate(gaps[:, order], axis=1)
        return np.sort(order[hit.sum(axis=0) <= len(self.X) / 2])

    @cached_property
    def complete(self) -> np.ndarray:
        """Mask of the rows without a gap in ``numbers``."""
        return ~np.isnan(self.X[:, self.numbers]).any(axis=1)

    @cached_property
    def plain(self) -> tuple[np.ndarray, np.ndarray]:
        """(columns, their numbers in the complete rows), without those that are constant there."""
        return _varied(self.numbers, self.X[np.ix_(self.complete, self.numbers)])

    @cached_property
    def logs(self) -> tuple[np.ndarray, np.ndarray]:
        """(columns, log |x|) of those that are all above 0, or all below."""
        columns, Z = self.plain
        one_sign = (Z > 0).all(axis=0) | (Z < 0).all(axis=0)
        return _varied(columns[one_sign], np.log(np.abs(Z[:, one_sign])))

    @cached_property
    def ranks(self) -> tuple[np.ndarray, np.ndarray]:
        """(columns, mean ranks) of the same."""
        columns, Z = self.plain
        return columns, rankdata(Z, axis=0) if Z.size else Z

    @cached_property
    def row_weight(self) -> np.ndarray:
        """Of the complete rows."""
        return self.weight[self.complete]

    @cached_property
    def codes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(columns, codes (q, n), levels) of those with few enough values to be counted; a gap is a value."""
        most = int(min(MOST_VALUES, max(2, len(self.X) // 2)))
        found = kernels.distinct_values(self.X, np.arange(self.X.shape[1]), most, 1)
        columns = np.array([j for j, values in enumerate(found) if values is not None], dtype=np.int64)
        bins = Bins(tuple(found[j][:-1] for j in columns))
        codes = bins.codes(np.ascontiguousarray(self.X[:, columns]))
        return columns, codes, bins.levels

    def bits(self, j: int) -> float:
        """log₂ of the number of ways to order the values of a column."""
        counts = np.unique(self.X[:, j], return_counts=True)[1]
        return float((gammaln(counts.sum() + 1) - gammaln(counts + 1).sum()) / np.log(2))


def sample(source: Source, n_jobs: int | None) -> SampledRows:
    """All rows, or a uniform sample of them where they are many (see ``RowSample``); rows of weight 0 are left out."""
    p = source.n_features
    require_memory(24.0 * sample_size(p) * p + 48.0 * p * p, f"comparing {p:,} columns", "select fewer columns first")
    (kept,) = collect(source, RowSample(), n_jobs=n_jobs)
    order = np.argsort(kept.priority)
    order = order[kept.weight[order] > 0]
    X = kept.rows[order]
    refuse_infinite(source.names, np.nanmin(X, axis=0, initial=np.inf), np.nanmax(X, axis=0, initial=-np.inf))
    labels = set(source.labels)
    y = None if kept.y is None else kept.y[order]
    return SampledRows(X, y, kept.weight[order], np.array([name in labels for name in source.names]))


def _varied(columns: np.ndarray, Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    moves = (Z[:1] != Z).any(axis=0) if len(Z) else np.zeros(len(columns), dtype=bool)
    return columns[moves], Z[:, moves]
