"""Does ReliefF weigh a genome in minutes, in the memory of a laptop?

Genotypes: columns of 0, 1 or 2 copies of the rarer letter, and an illness that a pair of them brings.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks import objective
from benchmarks.judging.relief import distance_bound, nearest, weight_errors
from benchmarks.machine import Rates
from benchmarks.objective import Dataset, Table, bar

LIMIT = 1e-4  # weights summed in float32; another neighbour of one row would be more
COMPARED, MADE = 2_000, 5_000  # columns at a time: what the judge compares, what is made


class Objective(objective.Objective):
    title = "ReliefF on genotypes"
    text = (
        "ReliefF with 10 neighbours on columns of 0, 1, 2 as bytes, values equal or not; a pair of columns makes ill "
        "together. Judged in plain NumPy: the largest error of a weight, relative to the largest weight, accepted up "
        "to 1e-4, and whether the pair comes first. Rows are counted as apart by matrix products of indicators, and of "
        "equally near rows the first is taken, as all do here. fast-select is given its float32, compiled before, and "
        "stopped after five minutes. scikit-rebate and ITMO-FS call Python for every row and column, 540 million "
        "times, and are not asked. Memory is what the call adds to X of 0.54 GB (for fast-select, to its own X of "
        "2.2 GB)."
    )
    repeats = 3
    cap = 300.0
    columns = {"error": "error", "others": "others before the pair"}  # noqa: RUF012

    def reference(self, data: Genotypes) -> np.ndarray:
        X, choose = data.X, nearest(data.y, data.k)
        weights = np.zeros(X.shape[1])
        for i, d in enumerate(mismatches(X)):
            for near, sign in zip(choose(i, d), (-1, 1), strict=True):
                weights += sign * (X[near] != X[i]).sum(axis=0) / len(near)
        return weights / len(X)

    def judge(self, data: Genotypes, reference: np.ndarray, result: np.ndarray) -> dict[str, float]:
        return weight_errors(result, reference, data.pair)

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["error"] <= LIMIT and judged["others"] == 0

    def bars(self, table: Table) -> list[dict[str, Any]]:
        ours = table.ours()
        return [
            bar("seconds", ours and ours.seconds, "≤", 120),
            bar("MB above X", ours and ours.peak_mb, "≤", 3_000),
        ]

    def bounds(self, data: Genotypes, reference: Any, table: Table, rates: Rates) -> list[str]:
        n, p = data.X.shape
        return [distance_bound(n, p, table, rates)]


def mismatches(X: np.ndarray) -> np.ndarray:
    """(n, n) in how many columns rows differ: whole numbers below 2²⁴, which float32 adds without rounding."""
    n, p = X.shape
    equal = np.zeros((n, n), dtype=np.float32)
    for first in range(0, p, COMPARED):
        for value in range(3):
            has = (X[:, first : first + COMPARED] == value).astype(np.float32)
            equal += has @ has.T
    return p - equal


@dataclass
class Genotypes:
    """int8 copies, ill or not, the pair that matters, and the number of neighbours."""

    X: np.ndarray
    y: np.ndarray
    pair: np.ndarray
    k: int = 10


def datasets(quick: bool) -> list[Dataset]:
    n, p = (200, 300) if quick else (2_350, 230_000)
    return [Dataset(f"{n:,} × {p:,} of 0, 1, 2 in int8", partial(genotypes, n, p))]


def genotypes(n: int, p: int) -> Genotypes:
    """Who has a copy of both of the pair is ill; of all rows, one in twenty is told wrongly."""
    rng = np.random.default_rng(0)
    X, share = np.empty((n, p), dtype=np.int8), rng.uniform(0.1, 0.5, p)
    pair = np.sort(rng.choice(p, 2, replace=False))
    share[pair] = 0.46  # so that about half of the rows are ill
    for first in range(0, p, MADE):
        lot = slice(first, min(p, first + MADE))
        X[:, lot] = rng.binomial(2, share[lot], (n, lot.stop - first))
    ill = (X[:, pair] > 0).all(axis=1)
    return Genotypes(X, np.where(rng.random(n) < 0.05, ~ill, ill).astype(np.int64), pair)
