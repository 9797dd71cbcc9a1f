"""The Dantzig selector, a linear programme."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from scipy.optimize import linprog

from tamis._core.errors import InputError
from tamis._core.evidence import Certificate, Status
from tamis._core.memory import require_memory
from tamis.sensing.recoveries.base import RecoveryMethod
from tamis.sensing.recoveries.soft_thresholding import penalty_strength
from tamis.sensing.recovery import Recovery
from tamis.sensing.system import Found, System
from tamis.solvers.dense_columns import gram_matrix


@dataclass(frozen=True, repr=False)
class DantzigGap(Certificate):
    """That no code with ‖Aᵀ(y − A s)‖∞ ≤ mα has ‖s‖₁ below ``bound``.

    For every u with ‖AᵀA u‖∞ ≤ 1 and all such s, ‖s‖₁ ≥ ⟨AᵀA u, s⟩ ≥ ⟨u, Aᵀy⟩ − mα‖u‖₁. ``dual`` is u.
    """

    code: np.ndarray
    dual: np.ndarray
    alpha: float
    value: Any = np.nan
    bound: Any = np.nan
    correlation: Any = np.nan

    @property
    def gap(self) -> Any:
        return self.value - self.bound

    def verify(self, A: Any, y: Any) -> Self:
        """The same numbers recomputed from the data, in plain NumPy."""
        A, y = np.asarray(A), np.asarray(y)
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
        Relative gap at which it is converged.
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
    alpha, n = penalty_strength(alpha), system.A.shape[1]
    require_memory(6 * 8.0 * (2 * n) ** 2, f"the linear programme of {n:,} columns", "use bpdn instead")
    G = gram_matrix(system.A)

    def certificate(S: np.ndarray, duals: list[Any]) -> Certificate:
        U = np.column_stack([np.zeros(n) if u is None else u for u in duals])
        matrix = system.A.columns(np.arange(n))
        matrix = matrix.toarray() if hasattr(matrix, "toarray") else matrix
        one = (S[:, 0], U[:, 0], system.Y[:, 0]) if system.one else (S, U, system.Y)
        return DantzigGap(one[0], one[1], alpha).verify(matrix, one[2])

    return system.each(lambda y, _: _solve(system, G, y, len(y) * alpha, tol), certificate)


class Dantzig(RecoveryMethod, function=dantzig):
    """The Dantzig selector. Parameters are those of `dantzig`."""


def _solve(system: System, G: np.ndarray, y: np.ndarray, bound: float, tol: float) -> Found:
    q, n = system.A.T @ y, len(G)
    rows, right = np.block([[G, -G], [-G, G]]), np.concatenate([bound + q, bound - q])
    left = system.limits.seconds_left
    options = {"presolve": True} if np.isinf(left) else {"presolve": True, "time_limit": max(left, 1e-3)}
    found = linprog(np.ones(2 * n), A_ub=rows, b_ub=right, bounds=(0, None), method="highs", options=options)
    if found.x is None:
        status = Status.TIME_LIMIT if found.status == 1 else Status.STALLED
        return Found(np.zeros(n), status, 0, {"gap": np.inf})
    s = found.x[:n] - found.x[n:]
    prices = found.ineqlin.marginals
    u = prices[n:] * -1 + prices[:n]
    u = u / max(1.0, float(np.abs(G @ u).max()))
    u = u if q @ u > 0 else -u
    gap = float(np.abs(s).sum()) - (float(q @ u) - bound * float(np.abs(u).sum()))
    status = Status.CONVERGED if gap <= tol * max(1.0, float(np.abs(s).sum())) else Status.STALLED
    return Found(s, status, int(found.nit), {"gap": gap}, None, u)
