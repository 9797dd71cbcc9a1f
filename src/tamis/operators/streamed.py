"""Rows that come in blocks: every product is a pass over the source."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis._core.threads import thread_count
from tamis.operators import products
from tamis.operators.base import Linear, row_shares
from tamis.operators.sparse import Sparse
from tamis.sources import Source
from tamis.sources.base import reads_columns


class Streamed(Linear):
    """The rows of a source; memory holds one block at a time, and the columns that are gathered."""

    def __init__(self, source: Source, n_jobs: int | None = None) -> None:
        self.source = source
        self.n_threads = thread_count(n_jobs)
        self.by_columns, self.streamed = reads_columns(source), True
        n = source.n_rows if source.n_rows is not None else sum(len(b) for b in source.blocks([]))
        self.shape = (n, source.n_features)
        self.dtype = next((b.X.dtype for b in source.blocks()), np.dtype(np.float64))

    def forward(self, x: np.ndarray) -> np.ndarray:
        out = np.empty((self.shape[0], *x.shape[1:]))
        for block in self.source.blocks():
            out[block.start : block.start + len(block)] = _multiply(block.X, x)
        return out

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        return self._correlate(r, None)

    def adjoint_at(self, r: np.ndarray, S: np.ndarray) -> np.ndarray:
        return self._correlate(r, [int(j) for j in S])

    def _correlate(self, r: np.ndarray, S: list[int] | None) -> np.ndarray:
        out = np.zeros((self.shape[1] if S is None else len(S), *r.shape[1:]))
        for block in self.source.blocks(S):
            out += _correlate(block.X, r[block.start : block.start + len(block)], self.n_threads)
        return out

    def columns(self, S: Any) -> Any:
        S = [int(j) for j in S]
        parts = [block.X for block in self.source.blocks(S)] if S else []
        if any(sp.issparse(part) for part in parts):
            return sp.csc_array(sp.vstack(parts, format="csc"))
        out = np.empty((self.shape[0], len(S)), dtype=self.dtype, order="F")
        return np.concatenate(parts, out=out) if parts else out

    def moments(self, s: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Blocks merge by M = M₁ + M₂ + n₁n₂/(n₁ + n₂) δ² (Chan, Golub and LeVeque 1983)."""
        p = self.shape[1]
        total, mean, scatter = 0.0, np.zeros(p), np.zeros(p)
        for block in self.source.blocks():
            weights = np.ones(len(block)) if s is None else s[block.start : block.start + len(block)]
            weight = float(weights.sum())
            if weight == 0:
                continue
            block_mean, variance = _moments(block.X, row_shares(len(block), weights))
            delta, share = block_mean - mean, weight / (total + weight)
            scatter += weight * variance + total * share * delta**2
            mean += share * delta
            total += weight
        return products.zero_constant(mean, scatter / total)


def _multiply(X: Any, x: np.ndarray) -> np.ndarray:
    return Sparse(X).forward(x) if sp.issparse(X) else products.multiply(X, x)


def _correlate(X: Any, r: np.ndarray, n_threads: int) -> np.ndarray:
    return Sparse(X, n_threads).adjoint(r) if sp.issparse(X) else products.correlate(X, r, n_threads)


def _moments(X: Any, share: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return Sparse(X).moments(share) if sp.issparse(X) else products.moments(X, share)
