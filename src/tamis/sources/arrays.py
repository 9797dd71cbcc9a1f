"""Rows from arrays in memory: dense (C or F order) and sparse. Blocks are views; nothing is copied but integers and booleans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis.sources.base import Block

BLOCK_BYTES = 1 << 28  # in memory a block is a view, so blocks are few; the kernels cut them for the cache


class ArraySource:
    """A dense or sparse matrix with its target and weights."""

    in_memory = True

    def __init__(self, X: Any, y: np.ndarray | None, weight: np.ndarray | None, names: list[str]) -> None:
        self.X = X.tocsr() if sp.issparse(X) else X
        self.y = y
        self.weight = weight
        self.names = names
        self.n_rows: int | None = X.shape[0]

    @property
    def n_features(self) -> int:
        return int(self.X.shape[1])

    def blocks(self, columns: Sequence[int] | None = None) -> Iterator[Block]:
        n, p = self.X.shape
        X = self.X if columns is None else self.X[:, list(columns)]
        step = max(1, BLOCK_BYTES // (8 * max(1, p)))
        for start in range(0, n, step):
            rows = slice(start, start + step)
            yield Block(_as_float(X[rows]), _part(self.y, rows), _part(self.weight, rows), start)


def _part(values: np.ndarray | None, rows: slice) -> np.ndarray | None:
    return None if values is None else values[rows]


def _as_float(X: Any) -> Any:
    return X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)
