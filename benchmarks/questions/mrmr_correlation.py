"""Who finds the columns that mRMR by F-statistic and correlation chooses first?

Wide tables of numbers: some columns move with the class, blocks of columns with each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks import objective
from benchmarks.judging.greedy import LIMIT, is_choice, mean_before, shortfall
from benchmarks.libraries import mrmrs
from benchmarks.machine import Rates
from benchmarks.objective import Dataset, Table, bar

MRMRS = mrmrs.MrmrCorrelation.name
FLOOR = 0.001  # of a redundancy, in both competitors: else a column would win by a correlation that happens to vanish


@dataclass(frozen=True)
class Reference:
    """F-statistic of every column, and the columns centred with norm 1."""

    F: np.ndarray
    Z: np.ndarray


class Objective(objective.Objective):
    title = "mRMR by F-statistic and correlation"
    text = (
        "Columns are chosen one by one, each of the largest F(x, y) / mean of max(|corr(x, s)|, 0.001) over the "
        "columns s chosen before; the first of the largest F, the one-way analysis of variance of the classes. The "
        "floor of 0.001 is that of mrmrs and mrmr-selection, who both know only this quotient. Judged: how far the "
        "worst step stays below the best free column, relative to it, accepted up to 1e-9, which holds of the same "
        "columns in the same order. mrmrs: `mrmr(…, task_type='classification')` on a polars frame; mrmr-selection: "
        "`mrmr_classif(…, relevance='f', redundancy='c')` on a pandas frame, in as many processes as the others have "
        "threads; it fills a table of p × p numbers first, 20 GB with 50,000 columns, so it is shown with 2,000. "
        "fast-select and ITMO-FS know mRMR only by mutual information."
    )
    repeats = 10
    cap = 60.0
    columns = {"shortfall": "shortfall"}  # noqa: RUF012

    def reference(self, data: Wide) -> Reference:
        Z = data.X - data.X.mean(axis=0)
        return Reference(f_statistic(Z, data.y), Z / np.linalg.norm(Z, axis=0))

    def judge(self, data: Wide, reference: Reference, result: list[int]) -> dict[str, float]:
        order, Z = [int(j) for j in result], reference.Z
        if not is_choice(order, data.k, data.X.shape[1]):
            return {"shortfall": float("inf")}
        redundancy = mean_before(np.maximum(np.abs(Z[:, order].T @ Z), FLOOR))
        redundancy[0] = 1
        return {"shortfall": shortfall(order, reference.F / redundancy)}

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["shortfall"] <= LIMIT

    def bars(self, table: Table) -> list[dict[str, Any]]:
        return [bar(f"times faster than {MRMRS}", table.ratio(table.row(MRMRS), table.ours()), "≥", 1.5)]

    def bounds(self, data: Wide, reference: Any, table: Table, rates: Rates) -> list[str]:
        seconds = data.X.nbytes / rates.bytes
        return [
            f"{seconds:.2g} s to read the table of {data.X.nbytes / 1e6:.3g} MB once at {rates.bytes / 1e9:.0f} GB/s; "
            f"{data.k * seconds:.2g} s to read it once per choice, as whoever computes every correlation must"
        ]


def f_statistic(Z: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Variance between over variance within the classes, of centred columns."""
    groups = [Z[y == c] for c in np.unique(y)]
    between = sum(len(g) * g.mean(axis=0) ** 2 for g in groups) / (len(groups) - 1)
    within = sum(((g - g.mean(axis=0)) ** 2).sum(axis=0) for g in groups) / (len(Z) - len(groups))
    return between / within


@dataclass
class Wide:
    """Columns of numbers (Fortran order), classes, and how many columns to choose."""

    X: np.ndarray
    y: np.ndarray
    k: int


def datasets(quick: bool) -> list[Dataset]:
    n, k, widths = (60, 5, (40,)) if quick else (1_000, 50, (50_000, 2_000))
    return [
        Dataset(f"{n:,} × {p:,}, 4 classes, {k} chosen", partial(wide, n, p, k), barred=p == widths[0]) for p in widths
    ]


def wide(n: int, p: int, k: int) -> Wide:
    """One column in 100 has means of its own in the classes; one in 25 shares one of 20 hidden causes."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, n)
    X = np.asfortranarray(rng.standard_normal((p, n)).T)
    causes = rng.standard_normal((20, n))
    for j in range(0, p, 25):
        X[:, j] += 2 * causes[rng.integers(20)]
    for j in range(0, p, 100):
        X[:, j] += rng.normal(0, 0.7, 4)[y]
    return Wide(X, y, k)
