"""How work grows with rows and columns, on how many workers it is spread, and what memory it takes.

``python -m benchmarks.scale exponents`` doubles rows and columns and fits the exponents of the CPU time of one thread
to what ``docs/guides/scale.md`` derives: n¹ and p² for Gram matrices, n¹ and p¹ for counts; the difference is at most
0.15. ``workers`` measures seconds and bytes on local clusters of 1 and 2 processes. ``memory`` writes at least 4 GB of
decoded rows as Parquet and fits them under a ``memory_limit`` of 1 GB in a process of its own: its peak RSS is at most
1 GB, and its time at most 1.5 times that of reading the file with pyarrow alone and of the work on rows in memory.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

import tamis
from tamis.sources import as_source
from tamis.stats import collect
from tamis.stats.coded import joint_counts
from tamis.stats.gram import Gram

BAR = 0.15
ROWS_4GB = 8_400_000  # × 60 columns of 8 bytes
MOST_TIME = 1.5  # of reading and the work on rows in memory
MOST_PEAK = 1e9
Work = Callable[[np.ndarray, np.ndarray], object]


def gram(X: np.ndarray, y: np.ndarray) -> object:
    return collect(as_source(X, y), Gram(), n_jobs=1)


def counts(X: np.ndarray, y: np.ndarray) -> object:
    return joint_counts(as_source(X, (y > 0).astype(float)), bins="quantile", n_jobs=1)


# what is measured, its exponents of n and p, and the sizes between which it is: beyond what starting costs
CASES: dict[str, tuple[Work, float, float, list[int], list[int]]] = {
    "gram": (gram, 1.0, 2.0, [20_000, 40_000, 80_000], [256, 512, 1_024]),
    "counts": (counts, 1.0, 1.0, [50_000, 100_000, 200_000], [16, 32, 64]),
}


def cpu_seconds(work: Work, n: int, p: int, repeats: int = 3) -> float:
    """The least of some runs."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((n, p)), rng.standard_normal(n)
    found = []
    for _ in range(repeats):
        start = time.process_time()
        work(X, y)
        found.append(time.process_time() - start)
    return min(found)


def exponent(sizes: list[int], seconds: list[float]) -> float:
    """The slope of log seconds over log size."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def exponents() -> bool:
    held = True
    for name, (work, of_rows, of_columns, rows, columns) in CASES.items():
        by_rows = exponent(rows, [cpu_seconds(work, n, columns[0]) for n in rows])
        by_columns = exponent(columns, [cpu_seconds(work, rows[0], p) for p in columns])
        for what, found, expected in (("rows", by_rows, of_rows), ("columns", by_columns, of_columns)):
            good = abs(found - expected) <= BAR
            held &= good
            print(f"{name:8} {what:8} exponent {found:.2f}, derived {expected:.0f}: {'held' if good else 'missed'}")
    return held


def workers() -> None:
    """The Gram matrix on the workers of a local cluster: seconds, and CPU seconds of the workers, which last on a
    machine with other work."""
    from tamis.sources.dask_workers import local_cluster

    da = __import__("dask.array", fromlist=["array"])
    n, p = 400_000, 200
    for k in (1, 2):
        with local_cluster(k) as client:
            X = da.random.default_rng(0).normal(size=(n, p), chunks=(n // 16, p)).persist()
            tamis.PCA(3).fit(X)  # imports
            cpu, start = sum(client.run(time.process_time).values()), time.perf_counter()
            tamis.PCA(3).fit(X)
            took, spent = time.perf_counter() - start, sum(client.run(time.process_time).values()) - cpu
            print(
                f"PCA of {n:,} × {p} on {k} worker(s): {took:.2f} s ({spent:.2f} s CPU), {8e-9 * n * p / spent:.2f} GB "
                f"and {2e-9 * n * p * p / spent:.1f} GFLOP for each CPU second",
                flush=True,
            )


FITS: dict[str, Callable[..., object]] = {
    "lasso": lambda *data: tamis.LassoCV().fit(*data),
    "pca": lambda X: tamis.PCA(5).fit(X),
    "gains": lambda *data: tamis.SubsetSelector(evaluation="information_gain", n_features=8).fit(*data),
    "classes": lambda *data: tamis.SparseClassifierCV(cv=5).fit(*data),
}


class Spent(NamedTuple):
    """Of one process: wall clock and CPU seconds of what it did, and its peak RSS in bytes."""

    seconds: float
    cpu: float
    peak: int


def memory(n: int, limit: str, fits: list[str]) -> bool:
    """Each fit in a process of its own, from the file under the limit and from rows in memory."""
    held = True
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        write(path, n)
        read = spent("read", path, limit)
        print(f"read with pyarrow alone: {read.seconds:.1f} s ({read.cpu:.1f} s CPU), peak {read.peak / 1e9:.2f} GB")
        for fit in fits or FITS:
            file, rows = spent(fit, path, limit), spent(fit, path, None)
            ratio = file.seconds / (read.seconds + rows.seconds)
            good = ratio <= MOST_TIME and file.peak <= MOST_PEAK
            held &= good
            print(
                f"{fit:8} from the file {file.seconds:.1f} s ({file.cpu:.1f} s CPU), peak {file.peak / 1e9:.2f} GB; "
                f"in memory {rows.seconds:.1f} s ({rows.cpu:.1f} s CPU); {ratio:.2f} × reading and that: "
                f"{'held' if good else 'missed'}",
                flush=True,
            )
    return held


def spent(what: str, path: Path, limit: str | None) -> Spent:
    """In a process of its own; without a limit the rows are in memory before time is taken."""
    command = [
        sys.executable,
        "-m",
        "benchmarks.scale",
        "child",
        what,
        str(path),
        *(["--limit", limit] if limit else []),
    ]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return Spent(*json.loads(done.stdout))


def write(path: Path, n: int, p: int = 60) -> None:
    """Rows of normal numbers with a target of two classes, 100,000 in a row group."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    w = np.where(np.arange(p) < 8, rng.standard_normal(p), 0.0)
    schema = pa.schema([(f"x{j}", pa.float64()) for j in range(p)] + [("y", pa.int64())])
    with pq.ParquetWriter(path, schema) as file:
        for first, last in pairwise([*range(0, n, 100_000), n]):
            X = rng.standard_normal((last - first, p))
            y = (X @ w + rng.logistic(size=len(X)) > 0).astype(np.int64)
            file.write_table(pa.table([*X.T, y], schema=schema))


def child(what: str, path: str, limit: str | None) -> None:
    """One fit in this process; prints what it spent."""
    if limit is not None:
        tamis.set_config(memory_limit=limit)
    data = rows_of(path) if limit is None else (path, "y")
    wall, cpu = time.perf_counter(), time.process_time()
    if what == "read":
        import pyarrow.parquet as pq

        for _ in pq.ParquetFile(path).iter_batches(batch_size=1 << 14):
            pass
    else:
        FITS[what](*(data[:1] if what == "pca" else data))
    took = time.perf_counter() - wall, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps(Spent(*took, peak)))


def rows_of(path: str) -> tuple[np.ndarray, np.ndarray]:
    """The file as arrays, one row group after the other."""
    import pyarrow.parquet as pq

    file = pq.ParquetFile(path)
    n, p = file.metadata.num_rows, file.metadata.num_columns - 1
    X, y, first = np.empty((n, p)), np.empty(n, np.int64), 0
    for batch in file.iter_batches(batch_size=1 << 16):
        rows = slice(first, first := first + len(batch))
        for j in range(p):
            X[rows, j] = batch.column(j)
        y[rows] = batch.column(p)
    return X, y


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("what", choices=["exponents", "workers", "memory", "child"])
    parser.add_argument("more", nargs="*", help="of memory: the fits, all unless named")
    parser.add_argument("--rows", type=int, default=ROWS_4GB)
    parser.add_argument("--limit", default=None)
    given = parser.parse_args()
    if given.what == "exponents":
        raise SystemExit(0 if exponents() else 1)
    if given.what == "workers":
        workers()
    elif given.what == "memory":
        raise SystemExit(0 if memory(given.rows, given.limit or "1 GB", given.more) else 1)
    else:
        child(*given.more, limit=given.limit)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
