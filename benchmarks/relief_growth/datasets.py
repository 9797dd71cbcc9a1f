"""Normal columns in two classes, ten of which are shifted by the class, and parts of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.near_rows import planted
from benchmarks.question import Dataset

SHIFTS = np.linspace(0.5, 1.5, 10)


@dataclass
class Rows:
    """Rows, two classes, and the number of neighbours."""

    X: np.ndarray
    y: np.ndarray
    k: int = 10

    def part(self, rows: float, columns: float) -> Rows:
        """The first rows and columns, a copy as a user would have it."""
        n, p = (round(size * share) for size, share in zip(self.X.shape, (rows, columns), strict=True))
        return Rows(np.ascontiguousarray(self.X[:n, :p]), self.y[:n], self.k)


def datasets(quick: bool) -> list[Dataset]:
    n, p = (240, 40) if quick else (4_000, 400)
    return [Dataset(f"{n:,} × {p}", partial(rows, n, p))]


def rows(n: int, p: int) -> Rows:
    return Rows(*planted(n, p, SHIFTS))
