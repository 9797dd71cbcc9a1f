"""Many rows of normal columns in two classes: ten columns shifted by the class, each by more than the one before."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.near_rows import planted
from benchmarks.question import Dataset

SHIFTS = np.linspace(0.5, 1.5, 10)


@dataclass
class Tall:
    """Rows, two classes, the columns that tell of them, and the number of neighbours."""

    X: np.ndarray
    y: np.ndarray
    telling: np.ndarray
    k: int = 10


def datasets(quick: bool) -> list[Dataset]:
    n, p = (600, 20) if quick else (100_000, 50)
    return [Dataset(f"{n:,} × {p}, {len(SHIFTS)} columns tell of the class", partial(tall, n, p))]


def tall(n: int, p: int) -> Tall:
    return Tall(*planted(n, p, SHIFTS), np.arange(len(SHIFTS)))
