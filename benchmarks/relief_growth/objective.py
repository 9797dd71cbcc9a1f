"""Is the time of ReliefF quadratic in rows, linear in columns and in the rows asked?"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from benchmarks import question
from benchmarks.machine import Rates
from benchmarks.near_rows import STANDARD_ERRORS, Sample, Weighed, distance_bound
from benchmarks.question import Row, Table, bar
from benchmarks.relief_growth.datasets import Rows

SAMPLE = 500  # rows the judge asks


class Part(NamedTuple):
    """Shares of the rows, of the columns, and of the rows that are asked."""

    rows: float = 1
    columns: float = 1
    asked: float = 1


WHOLE = Part()
PARTS = {
    WHOLE: "tamis",
    Part(rows=1 / 2): "tamis, half of the rows",
    Part(rows=1 / 4): "tamis, a quarter of the rows",
    Part(columns=1 / 2): "tamis, half of the columns",
    Part(columns=1 / 4): "tamis, a quarter of the columns",
    Part(asked=1 / 4): "tamis, a quarter of the rows asked",
    Part(asked=1 / 8): "tamis, an eighth of the rows asked",
    Part(asked=1 / 16): "tamis, a sixteenth of the rows asked",
}
# Exponents, and a margin for the caches and the clock.
LIMITS = {"rows": 2.2, "columns": 1.2, "asked": 1.2}


class Found(NamedTuple):
    weighed: Weighed
    part: Part


class Objective(question.Objective):
    title = "The growth of ReliefF"
    text = (
        "Our ReliefF with 10 neighbours on all, half and a quarter of the rows, then of the columns; and with a "
        "quarter, an eighth and a sixteenth of the rows asked for their neighbours among all. The exponent is the "
        "slope of log time over log size through the three. (Where all rows are asked every pair is compared once, "
        "where some are twice, so the two are not on one line.) Judged in plain NumPy by 500 rows drawn at random: "
        "how far the farthest weight is from the mean of what they say, in standard errors; accepted up to 6."
    )
    columns = {"deviation": "standard errors off"}  # noqa: RUF012

    def reference(self, data: Rows) -> dict[tuple[float, float], Sample]:
        """The sample of each part that was judged already."""
        return {}

    def judge(self, data: Rows, reference: dict[tuple[float, float], Sample], result: Found) -> dict[str, float]:
        key = result.part[:2]
        if key not in reference:
            part = data.part(*key)
            reference[key] = Sample.of(part.X, part.y, part.k, SAMPLE)
        return {"deviation": reference[key].deviation(result.weighed)}

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["deviation"] <= STANDARD_ERRORS

    def bars(self, table: Table) -> list[dict[str, Any]]:
        named = {"rows": "rows", "columns": "columns", "asked": "rows asked"}
        return [bar(f"exponent of {named[what]}", exponent(table, what), "≤", limit) for what, limit in LIMITS.items()]

    def bounds(self, data: Rows, reference: Any, table: Table, rates: Rates) -> list[str]:
        n, p = data.X.shape
        return [distance_bound(n, 8 * p, table, rates)]


def exponent(table: Table, what: str) -> float | None:
    """Slope of log time over log share of ``what``."""
    sized = [part for part in PARTS if getattr(part, what) < 1 or (what != "asked" and part == WHOLE)]
    rows = [table.row(PARTS[part]) for part in sized]
    seconds = [row.seconds for row in rows if _counts(row)]
    if len(seconds) < len(sized):
        return None
    return float(np.polyfit(np.log([getattr(part, what) for part in sized]), np.log(seconds), 1)[0])


def _counts(row: Row | None) -> bool:
    return row is not None and row.seconds is not None and row.accepted is True
