"""NMF of rows that come and go: what H needs of them are the sums WᵀW and WᵀX."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis._core.errors import InputError
from tamis._core.threads import thread_count
from tamis.components.nmf_data import Factorisation, Weights
from tamis.components.nmf_start import is_negative
from tamis.sources.base import Block

CODE_SWEEPS, SWEEPS = 200, 20  # of W for new rows, and of H for each block of them
FADING = (
    2.0  # power of the share of rows that were seen before, by which their sums count: codes of an early H are poor
)
LARGEST = 1e145  # the squares of as many entries as fit into memory have a sum
FILE_COPIES = 3  # of a table in memory that a fit needs


@dataclass(frozen=True)
class CodeSums:
    """H (k, p), and of all rows so far WᵀW, WᵀX, ‖X‖², what the penalty of W was, and their weight n.

    ``seen`` counts the rows, whatever weight is left of them.
    """

    H: np.ndarray
    WW: np.ndarray | None = None
    WX: np.ndarray | None = None
    XX: float = 0.0
    penalty: float = 0.0
    n: float = 0.0
    seen: float = 0.0

    def faded(self, n: float) -> CodeSums:
        """All sums times (seen/(seen + n))^FADING, before n more rows (Mairal, Bach, Ponce & Sapiro 2010)."""
        if self.WW is None or self.WX is None:
            return self
        f = (self.seen / (self.seen + n)) ** FADING
        return replace(self, WW=f * self.WW, WX=f * self.WX, XX=f * self.XX, penalty=f * self.penalty, n=f * self.n)

    def with_rows(self, problem: Factorisation, n: float, update: bool = True) -> CodeSums:
        """More rows, coded with H as it is; then H, unless it is to wait."""
        rows = problem.rows
        k = len(self.H)
        W = rows.descend(np.zeros((rows.shape[0], k)), rows.products(self.H), CODE_SWEEPS, 1e-20)
        WX, WW = problem.columns.products(np.ascontiguousarray(W.T))
        sums = replace(
            self,
            WW=WW if self.WW is None else self.WW + WW,
            WX=WX.T if self.WX is None else self.WX + WX.T,
            XX=self.XX + rows.norm2,
            penalty=self.penalty + rows.penalty.value(W),
            n=self.n + n,
            seen=self.seen + n,
        )
        return sums.updated(problem.columns) if update else sums

    def merge(self, other: CodeSums) -> CodeSums:
        """With the sums over other rows, coded with the same H."""
        if self.WW is None or self.WX is None or other.WW is None or other.WX is None:
            return other if self.WW is None else self
        added = {
            name: getattr(self, name) + getattr(other, name) for name in ("WW", "WX", "XX", "penalty", "n", "seen")
        }
        return replace(self, **added)

    def updated(self, side: Any) -> CodeSums:
        """H by sweeps on the quadratic that the sums are."""
        assert self.WX is not None
        return replace(
            self, H=side.descend(self.H.T, (np.ascontiguousarray(self.WX.T), self.WW), SWEEPS, 1e-8).T.copy()
        )

    def loss(self) -> float:
        """½‖X − W H‖² over all rows so far, with the W that they were given."""
        assert self.WX is not None
        assert self.WW is not None
        value = 0.5 * (self.XX - 2 * float(np.vdot(self.WX, self.H)) + float(np.vdot(self.WW, self.H @ self.H.T)))
        return max(value, 0.0)

    def objective(self, problem: Factorisation) -> float:
        return (self.loss() + self.penalty + problem.columns.penalty.value(self.H)) / self.n


class CodedRows:
    """A statistic: the sums over rows coded with H as it is."""

    def __init__(self, H: np.ndarray, penalty: Weights, sums: CodeSums | None = None) -> None:
        self.H, self.penalty = H, penalty
        self.sums = CodeSums(H) if sums is None else sums

    def of(self, block: Block) -> CodedRows:
        matrix, observed = checked_rows(block.X)
        if observed is not None:
            raise InputError("rows that are read again in each round may have no missing values (NaN)", argument="X")
        problem = Factorisation.of(matrix, None, "squared", self.penalty, Weights(), thread_count(1))
        sums = CodeSums(self.H).with_rows(problem, float(matrix.shape[0]), update=False)
        return CodedRows(self.H, self.penalty, sums)

    def merge(self, other: CodedRows) -> CodedRows:
        return CodedRows(self.H, self.penalty, self.sums.merge(other.sums))


def checked_rows(X: Any) -> tuple[Any, np.ndarray | None]:
    """Rows as the kernels take them, zeros where entries are missing; and 1 where they are not, or None."""
    values = X.data if sp.issparse(X) else X
    if is_negative(X):
        count = int(np.count_nonzero(values < 0))
        raise InputError(
            f"Negative values in data passed to NMF: X has {count:,} of them, which W H ≥ 0 cannot reach; shift or "
            "clip them, or use PCA",
            argument="X",
        )
    if np.isinf(values).any() or (sp.issparse(X) and np.isnan(values).any()):
        raise InputError("X contains infinity, or NaN in a sparse array: NMF takes NaN in dense rows", argument="X")
    largest = float(np.nanmax(values)) if values.size and not np.isnan(values).all() else 0.0
    if largest > LARGEST:
        raise InputError(f"X reaches {largest:.2g}, whose square is no floating point number: rescale it", argument="X")
    if sp.issparse(X):
        return sp.csr_array(X), None
    if not np.isnan(values).any():
        return np.ascontiguousarray(X), None
    gaps = np.isnan(X)
    return np.where(gaps, X.dtype.type(0), X), np.ascontiguousarray(~gaps, dtype=X.dtype)
