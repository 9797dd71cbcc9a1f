"""The Dantzig selector, a linear programme."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

from tamis._core.checks import check_number
from tamis._core.errors import InputError
from tamis._core.evidence import Certificate, Status
from tamis._core.memory import require_memory
from tamis.sensing.convergence import ProvedSelector
from tamis.sensing.gap_certificates import BoundedValue, matrix_of
from tamis.sensing.recoveries.base import RecoveryMethod
from tamis.sensing.recoveries.soft_thresholding import penalty_strength
from tamis.sensing.recovery import Recovery
from tamis.sensing.system import Found, System
from tamis.solvers.dense_columns import dense_columns, gram_matrix
from tamis.solvers.iteration_limits import IterationLimits


@dataclass(frozen=True, repr=False)
class DantzigGap(BoundedValue):
    """That no code with ‖Aᵀ(y − A s)‖∞ ≤ mα has ‖s‖₁ below ``bound``.

    For every u with ‖AᵀA u‖∞ ≤ 1 and all such s, ‖s‖₁ ≥ ⟨AᵀA u, s⟩ ≥ ⟨u, Aᵀy⟩ − mα‖u‖₁. ``dual`` is u.
    """

    code: np.ndarray
    dual: np.ndarray
    alpha: float
    value: Any = np.nan
    bound: Any = np.nan
    correlation: Any = np.nan

    def verify(self, A: Any, y: Any, basis: Any = None) -> Self:
        """The same numbers recomputed from the data, in plain NumPy."""
        A, y = matrix_of(A, basis), np.asarray(y)
        beyond = np.max(np.abs(A.T @ (A @ self.dual)), axis=0, initial=0.0)
        u = self.dual / np.maximum(beyond, 1.0)
        bound = np.sum(u * (A.T @ y), axis=0) - len(y) * self.alpha * np.sum(np.abs(u), axis=0)
        worst = np.max(np.abs(A.T @ (y - A @ self.code)), axis=0) / len(y)
        return replace(self, dual=u, value=np.sum(np.abs(self.code), axis=0), bound=bound, correlation=worst)


def dantzig(
    A: Any,
    y: Any,
    alpha: float | None = None,
    *,
    tol: float = 1e-7,
    time_limit: float | None = None,
    basis: Any = None,
    start: Any = None,
) -> Recovery:
    """The Dantzig selector: the least ‖s‖₁ with ‖Aᵀ(y − A s)‖∞ ≤ mα (Candès & Tao 2007), by HiGHS, with its dual.

    The lasso's solution for the same α satisfies the same bound, so ‖s‖₁ here is at most the lasso's. A is real, and
    its Gram matrix is formed.

    Parameters
    ----------
    A : (m, n) array, sparse array or operator
    y : (m,) or (m, signals)
    alpha : float
    tol : float
        Relative gap at which it is converged, and how much the bound may be exceeded, relative.
    time_limit : float, optional
        Seconds.
    basis : operator, optional
        Ψ: the signal is Ψ s and is measured by A, y = A Ψ s.
    start
        Not used by a linear programme: must be None.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.sensing import dantzig
    >>> dantzig(np.eye(3), [3.0, -2.0, 0.5], alpha=1 / 3).code.round(6)
    array([ 2., -1.,  0.])
    """
    if start is not None:
        raise InputError("start means nothing to dantzig: a linear programme has no warm start here", argument="start")
    system = System.of(A, y, basis, None, time_limit)
    if system.dtype.kind == "c":
        raise InputError("A and y must be real for the Dantzig selector: use bpdn for complex data", argument="A")
    alpha, n, tol = penalty_strength(alpha), system.A.shape[1], check_number("tol", tol, above=0.0)
    require_memory(6 * 8.0 * 2 * n**2, f"the linear programme of {n:,} columns", "use bpdn instead")
    G = gram_matrix(system.A)

    def certificate(S: np.ndarray, duals: list[Any]) -> Certificate:
        U = np.column_stack([np.zeros(n) if u is None else u for u in duals])
        one = (S[:, 0], U[:, 0], system.Y[:, 0]) if system.one else (S, U, system.Y)
        return DantzigGap(one[0], one[1], alpha).verify(dense_columns(system.A, np.arange(n)), one[2])

    rule = ProvedSelector(tol, alpha)
    return system.each(lambda y, _: _solve(system, G, y, len(y) * alpha), rule, certificate)


class Dantzig(RecoveryMethod, function=dantzig):
    """The Dantzig selector. Parameters are those of `dantzig`."""


def _solve(system: System, G: np.ndarray, y: np.ndarray, bound: float) -> Found:
    q, n = system.A.T @ y, len(G)
    found = _programme(G, q, bound, system.limits)
    late = found is None or system.limits.late or found.status == OUT_OF_TIME
    if found is None or found.x is None or found.eqlin.marginals is None:
        return Found(np.zeros(n), Status.TIME_LIMIT if late else Status.STALLED, 0, {"gap": np.inf})
    lengths, size = _units(G, q)
    s = size * (found.x[:n] - found.x[n : 2 * n]) / lengths
    u = found.eqlin.marginals * float(lengths.max()) / lengths
    u = u / max(1.0, float(np.abs(G @ u).max()))
    gap = float(np.abs(s).sum()) - (float(q @ u) - bound * float(np.abs(u).sum()))
    ended = Status.TIME_LIMIT if found.status == OUT_OF_TIME else Status.CONVERGED
    return Found(s, ended, int(found.nit), {"gap": gap}, None, u)


def _units(G: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, float]:
    """Lengths of columns, and the size of Aᵀy over them: 1 where there is none."""
    squares = np.diag(G)
    lengths = np.sqrt(np.where(squares > 0, squares, 1.0))
    size = float(np.abs(q / lengths).max())
    return lengths, size if size > 0 else 1.0


def _programme(G: np.ndarray, q: np.ndarray, bound: float, limits: IterationLimits) -> Any:
    """G s + t = q with |t| ≤ bound, on columns of unit length and q of size 1: tolerances of HiGHS are absolute."""
    n, (lengths, size) = len(G), _units(G, q)
    rows = _beside_its_negative(G / lengths / lengths[:, None])
    highest = np.concatenate([np.full(2 * n, np.inf), bound / (size * lengths)])
    bounds = np.column_stack([np.where(np.isinf(highest), 0.0, -highest), highest])
    costs = np.concatenate([np.tile(float(lengths.max()) / lengths, 2), np.zeros(n)])
    options: dict[str, Any] = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    left = limits.seconds_left - HANDOVER * rows.nnz
    if limits.late or left <= 0:
        return None
    if np.isfinite(left):
        options["time_limit"] = left
    return linprog(costs, A_eq=rows, b_eq=q / (size * lengths), bounds=bounds, method="highs-ds", options=options)


OUT_OF_TIME = 1  # as linprog says it
HANDOVER = 2e-7  # seconds per entry of a programme until HiGHS begins to look at the clock


def _beside_its_negative(G: np.ndarray) -> sp.csc_array:
    """(G, −G, I) for a symmetric G, as HiGHS takes it: its own search for zeros takes longer than small programmes."""
    n = len(G)
    data = np.concatenate([G.ravel(), -G.ravel(), np.ones(n)])
    indices = np.concatenate([np.tile(np.arange(n, dtype=np.int32), 2 * n), np.arange(n, dtype=np.int32)])
    starts = np.concatenate([np.arange(2 * n) * n, 2 * n * n + np.arange(n + 1)]).astype(np.int32)
    return sp.csc_array((data, indices, starts), shape=(n, 3 * n))
