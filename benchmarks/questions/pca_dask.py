"""How fast are the first principal directions of rows that a Dask cluster holds?"""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.clusters import RowsOnDask
from benchmarks.objective import Dataset
from benchmarks.questions import pca


class Objective(pca.Objective):
    title = "Principal components on Dask"
    text = (
        "The first k principal directions of a Dask array in 16 chunks that the workers of a LocalCluster hold: 2 "
        "processes of one thread, the same for all. Error is the sine of the largest angle between the subspace found "
        "and eigenvectors of the covariance."
    )

    def reference(self, data: RowsOnDask) -> np.ndarray:
        return np.linalg.eigh(np.cov(data.here.T))[1][:, ::-1][:, : data.k].T


def datasets(quick: bool) -> list[Dataset]:
    if quick:
        return [Dataset("800 × 10, k = 3", partial(rows, 800, 10, 3, 0))]
    return [Dataset("400,000 × 100, k = 10, 2 workers", partial(rows, 400_000, 100, 10, 2), limit=3.0)]


def rows(n: int, p: int, k: int, workers: int) -> RowsOnDask:
    return RowsOnDask(pca.planted(n, p, k).X, np.zeros(n), k, 0.0, workers)
