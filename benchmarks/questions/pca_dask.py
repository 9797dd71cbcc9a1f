"""How fast are the first principal directions of rows that a Dask cluster holds?"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks import objective
from benchmarks.clusters import RowsOnDask
from benchmarks.objective import Dataset, Table
from benchmarks.questions.pca import planted


class Objective(objective.Objective):
    title = "Principal components on Dask"
    text = (
        "The first k principal directions of a Dask array in 16 chunks that the workers of a LocalCluster hold: 2 "
        "processes of one thread, the same for all. Error is the sine of the largest angle between the subspace found "
        "and eigenvectors of the covariance."
    )
    repeats = 3
    cap = 120.0
    columns = {"error": "sine of the angle"}  # noqa: RUF012

    def reference(self, data: RowsOnDask) -> np.ndarray:
        return np.linalg.eigh(np.cov(data.here.T))[1][:, ::-1][:, : data.k].T

    def judge(self, data: RowsOnDask, reference: np.ndarray, result: np.ndarray) -> dict[str, float]:
        Q = np.linalg.qr(np.asarray(result, dtype=float).T)[0]
        return {"error": float(np.linalg.norm(Q - reference.T @ (reference @ Q), 2))}

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["error"] <= 1e-6

    def bars(self, table: Table) -> list[dict[str, Any]]:
        return [table.times_faster("times faster than the fastest", table.limit)]


def datasets(quick: bool) -> list[Dataset]:
    if quick:
        return [Dataset("800 × 10, k = 3", partial(rows, 800, 10, 3, 0))]
    return [Dataset("400,000 × 100, k = 10, 2 workers", partial(rows, 400_000, 100, 10, 2), limit=3.0)]


def rows(n: int, p: int, k: int, workers: int) -> RowsOnDask:
    return RowsOnDask(planted(n, p, k).X, np.zeros(n), k, 0.0, workers)
