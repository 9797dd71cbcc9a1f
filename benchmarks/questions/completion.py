"""How fast and how well is a matrix of low rank completed from 15 % of its entries, without noise?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks import objective
from benchmarks.objective import Dataset, Table, bar, judged


@dataclass(frozen=True)
class Entries:
    """The observed entries, row by row, of M = U Vᵀ; ``rank`` is None where nobody is told it."""

    rows: np.ndarray
    columns: np.ndarray
    values: np.ndarray
    M: np.ndarray
    rank: int | None
    wanted: float


class Objective(objective.Objective):
    title = "Matrix completion"
    text = (
        "Entries observed at random, without noise. Error is relative, over the entries that were not observed: at "
        "most 1e-5 where the rank is given, 1e-2 where everything is left at its defaults."
    )
    repeats = 3
    cap = 60.0
    columns = {"error": "error at unobserved entries"}  # noqa: RUF012

    def reference(self, data: Entries) -> np.ndarray:
        unseen = np.ones(data.M.shape, bool)
        unseen[data.rows, data.columns] = False
        return unseen

    def judge(self, data: Entries, reference: np.ndarray, result: np.ndarray) -> dict[str, float]:
        if np.shape(result) != data.M.shape or not np.isfinite(result).all():
            return {"error": float("inf"), "beyond": float("inf")}
        true = data.M[reference]
        error = float(np.linalg.norm(np.asarray(result)[reference] - true) / np.linalg.norm(true))
        return {"error": error, "beyond": error / data.wanted}

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["beyond"] <= 1

    def bars(self, table: Table) -> list[dict[str, Any]]:
        ours = table.ours()
        given = "given" in table.dataset
        return [
            bar("error at unobserved entries", judged(ours, "error"), "≤", 1e-5 if given else 1e-2),
            bar("seconds", ours.seconds if ours else None, "≤", table.limit),
        ]


def datasets(quick: bool) -> list[Dataset]:
    m, n, rank, share = (160, 120, 2, 0.5) if quick else (2000, 1500, 10, 0.15)
    size = f"{m:,} × {n:,} of rank {rank}, {100 * share:.0f} % observed"
    return [
        Dataset(f"{size}, rank given", partial(planted, m, n, rank, share, True), limit=1),
        Dataset(f"{size}, defaults", partial(planted, m, n, rank, share, False), limit=8),
    ]


def planted(m: int, n: int, rank: int, share: float, given: bool) -> Entries:
    rng = np.random.default_rng(0)
    M = rng.standard_normal((m, rank)) @ rng.standard_normal((rank, n))
    rows, columns = np.nonzero(rng.random((m, n)) < share)
    return Entries(rows, columns, M[rows, columns], M, rank if given else None, 1e-5 if given else 1e-2)
