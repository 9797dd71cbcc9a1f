"""Can ReliefF ask 100,000 rows, and how few must it ask to know the first ten columns?"""

from __future__ import annotations

from typing import Any

from benchmarks import question
from benchmarks.machine import Rates
from benchmarks.near_rows import STANDARD_ERRORS, Sample, Weighed, distance_bound, others_first
from benchmarks.question import Table, bar, judged
from benchmarks.relief_tall.datasets import Tall

SETTLED = "tamis, n_samples='auto'"
SAMPLE = 1_000  # rows the judge asks


class Objective(question.Objective):
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

    def judge(self, data: Tall, reference: Sample, result: Weighed) -> dict[str, float]:
        return {
            "others": others_first(result.weights, data.telling),
            "deviation": reference.deviation(result),
            "asked": float(result.asked or reference.n),
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
