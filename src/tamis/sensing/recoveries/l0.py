"""ℓ₀ recovery (11.22) of small problems by branch and bound, with proof."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from tamis._core.checks import check_count
from tamis._core.errors import InputError
from tamis._core.evidence import Certificate, Status
from tamis.sensing.convergence import Finished, small_residual
from tamis.sensing.gap_certificates import matrix_of
from tamis.sensing.recoveries.base import RecoveryMethod
from tamis.sensing.recovery import Recovery
from tamis.sensing.system import Found, System
from tamis.solvers.support_least_squares import dense_least_squares, gathered

DEPENDS = 1e-24  # of a column's square: what lies beyond the span of others is rounding
ROUNDED, CLEAR = 1e-28, 1e-12  # what is between them is too near to rounding for a proof
SUBSETS = 200_000  # that a verification looks at


@dataclass(frozen=True, repr=False)
class NoBetterSupport(Certificate):
    """That no code with at most ``n_nonzero`` entries has a residual norm below ``bound``, by exhausted branches.

    ``n_ruled_out`` branches were ruled out by their bounds, ``n_nodes`` were looked at.
    """

    n_nonzero: Any
    bound: Any
    n_nodes: Any
    n_ruled_out: Any

    def verify(self, A: Any, y: Any, basis: Any = None) -> Self:
        """The bound by least squares on every subset, in plain NumPy: refused where there are too many."""
        A, Y = matrix_of(A, basis), np.asarray(y)
        if Y.ndim != 1:
            raise InputError("verify takes one signal at a time: recover them one by one", argument="y")
        k, n = int(self.n_nonzero), A.shape[1]
        if math.comb(n, k) > SUBSETS:
            raise InputError(f"{math.comb(n, k):,} subsets are too many to look at each: at most {SUBSETS:,}")
        norms = [_residual(A[:, list(S)], Y) for S in itertools.combinations(range(n), k)]
        return replace(self, bound=min(norms), n_nodes=len(norms), n_ruled_out=0)


def _residual(X: np.ndarray, y: np.ndarray) -> float:
    return (
        float(np.linalg.norm(y - X @ np.linalg.lstsq(X, y, rcond=None)[0])) if X.shape[1] else float(np.linalg.norm(y))
    )


def l0(
    A: Any,
    y: Any,
    n_nonzero: int | None = None,
    *,
    noise: float | None = None,
    tol: float = 1e-7,
    max_nodes: int = 1_000_000,
    time_limit: float | None = None,
    basis: Any = None,
    start: Any = None,
) -> Recovery:
    """The code of least ‖y − A s‖ with ‖s‖₀ ≤ n_nonzero, or of least ‖s‖₀ with ‖y − A s‖ ≤ max(noise, tol ‖y‖) (11.22).

    Branch and bound: a branch fixes columns that are in and columns that are out. With the columns projected off those
    that are in and scaled to unit length, q more of them take at most Σ |⟨a, r⟩|²/(1 − (q − 1)μ) of ‖r‖², the sum over
    the q largest and μ the largest |⟨aᵢ, aⱼ⟩|; where that cannot beat the best code, the branch is ruled out. It is
    exponential in the worst case: meant for some tens of columns. Where ``max_nodes`` or the time end it, the best code
    is given and nothing is proved; nor is it where a column is so near to the span of others (1e-6 of its length) that
    rounding decides.

    Parameters
    ----------
    A : (m, n) array, sparse array or operator
        Its columns are written out.
    y : (m,) or (m, signals)
    n_nonzero : int, optional
        At most; the fewest where it is not given.
    noise, tol : float
        Residual norms that are small enough where n_nonzero is not given.
    max_nodes : int
    time_limit, basis
        As for `basis_pursuit`.
    start : code or Recovery, optional
        Its support is the first to beat.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.sensing import l0
    >>> rng = np.random.default_rng(0)
    >>> A, s = rng.standard_normal((8, 16)), np.zeros(16)
    >>> s[[2, 9, 12]] = 1.0, -1.0, 2.0
    >>> found = l0(A, A @ s)
    >>> found.support, found.certificate.n_nonzero
    (array([ 2,  9, 12]), 2)
    """
    system = System.of(A, y, basis, start, time_limit)
    k = system.n_nonzero(n_nonzero, needed=False)
    small, most = small_residual(tol, noise), check_count("max_nodes", max_nodes)
    X = gathered(system.A, np.arange(system.A.shape[1]))

    def one(y: np.ndarray, s: np.ndarray | None) -> Found:
        search = _Branches(X, y, most, system.limits)
        return search.best_of_size(k, s) if k is not None else search.sparsest(small.goal(y), s)

    def of_size(end: Finished) -> bool:
        return k is not None and int(np.count_nonzero(end.s)) <= k and end.as_measured

    def certificate(S: np.ndarray, proofs: list[Any]) -> Certificate | None:
        return proofs[0] if system.one and proofs else None

    return system.each(one, replace(small, otherwise=of_size), certificate)


class L0(RecoveryMethod, function=l0):
    """Best support by branch and bound. Parameters are those of `l0`."""


class _Branches:
    def __init__(self, X: np.ndarray, y: np.ndarray, most: int, limits: Any) -> None:
        self.X, self.y, self.most, self.limits = X, y, most, limits
        self.squares = (np.abs(X) ** 2).sum(axis=0)
        self.nodes = self.ruled_out = 0
        self.delicate = False  # whether columns so nearly depended on others that nothing is proved
        self.ended: Status | None = None

    def sparsest(self, goal: float, start: np.ndarray | None) -> Found:
        """Sizes 0, 1, 2, … until one is good enough; the proof is that of the size before."""
        proof = None
        for k in range(min(self.X.shape) + 1):
            found = self.best_of_size(k, start)
            if found.status is not Status.CONVERGED or found.measured["residual_norm"] <= goal:
                return replace(found, proof=proof if found.status is Status.CONVERGED else None)
            proof = found.proof
        return replace(found, status=Status.STALLED, proof=None)

    def best_of_size(self, k: int, start: np.ndarray | None) -> Found:
        """The best support of at most k columns."""
        self.best = np.inf
        self.support: tuple[int, ...] = ()
        if start is not None and 0 < np.count_nonzero(start) <= k:
            self._look(tuple(np.flatnonzero(start)))
        usable = np.flatnonzero(self.squares > 0)
        lengths = np.sqrt(self.squares[usable])
        self._branch((), usable, self.X[:, usable] / lengths, self.y, k)
        s = np.zeros(self.X.shape[1], np.result_type(self.X, self.y))
        S = np.array(self.support, dtype=np.intp)
        s[S] = dense_least_squares(self.X[:, S], self.y) if len(S) else 0.0
        norm = float(np.linalg.norm(self.y - self.X @ s))
        status = self.ended or Status.CONVERGED
        proof = None
        if self.ended is None and not self.delicate:
            proof = NoBetterSupport(k, norm, self.nodes, self.ruled_out)
        return Found(s, status, self.nodes, {"residual_norm": norm, "ruled_out": float(self.ruled_out)}, None, proof)

    def _look(self, S: tuple[int, ...]) -> None:
        z = dense_least_squares(self.X[:, list(S)], self.y)
        self._offer(S, float(np.linalg.norm(self.y - self.X[:, list(S)] @ z)))

    def _offer(self, S: tuple[int, ...], norm: float) -> None:
        if norm < self.best * (1 - 1e-12):
            self.best, self.support = norm, S

    def _branch(self, inside: tuple[int, ...], free: np.ndarray, P: np.ndarray, r: np.ndarray, q: int) -> None:
        """Columns ``free``, projected off those inside and of unit length in P; q more may join."""
        self.nodes += 1
        self._offer(inside, float(np.linalg.norm(r)))
        if self.ended is not None or q == 0 or not len(free):
            return
        if self.nodes >= self.most or self.limits.late:
            self.ended = Status.MAX_ITER if self.nodes >= self.most else Status.TIME_LIMIT
            return
        scores = np.abs(P.conj().T @ r) ** 2
        order = np.argsort(-scores, kind="stable")
        if q == 1:
            self._offer((*inside, int(free[order[0]])), float(np.sqrt(max(np.vdot(r, r).real - scores[order[0]], 0.0))))
            return
        free, P, scores = free[order], P[:, order], scores[order]
        gram = np.abs(P.conj().T @ P)
        np.fill_diagonal(gram, 0.0)
        for i in range(len(free)):
            mu = float(gram[i:, i:].max(initial=0.0))
            if self._least(r, scores[i:], mu, q) >= self.best:  # from here on the columns before i are out
                self.ruled_out += 1
                return
            self._with(inside, free, P, r, q, i)
            if self.ended is not None:
                return

    def _least(self, r: np.ndarray, scores: np.ndarray, mu: float, q: int) -> float:
        """A residual norm that q of these columns cannot go below."""
        share = 1 - (min(q, len(scores)) - 1) * mu
        taken = float(scores[:q].sum()) / share if share > 0 else np.inf
        rr = float(np.vdot(r, r).real)
        return float(np.sqrt(max(rr - taken, 0.0))) * (1 - 1e-12)

    def _with(self, inside: tuple[int, ...], free: np.ndarray, P: np.ndarray, r: np.ndarray, q: int, i: int) -> None:
        """The branch where column i is in and those before it are out."""
        a = P[:, i]
        rest = P[:, i + 1 :] - np.multiply.outer(a, a.conj() @ P[:, i + 1 :])
        squares = (np.abs(rest) ** 2).sum(axis=0)
        usable = squares > DEPENDS
        self.delicate |= bool(((squares > ROUNDED) & (squares < CLEAR)).any())
        self._branch(
            (*inside, int(free[i])),
            free[i + 1 :][usable],
            rest[:, usable] / np.sqrt(squares[usable]),
            r - a * np.vdot(a, r),
            q - 1,
        )
