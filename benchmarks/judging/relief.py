"""The judges' own Relief, one row after the other in plain NumPy, and what comparing rows costs at least.

A row adds to the weight of a column how far it is from its misses less how far it is from its hits, means over both;
the weight is the mean over the rows. There are two classes, and columns are scaled to [0, 1].
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from benchmarks.machine import Rates
from benchmarks.objective import Table

ROUNDING = 1e-7  # of weights that are summed in float32
SHIFTS = np.linspace(0.5, 1.5, 10)  # of ten columns by the class
STANDARD_ERRORS = 6.0  # of all columns and repeats, chance brings none so far

Neighbours = Callable[[int, np.ndarray], tuple[np.ndarray, np.ndarray]]


def planted(n: int, p: int, shifts: np.ndarray, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Normal columns and two classes of the same size, which shift the first columns."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(n) % 2
    X = rng.standard_normal((n, p))
    X[:, : len(shifts)] += np.outer(y, shifts)
    return X, y


def scaled(X: np.ndarray) -> np.ndarray:
    low = X.min(axis=0)
    return (X - low) / (X.max(axis=0) - low)


def nearest(y: np.ndarray, k: int) -> Neighbours:
    """ReliefF: the k nearest rows of either class, of equally near ones the first."""

    def choose(i: int, d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        order = np.argsort(d, kind="stable")
        order = order[order != i]
        same = y[order] == y[i]
        return order[same][:k], order[~same][:k]

    return choose


def within(y: np.ndarray) -> Neighbours:
    """MultiSURF: the rows nearer than the mean distance less half a standard deviation."""

    def choose(i: int, d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        others = np.delete(np.arange(len(y)), i)
        near = others[d[others] < d[others].mean() - d[others].std() / 2]
        same = y[near] == y[i]
        return near[same], near[~same]

    return choose


def contributions(X: np.ndarray, rows: Iterable[int], choose: Neighbours) -> np.ndarray:
    """(rows, p) what these rows add to the weights of the columns of X, which are scaled."""
    return np.array([_contribution(X, i, *choose(i, cdist(X[i : i + 1], X, "cityblock")[0])) for i in rows])


def _contribution(X: np.ndarray, i: int, hits: np.ndarray, misses: np.ndarray) -> np.ndarray:
    hit, miss = (np.abs(X[near] - X[i]).sum(axis=0) / max(1, len(near)) for near in (hits, misses))
    return miss - hit


@dataclass(frozen=True)
class Sample:
    """What m of n rows add to the weights: its mean and its standard deviation, column by column."""

    mean: np.ndarray
    spread: np.ndarray
    m: int
    n: int

    @classmethod
    def of(cls, X: np.ndarray, y: np.ndarray, k: int, m: int) -> Sample:
        """By ReliefF, of rows drawn at random."""
        n = len(y)
        rows = np.random.default_rng(1).choice(n, min(m, n), replace=False)
        each = contributions(scaled(X), rows, nearest(y, k))
        return cls(each.mean(axis=0), each.std(axis=0), len(rows), n)

    def deviation(self, weights: np.ndarray, n_rows: int | None = None) -> float:
        """How far weights are from the mean of the sample, in standard errors of both; the farthest column counts.

        ``n_rows``: of how many rows they are the mean (None: of all).
        """
        weights = np.asarray(weights, dtype=np.float64)
        if weights.shape != self.mean.shape or not np.isfinite(weights).all():
            return float("inf")
        left = sum(1 / m - 1 / self.n for m in (self.m, n_rows or self.n))
        return float((np.abs(weights - self.mean) / (self.spread * np.sqrt(left) + ROUNDING)).max())


def weight_errors(result: Any, reference: np.ndarray, first: np.ndarray) -> dict[str, float]:
    """The largest error of a weight relative to the largest weight, and how many others come before the first."""
    weights = np.asarray(result, dtype=np.float64)
    if weights.shape != reference.shape or not np.isfinite(weights).all():
        return {"error": float("inf"), "others": float("inf")}
    error = float(np.abs(weights - reference).max() / np.abs(reference).max())
    return {"error": error, "others": others_first(weights, first)}


def others_first(weights: np.ndarray, first: np.ndarray) -> int:
    """How many of the columns with the largest weights are not the ones that should come first."""
    weights = np.asarray(weights, dtype=np.float64)
    if weights.ndim != 1 or not np.isfinite(weights).all():
        return len(first)
    return len(set(np.argsort(-weights)[: len(first)].tolist()) - set(np.asarray(first).tolist()))


def distance_bound(n: int, row_bytes: int, table: Table, rates: Rates) -> str:
    """Every pair of rows once, two vector operations for each stretch: a difference and its addition."""
    pairs, operations = n * (n - 1) / 2, rates.flops / 2  # multiply-adds of 8 bytes per second
    seconds = 2 * pairs * row_bytes / 8 / operations
    return (
        f"{seconds:.2g} s for the distances of {pairs:.3g} pairs of rows of {row_bytes:,} bytes, a difference and an "
        f"addition each, at as many vector operations as a matrix product has multiply-adds "
        f"({8 * operations / 1e9:.0f} GB/s){table.beside(seconds)}"
    )
