"""Who knows the information of every column and the columns that mRMR chooses by it first?

Discrete columns of 2 to 10 values: some depend on the class, some repeat those with noise, most are noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks import objective
from benchmarks.judging.greedy import LIMIT, is_choice, mean_before, shortfall
from benchmarks.machine import Rates
from benchmarks.objective import Dataset, Table


class Answer(NamedTuple):
    """Columns in the order of their choice, and the information of every column about the class in bits."""

    columns: list[int]
    information: np.ndarray


class Objective(objective.Objective):
    title = "mRMR by mutual information"
    text = (
        "I(x; y) of every column, in bits, and the columns chosen one by one, each of the largest I(x; y) − mean of "
        "I(x; s) over the columns s chosen before. Judged by counts in plain NumPy: the largest error of an "
        "I(x; y), and how far the worst step stays below the best free column, relative to the largest score of its "
        "step; both accepted up to 1e-9, so a tie may be broken either way. fast-select: `mRMR(method='MID')`, "
        "compiled in the warm-up, which takes the less redundant of scores that agree to 1e-5; ITMO-FS: "
        "`MultivariateFilter('MRMR')` and its `matrix_mutual_information`. mrmrs and mrmr-selection know no mutual "
        "information: they are in the next question."
    )
    repeats = 10
    cap = 60.0
    columns = {"error": "error, bits", "shortfall": "shortfall"}  # noqa: RUF012

    def reference(self, data: Discrete) -> np.ndarray:
        return information(data.X, data.y)

    def judge(self, data: Discrete, reference: np.ndarray, result: Answer) -> dict[str, float]:
        X, order = data.X, [int(j) for j in result.columns]
        if np.shape(result.information) != reference.shape or not is_choice(order, data.k, X.shape[1]):
            return dict.fromkeys(self.columns, float("inf"))
        redundancy = np.array([information(X, X[:, j]) for j in order])
        return {
            "error": float(np.abs(result.information - reference).max()),
            "shortfall": shortfall(order, reference - mean_before(redundancy)),
        }

    def accepts(self, judged: dict[str, float]) -> bool:
        return max(judged.values()) <= LIMIT

    def bars(self, table: Table) -> list[dict[str, Any]]:
        return [table.times_faster("times faster than the fastest competitor", table.limit)]

    def bounds(self, data: Discrete, reference: Any, table: Table, rates: Rates) -> list[str]:
        n_bytes, codes = data.X.nbytes, data.X.size
        seconds = (n_bytes + data.k * codes) / rates.bytes
        return [
            f"{seconds:.2g} s to read the table of {n_bytes / 1e6:.3g} MB once and its codes of a byte each, "
            f"{codes / 1e6:.3g} MB, once per choice, at {rates.bytes / 1e9:.0f} GB/s"
        ]


def information(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """H(x) + H(y) − H(x, y) of every column in bits."""
    size, m = int(X.max()) + 1, int(y.max()) + 1
    tables = np.array([np.bincount(x * m + y, minlength=size * m).reshape(size, m) for x in X.T])
    return entropy(tables.sum(axis=2)) + entropy(tables.sum(axis=1)) - entropy(tables.reshape(len(tables), -1))


def entropy(counts: np.ndarray) -> np.ndarray:
    share = counts / counts.sum(axis=-1, keepdims=True)
    return -(share * np.log2(share, where=share > 0, out=np.zeros_like(share))).sum(axis=-1)


@dataclass
class Discrete:
    """Codes, classes, and how many columns to choose."""

    X: np.ndarray
    y: np.ndarray
    k: int


def datasets(quick: bool) -> list[Dataset]:
    n, p, k = (200, 20, 4) if quick else (5_000, 500, 20)
    name = f"{n:,} × {p}, 2 to 10 values, 4 classes, {k} chosen"
    return [Dataset(name, partial(discrete_table, n, p, k), limit=50)]


def discrete_table(n: int, p: int, k: int) -> Discrete:
    """One column in ten depends on the class; another in ten copies one of those and changes a part of its rows."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, n)
    levels = rng.integers(2, 11, p)
    X = rng.integers(0, levels, (n, p))
    relevant = np.arange(0, p, 10)
    for j in relevant:
        rows = rng.random(n) < rng.uniform(0.1, 0.6)
        X[rows, j] = y[rows] % levels[j]
    for j in relevant + 5:
        copied = rng.random(n) < rng.uniform(0.3, 0.9)
        X[copied, j] = X[copied, rng.choice(relevant)] % levels[j]
    return Discrete(X, y, k)
