"""Work that will not fit says so before it starts."""

from __future__ import annotations

import os

from tamis._core.errors import InputError


def available_bytes() -> float:
    """Memory that can still be had without swapping; infinite where the system does not tell."""
    try:
        with open("/proc/meminfo") as lines:
            return next(1024.0 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        pass
    try:
        return float(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return float("inf")


def require_memory(n_bytes: float, what: str, remedy: str) -> None:
    """An InputError when ``what`` needs more than is available."""
    free = available_bytes()
    if n_bytes > free:
        raise InputError(f"{what} needs {_gigabytes(n_bytes)}, {_gigabytes(free)} are free: {remedy}")


def _gigabytes(n_bytes: float) -> str:
    return f"{n_bytes / 1e9:.3g} GB"
