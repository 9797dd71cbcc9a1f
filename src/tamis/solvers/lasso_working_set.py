"""The lasso at one λ on the columns that matter: ½‖y − A s‖² + λ‖s‖₁ for a real A in memory.

Solved exactly on a working set W, whose Gram matrix is kept, at 3λ and 1.5λ first and then at λ until no column outside
has |aⱼᵀr| > λ; those with the largest join, at most half as many as there are, so that W stays small while the
residual still says little about who matters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis._core.evidence import Status
from tamis._kernels.interruption import check_interrupted
from tamis._kernels.workspace import larger, square
from tamis.penalties import L1
from tamis.solvers.dense_columns import dense_columns
from tamis.solvers.quadratic import FeatureQuadratic

LEVELS = (3.0, 1.5)  # times λ
FIRST = 0.1  # of the rows: columns to begin with
AT_LEAST = 64
NEAR = 0.9  # of λ: a column that is as close joins too
MOST = 0.5  # of W: how many join
BEYOND = 1e-10  # relative: a correlation beyond λ by less is at it
EXACT = 1e-12  # of ½‖y‖²: the gap that is left on W
ROUNDS = 1000  # of descent on W
TURNS = 100  # of W
SMALL = 5e-4  # of the largest |aⱼᵀy|


@dataclass(frozen=True)
class LassoPoint:
    """The code, its residual r and Aᵀr; ``status`` is "stalled" where nothing is claimed."""

    s: np.ndarray
    r: np.ndarray
    c: np.ndarray
    status: Status
    n_iter: int


def lasso_at(A: Any, y: np.ndarray, lam: float, over: Callable[[], bool] = lambda: False) -> LassoPoint:
    """The minimiser; ``n_iter`` counts readings of all columns. It is stalled at once where λ is so small that about as
    many columns matter as there are rows: the path of :mod:`tamis.solvers.homotopy` is faster then.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.operators import as_operator
    >>> from tamis.solvers.lasso_working_set import lasso_at
    >>> lasso_at(as_operator(np.eye(3)), np.array([3.0, -2.0, 0.5]), 1.0).s
    array([ 2., -1.,  0.])
    """
    c = A.T @ y
    n_iter, status = 1, Status.CONVERGED
    highest = float(np.abs(c).max())
    if highest <= lam or lam < SMALL * highest:
        return LassoPoint(np.zeros(len(c)), y, c, status if highest <= lam else Status.STALLED, n_iter)
    working = _WorkingSet(A, y, c)
    working.join(np.abs(c), max(AT_LEAST, int(FIRST * len(y))))
    levels = [f * lam for f in LEVELS if f * lam < highest]
    r = y
    for turn in range(TURNS):
        check_interrupted()
        level = levels[turn] if turn < len(levels) else lam
        if not working.solve(level):
            return LassoPoint(working.code(), r, c, Status.STALLED, n_iter)
        r = working.residual()
        c, n_iter = A.T @ r, n_iter + 1
        ratios = np.where(working.outside, np.abs(c), 0.0) / level
        if level == lam and float(ratios.max()) <= 1 + BEYOND:
            return LassoPoint(working.code(), r, c, status, n_iter)
        if over():
            return LassoPoint(working.code(), r, c, Status.TIME_LIMIT, n_iter)
        working.join(np.where(ratios > NEAR, ratios, 0.0), int(MOST * len(working.W)))
    return LassoPoint(working.code(), r, c, Status.STALLED, n_iter)


class _WorkingSet:
    """Columns W in the order they joined, their Gram matrix and the minimiser w on them."""

    def __init__(self, A: Any, y: np.ndarray, Aty: np.ndarray) -> None:
        self.A, self.y, self.Aty, self.yy = A, y, Aty, float(y @ y)
        self.W, self.w, self.X = np.zeros(0, np.int64), np.zeros(0), np.zeros((0, len(y)))
        self.outside = np.ones(len(Aty), bool)
        self._G = square(64)
        self.quadratic = FeatureQuadratic(L1().terms(len(Aty)), max_iter=ROUNDS)

    def join(self, scores: np.ndarray, most: int) -> None:
        """The columns with the largest scores above 0: about so many, equal ones together, by their order in A."""
        last = len(scores) - min(max(most, 1), len(scores))
        least = float(np.partition(scores, last)[last])
        new = np.flatnonzero((scores >= least) & (scores > 0))
        before, end = len(self.W), len(self.W) + len(new)
        columns = np.ascontiguousarray(dense_columns(self.A, new).T)
        if end > len(self._G):
            self._G = larger(self._G, before, end)
        self._G[before:end, before:end] = columns @ columns.T
        self._G[:before, before:end] = self.X @ columns.T
        self._G[before:end, :before] = self._G[:before, before:end].T
        self.X = np.concatenate([self.X, columns]) if before else columns
        self.W, self.w = np.append(self.W, new), np.append(self.w, np.zeros(len(new)))
        self.outside[new] = False
        self.quadratic.grow(new)

    def solve(self, lam: float) -> bool:
        k = len(self.W)
        _, _, converged = self.quadratic.path(
            self._G[:k, :k], self.Aty[self.W], self.yy, self.w, np.array([lam]), EXACT
        )
        return bool(converged[0])

    def residual(self) -> np.ndarray:
        E = np.flatnonzero(self.w)
        r: np.ndarray = self.y - self.w[E] @ self.X[E]
        return r

    def code(self) -> np.ndarray:
        s = np.zeros(len(self.Aty))
        s[self.W] = self.w
        return s
