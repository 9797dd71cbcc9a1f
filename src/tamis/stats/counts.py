"""Joint counts of binned columns with the class, and the information gain they give.

Ent(D) = −Σ_k p_k log₂ p_k,  Gain(a) = Ent(D) − Σ_v |D^v|/|D| Ent(D^v)  (Zhou, Machine Learning, equations 11.1 and
11.2), in bits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from tamis._kernels import kernels
from tamis.sources.base import Block
from tamis.stats.binning import NO_WEIGHT, Bins


@dataclass(frozen=True)
class JointCounts:
    """How much weight each (bin, class) has, for every column: ``table[starts[j] + code, class]``.

    ``bins`` cut the columns, ``classes`` the target: class(y) = #{k : t_k < y} for its cuts, or the rank of y for
    its values.
    """

    bins: Bins
    classes: Bins
    table: np.ndarray | None = None

    @property
    def starts(self) -> np.ndarray:
        return np.concatenate([[0], np.cumsum(self.bins.levels)]).astype(np.int64)

    def of(self, block: Block) -> Self:
        assert block.y is not None, "counts with the class need a target"
        codes = self.bins.codes(block.X)
        y = self.classes.codes(block.y[:, None])[0].astype(np.int32)
        table = np.zeros((int(self.starts[-1]), len(self.classes.cuts[0]) + 2))
        weight = NO_WEIGHT if block.weight is None else np.ascontiguousarray(block.weight, dtype=np.float64)
        kernels.joint_counts(codes, self.starts, y, weight, table, 1)
        return replace(self, table=table)

    def merge(self, other: Self) -> Self:
        if self.table is None or other.table is None:
            return other if self.table is None else self
        return replace(self, table=self.table + other.table)

    def column(self, j: int) -> np.ndarray:
        """(levels, classes) counts of one column."""
        assert self.table is not None, "no rows were seen"
        return self.table[self.starts[j] : self.starts[j + 1]]

    def gains(self) -> np.ndarray:
        """Information gain of every column in bits."""
        assert self.table is not None, "no rows were seen"
        whole = entropy(self.column(0).sum(axis=0))
        cells = self.table.sum(axis=1)
        inside = np.add.reduceat(cells * entropy(self.table), self.starts[:-1])
        return np.maximum(0.0, whole - inside / self.column(0).sum())


def entropy(counts: np.ndarray) -> np.ndarray:
    """Ent in bits along the last axis; 0 where nothing was counted."""
    total = counts.sum(axis=-1, keepdims=True)
    share = np.divide(counts, total, out=np.zeros_like(counts, dtype=np.float64), where=total > 0)
    return -np.sum(share * np.log2(share, out=np.zeros_like(share), where=share > 0), axis=-1)
