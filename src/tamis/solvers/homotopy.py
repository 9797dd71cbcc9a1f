"""The lasso's path without a Gram matrix: from kink to kink on the columns that matter, checked against all others.

½‖y − A s‖² + λ Σ vⱼ|sⱼ| is followed from the λ where the first column enters. On a segment the active set E and its
signs σ stand, and with d = (A_EᵀA_E)⁻¹(vσ)_E and q = A_E d, as λ falls by δ,

    s_E ← s_E + δ d,    r ← r − δ q,    c = Aᵀr ← c − δ Aᵀq

(Osborne, Presnell & Turlach 2000; Donoho & Tsaig 2008). At λ = 0 the code has the least Σ vⱼ|sⱼ| of all with the same
A s, and q is the dual point that proves it: |Aᵀq| ≤ v with equality on E, of which the code's support may be a part.

Only some columns are followed, those with the largest |cⱼ|/vⱼ. After some kinks Aᵀr is computed for all: where no
column is beyond λ v, the code is the lasso's at this λ, however it was found, and the path goes on from there; else
those beyond are followed too, from where all was well last.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis._core.evidence import Status
from tamis._core.threads import thread_count
from tamis._kernels import kernels
from tamis._kernels.interruption import check_interrupted
from tamis.solvers.dense_columns import dense_columns

ROUNDED = 1e-13  # of the largest entry of a code: what is less was 0 but for rounding
NOTHING = 1e-12  # of the first λ: what is below is 0
LEFT = 1e-10  # relative: a residual or correlation at λ = 0 that is none
BEYOND = 1e-10  # relative: a correlation beyond its bound by less is at it
FOLLOWED = 256  # columns to begin with
STRETCH, LONGEST = 16, 32  # kinks from one check of all columns to the next
NEAR = 0.85  # of its bound: a column that is as close is followed from now on
MOST, CLOSE = 0.5, 0.125  # of those followed: how many join them where some are beyond their bounds, and where none is
PAUSED, REACHED = 0, 1  # what the kernel tells of a stretch


@dataclass(frozen=True)
class HomotopyEnd:
    """Where the path ended: λ, the code and residual there, and the dual direction q of the last segment.

    ``status`` is "stalled" where the path could not be followed: nothing is claimed then.
    """

    lam: float
    s: np.ndarray
    r: np.ndarray
    q: np.ndarray
    status: Status
    n_iter: int


def lasso_homotopy(
    A: Any,
    y: np.ndarray,
    *,
    lam: float = 0.0,
    radius: float = 0.0,
    weights: np.ndarray | None = None,
    max_kinks: int | None = None,
    over: Callable[[], bool] = lambda: False,
) -> HomotopyEnd:
    """The path of a real operator A down to ``lam``, or to where ‖y − A s‖ = ``radius``, whichever comes first.

    A column that depends on the active ones never enters; of two equal columns the first does.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.operators import as_operator
    >>> from tamis.solvers.homotopy import lasso_homotopy
    >>> end = lasso_homotopy(as_operator(np.eye(3)), np.array([3.0, -2.0, 0.5]), lam=1.0)
    >>> end.s, end.n_iter
    (array([ 2., -1.,  0.]), 1)
    """
    v = np.ones(A.shape[1]) if weights is None else weights
    path = _Followed(A, y, v)
    if lam >= path.first or radius >= float(np.linalg.norm(y)):
        return HomotopyEnd(max(lam, path.first), np.zeros(A.shape[1]), y, np.zeros_like(y), Status.CONVERGED, 0)
    most = 10 * min(A.shape) + 100 if max_kinks is None else max_kinks
    stretch = STRETCH
    while path.kinks < most:
        check_interrupted()
        if over():
            return path.end(Status.TIME_LIMIT)
        outcome = path.run(lam, radius, min(stretch, most - path.kinks))
        if not path.accept():
            stretch = max(stretch // 2, STRETCH)
            continue
        stretch = min(2 * stretch, LONGEST)
        if outcome != PAUSED:
            return path.end(Status.CONVERGED if outcome == REACHED else Status.STALLED)
    return path.end(Status.STALLED)


class _Followed:
    """The path on the columns W, and c = Aᵀr of all columns where none was beyond its bound last."""

    def __init__(self, A: Any, y: np.ndarray, v: np.ndarray) -> None:
        self.A, self.y, self.v = A, y, v
        self.Aty = self.c = A.T @ y
        ratios = np.abs(self.c) / v
        self.first = float(ratios.max())
        self.path = kernels.LassoPath(y, self.first, thread_count(None))
        self.W = np.zeros(0, np.intp)
        self.outside = np.ones(len(v), bool)
        self.path.save()
        self._follow(ratios, FOLLOWED, above=0.0)

    @property
    def kinks(self) -> int:
        """Those after the first column entered."""
        return int(self.path.kinks) - 1

    def run(self, lam: float, radius: float, kinks: int) -> int:
        return int(self.path.run(self.c[self.W], lam, radius, kinks))

    def accept(self) -> bool:
        """Whether no column is beyond its bound here; where some are, they are followed from where none was."""
        lam, r = self.path.lam, self.path.residual()
        ended = lam <= NOTHING * self.first  # λ is nothing
        nothing_left = ended and float(np.linalg.norm(r)) <= LEFT * float(np.linalg.norm(self.y))  # r is λ q
        c = self.A.T @ (self.path.direction() if nothing_left else r)
        bound = 1.0 if nothing_left else LEFT * self.first if ended else lam
        ratios = np.where(self.outside, np.abs(c) / self.v, 0.0) / bound
        if ratios.max() > 1 + BEYOND:
            self.path.restore()
            self._follow(ratios, MOST * len(self.W))
            return False
        if not ended:
            self.c = c
            self.path.save()
            self._follow(ratios, CLOSE * len(self.W))
        return True

    def _follow(self, ratios: np.ndarray, most: float, above: float = NEAR) -> None:
        """Columns with the largest ratios are followed from now on: about so many, equal columns together."""
        last = len(ratios) - min(max(int(most), 1), len(ratios))
        chosen = np.flatnonzero(ratios >= max(float(np.partition(ratios, last)[last]), np.nextafter(above, np.inf)))
        if len(chosen) == 0:
            return
        self.outside[chosen] = False
        self.W = np.concatenate([self.W, chosen])
        X = np.ascontiguousarray(dense_columns(self.A, chosen).T)
        self.path.add(X, self.v[chosen], self.Aty[chosen])

    def end(self, status: Status) -> HomotopyEnd:
        s, n = np.zeros(len(self.v)), max(self.kinks, 0)
        z, r = self.path.code(), self.path.residual()
        present = np.abs(z) > ROUNDED * np.abs(z).max(initial=0.0)  # at a kink, λ = 0 above all, members may be 0
        kept = present & (np.sign(z) == self.path.signs())
        E = self.W[self.path.active()]
        s[E[kept]] = z[kept]
        if not kept.all():
            r = self.y - self.A @ s
        return HomotopyEnd(float(self.path.lam), s, r, self.path.direction(), status, n)
