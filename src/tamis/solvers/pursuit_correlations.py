"""c = Aᴴr of a residual that is projected off one column after another.

Columns in memory: with q the direction that joins, c falls by ⟨q, r⟩ Aᴴq, and Aᴴq = (Aᴴa − Σ hᵢ Aᴴqᵢ)/ℓ where
a = ℓ q + Σ hᵢ qᵢ. The products Aᴴa of the columns that correlate best, which are likely to join next, are computed
together: A is read once for all of them. Other operators multiply by Aᴴ each time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis.solvers.dense_columns import dense_columns
from tamis.solvers.support_least_squares import in_memory

TOGETHER = 8  # columns whose products are computed at once
LOST = 1e-3  # of ‖r‖ where c was computed: what is left has lost three digits
SHORT = 1e-3  # of what lies along those before: a direction this short has lost three digits


@dataclass(frozen=True)
class Direction:
    """Number k of an orthonormal basis: the column that joined is length · q + Σ alongᵢ qᵢ over those before."""

    k: int
    q: np.ndarray
    along: np.ndarray
    length: float


class Correlations:
    """Aᴴr, of y at first; ``most`` directions join at most."""

    def __init__(self, A: Any, y: np.ndarray, most: int) -> None:
        self.A, self.kept = A, in_memory(A)
        self.c = A.H @ y
        self.size = float(np.linalg.norm(y))  # ‖r‖ where c was computed
        m, p = A.shape
        self.in_kernel = self.kept and self.c.dtype == np.float64
        self.slot = np.full(p, -1)  # of a column in the two tables
        self.columns, self.products = np.zeros((0, m), self.c.dtype), np.zeros((0, p), self.c.dtype)
        self.AQ = np.empty((most if self.kept else 0, p), self.c.dtype)

    def column(self, j: int) -> np.ndarray:
        known: np.ndarray = self.columns[self.slot[j]] if self.slot[j] >= 0 else dense_columns(self.A, [j])[:, 0]
        return known

    def prepare(self, j: int, scores: np.ndarray, n_more: int) -> None:
        """Column j is about to join; others with high scores, ``n_more`` at most, may do so soon."""
        if not self.kept or self.slot[j] >= 0:
            return
        count = min(TOGETHER, n_more, len(scores))
        likely = np.argpartition(-scores, count - 1)[:count] if count > 1 else np.zeros(0, np.intp)
        S = np.append(likely[(likely != j) & (self.slot[likely] < 0) & (scores[likely] > 0)], j)
        X = dense_columns(self.A, S)
        self.slot[S] = len(self.columns) + np.arange(len(S))
        self.columns = np.concatenate([self.columns, X.T])
        self.products = np.concatenate([self.products, (self.A.H @ X).T])

    def project(self, j: int, direction: Direction, amount: Any, r: np.ndarray, size: float) -> None:
        """Column j joined, r lost ``amount`` of its direction, and this of norm ``size`` is what is left."""
        if not self.kept:
            self.c = self.A.H @ r
            return
        k, q, along, length = direction.k, direction.q, direction.along, direction.length
        if self.slot[j] >= 0 and length**2 > SHORT**2 * float(np.vdot(along, along).real):
            self.AQ[k] = (self.products[self.slot[j]] - along @ self.AQ[:k]) / length
        else:
            self.AQ[k] = self.A.H @ q
        if size <= LOST * self.size:
            self.refresh(r, size)
        else:
            self.c = self.c - amount * self.AQ[k]

    def refresh(self, r: np.ndarray, size: float) -> None:
        self.c, self.size = self.A.H @ r, size
