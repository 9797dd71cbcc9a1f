"""The best component of so many columns, and the proof that there is none better: branch and bound for few columns.

max vᵀCv over ‖v‖ = 1, ‖v‖₀ ≤ m is the largest eigenvalue among all m × m principal submatrices of C. A node of the tree
has columns that are in, columns that are out and the others. All its submatrices are part of the submatrix of those not
out, whose eigenvalue bounds theirs; and their Gershgorin discs bound them by the m largest |C_ij| of a row (Berk &
Bertsimas 2019).
"""

from __future__ import annotations

import heapq
import itertools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tamis._core.checks import check_count, check_number
from tamis._core.errors import InputError
from tamis._core.evidence import Certificate, Status
from tamis._core.vectors import unit_rows
from tamis._kernels.interruption import check_interrupted
from tamis.components.sparse_data import CovarianceView
from tamis.components.sparse_methods import Loadings, SparseMethod, Sparsity
from tamis.solvers.thresholds import keep_largest


@dataclass(frozen=True, repr=False)
class BestComponent(Certificate):
    """No component of at most ``n_nonzero`` columns has a variance above ``bound``; the one found has ``variance``.

    ``n_nodes`` submatrices were looked at. ``before`` are the loadings of earlier components, whose directions were
    taken out of the matrix first.
    """

    n_nonzero: int
    variance: float
    bound: float
    n_nodes: int
    before: np.ndarray

    @property
    def gap(self) -> float:
        """bound − variance, relative to the bound."""
        return (self.bound - self.variance) / self.bound if self.bound > 0 else 0.0

    def verify(self, X: Any, y: Any = None) -> BestComponent:
        """Every submatrix of the matrix X, a covariance (p, p), one after the other: for few columns only."""
        del y
        C = np.array(X, dtype=np.float64)
        for v in self.before:  # one direction after the other, as the components were found
            P = np.eye(len(C)) - np.outer(v, v) / (v @ v)
            C = P @ C @ P
        subsets = itertools.combinations(range(len(C)), min(self.n_nonzero, len(C)))
        best = max(float(np.linalg.eigvalsh(C[np.ix_(S, S)])[-1]) for S in map(list, subsets))
        return replace(self, bound=best)


class Certified(SparseMethod):
    """Components that are proved to be the best with so many columns, one after the other.

    Needs ``n_nonzero``. Work may double with every column: for up to some 50 of them.

    Parameters
    ----------
    gap : float ≥ 0
        Relative gap at which a search ends.
    max_nodes : int
        Submatrices to look at for each component; where they do not suffice, the gap reached is in the certificate.
    """

    def __init__(self, gap: float = 1e-9, *, max_nodes: int = 200_000) -> None:
        self.gap = gap
        self.max_nodes = max_nodes

    def loadings(self, view: CovarianceView, start: np.ndarray, sparsity: Sparsity) -> Loadings:
        if sparsity.n_nonzero is None:
            raise InputError("method='certified' takes n_nonzero instead of alpha", argument="alpha")
        check_number("gap", self.gap, at_least=0.0)
        check_count("max_nodes", self.max_nodes)
        C = view.part(np.arange(view.p))
        V, proofs = np.zeros_like(start), []
        for k, m in enumerate(sparsity.n_nonzero):
            V[k], proof = self._best(C, int(m))
            proofs.append(replace(proof, before=V[:k].copy()))
            C = C - np.multiply.outer(V[k], V[k] @ C)
            C = C - np.multiply.outer(C @ V[k], V[k])
        reached = all(proof.gap <= self.gap for proof in proofs)
        total = sum(proof.n_nodes for proof in proofs)
        status = Status.CONVERGED if reached else Status.MAX_ITER
        limits = np.full(len(V), np.inf)
        return Loadings(V, None, total, status, max(proof.gap for proof in proofs), limits, tuple(proofs))

    def _best(self, C: np.ndarray, m: int) -> tuple[np.ndarray, BestComponent]:
        """Nodes with the largest bound first."""
        v = greedy(C, m)
        best, order = float(v @ C @ v), itertools.count()
        nodes: list[Any] = [(-_bound(C, [], list(range(len(C))), m), next(order), [], list(range(len(C))))]
        n_nodes, passed_over = 0, 0.0  # the latter: the largest bound of nodes that were not looked into
        while nodes and -nodes[0][0] > best * (1 + self.gap) and n_nodes < self.max_nodes:
            check_interrupted()
            _, _, chosen, free = heapq.heappop(nodes)
            j = _branch_column(C, chosen, free)
            rest = [i for i in free if i != j]
            for node in (([*chosen, j], rest), (chosen, rest)):
                n_nodes += 1
                if len(node[0]) + len(node[1]) <= m or len(node[0]) == m:
                    S = sorted(node[0] if len(node[0]) == m else node[0] + node[1])
                    value, u = _leading(C, S)
                    if value > best:
                        best, v = value, u
                    continue
                bound = _bound(C, node[0], node[1], m)
                if bound > best * (1 + self.gap):
                    heapq.heappush(nodes, (-bound, next(order), *node))
                else:
                    passed_over = max(passed_over, bound)
        bound = max(best, passed_over, -nodes[0][0] if nodes else 0.0)
        return v, BestComponent(m, best, bound, n_nodes, np.zeros((0, len(C))))


def greedy(C: np.ndarray, m: int) -> np.ndarray:
    """The best of truncated power iterations from every column: a component to begin with."""
    best, v = -np.inf, np.zeros(len(C))
    for j in range(len(C)):
        u = unit_rows(keep_largest(C[j], m)[None])[0][0]
        for _ in range(50):
            u = unit_rows(keep_largest(C @ u, m)[None])[0][0]
        value, w = _leading(C, np.flatnonzero(u).tolist()) if u.any() else (-np.inf, u)
        if value > best:
            best, v = value, w
    return v


def _leading(C: np.ndarray, S: list[int]) -> tuple[float, np.ndarray]:
    """The largest eigenvalue of C[S, S], and its eigenvector with zeros elsewhere."""
    values, vectors = np.linalg.eigh(C[np.ix_(S, S)])
    v = np.zeros(len(C))
    v[S] = vectors[:, -1]
    return float(values[-1]), v


def _bound(C: np.ndarray, chosen: list[int], free: list[int], m: int) -> float:
    """At least the largest eigenvalue of every m × m submatrix that has the chosen columns and some that are free."""
    S = chosen + free
    part = C[np.ix_(S, S)]
    whole = float(np.linalg.eigvalsh(part)[-1])
    size = np.abs(part)
    diagonal = size.diagonal().copy()
    np.fill_diagonal(size, 0.0)
    others = -np.sort(-size, axis=1)[:, : m - 1].sum(axis=1)
    discs = float((diagonal + others).max())
    trace = float(diagonal[: len(chosen)].sum() + np.sort(diagonal[len(chosen) :])[::-1][: m - len(chosen)].sum())
    return min(whole, discs, trace)


def _branch_column(C: np.ndarray, chosen: list[int], free: list[int]) -> int:
    """The free column that matters most to the submatrix of those not out."""
    S = chosen + free
    v = np.linalg.eigh(C[np.ix_(S, S)])[1][:, -1]
    return free[int(np.abs(v[len(chosen) :]).argmax())]
