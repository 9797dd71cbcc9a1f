"""Checks of memory before work starts that will not fit."""

from __future__ import annotations

import os

from tamis._core.errors import InputError


def available_memory() -> int | None:
    """Bytes this machine can still give without swapping; None where it does not tell."""
    try:
        with open("/proc/meminfo") as lines:
            entries = dict(line.split(":", 1) for line in lines)
        return int(entries["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def fits_memory(n_bytes: float) -> bool:
    """Whether so much can be had without swapping; yes where it is not known."""
    free = available_memory()
    return free is None or n_bytes < free


def require_memory(n_bytes: float, what: str, remedy: str) -> None:
    """An InputError when ``what`` needs more than there is."""
    free = available_memory()
    if free is not None and n_bytes > free:
        raise InputError(f"{what} needs {human_bytes(n_bytes)}; {human_bytes(free)} are available: {remedy}")


def human_bytes(n: float) -> str:
    """38 GB, 4.2 MB, 512 bytes."""
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if n >= size:
            return f"{n / size:.3g} {unit}"
    return f"{n:.0f} bytes"
