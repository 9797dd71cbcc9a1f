"""What the columns hold, judged by their values, so that a table has the same kinds wherever it is stored.

==========  ======================================================  ============================================
kind        numbers (whole: every present value is a whole number)  labels (strings, categories)
==========  ======================================================  ============================================
constant    at most one distinct present value                      the same
date        stored as a date or time stamp                          –
identifier  more than 20 rows, none missing, whole: consecutive     more than 20 present rows, all different
            keys in any order, or increasing by nearly even steps
boolean     only 0 and 1                                            –
discrete    whole, at most 10 distinct values                       what is left
text        –                                                       more than 1,000 distinct, or more than 20
                                                                    and more than half of the present rows
continuous  what is left                                            –
==========  ======================================================  ============================================

Memory is bounded: distinct whole numbers are counted up to 1,000, distinct labels up to 100,000. Beyond that
``n_distinct`` is None, and labels that were all different up to there are taken for an identifier.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis.sources.base import Column, Kind
from tamis.sources.parts import Coded, in_order

DISCRETE_MOST = 10
NUMBERS_MOST = 1_000
LEVELS_MOST = 1_000
UNPARSED_SHARE = 0.1  # of the rows: fewer cells that are not numbers than this are slips among numbers
UNPARSED_ROWS = 10_000  # before as many rows are seen, labels may still turn out to be slips
LABELS_MOST = 100_000
KEY_ROWS = 20  # in tables with fewer rows different values are no sign of a key
EVEN = 0.5  # steps are nearly even where their standard deviation is at most this share of their mean
COUNT_ROWS = 8  # ... except for rows that are numbered
NARROW = 1 << 9  # whole numbers within this range of each other are counted in a table
PIECE = 1 << 20  # numbers looked at together: temporaries stay in the cache


class NumberProfile:
    """Counts, mean, range and distinct whole numbers of p numeric columns, one block after another."""

    def __init__(self, p: int) -> None:
        self.n = 0
        self.missing = np.zeros(p, dtype=np.int64)
        self.infinite = np.zeros(p, dtype=np.int64)
        self.total = np.zeros(p)
        self.low = np.full(p, np.inf)
        self.high = np.full(p, -np.inf)
        self.whole = np.ones(p, dtype=bool)
        self.value_counts = [ValueCounts() for _ in range(p)]
        self.keys = [Key() for _ in range(p)]

    def add(self, X: Any) -> None:
        """Take in the next rows: a dense or sparse block. Sums of numbers near the largest float may be infinite."""
        with np.errstate(over="ignore", invalid="ignore"):
            if sp.issparse(X):
                self._add_sparse(X.tocsc())
                return
            step = max(1, PIECE // max(1, X.shape[1]))
            for start in range(0, X.shape[0], step):
                self._add_dense(X[start : start + step])

    def merge(self, other: NumberProfile) -> None:
        """Take in a profile of the rows that follow."""
        self.n += other.n
        for name in ("missing", "infinite", "total"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.low, self.high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        self.whole = self.whole & other.whole
        for mine, others in zip(self.value_counts, other.value_counts, strict=True):
            mine.merge(others)
        for j, (key, others_key) in enumerate(zip(self.keys, other.keys, strict=True)):
            key.merge(others_key, bool(self.whole[j]) and not self.value_counts[j].has_repeats)

    def _add_dense(self, X: np.ndarray) -> None:
        finite = np.isfinite(X)
        where: Any = True if finite.all() else finite
        if where is not True:
            self._count_gaps(np.isnan(X).sum(axis=0), (~finite).sum(axis=0))
        self.n += X.shape[0]
        self.total += X.sum(axis=0, dtype=np.float64, where=where)
        low = X.min(axis=0, where=where, initial=np.inf)
        high = X.max(axis=0, where=where, initial=-np.inf)
        self.low, self.high = np.minimum(self.low, low), np.maximum(self.high, high)
        if where is True:
            self._add_whole_together(X, low, high)
            return
        for j in np.flatnonzero(self.whole).tolist():
            self._add_whole(j, X[finite[:, j], j], ordered=True)

    def _add_whole_together(self, X: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
        """Columns without gaps: those of a narrow range are counted many at a time, each from its lowest value up."""
        open_ = np.flatnonzero(self.whole)
        if len(open_) == 0:
            return
        W = X if len(open_) == X.shape[1] else X[:, open_]
        self.whole[open_] = (np.rint(W) == W).all(axis=0)
        narrow = self.whole & (high - low < NARROW)
        for j in np.flatnonzero(self.whole & ~narrow).tolist():
            self._add_whole(j, X[:, j], ordered=True)
        columns = np.flatnonzero(narrow)
        for start in range(0, len(columns), PIECE // NARROW):
            self._count_narrow(X, columns[start : start + PIECE // NARROW], low)

    def _count_narrow(self, X: np.ndarray, columns: np.ndarray, low: np.ndarray) -> None:
        codes = (X[:, columns] - low[columns]).astype(np.int64) + NARROW * np.arange(len(columns))
        counts = np.bincount(codes.ravel(), minlength=NARROW * len(columns)).reshape(-1, NARROW)
        for j, count in zip(columns.tolist(), counts, strict=True):
            self.value_counts[j].add_counts(float(low[j]), count)
            if self.keys[j].possible:
                self.keys[j].add(X[:, j], not self.value_counts[j].has_repeats)

    def _add_sparse(self, X: Any) -> None:
        finite = np.isfinite(X.data)
        column = np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))
        missing, not_finite = (np.bincount(column[m], minlength=X.shape[1]) for m in (np.isnan(X.data), ~finite))
        self._count_gaps(missing, not_finite)
        self.n += X.shape[0]
        data, column = X.data[finite].astype(np.float64), column[finite]
        self.total += np.bincount(column, weights=data, minlength=X.shape[1])
        np.minimum.at(self.low, column, data)
        np.maximum.at(self.high, column, data)
        zeros = X.shape[0] - np.diff(X.indptr)
        self.low[zeros > 0] = np.minimum(self.low[zeros > 0], 0.0)
        self.high[zeros > 0] = np.maximum(self.high[zeros > 0], 0.0)
        for j in np.flatnonzero(self.whole).tolist():
            x = X.data[X.indptr[j] : X.indptr[j + 1]]
            self._add_whole(j, x[np.isfinite(x)], ordered=False)
            self.value_counts[j].add_zeros(int(zeros[j]))

    def _count_gaps(self, missing: np.ndarray, not_finite: np.ndarray) -> None:
        self.missing += missing
        self.infinite += not_finite - missing

    def _add_whole(self, j: int, x: np.ndarray, ordered: bool) -> None:
        self.whole[j] = np.array_equal(x, np.rint(x))
        if self.whole[j]:
            self.value_counts[j].add(x)
            if self.keys[j].possible:
                self.keys[j].add(x, ordered and not self.value_counts[j].has_repeats)

    def column(self, j: int, name: str, *, date: bool = False) -> Column:
        present = int(self.n - self.missing[j] - self.infinite[j])
        tally = self.value_counts[j] if self.whole[j] else None
        return Column(
            name,
            Kind.DATE if date and self.low[j] < self.high[j] else self._kind(j, present),
            missing=int(self.missing[j]),
            n_distinct=tally.n_distinct if tally else None,
            infinite=int(self.infinite[j]),
            counts=tally.listed_counts if tally else None,
            mean=float(self.total[j] / present) if present else None,
            low=float(self.low[j]) if present else None,
            high=float(self.high[j]) if present else None,
            stored_as_date=date,
        )

    def _kind(self, j: int, present: int) -> Kind:
        if not self.infinite[j] and not self.low[j] < self.high[j]:
            return Kind.CONSTANT
        if not self.whole[j]:
            return Kind.CONTINUOUS
        if present == self.n and self.keys[j].is_key(self.low[j], self.high[j], self.n):
            return Kind.IDENTIFIER
        if self.low[j] == 0 and self.high[j] == 1:
            return Kind.BOOLEAN
        n_distinct = self.value_counts[j].n_distinct
        return Kind.DISCRETE if n_distinct is not None and n_distinct <= DISCRETE_MOST else Kind.CONTINUOUS


class ValueCounts:
    """Distinct numbers and how often each occurs, until there are more than NUMBERS_MOST."""

    def __init__(self) -> None:
        self.values: np.ndarray | None = np.zeros(0)
        self.counts = np.zeros(0, dtype=np.int64)

    def add(self, x: np.ndarray) -> None:
        if self.values is None:
            return
        # A column with many values shows them early: look at a few before sorting all.
        if len(np.unique(x[: 2 * NUMBERS_MOST])) > NUMBERS_MOST:
            self.values = None
            return
        self._merge(*np.unique(x, return_counts=True))

    def add_counts(self, low: float, counts: np.ndarray) -> None:
        """``counts[k]`` rows hold low + k."""
        if self.values is not None:
            seen = counts.nonzero()[0]
            self._merge(seen + low, counts[seen])

    def add_zeros(self, n: int) -> None:
        if n and self.values is not None:
            self._merge(np.zeros(1), np.array([n]))

    def merge(self, other: ValueCounts) -> None:
        if other.values is None:
            self.values = None
        elif self.values is not None:
            self._merge(other.values, other.counts)

    def _merge(self, values: np.ndarray, counts: np.ndarray) -> None:
        assert self.values is not None
        if len(self.values) == 0:
            self.values, self.counts = values, counts
            return
        if np.array_equal(self.values, values):
            self.counts = self.counts + counts
            return
        merged, inverse = np.unique(np.concatenate([self.values, values]), return_inverse=True)
        if len(merged) > NUMBERS_MOST:
            self.values = None
            return
        self.counts = np.bincount(inverse, weights=np.concatenate([self.counts, counts])).astype(np.int64)
        self.values = merged

    @property
    def n_distinct(self) -> int | None:
        return None if self.values is None else len(self.values)

    @property
    def listed_counts(self) -> tuple[int, ...] | None:
        return None if self.values is None else tuple(self.counts.tolist())

    @property
    def has_repeats(self) -> bool:
        return self.values is not None and len(self.counts) > 0 and bool((self.counts > 1).any())


class Key:
    """Whether whole numbers look like keys: increasing by nearly even steps, or each of a run of consecutive numbers
    once, in any order.

    Keys with holes where rows were deleted have steps whose standard deviation is well below their mean; values that
    were measured and sorted, or that add up, have not: steps between sorted uniform numbers have both equal.

    In short tables both happen by chance, and only rows counted one by one (k, k + 1, k + 2, …) are taken for keys.

    The second is recognised by a sum of hashes, Σ h(x_i) = Σ h(low … high) mod 2⁶⁴: others pass with chance about 2⁻⁶⁴.
    """

    def __init__(self) -> None:
        self.possible = True
        self.increasing = True
        self.first, self.last = np.nan, -np.inf
        self.squares = 0.0  # Σ step²
        self.sum = 0

    def add(self, x: np.ndarray, possible: bool) -> None:
        self.possible = self.possible and possible
        if self.possible and len(x):
            self.possible = bool(np.abs(x).max() < 2**53)
        if not self.possible or len(x) == 0:
            return
        steps = np.diff(x, prepend=self.last) if np.isfinite(self.last) else np.diff(x)
        self.increasing = self.increasing and bool((steps > 0).all())
        self.first = self.first if np.isfinite(self.last) else float(x[0])
        self.squares += float(np.square(steps, dtype=np.float64).sum())
        self.last = float(x[-1])
        self.sum = (self.sum + _hash_sum(x)) % 2**64

    def merge(self, other: Key, possible: bool) -> None:
        """With the rows that follow."""
        self.possible = self.possible and other.possible and possible
        if not self.possible or not np.isfinite(other.last):
            return
        if np.isfinite(self.last):
            step = other.first - self.last
            self.increasing = self.increasing and step > 0
            self.squares += step**2
        self.first = self.first if np.isfinite(self.last) else other.first
        self.increasing = self.increasing and other.increasing
        self.squares += other.squares
        self.last = other.last
        self.sum = (self.sum + other.sum) % 2**64

    def is_key(self, low: float, high: float, n: int) -> bool:
        if not self.possible:
            return False
        run = high - low + 1 == n
        if n <= KEY_ROWS:
            return n > COUNT_ROWS and run and self.increasing
        step = (high - low) / (n - 1)
        even = self.squares / (n - 1) - step**2 <= (EVEN * step) ** 2
        return (self.increasing and even) or (run and self.sum == _hash_sum(np.arange(low, high + 1)))


def _hash_sum(x: np.ndarray) -> int:
    """Σ h(x_i) mod 2⁶⁴, h the finaliser of splitmix64."""
    z = x.astype(np.int64).view(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return int(np.sum(z ^ (z >> np.uint64(31)), dtype=np.uint64))


class UnparsedCells:
    """Cells that are not numbers in a column where nearly all are: slips, or marks for missing values."""

    def __init__(self) -> None:
        self.count = 0
        self.first: tuple[str, int] | None = None  # the cell and its row
        self.possible = True

    def add(self, part: Coded, counts: np.ndarray, start: int) -> None:
        present = np.flatnonzero(counts)
        if not self.possible and len(present) > LEVELS_MOST:  # text: each of its many cells is taken for an exception
            self.count += int(counts.sum())
            return
        others = [i for i in present.tolist() if not _is_number(part.labels[i])]
        self.count += int(counts[others].sum())
        self.possible = self.count <= UNPARSED_SHARE * max(int(counts.sum()) + start, UNPARSED_ROWS)
        if others and self.first is None:
            row = int(np.flatnonzero(np.isin(part.codes, others))[0])
            self.first = (str(part.labels[part.codes[row]]), start + row)

    def merge(self, other: UnparsedCells, start: int) -> None:
        """With the rows from number ``start`` on."""
        self.count += other.count
        self.possible = self.possible and other.possible
        if self.first is None and other.first is not None:
            self.first = (other.first[0], start + other.first[1])

    def describe(self, present: int) -> str | None:
        """A sentence about them, or None where the column is one of labels."""
        if self.first is None or not self.count <= UNPARSED_SHARE * present:
            return None
        cell, row = self.first
        return f"numbers, but text in {self.count:,} of {present:,} rows (first {cell!r} in row {row + 1:,})"


def _is_number(label: Any) -> bool:
    try:
        float(label)
    except (TypeError, ValueError):
        return False
    return True


class LabelProfile:
    """Counts of the labels of one column, one part after another."""

    def __init__(self) -> None:
        self.n = 0
        self.missing = 0
        self.counts: dict[Any, int] | None = {}
        self.declared: Sequence[Any] | None = None
        self.different = True
        self.unparsed = UnparsedCells()

    def add(self, part: Coded) -> None:
        counts = np.bincount(part.codes + 1, minlength=len(part.labels) + 1)
        self.unparsed.add(part, counts[1:], self.n)
        self.n += len(part.codes)
        self.missing += int(counts[0])
        if part.declared:
            self.declared = part.labels
        if self.counts is None:
            return
        for i in np.flatnonzero(counts[1:]).tolist():
            label = part.labels[i]
            self.counts[label] = self.counts.get(label, 0) + int(counts[i + 1])
        if len(self.counts) > LABELS_MOST:
            self.different = len(self.counts) == self.n - self.missing
            self.counts = None

    def merge(self, other: LabelProfile) -> None:
        """Take in a profile of the rows that follow."""
        different = self._all_different and other._all_different
        self.unparsed.merge(other.unparsed, self.n)
        self.n += other.n
        self.missing += other.missing
        self.declared = self.declared if other.declared is None else other.declared
        if self.counts is None or other.counts is None:
            self.different, self.counts = different, None
            return
        for label, count in other.counts.items():
            self.counts[label] = self.counts.get(label, 0) + count
        if len(self.counts) > LABELS_MOST:
            self.different = len(self.counts) == self.n - self.missing
            self.counts = None

    def column(self, name: str) -> Column:
        n_distinct = None if self.counts is None else len(self.counts)
        levels = self._levels()
        return Column(
            name,
            self._kind(n_distinct),
            missing=self.missing,
            n_distinct=n_distinct,
            levels=levels,
            counts=None if levels is None or self.counts is None else tuple(self.counts[v] for v in levels),
            readable=levels is not None,
            unparsed=None if self.declared else self.unparsed.describe(self.n - self.missing),
        )

    @property
    def _all_different(self) -> bool:
        return self.different if self.counts is None else len(self.counts) == self.n - self.missing

    def _levels(self) -> tuple[Any, ...] | None:
        if self.counts is None or len(self.counts) > LEVELS_MOST:
            return None
        if self.declared is not None:
            return tuple(v for v in self.declared if v in self.counts)
        return tuple(in_order(self.counts))

    def _kind(self, n_distinct: int | None) -> Kind:
        present = self.n - self.missing
        if n_distinct is None:
            return Kind.IDENTIFIER if self.different else Kind.TEXT
        if n_distinct <= 1:
            return Kind.CONSTANT
        if n_distinct == present and present > KEY_ROWS:
            return Kind.IDENTIFIER
        crowded = n_distinct > KEY_ROWS and n_distinct > present / 2
        return Kind.TEXT if crowded or n_distinct > LEVELS_MOST else Kind.DISCRETE


def profile_labels(part: Coded, name: str) -> Column:
    """The column that one part makes alone."""
    profile = LabelProfile()
    profile.add(part)
    return profile.column(name)
