"""Does ReliefF weigh a genome in minutes, in the memory of a laptop?"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks import question
from benchmarks.machine import Rates
from benchmarks.near_rows import distance_bound, nearest, others_first
from benchmarks.question import Table, bar
from benchmarks.relief_genotypes.datasets import Genotypes

LIMIT = 1e-4  # weights summed in float32; another neighbour of one row would be more
LOTS = 2_000  # columns the judge compares at a time


class Objective(question.Objective):
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
        weights = np.asarray(result, dtype=np.float64)
        if weights.shape != reference.shape or not np.isfinite(weights).all():
            return dict.fromkeys(self.columns, float("inf"))
        return {
            "error": float(np.abs(weights - reference).max() / np.abs(reference).max()),
            "others": others_first(weights, data.pair),
        }

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
    for first in range(0, p, LOTS):
        for value in range(3):
            has = (X[:, first : first + LOTS] == value).astype(np.float32)
            equal += has @ has.T
    return p - equal
