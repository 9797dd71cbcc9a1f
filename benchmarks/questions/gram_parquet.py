"""The same Gram from a file larger than the memory it may use.

Parquet files of Gaussian columns, written in pieces and removed after use.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import objective
from benchmarks.libraries.tamis.stats import Gram
from benchmarks.machine import Rates
from benchmarks.objective import Dataset, Table, bar, judged
from benchmarks.questions.gram import relative_error, two_pass

FOLDER = Path(__file__).resolve().parent.parent / "_data"
PIECE = 65_536


class Objective(objective.Objective):
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
    ours = Gram()
    if ours.available():
        return None
    X = np.empty((data.n, data.p))
    start = 0
    for piece in data.pieces():
        X[start : start + len(piece)] = piece
        start += len(piece)
    ours.prepare(X)
    ours.run()
    return ours.result()


@dataclass
class ParquetFile:
    """A file that lives as long as its folder; ``handle`` is what a fresh process is given."""

    folder: tempfile.TemporaryDirectory
    n: int
    p: int

    @property
    def handle(self) -> str:
        return str(Path(self.folder.name, "table.parquet"))

    def pieces(self) -> Iterator[np.ndarray]:
        """The same rows again, made rather than read."""
        return _pieces(self.n, self.p)

    def close(self) -> None:
        self.folder.cleanup()


def datasets(quick: bool) -> list[Dataset]:
    n, p = (3_000, 10) if quick else (1_000_000, 250)
    return [
        Dataset(f"{n:,} × {p}, {8e-9 * n * p:.1g} GB in row groups of 64k rows", partial(parquet, n, p, PIECE)),
        Dataset(
            f"{n // 2:,} × {p}, {4e-9 * n * p:.1g} GB in a single row group",
            partial(parquet, n // 2, p, n),
            barred=False,
        ),
    ]


def parquet(n: int, p: int, row_group: int) -> ParquetFile:
    import pyarrow as pa
    from pyarrow import parquet as pq

    FOLDER.mkdir(exist_ok=True)
    made = ParquetFile(tempfile.TemporaryDirectory(dir=FOLDER), n, p)
    names = [f"x{j}" for j in range(p)]
    schema = pa.schema([(name, pa.float64()) for name in names])
    # Gaussian numbers do not repeat, so a dictionary of them would only be thrown away.
    with pq.ParquetWriter(made.handle, schema, use_dictionary=False) as writer:
        for X in made.pieces():
            writer.write_batch(pa.record_batch(list(X.T.copy()), schema=schema), row_group_size=row_group)
    return made


def _pieces(n: int, p: int) -> Iterator[np.ndarray]:
    means = 3 * np.random.default_rng(0).uniform(0.5, 1.5, p)
    for k, start in enumerate(range(0, n, PIECE)):
        yield np.random.default_rng([1, k]).standard_normal((min(PIECE, n - start), p)) + means
