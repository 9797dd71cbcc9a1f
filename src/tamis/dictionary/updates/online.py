"""Atoms from the statistics ZᵀZ and ZᵀX, one after the other."""

from __future__ import annotations

import numpy as np

from tamis._core.checks import check_count, check_number
from tamis._kernels import kernels
from tamis.dictionary.updates.base import UNUSED, Update
from tamis.stats.code_statistics import CodeStatistics

BLOCK = 32  # atoms whose equations are brought up to date by one matrix product


class OnlineUpdate(Update):
    """Block coordinate descent on the surrogate ½⟨A, DDᵀ⟩ − ⟨B, D⟩ over ‖d‖₂ ≤ 1, A = ZᵀZ, B = ZᵀX: for each atom in
    turn d_j ← Π(d_j + (B_j − A_j D)/A_jj), Π the projection onto the unit ball (Mairal, Bach, Ponce and Sapiro 2010).

    Parameters
    ----------
    batch_size : int or None
        Rows that are coded between updates in ``fit``. Each row counts with its newest code: what it had before is
        taken out of the statistics. None: all rows.
    forgetting : float
        ``partial_fit`` multiplies the statistics there are by forgetting^m before it adds those of m rows; 1 forgets
        nothing.
    sweeps : int
        Times each atom is updated.
    """

    def __init__(self, batch_size: int | None = 512, forgetting: float = 1.0, sweeps: int = 1) -> None:
        self.batch_size = batch_size
        self.forgetting = forgetting
        self.sweeps = sweeps

    def check(self) -> None:
        if self.batch_size is not None:
            check_count("batch_size", self.batch_size)
        check_number("forgetting", self.forgetting, above=0.0, at_most=1.0)
        check_count("sweeps", self.sweeps)

    def update(self, D: np.ndarray, given: CodeStatistics) -> tuple[np.ndarray, None]:
        return descended(D, given, self.sweeps), None


def descended(D: np.ndarray, given: CodeStatistics, sweeps: int) -> np.ndarray:
    """D after so many sweeps; a block's B − AD comes from one product and is kept up to date within the block."""
    new = np.array(D, dtype=np.float64, order="C")
    A = np.ascontiguousarray(given.A)
    unused = UNUSED * float(np.diag(A).max(initial=0.0))
    for _ in range(sweeps):
        for first in range(0, len(new), BLOCK):
            at = slice(first, first + BLOCK)
            kernels.atom_descent(A, first, given.B[at] - A[at] @ new, new, unused)
    return new.astype(D.dtype)
