"""A source coded to small integers in memory: what evaluations that count read, over and over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from tamis._core.checks import shorten
from tamis._core.errors import InputError
from tamis._core.memory import require_memory
from tamis._core.progress import Steps, silent
from tamis._core.threads import thread_count
from tamis.sources.base import Block, Source, discrete_columns, gather, matrix_of, row_values, target_column, workers_of
from tamis.stats.binning import NO_WEIGHT, Bins, Distinct, RowSample, code_type, quantile_bins, supervised_bins
from tamis.stats.coding import Coded, CodedTarget, Cut, code_matrix, code_target, refuse_infinite_columns
from tamis.stats.collect import collect
from tamis.stats.counts import JointCounts
from tamis.stats.fine_counts import ALL_ROWS, FineCounts, cell_bins

GROUP_BYTES = 1 << 26  # columns of a table in memory that are read together
MOST_STREAMED = 1 << 16  # values of one discrete column in a stream


@dataclass(frozen=True)
class CodedTable:
    """Codes (p, n) of the columns, below ``levels`` each; classes ``y`` of the rows; weights, empty for all ones.

    Rows of weight 0 are left out. ``values`` are the target's values in code order (positions where it has labels),
    None where it is continuous and was cut into quantiles. ``by_target`` are the columns whose bins were fitted to the
    target.
    """

    codes: np.ndarray
    levels: np.ndarray
    y: np.ndarray
    n_classes: int
    weight: np.ndarray
    values: np.ndarray | None
    by_target: np.ndarray = field(default_factory=lambda: np.empty(0, np.intp))

    @property
    def total(self) -> float:
        return float(self.weight.sum()) if len(self.weight) else float(len(self.y))


def code_source(
    source: Source,
    *,
    task: str = "auto",
    n_bins: int = 10,
    bins: str = "auto",
    weighted_bins: bool = True,
    n_jobs: int | None = None,
    steps: Steps = silent,
) -> CodedTable:
    """The whole source as codes. Missing values are a value of their own. Continuous columns are cut where the classes
    change (``bins="mdl"``) or into ``n_bins`` quantile bins ("quantile"); "auto" takes the first where the target
    has classes. A continuous target is cut into quantiles. Exact in memory and for files of up to 65,536 rows; beyond
    see ``FineCounts``. In memory quantiles of columns may leave the weights aside (``weighted_bins``).
    """
    n_threads = thread_count(n_jobs)
    if source.in_memory:
        y, weight, used = _rows(*read_rows(source))
        target = _target(source, y, weight, task, n_bins)
        cut = _cut(target, weight, n_bins, bins, n_threads, weighted_bins)
        coded = _code_columns(source, used, cut, n_threads)
    else:
        coded, target, weight = _code_stream(source, task, n_bins, bins, n_jobs, steps)
    by_target = np.flatnonzero(~coded.discrete if _supervised(bins, target) else np.zeros(len(coded.levels), bool))
    return CodedTable(coded.codes, coded.levels, target.codes, target.n_classes, weight, target.values, by_target)


def read_target(source: Source, task: str = "auto") -> tuple[CodedTarget, np.ndarray, np.ndarray | None]:
    """The target of all rows coded and as it is, and the weights."""
    y, weight = read_rows(source)
    return _target(source, y, NO_WEIGHT, task), y, weight


def read_rows(source: Source) -> tuple[np.ndarray, np.ndarray | None]:
    """The target and the weights of all rows."""
    y, weight = row_values(source)
    return _required(y), weight


def _rows(y: np.ndarray, weight: np.ndarray | None) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """y and weights of the rows that count, and which they are (None: all)."""
    if weight is None or weight.all():
        return y, NO_WEIGHT if weight is None else np.ascontiguousarray(weight), None
    used = weight > 0
    return y[used], weight[used], used


def _target(source: Source, y: np.ndarray, weight: np.ndarray, task: str, n_bins: int = 10) -> CodedTarget:
    column = target_column(source)
    task = "classification" if column is not None and column.levels is not None else task
    return code_target(y, task=task, n_bins=n_bins, weight=weight if len(weight) else None)


def _supervised(bins: str, target: CodedTarget) -> bool:
    return bins == "mdl" or (bins == "auto" and target.values is not None)


# ---- in memory ---------------------------------------------------------------------------------------------------


def _required(y: np.ndarray | None) -> np.ndarray:
    if y is None:
        raise InputError("requires y to be passed, but the target y is None")
    return y


def _cut(target: CodedTarget, weight: np.ndarray, n_bins: int, bins: str, n_threads: int, weighted_bins: bool) -> Cut:
    given = weight if len(weight) else None
    if _supervised(bins, target):
        return lambda X, columns: supervised_bins(X, target.codes, target.n_classes, given, columns, n_threads)
    return lambda X, columns: quantile_bins(X, n_bins, given if weighted_bins else None, columns, n_threads)


def _code_columns(source: Source, used: np.ndarray | None, cut: Cut, n_threads: int) -> Coded:
    discrete = discrete_columns(source)  # None: the coding finds out which whole numbers have few values
    parts = []
    for columns, X in _column_groups(source):
        X = X if used is None else X[used]
        mask = None if discrete is None else discrete[columns]
        parts.append(code_matrix(X, source.names[columns], discrete=mask, cut=cut, n_threads=n_threads))
    if len(parts) == 1:
        return parts[0]
    codes = np.concatenate([part.codes for part in parts])  # the widest code type of all
    return Coded(codes, np.concatenate([p.levels for p in parts]), np.concatenate([p.discrete for p in parts]))


def column_groups(source: Source) -> Iterator[tuple[int, np.ndarray]]:
    """(first column, dense values), a few columns at a time; files are read once for each few."""
    n, p = source.n_rows if source.n_rows is not None else len(gather(source, [])), source.n_features
    matrix = matrix_of(source)
    by_columns = matrix.tocsc() if sp.issparse(matrix) else matrix
    step = max(1, GROUP_BYTES // (8 * max(1, n)))
    for first in range(0, p, step):
        last = min(p, first + step)
        if by_columns is None:
            yield first, np.concatenate([b.X for b in source.blocks(range(first, last))])
        else:
            part = by_columns[:, first:last]
            yield first, part.toarray() if sp.issparse(part) else part


def _column_groups(source: Source) -> Iterator[tuple[slice, np.ndarray]]:
    """(columns, their dense values), a few columns at a time unless the matrix is there as it is."""
    n, p = source.n_rows or 0, source.n_features
    matrix = matrix_of(source)
    if matrix is not None and not sp.issparse(matrix):
        yield slice(0, p), matrix
        return
    require_memory(n * p, f"coding {n:,} × {p:,} cells", "select fewer columns or rows first")
    for first, X in column_groups(source):
        yield slice(first, first + X.shape[1]), X


# ---- streamed ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TargetAndWeights:
    """The target and the weights of all rows, in order."""

    parts: tuple[tuple[int, np.ndarray, np.ndarray | None], ...] = ()

    def of(self, block: Block) -> Self:
        return replace(self, parts=((block.start, _required(block.y), block.weight),))

    def merge(self, other: Self) -> Self:
        return replace(self, parts=(*self.parts, *other.parts))

    @property
    def y(self) -> np.ndarray:
        return np.concatenate([y for _, y, _ in self._in_order])

    @property
    def weight(self) -> np.ndarray | None:
        weights = [w for _, _, w in self._in_order]
        return None if weights[0] is None else np.concatenate(weights)

    @property
    def _in_order(self) -> list[Any]:
        return sorted(self.parts, key=lambda part: part[0])


def joint_counts(
    source: Source,
    *,
    task: str = "auto",
    n_bins: int = 10,
    bins: str = "auto",
    n_jobs: int | None = None,
    steps: Steps = silent,
) -> JointCounts:
    """Counts of every column with the class in two passes, three for more rows than a ``RowSample`` holds (and one
    where the schema costs one), in memory that does not grow with the rows but for the target and the weights."""
    cuts, target, _ = _stream_bins(source, task, n_bins, bins, n_jobs, steps)
    counts: JointCounts = collect(source, JointCounts(cuts, target.bins), n_jobs=n_jobs, steps=steps)[0]
    return counts


def _code_stream(
    source: Source, task: str, n_bins: int, bins: str, n_jobs: int | None, steps: Steps
) -> tuple[Coded, CodedTarget, np.ndarray]:
    discrete = source.schema.discrete
    n, p = source.n_rows or 0, source.n_features
    require_memory(n * (p + 24), f"coding {n:,} × {p:,} cells", "select fewer columns or rows first")
    cuts, target, weight = _stream_bins(source, task, n_bins, bins, n_jobs, steps)
    codes = _stream_codes(source, cuts, len(target.codes), steps)
    return Coded(codes, cuts.levels, discrete), target, weight


def _stream_bins(
    source: Source, task: str, n_bins: int, bins: str, n_jobs: int | None, steps: Steps
) -> tuple[Bins, CodedTarget, np.ndarray]:
    """The bins of the columns, the target, and the weights of the rows that count."""
    refuse_infinite_columns(c.name for c in source.schema.columns if c.infinite)
    discrete = source.schema.discrete
    rows, sample, distinct = collect(
        source, TargetAndWeights(), RowSample(), Distinct(MOST_STREAMED, discrete), n_jobs=n_jobs, steps=steps
    )
    y, weight, _ = _rows(rows.y, rows.weight)
    target = _target(source, y, weight, task, n_bins)
    supervised = _supervised(bins, target)
    if sample.exact or discrete.all():
        binned = sample.supervised_bins(target.bins) if supervised else sample.quantile_bins(n_bins)
    else:
        binned = _bins_of_counts(source, sample, target.bins if supervised else None, n_bins, n_jobs, steps)
    return _cuts(source.names, discrete, binned, distinct), target, weight


def _bins_of_counts(
    source: Source, sample: RowSample, classes: Bins | None, n_bins: int, n_jobs: int | None, steps: Steps
) -> Bins:
    """One more pass: all rows are counted in fine cells, by class where the cuts are to separate classes."""
    n_classes = 1 if classes is None else len(classes.cuts[0]) + 1
    cells = cell_bins(sample, ~source.schema.discrete, n_classes)
    counts = JointCounts(cells, ALL_ROWS if classes is None else classes)
    fine = FineCounts(collect(source, counts, n_jobs=n_jobs, steps=steps)[0])
    return fine.quantile_bins(n_bins) if classes is None else fine.supervised_bins()


def _cuts(names: list[str], discrete: np.ndarray, binned: Bins, distinct: Distinct) -> Bins:
    values = distinct.values or ()
    crowded = [name for name, is_discrete, v in zip(names, discrete, values, strict=True) if is_discrete and v is None]
    if crowded:
        raise InputError(
            f"{shorten(crowded)} has more than {MOST_STREAMED:,} values: leave it out or do not call it discrete"
        )
    return Bins(tuple(binned.cuts[j] if v is None else v[:-1] for j, v in enumerate(values)))


def _stream_codes(source: Source, bins: Bins, n: int, steps: Steps) -> np.ndarray:
    workers = workers_of(source)
    if workers is not None:  # a byte for each cell comes here
        codes: np.ndarray = workers.reduce(source.partitions(), CodedRows(bins), _side_by_side, steps)
        return codes
    return _filled_codes(source, bins, n, steps)


def _filled_codes(source: Source, bins: Bins, n: int, steps: Steps = silent) -> np.ndarray:
    """Codes of the rows that count, n at most."""
    codes: np.ndarray = np.empty((len(bins.cuts), n), dtype=code_type(int(bins.levels.max(initial=1))))
    start = 0
    for block in steps(source.blocks(), "coding"):
        used = slice(None) if block.weight is None or block.weight.all() else block.weight > 0
        part = bins.codes(block.X)[:, used]
        codes[:, start : start + part.shape[1]] = part
        start += part.shape[1]
    return codes[:, :start]


@dataclass(frozen=True)
class CodedRows:
    """The task of coding a partition."""

    bins: Bins

    def __call__(self, part: Source) -> np.ndarray:
        return _filled_codes(part, self.bins, part.n_rows or 0)


def _side_by_side(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return np.concatenate([first, second], axis=1)
