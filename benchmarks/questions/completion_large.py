"""How long do 20 million noisy entries take, in how much memory, and do the intervals cover?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks import objective
from benchmarks.objective import Dataset, Table, bar, judged

APART = 200_000  # unobserved entries that the judge looks at


class Answer(NamedTuple):
    """Predictions at the judge's entries, and the ends of 95 % intervals for M there, None where a library has none."""

    predictions: np.ndarray
    low: np.ndarray | None
    high: np.ndarray | None


@dataclass(frozen=True)
class Entries:
    """Distinct observed entries in float32, noise of standard deviation ``sigma``, and where the judge looks."""

    rows: np.ndarray
    columns: np.ndarray
    values: np.ndarray
    shape: tuple[int, int]
    rank: int
    sigma: float
    at: tuple[np.ndarray, np.ndarray]
    true: np.ndarray

    @property
    def bound(self) -> float:
        """σ√(r(m + n − r)/observed): the error of least squares that knew the tangent space."""
        m, n = self.shape
        return self.sigma * float(np.sqrt(self.rank * (m + n - self.rank) / len(self.values)))


class Objective(objective.Objective):
    title = "Completion of many entries"
    text = (
        "Planted factors with entries of unit variance, noise of standard deviation 0.1, distinct cells, the rank "
        "given. Error is the root mean square at unobserved entries of the matrix without noise, beside σ√(r(m + n − "
        "r)/observed); an answer within 1.15 times that is accepted, so that all who are timed have the same error."
    )
    repeats = 1
    cap = 180.0
    columns = {"beyond": "error beside the bound", "missed": "coverage off 95 %"}  # noqa: RUF012

    def judge(self, data: Entries, reference: None, result: Answer) -> dict[str, float]:
        if not np.isfinite(result.predictions).all():
            return {"beyond": float("inf")}
        error = float(np.sqrt(np.mean((result.predictions - data.true) ** 2)))
        found = {"beyond": error / data.bound}
        if result.low is not None and result.high is not None:
            inside = float(np.mean((result.low <= data.true) & (data.true <= result.high)))
            found["missed"] = abs(inside - 0.95)
        return found

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["beyond"] <= 1.15

    def bars(self, table: Table) -> list[dict[str, Any]]:
        ours = table.ours()
        return [
            bar("seconds", ours.seconds if ours else None, "≤", 120),
            bar("MB", ours.peak_mb if ours else None, "≤", 2048),
            bar("error beside the bound", judged(ours, "beyond"), "≤", 1.15),
            bar("coverage off 95 %", judged(ours, "missed"), "≤", 0.02),
            table.times_faster("times faster than cmfrec", 1.0),
        ]


def datasets(quick: bool) -> list[Dataset]:
    if quick:
        return [Dataset("600 × 200, rank 2, 24,000 entries", partial(planted, 600, 200, 2, 24_000), barred=False)]
    name = "100,000 × 10,000, rank 20, 20,000,000 entries"
    return [Dataset(name, partial(planted, 100_000, 10_000, 20, 20_000_000))]


def planted(m: int, n: int, rank: int, observed: int) -> Entries:
    rng = np.random.default_rng(0)
    U = (rng.standard_normal((m, rank)) / np.sqrt(np.sqrt(rank))).astype(np.float32)
    V = (rng.standard_normal((n, rank)) / np.sqrt(np.sqrt(rank))).astype(np.float32)
    apart = min(APART, m * n // 10)
    draws = -m * n * np.log1p(-(observed + apart) / (m * n))  # of which so many are distinct
    cells = np.unique(rng.integers(0, m * n, int(1.02 * draws) + 1000))
    cells = rng.permutation(cells)[: observed + apart]
    judge, seen = cells[:apart], np.sort(cells[apart:])
    rows, columns = (seen // n).astype(np.int32), (seen % n).astype(np.int32)
    del cells, seen
    values = 0.1 * rng.standard_normal(observed, dtype=np.float32)
    for first in range(0, observed, 1 << 20):
        part = slice(first, first + (1 << 20))
        values[part] += np.einsum("ek,ek->e", U[rows[part]], V[columns[part]])
    at = judge // n, judge % n
    true = np.einsum("ek,ek->e", U[at[0]].astype(float), V[at[1]].astype(float))
    return Entries(rows, columns, values, (m, n), rank, 0.1, at, true)
