"""Normal columns in two classes, ten of which are shifted by the class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.near_rows import planted
from benchmarks.question import Dataset

RELIEFF, MULTISURF = "ReliefF", "MultiSURF"
SHIFTS = np.linspace(0.5, 1.5, 10)


@dataclass
class Classes:
    """Rows, two classes of the same size, the method asked for and its number of neighbours."""

    X: np.ndarray
    y: np.ndarray
    method: str
    k: int = 10


def datasets(quick: bool) -> list[Dataset]:
    n, p = (120, 20) if quick else (2_000, 500)
    return [Dataset(f"{method}, {n:,} × {p}", partial(classes, n, p, method)) for method in (RELIEFF, MULTISURF)]


def classes(n: int, p: int, method: str) -> Classes:
    return Classes(*planted(n, p, SHIFTS), method)
