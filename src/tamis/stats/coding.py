"""Coding a matrix and a target in memory to small integers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from tamis._core.checks import shorten
from tamis._core.errors import InputError
from tamis._kernels import kernels
from tamis.stats.binning import Bins, code_type, extents, kernel_matrix, quantile_bins

MOST_DISCRETE = 10  # integers with at most this many values are discrete
MOST_CLASSES = 100  # whole-number labels: at most so many classes …
CLASS_ROWS = 20  # … with at least so many rows each on average, when there are more than MOST_DISCRETE
EXACT_WHOLE = 2.0**53  # beyond, whole numbers are not exact in float64

Cut = Callable[[np.ndarray, np.ndarray], Bins]  # the bins of some columns (positions) of a matrix


@dataclass(frozen=True)
class Coded:
    """Codes (p, n) of the columns, below ``levels`` each, and which columns are discrete."""

    codes: np.ndarray
    levels: np.ndarray
    discrete: np.ndarray


@dataclass(frozen=True)
class CodedTarget:
    """Classes 0 … K − 1 of the rows; ``values`` are the labels in code order, None where y was cut into quantiles."""

    codes: np.ndarray
    n_classes: int
    values: np.ndarray | None
    bins: Bins


def code_matrix(
    X: np.ndarray,
    names: list[str],
    *,
    discrete: np.ndarray | None,
    cut: Cut,
    n_threads: int,
) -> Coded:
    """Codes of a matrix in memory. ``discrete`` is a mask, or None for the rule: whole numbers with at most 10
    values. ``cut`` makes the bins of the other columns.
    """
    X = kernel_matrix(X)
    low, high, missing, whole = extents(X, n_threads)
    refuse_infinite(names, low, high)
    small = whole & (high - low < 254) & (np.maximum(abs(low), abs(high)) < EXACT_WHOLE) | (low > high)
    width = np.where(low > high, 0, high - low)
    discrete = whole_and_few(X, whole, width, n_threads) if discrete is None else discrete
    by_offset, by_cut = np.flatnonzero(discrete & small), np.flatnonzero(~(discrete & small))
    cuts = _cuts(X, by_cut, discrete, cut, n_threads)
    levels = (np.where(low > high, 0, width + 1) + (missing > 0)).astype(np.int32)
    levels[by_cut] = cuts.levels - (missing[by_cut] == 0)
    codes: np.ndarray = np.empty(X.shape[::-1], dtype=code_type(int(np.max(levels))))
    kernels.offset_codes(X, by_offset, np.where(low > high, 0, low), levels, codes, n_threads)
    cuts.fill(X, by_cut, codes, n_threads)
    return Coded(codes, levels, discrete)


def whole_and_few(X: np.ndarray, whole: np.ndarray, width: np.ndarray, n_threads: int) -> np.ndarray:
    """Which columns hold whole numbers with at most 10 values; ``width`` is highest less lowest."""
    discrete = whole & (width < MOST_DISCRETE)
    unsure = np.flatnonzero(whole & ~discrete)
    found = kernels.distinct_values(X, unsure, MOST_DISCRETE, n_threads)
    discrete[unsure] = [values is not None for values in found]
    return discrete


def _cuts(X: np.ndarray, columns: np.ndarray, discrete: np.ndarray, cut: Cut, n_threads: int) -> Bins:
    """Cuts of some columns: between all distinct values of a discrete one, by ``cut`` of a continuous one."""
    of: dict[int, np.ndarray] = {}
    exact, binned = columns[discrete[columns]], columns[~discrete[columns]]
    values = kernels.distinct_values(X, exact, len(X), n_threads)
    of.update((j, v[:-1]) for j, v in zip(exact, values, strict=True))
    if len(binned):
        of.update(zip(binned, cut(X, binned).cuts, strict=True))
    return Bins(tuple(of[j] for j in columns))


def code_target(
    y: np.ndarray, *, task: str = "auto", n_bins: int = 10, weight: np.ndarray | None = None
) -> CodedTarget:
    """Classes of a numeric target: its values, or quantile bins where it is continuous.

    Under ``task="auto"`` whole numbers are classes when there are at most 10 of them, or at most 100 with 20 rows
    each on average.
    """
    Y = kernel_matrix(np.asarray(y, dtype=np.float64)[:, None])
    low, high, missing, whole = extents(Y)
    if missing[0]:
        raise InputError(
            f"Input y contains NaN: {missing[0]} of {len(Y)} rows have no target; leave them out or fill them in"
        )
    if np.isinf(low[0]) or np.isinf(high[0]):
        raise InputError("Input y contains infinity: replace or leave out those rows")
    most = len(Y) if task == "classification" else max(MOST_DISCRETE, min(MOST_CLASSES, len(Y) // CLASS_ROWS))
    values = kernels.distinct_values(Y, np.zeros(1, np.int64), most, 1)[0]
    classes = task == "classification" or (task == "auto" and values is not None and bool(whole[0]))
    bins = Bins((values[:-1],)) if classes else quantile_bins(Y, n_bins, weight)
    codes = bins.codes(Y)[0].astype(np.int32)
    if not (codes != codes[0]).any():
        what = "class" if classes else "value"
        raise InputError(f"y has only one {what} in all rows: there is nothing to tell apart, give at least two")
    return CodedTarget(codes, len(bins.cuts[0]) + 1, values if classes else None, bins)


def refuse_infinite(names: list[str], low: np.ndarray, high: np.ndarray) -> None:
    """An InputError that names the columns with infinite values, by the least and largest of each."""
    refuse_infinite_columns(names[j] for j in np.flatnonzero((low <= high) & (np.isinf(low) | np.isinf(high))))


def refuse_infinite_columns(names: Iterable[str]) -> None:
    if bad := list(names):
        raise InputError(f"X contains infinity in {shorten(bad)}: replace or leave out those values", argument="X")
