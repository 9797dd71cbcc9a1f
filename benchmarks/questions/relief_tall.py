"""Can ReliefF ask 100,000 rows, and how few must it ask to know the first ten columns?

Many rows of normal columns in two classes: ten columns shifted by the class, each by more than the one before.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks import objective
from benchmarks.judging.relief import SHIFTS, STANDARD_ERRORS, Sample, distance_bound, others_first, planted
from benchmarks.libraries.tamis import relief
from benchmarks.machine import Rates
from benchmarks.objective import Dataset, Table, bar, judged

SETTLED = relief.ReliefTallSettled.name
SAMPLE = 1_000  # rows the judge asks


class Answer(NamedTuple):
    """The weight of every column, and how many rows it is the mean of (None: all)."""

    weights: np.ndarray
    n_rows: int | None = None


class Objective(objective.Objective):
    title = "ReliefF on many rows"
    text = (
        "ReliefF with 10 neighbours: the weights by all rows; or, with `n_samples='auto'`, by rows asked in random "
        "order until the first ten columns are settled. Ten columns are shifted by the class, each by more than the "
        "one before, and 40 are noise. Judged: how many of the first ten columns are not those ten, none accepted; and "
        "in plain NumPy by 1,000 rows drawn at random, how far the farthest weight is from the mean of what they say, "
        "in standard errors, accepted up to 6. fast-select is compiled before. scikit-rebate and ITMO-FS hold the "
        "matrix of all distances, 80 GB, and are not asked."
    )
    repeats = 3
    cap = 300.0
    columns = {"others": "others in the first ten", "deviation": "standard errors off", "asked": "rows asked"}  # noqa: RUF012

    def reference(self, data: Tall) -> Sample:
        return Sample.of(data.X, data.y, data.k, SAMPLE)

    def judge(self, data: Tall, reference: Sample, result: Answer) -> dict[str, float]:
        return {
            "others": others_first(result.weights, data.relevant),
            "deviation": reference.deviation(*result),
            "asked": float(result.n_rows or reference.n),
        }

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["others"] == 0 and judged["deviation"] <= STANDARD_ERRORS

    def bars(self, table: Table) -> list[dict[str, Any]]:
        bars = []
        for row, how, seconds in ((table.ours(), "all rows", 120), (table.row(SETTLED), "until settled", 10)):
            bars += [
                bar(f"seconds, {how}", row and row.seconds, "≤", seconds),
                bar(f"others in the first ten, {how}", judged(row, "others"), "≤", 0),
            ]
        return bars

    def bounds(self, data: Tall, reference: Sample, table: Table, rates: Rates) -> list[str]:
        n, p = data.X.shape
        return [distance_bound(n, 8 * p, table, rates)]


@dataclass
class Tall:
    """Rows, two classes, the columns that differ between them, and the number of neighbours."""

    X: np.ndarray
    y: np.ndarray
    relevant: np.ndarray
    k: int = 10


def datasets(quick: bool) -> list[Dataset]:
    n, p = (600, 20) if quick else (100_000, 50)
    return [Dataset(f"{n:,} × {p}, {len(SHIFTS)} columns tell of the class", partial(tall, n, p))]


def tall(n: int, p: int) -> Tall:
    return Tall(*planted(n, p, SHIFTS), np.arange(len(SHIFTS)))
