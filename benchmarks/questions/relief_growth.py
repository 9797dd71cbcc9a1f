"""Is the time of ReliefF quadratic in rows, linear in columns and in the rows asked?

Normal columns in two classes, ten of which are shifted by the class, and parts of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks import objective
from benchmarks.judging.relief import SHIFTS, STANDARD_ERRORS, Sample, distance_bound, planted
from benchmarks.libraries.tamis.relief import ReliefGrowth
from benchmarks.machine import Rates
from benchmarks.objective import Dataset, Row, Table, bar

SAMPLE = 500  # rows the judge asks
# Exponents, and a margin for the caches and the clock.
LIMITS = {"rows": 2.2, "columns": 1.2, "asked": 1.2}


class Part(NamedTuple):
    """Shares of the rows, of the columns, and of the rows that are asked."""

    rows: float = 1
    columns: float = 1
    asked: float = 1


WHOLE = Part()
SIZES = (ReliefGrowth, *ReliefGrowth.__subclasses__())
PARTS = {Part(kind.rows, kind.columns, kind.asked): kind.name for kind in SIZES}


class Answer(NamedTuple):
    """The weight of every column, how many rows it is the mean of, and the shares that were given."""

    weights: np.ndarray
    n_rows: int | None
    part: tuple[float, float, float]


class Objective(objective.Objective):
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

    def judge(self, data: Rows, reference: dict[tuple[float, float], Sample], result: Answer) -> dict[str, float]:
        key = result.part[:2]
        if key not in reference:
            part = data.part(*key)
            reference[key] = Sample.of(part.X, part.y, part.k, SAMPLE)
        return {"deviation": reference[key].deviation(result.weights, result.n_rows)}

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


@dataclass
class Rows:
    """Rows, two classes, and the number of neighbours."""

    X: np.ndarray
    y: np.ndarray
    k: int = 10

    def part(self, rows: float, columns: float) -> Rows:
        """The first rows and columns, a copy as a user would have it."""
        n, p = (round(size * share) for size, share in zip(self.X.shape, (rows, columns), strict=True))
        return Rows(np.ascontiguousarray(self.X[:n, :p]), self.y[:n], self.k)


def datasets(quick: bool) -> list[Dataset]:
    n, p = (240, 40) if quick else (4_000, 400)
    return [Dataset(f"{n:,} × {p}", partial(rows, n, p))]


def rows(n: int, p: int) -> Rows:
    return Rows(*planted(n, p, SHIFTS))
