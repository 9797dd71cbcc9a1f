"""The best K columns for least squares: an answer at once, then bounds on how much better any other could be."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis._kernels import kernels
from tamis.solvers.perspective import branch_and_bound
from tamis.solvers.splicing import splice
from tamis.solvers.subset_statistics import SubsetStatistics

FEW_COLUMNS = 40  # up to so many, leaps and bounds look at all subsets in no time
SOME_COLUMNS = 200  # up to so many, a node's matrix is small enough to keep many of them
MANY_COLUMNS = 2_000  # up to so many, the fit on all columns is a bound
SOLVABLE = 1e-10  # the least eigenvalue of a Gram matrix of unit columns that can be inverted


@dataclass(frozen=True)
class SubsetAnswer:
    """Columns, their coefficients, the objective, its lower bound, and the leaves that prove it; None: no tree was
    needed, or leaps and bounds looked at the subsets themselves.
    """

    S: np.ndarray
    w: np.ndarray
    value: float
    lower: float
    leaves: Any
    swaps: int
    nodes: int
    how: str


def best_subset(
    statistics: SubsetStatistics, K: int, tol: float, time_limit: float, start: np.ndarray | None = None
) -> SubsetAnswer:
    """At most K columns. Ends when the bound is within ``tol`` of the objective, relatively, or the time is up."""
    begin, p = time.monotonic(), statistics.p
    if p <= K or K == 0:
        S = np.arange(p) if K else np.zeros(0, np.int64)
        w, value = statistics.fit(S)
        return SubsetAnswer(S, w, value, value, None, 0, 0, "there is one subset only")
    S, value, swaps = splice(statistics, K, start)
    left = max(0.0, time_limit - (time.monotonic() - begin))
    found = _leaps(statistics, K, S, value, left) or _branches(statistics, K, S, value, tol, left)
    S, lower, leaves, nodes, how = found
    w, value = statistics.fit(S)
    return SubsetAnswer(S, w, value, min(lower, value), leaves, swaps, nodes, how)


def _leaps(statistics: SubsetStatistics, K: int, S: np.ndarray, value: float, seconds: float) -> Any:
    """By leaps and bounds where columns are few, or without a ridge some; None elsewhere and where they depend on each
    other.
    """
    p = statistics.p
    if p > (FEW_COLUMNS if statistics.ridge > 0 else SOME_COLUMNS):
        return None
    used = np.arange(p) if statistics.ridge > 0 else statistics.without_copies(S)
    p, G = len(used), statistics.gram(used)[used]
    if p <= K:
        return used, float(statistics.fit(used)[1]), None, 0, "no more columns than asked vary and are no copies"
    scale = np.sqrt(np.maximum(G.diagonal(), 0.0) + statistics.ridge)
    scale[scale == 0] = 1.0
    M = G + statistics.ridge * np.eye(p)
    M = 0.5 * (M + M.T)
    if np.linalg.eigvalsh(M / np.outer(scale, scale))[0] <= SOLVABLE:
        return None
    inverse = np.linalg.inv(M)
    w = inverse @ statistics.q[used]
    all_of_them = 0.5 * max(0.0, statistics.yy - float(statistics.q[used] @ w))
    if not np.isin(S, used).all():  # what S lacks of the others adds nothing
        S = np.concatenate([S[np.isin(S, used)], np.setdiff1d(used, S)])[:K]
        value = statistics.solve(S)[1]
    chosen, facts = np.searchsorted(used, np.sort(S)).astype(np.int64), np.array([value, 0.0, 0.0])
    kernels.best_subset(0.5 * (inverse + inverse.T), w, all_of_them, K, seconds, chosen, facts)
    # Looked through to the end, the bound is the objective itself, which the caller computes to the last digit.
    lower = np.inf if facts[1] >= facts[0] else float(facts[1])
    return used[chosen], lower, None, int(facts[2]), "leaps and bounds"


def _branches(
    statistics: SubsetStatistics, K: int, S: np.ndarray, value: float, tol: float, seconds: float
) -> tuple[np.ndarray, float, Any, int, str]:
    """By perspective bounds with a ridge; without one the fit on all columns is the bound, if they are not too many."""
    if statistics.ridge == 0:
        lower = statistics.fit(np.arange(statistics.p))[1] if statistics.p <= MANY_COLUMNS else 0.0
        lower = lower if lower > 1e-9 * statistics.yy else 0.0
        return S, lower, None, 1, "without a ridge the fit on all columns is the bound"
    lower, nodes, count, better = branch_and_bound(statistics, K, value, tol, seconds)
    leaves = [(node.inside, node.outside, node.features, node.w) for node in nodes]
    return S if better is None else better, lower, leaves, count, "branch and bound by perspective bounds"
