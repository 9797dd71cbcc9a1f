"""The least ‖s‖₁ with A s = y (11.23), and the dual point that proves it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from tamis._core.evidence import Status
from tamis.operators import as_operator
from tamis.sensing.recoveries.linear_programme import AT_MOST, l1_programme
from tamis.sensing.recovery import worst
from tamis.sensing.system import WRITTEN_OUT, Found
from tamis.solvers.dense_columns import dense_columns, gram_matrix
from tamis.solvers.equality_l1 import EqualityL1
from tamis.solvers.homotopy import lasso_homotopy
from tamis.solvers.iteration_limits import IterationLimits
from tamis.solvers.l1_least_squares import L1LeastSquares, dual_point
from tamis.solvers.lars import lars_path
from tamis.solvers.support_least_squares import column_lengths, support_least_squares

GRAM_AT_MOST = 4096  # columns of a Gram matrix that is formed
SHRINK = 0.25  # of λ from one solution to the next
STAGES = 14
STAGE = 1e-3  # relative gap of a solution on the way
CROWDED = 0.5  # of the rows: a support that is as large is not that of an exactly sparse code
ORTHOGONAL = 1e-6  # cosine of the angle between a column and the least residual, rounding apart
PRESENT = 1e-9  # of the largest entry: what is less was 0 but for rounding
NEARLY = 1e-3  # of ‖r‖: what columns of unit length see of a residual that is nearly the least
JOINS_ABOVE = 3.0  # times what a column sees of random numbers: so few join by chance that the support stays small
FALLEN = 0.5  # of the residual before: a support that is joined by the right columns leaves less


def present(s: np.ndarray) -> np.ndarray:
    """Where s is not 0, rounding apart."""
    return np.flatnonzero(np.abs(s) > PRESENT * np.abs(s).max(initial=0.0))


@dataclass
class EqualitySearch:
    """Basis pursuits of one operator; ``exact``: real columns in memory, solved along the path of the lasso.

    Other operators are tried by falling λ, until least squares on the support, and on columns that see much of what
    these leave, measures y. Where the support grows beyond that of a sparse code, a small real operator is written out,
    and others go on by alternating directions.
    """

    A: Any
    problem: L1LeastSquares
    exact: bool
    tol: float
    max_iter: int
    limits: IterationLimits
    alternating: EqualityL1 | None = None

    def pursue(self, y: np.ndarray, start: np.ndarray | None) -> Found:
        if start is not None:
            found = self._proved(y, start, None, 0)
            if found.status is Status.CONVERGED:
                return found
        return self._pursue_path(y) if self.exact else self._pursue_stages(y, start)

    def _proved(self, y: np.ndarray, s: np.ndarray, also: np.ndarray | None, n_iter: int) -> Found:
        """Least squares on the support of s, and whether it is the answer."""
        s0, r = self._least_squares(y, s, present(s))
        if not self._measures(y, r):
            return Found(s0, Status.STALLED, n_iter, {"gap": np.inf})
        return self._judged(y, s0, dual_point(self.A, s0, L=self.problem.L, also=also), n_iter)

    def _least_squares(
        self, y: np.ndarray, s: np.ndarray, E: np.ndarray, near: float = 0.0
    ) -> tuple[np.ndarray, np.ndarray]:
        """The code of least squares on E, from s, and its residual."""
        s0 = np.zeros_like(s)
        if len(E) <= len(y):
            s0[E] = support_least_squares(self.A, E, y, s[E], near=near)
        s0[np.abs(s0) <= PRESENT * np.abs(s0).max(initial=0.0)] = 0.0
        return s0, y - self.A @ s0

    def _proved_with_more(self, y: np.ndarray, s: np.ndarray, n_iter: int) -> Found:
        """`_proved`, on a support that grows: columns join that see more of what least squares leave than chance would
        let them (Donoho, Tsaig, Drori & Starck 2012), as long as that leaves much less than before.
        """
        E, before = present(s), float(np.linalg.norm(y))
        by_chance = JOINS_ABOVE * self.length / np.sqrt(len(y))
        while len(E) <= CROWDED * len(y):
            s, r = self._least_squares(y, s, E, NEARLY * self.length)
            left = float(np.linalg.norm(r))
            if self._measures(y, r):
                return self._proved(y, s, None, n_iter)
            if left > FALLEN * before:
                break
            E, before = np.union1d(E, np.flatnonzero(np.abs(self.A.H @ r) > by_chance * left)), left
        return Found(s, Status.STALLED, n_iter, {"gap": np.inf})

    @cached_property
    def length(self) -> float:
        """A typical length of columns."""
        return float(np.sqrt(np.mean(column_lengths(self.A) ** 2)))

    def _pursue_path(self, y: np.ndarray) -> Found:
        """The path of the lasso down to λ = 0; where it proves nothing, slower ways that may."""
        end = lasso_homotopy(self.A, y, over=self.limits.over)
        found = self._judged(y, end.s, end.q, end.n_iter)
        if found.status is Status.CONVERGED or end.status not in (Status.CONVERGED, Status.STALLED):
            return found if found.status is Status.CONVERGED else replace(found, status=end.status)
        if not self._measures(y, end.r) and self._least_residual(end.r):
            return found  # no code measures y
        m, n = self.A.shape
        ways = (self._pursue_gram_path, n <= GRAM_AT_MOST), (self._pursue_programme, m * n <= AT_MOST)
        others = (way(y) for way, affordable in ways if affordable)
        return next((other for other in others if other.status is Status.CONVERGED), found)

    def _measures(self, y: np.ndarray, r: np.ndarray) -> bool:
        return float(np.linalg.norm(r)) <= self.tol * float(np.linalg.norm(y))

    def _least_residual(self, r: np.ndarray) -> bool:
        """Whether r is orthogonal to every column."""
        return bool((np.abs(self.A.T @ r) <= ORTHOGONAL * column_lengths(self.A) * np.linalg.norm(r)).all())

    def _judged(self, y: np.ndarray, s: np.ndarray, w: np.ndarray, n_iter: int) -> Found:
        """Whether s measures y and w, scaled if it must be, proves that it is the least."""
        w = w / max(1.0, float(np.abs(self.A.H @ w).max()))
        value = float(np.abs(s).sum())
        gap = value - float(np.vdot(w, y).real)
        proved = self._measures(y, y - self.A @ s) and gap <= self.tol * value
        return Found(s, Status.CONVERGED if proved else Status.STALLED, n_iter, {"gap": gap}, None, w)

    def _pursue_gram_path(self, y: np.ndarray) -> Found:
        """The same on a Gram matrix, whose path is prepared for columns that reach their bounds together."""
        m = len(y)
        path = lars_path(gram_matrix(self.A) / m, self.A.T @ y / m)
        last = path.coefs_sparse[[max(0, path.n_iter - 2), -1]].toarray()
        return self._proved(y, last[1], np.sign(last.sum(axis=0)), path.n_iter)

    def _pursue_programme(self, y: np.ndarray) -> Found:
        solved = l1_programme(self.A, y, self.limits.seconds_left)
        return Found(np.zeros(self.A.shape[1]), Status.STALLED, 0) if solved is None else self._judged(y, *solved)

    def _pursue_stages(self, y: np.ndarray, start: np.ndarray | None) -> Found:
        self.problem.y, s, n_iter, more = y, start, 0, True
        highest = float(np.abs(self.A.H @ y).max())
        for stage in range(1, STAGES + 1):
            lam = highest * SHRINK**stage
            point = (
                self.problem.ready()
                .at(lam)
                .descend(
                    s,
                    goal=lambda gap, value: gap <= STAGE * value,
                    max_iter=self.max_iter - n_iter,
                    over=self.limits.over,
                )
            )
            s, n_iter = point.s, n_iter + point.n_iter
            if point.status not in (Status.CONVERGED, Status.STALLED):
                return replace(self._judged(y, s, point.r / lam, n_iter), status=point.status)
            if np.count_nonzero(s) > CROWDED * len(y):
                break
            found = self._proved_with_more(y, s, n_iter) if more else self._proved(y, s, None, n_iter)
            if found.status is Status.CONVERGED:
                return found
            more = more and not self._measures(y, y - self.A @ found.s)  # else it is another code that measures y
        else:
            assert s is not None
            found = self._proved(y, s, None, n_iter)
            if found.status is Status.CONVERGED:
                return found
        return self._pursue_dense(y, s, n_iter)

    def _pursue_dense(self, y: np.ndarray, s: np.ndarray | None, n_iter: int) -> Found:
        """Codes that are not sparse."""
        m, n = self.A.shape
        if y.dtype.kind != "c" and m * n <= WRITTEN_OUT:
            written = as_operator(np.asfortranarray(dense_columns(self.A, np.arange(n))))
            return replace(self, A=written, exact=True)._pursue_path(y)
        if self.alternating is None:
            self.alternating = EqualityL1(self.A, y.dtype)
        left = max(self.max_iter - n_iter, 1)
        s, w, status, k = self.alternating.solve(y, s, tol=self.tol, max_iter=left, over=self.limits.over)
        found = self._judged(y, s, w, n_iter + k)
        return found if found.status is status else replace(found, status=worst((status, found.status)))
