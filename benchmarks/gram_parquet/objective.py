"""The same Gram from a file larger than the memory it may use."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks import question
from benchmarks.gram.reference import relative_error, two_pass
from benchmarks.gram_parquet.datasets import ParquetFile
from benchmarks.machine import Rates
from benchmarks.question import Table, bar, judged


class Objective(question.Objective):
    title = "Centred Gram from Parquet"
    text = (
        "The centred Gram of a Parquet file (snappy, read from a warm page cache), each run in a fresh process that "
        "reports its own peak resident memory, interpreter and libraries included. Error as in memory; the last column "
        "is the difference from what tamis computes from the same rows in memory, on the same scale."
    )
    repeats = 3
    fresh_process = True
    memory = "peak MB of the process"
    columns = {"error": "error", "memory_difference": "from in memory"}  # noqa: RUF012

    def reference(self, data: ParquetFile) -> tuple[np.ndarray, np.ndarray | None]:
        return two_pass(data.pieces), _ours_in_memory(data)

    def judge(
        self, data: ParquetFile, reference: tuple[np.ndarray, np.ndarray | None], result: np.ndarray
    ) -> dict[str, float]:
        exact, in_memory = reference
        found = {"error": relative_error(result, exact)}
        if in_memory is not None:
            found["memory_difference"] = relative_error(result, in_memory)
        return found

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["error"] <= 1e-12

    def bars(self, table: Table) -> list[dict[str, Any]]:
        ours = table.ours()
        return [
            bar("peak MB of the process", ours.peak_mb if ours else None, "≤", 500),
            bar("difference from in memory", judged(ours, "memory_difference"), "≤", 1e-12),
        ]

    def bounds(self, data: ParquetFile, reference: Any, table: Table, rates: Rates) -> list[str]:
        flops, n_bytes = data.n * data.p * (data.p + 1), 8 * data.n * data.p
        return [f"{rates.seconds(flops, n_bytes):.3g} s for the arithmetic alone, before any decoding of the file"]


def _ours_in_memory(data: ParquetFile) -> np.ndarray | None:
    """What tamis finds in the rows themselves; None where tamis is not there."""
    from benchmarks.gram.solvers.tamis import Solver

    solver = Solver()
    if solver.available():
        return None
    X = np.empty((data.n, data.p))
    start = 0
    for piece in data.pieces():
        X[start : start + len(piece)] = piece
        start += len(piece)
    solver.prepare(X)
    solver.run()
    return solver.result()
