"""The machine, the versions, and what the machine can do at most."""

from __future__ import annotations

import datetime
import functools
import os
import platform
import time
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any


def use_threads(n: int) -> None:
    """The same number of threads for everybody. Comes before NumPy is imported, which sizes its pool."""
    for variable in ("OMP", "OPENBLAS", "MKL", "BLIS", "VECLIB", "NUMEXPR", "NUMBA", "RAYON", "TAMIS"):
        os.environ[f"{variable}_NUM_THREADS"] = str(n)
    os.environ["POLARS_MAX_THREADS"] = str(n)


ALLOWED = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None  # before any competitor is imported


def cores() -> int:
    return len(ALLOWED) if ALLOWED else os.cpu_count() or 1


def unbind() -> None:
    """Lets this thread run on all cores. An import may have bound it to one, as adelie's does, and with it every thread
    and process that somebody else then starts.
    """
    if ALLOWED:
        os.sched_setaffinity(0, ALLOWED)


def threads() -> int:
    return int(os.environ.get("TAMIS_NUM_THREADS", "1"))


def version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def describe() -> dict[str, Any]:
    return {
        "processor": _processor(),
        "cores": cores(),
        "threads": threads(),
        "memory_gb": _memory_gb(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "versions": {name: version(name) for name in ("tamis", "numpy", "scipy", "scikit-learn", "pyarrow")},
        "blas": _blas(),
        "date": datetime.date.today().isoformat(),
    }


def _processor() -> str:
    for line in _lines("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _memory_gb() -> float | None:
    for line in _lines("/proc/meminfo"):
        if line.startswith("MemTotal"):
            return round(int(line.split()[1]) / 1024**2, 1)
    return None


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []


def _blas() -> str:
    import numpy as np  # noqa: F401  its BLAS is what is described
    from threadpoolctl import threadpool_info

    pools = [p for p in threadpool_info() if p["user_api"] == "blas"]
    return ", ".join(sorted({f"{p['internal_api']} {p['version']} ({p.get('architecture', '?')})" for p in pools}))


@dataclass(frozen=True)
class Rates:
    """The best this machine showed: floating point in a matrix product, bytes read in a dot product."""

    flops: float
    bytes: float

    def seconds(self, flops: float, n_bytes: float) -> float:
        """No program that does this work can be faster, unless it does less of it."""
        return max(flops / self.flops, n_bytes / self.bytes)


@functools.cache
def rates(quick: bool = False) -> Rates:
    import numpy as np

    p, length = (200, 10**5) if quick else (2000, 5 * 10**7)
    A, x = np.ones((p, p)), np.ones(length)
    return Rates(2 * p**3 / _fastest(lambda: A @ A), 8 * length / _fastest(lambda: x @ x))


def _fastest(work: Any, repeats: int = 5) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)
