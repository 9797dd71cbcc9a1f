"""Rows on a Dask cluster of two processes on this machine, the same for everybody who is asked about them."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import numpy as np


class RowsOnDask:
    """X and y in memory, and as Dask arrays that the workers hold; ``workers`` 0: Dask's threads in this process."""

    def __init__(self, X: np.ndarray, y: np.ndarray, k: int, alpha: float, workers: int) -> None:
        self.here, self.y_here, self.k, self.alpha, self.workers = X, y, k, alpha, workers
        self._open = ExitStack()
        self._on: tuple[Any, Any] | None = None

    def on_dask(self) -> tuple[Any, Any]:
        """X and y there; the cluster is started and filled the first time."""
        if self._on is None:
            import dask.array as da

            if self.workers:
                from distributed import Client, LocalCluster

                settings = {"n_workers": self.workers, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
                cluster = self._open.enter_context(LocalCluster(**settings, memory_limit=0))
                self._open.enter_context(Client(cluster))
            rows = -(-len(self.here) // 16)
            X, y = da.from_array(self.here, chunks=(rows, -1)), da.from_array(self.y_here, chunks=rows)
            self._on = (X.persist(), y.persist())
        return self._on

    def close(self) -> None:
        self._on = None
        self._open.close()
