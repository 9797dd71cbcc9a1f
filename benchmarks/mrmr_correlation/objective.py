"""Who finds the columns that mRMR by F-statistic and correlation chooses first?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks import question
from benchmarks.greedy import LIMIT, is_choice, mean_before, shortfall
from benchmarks.machine import Rates
from benchmarks.mrmr_correlation.datasets import Wide
from benchmarks.question import Table, bar

MRMRS = "mrmrs"
FLOOR = 0.001  # of a redundancy, in both competitors: else a column would win by a correlation that happens to vanish


@dataclass(frozen=True)
class Reference:
    """F-statistic of every column, and the columns centred with norm 1."""

    F: np.ndarray
    Z: np.ndarray


class Objective(question.Objective):
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
