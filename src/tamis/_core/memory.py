"""Checks of memory before work starts that will not fit."""

from __future__ import annotations

import os

from tamis._core.config import memory_limit
from tamis._core.errors import InputError

SHARE = 0.25  # of what is free, for rows that may be held or read again


def available_memory() -> int | None:
    """Bytes that work may take: what this machine can still give without swapping, at most ``memory_limit``; None where
    neither is known.
    """
    known = [n for n in (memory_limit(), _free()) if n is not None]
    return min(known, default=None)


def held_memory() -> float:
    """Bytes of rows that may be held where they could be read again: ``memory_limit``, or a quarter of what is free."""
    free = available_memory()
    return float("inf") if free is None else free if memory_limit() is not None else SHARE * free


def fits_memory(n_bytes: float) -> bool:
    """Whether so many bytes of rows may be held."""
    return n_bytes < held_memory()


def require_memory(n_bytes: float, what: str, remedy: str) -> None:
    """An InputError when ``what`` needs more than there is."""
    free = available_memory()
    if free is not None and n_bytes > free:
        limit = memory_limit()
        there = "are available" if limit is None or limit > free else "are the memory_limit"
        raise InputError(f"{what} needs {human_bytes(n_bytes)}; {human_bytes(free)} {there}: {remedy}")


def human_bytes(n: float) -> str:
    """38 GB, 4.2 MB, 512 bytes."""
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if n >= size:
            return f"{n / size:.3g} {unit}"
    return f"{n:.0f} bytes"


def _free() -> int | None:
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
