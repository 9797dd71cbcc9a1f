"""Lower bounds for the best subset of K columns by its perspective relaxation, and branch and bound on them.

With z ∈ {0, 1}ᵖ, Σz ≤ K saying which columns are in, ridge/2 ‖w‖² is ridge/2 Σ wⱼ²/zⱼ, which stays convex for z between
0 and 1 (Günlük and Linderoth 2010). For f(w) = ½ Σ hᵢ(yᵢ − xᵢᵀw)² every r bounds the relaxation, and so every subset:

    ⟨y, r⟩ − ½⟨r, r⟩ − 1/(2 ridge) · (the K largest cⱼ², c = Xᵀhr),    ⟨a, b⟩ = Σ hᵢaᵢbᵢ.

In a node where some columns are in and some are out, those in always count among the K, those out never. The r taken is
the residual of the relaxation's own solution, found by accelerated proximal steps on a working set of columns, times
the factor that makes the bound largest; so a node is proved by p numbers.
"""

from __future__ import annotations

import heapq
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tamis._kernels.interruption import check_interrupted
from tamis.solvers.subset_statistics import SubsetStatistics

STEPS = 400  # proximal steps on a working set at most
SETTLED = 1e-7  # relative change of the coefficients at which they end
ROUNDS = 20  # of letting columns in
FIRST = 4  # times K columns begin


@dataclass(frozen=True, order=True)
class Node:
    """What was decided, the bound that holds there, and the coefficients whose residual proves it."""

    bound: float
    number: int
    inside: tuple[int, ...] = field(compare=False)
    outside: tuple[int, ...] = field(compare=False)
    features: Any = field(compare=False)
    w: Any = field(compare=False)
    shares: Any = field(compare=False)  # z


class Relaxation:
    """The relaxation of a problem at any node; columns that mattered in one node are taken along to the next."""

    def __init__(self, statistics: SubsetStatistics, K: int) -> None:
        self.statistics, self.K = statistics, K
        strongest = np.argsort(-np.abs(statistics.q), kind="stable")[: min(statistics.p, FIRST * K)]
        self.W = np.sort(strongest)
        self.L = 0.0

    def at(self, inside: tuple[int, ...], outside: tuple[int, ...], number: int, start: Any = None) -> Node:
        left = self.K - len(inside)
        self._admit(np.array(inside, dtype=np.int64))
        w = np.zeros(len(self.W)) if start is None else self._aligned(*start)
        for _ in range(ROUNDS):
            check_interrupted()
            fixed, excluded = np.isin(self.W, inside), np.isin(self.W, outside)
            w = self._solve(w, fixed, excluded, left)
            bound, c = self._bound(w, inside, outside, left)
            size = np.abs(c)
            size[list(inside) + list(outside)] = 0.0
            top = np.argsort(-size, kind="stable")[: 2 * left]
            top = top[size[top] > 0]
            if np.isin(top[:left], self.W).all():
                break
            features = self.W
            self._admit(top)
            w = self._aligned(features, w)
        shares = np.where(fixed, 1.0, _shares(np.where(fixed, 0.0, w), left))
        used = np.flatnonzero(w)
        return Node(bound, number, inside, outside, self.W[used], w[used], shares[used])

    def _admit(self, new: np.ndarray) -> None:
        self.W = np.union1d(self.W, new)
        self.L = 0.0

    def _aligned(self, features: np.ndarray, values: np.ndarray) -> np.ndarray:
        w = np.zeros(len(self.W))
        w[np.searchsorted(self.W, features)] = values
        return w

    def _solve(self, w: np.ndarray, fixed: np.ndarray, excluded: np.ndarray, left: int) -> np.ndarray:
        """Accelerated proximal steps, begun anew where they point uphill."""
        S = self.statistics
        G, q, ridge = S.gram(self.W)[self.W], S.q[self.W], S.ridge
        if not self.L:
            self.L = float(np.linalg.eigvalsh(G)[-1])
        step = 1.0 / self.L
        x, ahead, t = w, w, 1.0
        for _ in range(STEPS):
            v = ahead - step * (G @ ahead - q)
            new = _prox(v, step * ridge, fixed, excluded, left)
            uphill = (ahead - new) @ (new - x) > 0
            t = 1.0 if uphill else t
            after = 0.5 * (1 + np.sqrt(1 + 4 * t * t))
            push = 0.0 if uphill else (t - 1) / after
            moved = float(np.abs(new - x).max(initial=0.0))
            ahead, x, t = new + push * (new - x), new, after
            if moved <= SETTLED * float(np.abs(x).max(initial=0.0)):
                break
        return x

    def _bound(
        self, w: np.ndarray, inside: tuple[int, ...], outside: tuple[int, ...], left: int
    ) -> tuple[float, np.ndarray]:
        S, used = self.statistics, np.flatnonzero(w)
        c = S.q - S.gram(self.W[used]) @ w[used]
        yr = S.yy - float(S.q[self.W] @ w)
        rr = max(0.0, yr - float(c[self.W] @ w))
        return dual_bound(yr, rr, c, inside, outside, left, S.ridge), c


def dual_bound(
    yr: float, rr: float, c: np.ndarray, inside: tuple[int, ...], outside: tuple[int, ...], left: int, ridge: float
) -> float:
    """max over t of t⟨y, r⟩ − t²/2 (⟨r, r⟩ + (Σ inside cⱼ² + the ``left`` largest others) / ridge)."""
    squares = c**2
    certain = float(squares[list(inside)].sum())
    squares[list(inside) + list(outside)] = 0.0
    top = np.partition(squares, len(c) - left)[len(c) - left :] if 0 < left < len(c) else squares[: len(c) * (left > 0)]
    whole = rr + (certain + float(top.sum())) / ridge
    return 0.5 * yr**2 / whole if yr > 0 and whole > 0 else 0.0


def branch_and_bound(
    statistics: SubsetStatistics, K: int, best: float, tol: float, seconds: float
) -> tuple[float, list[Node], int, Any]:
    """The lower bound of every subset, the nodes that prove it, how many were solved, and a better subset if one was
    met. Ends when the bound is within ``tol`` of the best objective, relatively, or the time is up.
    """
    deadline, relaxation = time.monotonic() + seconds, Relaxation(statistics, K)
    queue, count = [relaxation.at((), (), 0)], 1
    closed: list[Node] = []
    found = None
    while queue and queue[0].bound < (1 - tol) * best and time.monotonic() < deadline:
        node = heapq.heappop(queue)
        met = rounded(statistics, node, K)
        if met is not None and met[1] < best:
            found, best = met[0], met[1]
        j = _branching_column(node)
        if j is None:
            closed.append(node)
            continue
        start = (node.features, node.w)
        children = [(node.inside, (*node.outside, j))]
        if len(node.inside) < K:
            children.append(((*node.inside, j), node.outside))
        for inside, outside in children:
            child = relaxation.at(inside, outside, count, _without(start, outside))
            count += 1
            if child.bound < node.bound:  # what proves the parent proves the child
                child = Node(node.bound, child.number, inside, outside, node.features, node.w, node.shares)
            (queue if child.bound < (1 - tol) * best else closed).append(child)
        heapq.heapify(queue)
    proof = [*queue, *closed]
    return min([best, *(node.bound for node in proof)]), proof, count, found


def rounded(statistics: SubsetStatistics, node: Node, K: int) -> tuple[np.ndarray, float] | None:
    """The K columns with the largest coefficients of a relaxation, fitted by themselves."""
    if not len(node.features):
        return None
    S = np.sort(node.features[np.argsort(-np.abs(node.w), kind="stable")[:K]])
    return S, statistics.solve(S)[1]


def _without(start: tuple[np.ndarray, np.ndarray], outside: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    kept = ~np.isin(start[0], outside)
    return start[0][kept], start[1][kept]


def _branching_column(node: Node) -> int | None:
    """The undecided column whose share is nearest to ½; None where all are in or out."""
    undecided = ~np.isin(node.features, node.inside) & (node.shares > 1e-6) & (node.shares < 1 - 1e-6)
    if not undecided.any():
        return None
    return int(node.features[undecided][np.argmin(np.abs(node.shares[undecided] - 0.5))])


def _prox(v: np.ndarray, tau: float, fixed: np.ndarray, excluded: np.ndarray, left: int) -> np.ndarray:
    """argmin_u ½‖u − v‖² + τ/2 Σ uⱼ²/zⱼ over z too: uⱼ = vⱼ zⱼ/(zⱼ + τ), zⱼ = clip(s|vⱼ| − τ, 0, 1) with Σz = left.

    Columns that are in have z = 1, those out z = 0.
    """
    free = ~(fixed | excluded)
    z = np.where(fixed, 1.0, 0.0)
    z[free] = _levels(np.abs(v[free]), tau, left)
    return v * z / (z + tau)


def _levels(size: np.ndarray, tau: float, left: int) -> np.ndarray:
    """clip(s·size − τ, 0, 1) with the s for which they add up to ``left``, by its breakpoints in increasing order."""
    nonzero = size > 0
    if nonzero.sum() <= left:
        return nonzero.astype(float)
    if left == 0:
        return np.zeros(len(size))
    a = size[nonzero]
    points = np.concatenate([tau / a, (1 + tau) / a])
    slopes = np.concatenate([a, -a])
    order = np.argsort(points, kind="stable")
    points, slopes = points[order], np.cumsum(slopes[order])
    totals = np.concatenate([[0.0], np.cumsum(slopes[:-1] * np.diff(points))])
    k = min(max(1, int(np.searchsorted(totals, left))), len(points) - 1)
    s = points[k - 1] + (left - totals[k - 1]) / slopes[k - 1] if slopes[k - 1] > 0 else points[k]
    return np.clip(s * size - tau, 0.0, 1.0)


def _shares(w: np.ndarray, left: int) -> np.ndarray:
    """argmin_z Σ wⱼ²/zⱼ: min(1, s|wⱼ|) with Σz = left."""
    return _levels(np.abs(w), 0.0, left) if left else np.zeros(len(w))
