"""The principal directions of a Parquet file larger than the memory they may use."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks import objective
from benchmarks.objective import Dataset, Table, bar
from benchmarks.questions.gram import two_pass
from benchmarks.questions.gram_parquet import PIECE, ParquetFile, parquet

K = 10


class Objective(objective.Objective):
    title = "Principal components from Parquet"
    text = (
        "The first 10 principal variances of a Parquet file (snappy, read from a warm page cache), each run in a fresh "
        "process that reports its own peak resident memory, interpreter and libraries included. Error is the largest "
        "relative difference from those of a covariance in two passes. IncrementalPCA is an approximation: it is shown "
        "beside ours whatever its error."
    )
    repeats = 2
    cap = 150.0
    fresh_process = True
    memory = "peak MB of the process"
    columns = {"error": "error"}  # noqa: RUF012

    def reference(self, data: ParquetFile) -> np.ndarray:
        return np.linalg.eigvalsh(two_pass(data.pieces) / (data.n - 1))[::-1][:K]

    def judge(self, data: ParquetFile, reference: np.ndarray, result: np.ndarray) -> dict[str, float]:
        return {"error": float(np.abs(np.asarray(result) / reference - 1).max())}

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["error"] <= 0.1

    def bars(self, table: Table) -> list[dict[str, Any]]:
        ours = table.ours()
        return [
            bar("peak MB of the process", ours.peak_mb if ours else None, "≤", 500),
            bar("error", ours.judged.get("error") if ours else None, "≤", 1e-10),
            table.times_faster("times faster than IncrementalPCA", table.limit),
        ]


def datasets(quick: bool) -> list[Dataset]:
    n, p = (3_000, 20) if quick else (1_000_000, 250)
    name = f"{n:,} × {p}, {8e-9 * n * p:.1g} GB in row groups of 64k rows"
    return [Dataset(name, partial(parquet, n, p, PIECE), limit=3.0)]
