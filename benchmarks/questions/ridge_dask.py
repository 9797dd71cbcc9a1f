"""How fast is ridge regression on rows that a Dask cluster holds?"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks import objective
from benchmarks.clusters import RowsOnDask
from benchmarks.objective import Dataset, Table


class Objective(objective.Objective):
    title = "Ridge regression on Dask"
    text = (
        "1/(2n)‖y − Xw‖² + α/2 ‖w‖² without an intercept, on a Dask array in 16 chunks that the workers of a "
        "LocalCluster hold: 2 processes of one thread, the same for all. Error is the objective above the least, as a "
        "share of it."
    )
    repeats = 3
    cap = 120.0
    columns = {"error": "above the least"}  # noqa: RUF012

    def reference(self, data: RowsOnDask) -> np.ndarray:
        X, y, n = data.here, data.y_here, len(data.here)
        return np.linalg.solve(X.T @ X / n + data.alpha * np.eye(X.shape[1]), X.T @ y / n)

    def judge(self, data: RowsOnDask, reference: np.ndarray, result: np.ndarray) -> dict[str, float]:
        least, found = (_value(data, np.ravel(w)) for w in (reference, result))
        return {"error": max(0.0, found / least - 1)}

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["error"] <= 1e-6

    def bars(self, table: Table) -> list[dict[str, Any]]:
        return [table.times_faster("times faster than the fastest", table.limit)]


def _value(data: RowsOnDask, w: np.ndarray) -> float:
    residual = data.y_here - data.here @ w
    return float(residual @ residual / (2 * len(residual)) + data.alpha / 2 * w @ w)


def datasets(quick: bool) -> list[Dataset]:
    if quick:
        return [Dataset("800 × 10", partial(rows, 800, 10, 0))]
    return [Dataset("400,000 × 100, 2 workers", partial(rows, 400_000, 100, 2), limit=3.0)]


def rows(n: int, p: int, workers: int) -> RowsOnDask:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    y = X @ np.where(np.arange(p) % 5 == 0, 1.0, 0.1) + rng.standard_normal(n)
    return RowsOnDask(X, y, 0, 0.01, workers)
