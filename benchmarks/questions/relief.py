"""Who weighs continuous columns by near rows first?

Normal columns in two classes, ten of which are shifted by the class.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks import objective
from benchmarks.judging.relief import (
    SHIFTS,
    contributions,
    distance_bound,
    nearest,
    planted,
    scaled,
    weight_errors,
    within,
)
from benchmarks.libraries import fast_select, scikit_rebate
from benchmarks.machine import Rates
from benchmarks.objective import Dataset, Table, bar, judged

FIRST = 10
FAST_SELECT, REBATE = fast_select.Relief.name, scikit_rebate.Relief.name
SINGLE = 1e-3  # float32 may take another of two rows that are almost equally near
DOUBLE = 1e-10
RELIEFF, MULTISURF = "ReliefF", "MultiSURF"


class Objective(objective.Objective):
    title = "ReliefF and MultiSURF"
    text = (
        "The weight of every column, all rows asked, two classes of the same size, ten columns shifted by the class. "
        "ReliefF has 10 neighbours of each class; those of MultiSURF are nearer than a row's mean distance less half a "
        "standard deviation. Judged in plain NumPy, row by row: the largest error of a weight, relative to the largest "
        "weight, accepted up to 1e-3 because fast-select computes in float32, and how many of the ten first columns "
        "are others; ours and scikit-rebate's are held to 1e-10, so the two agree. fast-select is compiled in the "
        "warm-up; scikit-rebate has its workers started before. ITMO-FS's `reliefF_measure` does not scale the columns "
        "before it measures distances, so it is given them scaled. The ReliefF package counts equal and unequal "
        "values of the nearest rows of all classes, so it has nothing to say of continuous columns."
    )
    repeats = 10
    cap = 600.0
    columns = {"error": "error", "others": "others in the first ten"}  # noqa: RUF012

    def reference(self, data: Classes) -> np.ndarray:
        choose = nearest(data.y, data.k) if data.method == RELIEFF else within(data.y)
        return contributions(data.scaled(), range(len(data.y)), choose).mean(axis=0)

    def judge(self, data: Classes, reference: np.ndarray, result: np.ndarray) -> dict[str, float]:
        return weight_errors(result, reference, np.argsort(-reference)[:FIRST])

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["error"] <= SINGLE and judged["others"] == 0

    def bars(self, table: Table) -> list[dict[str, Any]]:
        bars = [_faster_than(table, FAST_SELECT, 2), _faster_than(table, REBATE, 100)]
        whose = {"ours": table.ours(), "scikit-rebate's": table.row(REBATE)}
        return bars + [bar(f"error, {name}", judged(row, "error"), "≤", DOUBLE) for name, row in whose.items()]

    def bounds(self, data: Classes, reference: Any, table: Table, rates: Rates) -> list[str]:
        n, p = data.X.shape
        return [distance_bound(n, 8 * p, table, rates)]


def _faster_than(table: Table, name: str, limit: float) -> dict[str, Any]:
    rows = [row for row in (table.ours(), table.row(name)) if row is not None]
    return Table(table.dataset, rows).times_faster(f"times faster than {name}", limit)


@dataclass
class Classes:
    """Rows, two classes of the same size, the method asked for and its number of neighbours."""

    X: np.ndarray
    y: np.ndarray
    method: str
    k: int = 10

    def scaled(self) -> np.ndarray:
        return scaled(self.X)


def datasets(quick: bool) -> list[Dataset]:
    n, p = (120, 20) if quick else (2_000, 500)
    return [Dataset(f"{method}, {n:,} × {p}", partial(classes, n, p, method)) for method in (RELIEFF, MULTISURF)]


def classes(n: int, p: int, method: str) -> Classes:
    return Classes(*planted(n, p, SHIFTS), method)
