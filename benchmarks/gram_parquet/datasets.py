"""Parquet files of Gaussian columns, written in pieces and removed after use."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.question import Dataset

FOLDER = Path(__file__).resolve().parent.parent / "_data"
PIECE = 65_536


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
