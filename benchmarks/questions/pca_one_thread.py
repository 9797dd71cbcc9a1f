"""The same on one thread: is it the algorithm, or the second core?"""

from __future__ import annotations

from functools import partial

from benchmarks.objective import Dataset
from benchmarks.questions import pca


class Objective(pca.Objective):
    title = "Principal components, one thread"
    text = pca.Objective.text + " Everybody runs on one thread, BLAS included."


def datasets(quick: bool) -> list[Dataset]:
    n, p, k = (500, 20, 3) if quick else (1_000_000, 100, 10)
    return [Dataset(f"{n:,} × {p}, k = {k}", partial(pca.planted, n, p, k), limit=1.0)]
