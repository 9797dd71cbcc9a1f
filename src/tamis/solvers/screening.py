"""Columns that are proved to be zero, and columns that need not be read.

With a datafit of curvature at most L the dual is 1/L-strongly concave, hence the ball of radius √(2L·gap) around any
feasible dual point holds the best one (Ndiaye, Fercoq, Gramfort and Salmon 2017, in our scale of α). A unit that no
point of the ball takes to the border of α ∂Ω(0) is zero at α: it leaves the problem there for good.

Dual points v weigh rows: c = X̃ᵀv, ‖v‖ = (Σ vᵢ²/hᵢ)^½ and ‖x‖ = (Σ hᵢ xᵢ²)^½ with h = s/Σs, so |x̃ᵀv| ≤ ‖x̃‖ ‖v‖.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.checks import check_choice
from tamis._kernels import kernels
from tamis.penalties.terms import Terms

WIDE = 4  # columns per row from which reading them is most of the work of a path
FULL = 100  # numbers stored in a column from which reading it costs more than keeping account of it
MOST_READ = 0.5  # of the columns: where more are open all are read, which renews what is known of them
ROUNDING = 1e-12  # of the largest correlation: what is left of it in a sum of n rounded products
NEARLY = 1e-10  # of the largest squared length: known vectors closer to the others than this tell nothing new


def screens(A: Any, screening: bool | str = "auto") -> tuple[bool, str]:
    """Whether columns are screened before they are read, and why."""
    check_choice("screening", screening, ("auto", True, False))
    if not isinstance(screening, str):
        return bool(screening), f"screening={screening} was asked for"
    n, p = A.shape
    if not getattr(A, "by_columns", False):
        return False, "a few columns cost as much to read as all of them"
    if getattr(A, "streamed", False):
        return True, "the file gives columns by themselves"
    if p < WIDE * n:
        return False, "the columns are few against the rows"
    stored = getattr(A, "stored", n * p)
    if stored < FULL * p:
        return False, "a column holds so few numbers that reading it costs nothing"
    return True, "columns lie by themselves in memory and are many"


def ball_radius(gap: float, lipschitz: float) -> float:
    """√(2L·gap)."""
    return float(np.sqrt(2 * lipschitz * gap))


def largest_violation(terms: Terms, c: np.ndarray, alpha: float, away: np.ndarray) -> np.ndarray:
    """(n_units,) the largest violation that any c' can have with ‖c'ⱼ − cⱼ‖ ≤ awayⱼ for every feature j.

    c is (p,), or (p, K) where ‖·‖ runs over the outputs.
    """
    if c.ndim == 1:
        return terms.violation(-(c if terms.positive else np.abs(c)) - away, alpha)
    if terms.group is None:
        return terms.violation(-c, alpha) + away
    rows = np.linalg.norm(terms.soft(c, alpha), axis=1) + away
    return np.sqrt(np.bincount(terms.labels, weights=rows**2, minlength=terms.n_units)) - alpha * terms.group


def proved_zero(terms: Terms, c: np.ndarray, alpha: float, away: np.ndarray, slack: float = 0.0) -> np.ndarray:
    """Of the shape of c: coefficients that are zero wherever the best dual point lies, ‖c*ⱼ − cⱼ‖ ≤ awayⱼ.

    Those of units that stay off, and inside a group that may be on those whose own c*ⱼ cannot exceed α l1ⱼ.
    """
    rows = (slice(None),) + (None,) * (c.ndim - 1)
    single = (c if terms.positive else np.abs(c)) + away[rows] < (alpha * terms.l1 - slack)[rows]
    if terms.group is None:
        return single
    return single | (largest_violation(terms, c, alpha, away) < -slack)[terms.labels][rows]


class Screen:
    """What is known of the columns without reading them.

    Along a path dual points are near each other. From the correlations of those that were held against all columns,
    ``estimate`` estimates those of new ones; what lies off the span of the known ones bounds the error. A column that
    stays within its bounds in spite of the error cannot violate, nor raise the dual norm, and is not read; nor is one
    that the ball of an earlier look at the same α has proved to be zero.
    """

    def __init__(self, terms: Terms, norms: np.ndarray, share: np.ndarray, lipschitz: float, n_threads: int) -> None:
        self.terms, self.norms, self.lipschitz, self.n_threads = terms, norms, lipschitz, n_threads
        self.metric = np.divide(1.0, share, out=np.zeros_like(share), where=share > 0)  # 1/h
        self.V: Any = None  # known dual points (q, n) or (q, K, n), and their correlations (q, p) or (q, K, p)
        self.C: Any = None
        self.tops: Any = None  # the largest of each
        self.inverse: Any = None  # of the products of V
        self.proofs: dict[float, tuple[np.ndarray, np.ndarray]] = {}

    def learn(self, V: np.ndarray, C: np.ndarray) -> None:
        """Dual points that were held against every column. The first one of all is kept for good."""
        if self.V is not None:
            V, C = np.concatenate([self.V[:1], V]), np.concatenate([self.C[:1], C])
        self.V, self.C = np.array(V), np.array(C)
        self.tops = np.abs(C).reshape(len(C), -1).max(axis=1, initial=0.0)
        values, vectors = np.linalg.eigh(self._products(V, V))
        kept = values > NEARLY * values.max(initial=0.0)
        self.inverse = (vectors[:, kept] / values[kept]) @ vectors[:, kept].T

    def estimate(self, V: np.ndarray, alphas: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Estimates of the correlations of V, one for each α, and the features that are open for any of them."""
        A = self._products(V, self.V) @ self.inverse
        rest = V - np.tensordot(A, self.V, axes=1)
        away = np.sqrt((rest**2 * self.metric).reshape(len(V), -1).sum(axis=1))
        slack = ROUNDING * (np.abs(A) @ self.tops)
        estimates, still_open = self._estimate(A, away, alphas, slack)
        for k, alpha in enumerate(alphas):
            if alpha in self.proofs:
                still_open[k] &= ~self.proofs[alpha][0]
        return estimates, np.flatnonzero(still_open.any(axis=0))

    def _estimate(self, A: np.ndarray, away: np.ndarray, alphas: np.ndarray, slack: np.ndarray) -> tuple[Any, Any]:
        terms, p = self.terms, len(self.norms)
        still_open = np.empty((len(A), p), bool)
        if terms.labels is None and self.C.ndim == 2:
            estimates = np.empty((len(A), p))
            kernels.estimate_correlations(
                self.C, A, away, self.norms, terms.l1, alphas, slack, terms.positive, estimates, still_open,
                self.n_threads,
            )  # fmt: skip
            return estimates, still_open
        estimates = np.tensordot(A, self.C, axes=1)
        for k, alpha in enumerate(alphas):
            open_units = largest_violation(terms, estimates[k].T, alpha, away[k] * self.norms) > -slack[k]
            still_open[k] = open_units if terms.labels is None else open_units[terms.labels]
        return estimates, still_open

    def fill_unread(self, C: np.ndarray, alphas: np.ndarray, read: np.ndarray) -> None:
        """Columns that a proof kept unread take the correlations of the feasible point that proved it."""
        for c, alpha in zip(C, alphas, strict=True):
            if alpha in self.proofs:
                zero, feasible = self.proofs[alpha]
                unread = zero.copy()
                unread[read] = False
                c[..., unread] = feasible[..., unread]

    def prove(self, c: np.ndarray, t: float, alpha: float, gap: float, keep: bool) -> int:
        """How many features the ball of this gap around t·(the dual point) proves to be zero; ``keep``: for good."""
        radius, slack = ball_radius(gap, self.lipschitz), ROUNDING * alpha
        terms = self.terms
        if terms.labels is None and c.ndim == 1:
            zero: Any = np.empty(len(c), bool)
            count = kernels.proved_zero_columns(c, t, radius, self.norms, terms.l1, alpha, slack, terms.positive, zero)
        else:
            mask = proved_zero(terms, t * c.T, alpha, radius * self.norms, slack)
            zero = mask.reshape(len(mask), -1).all(axis=1)
            count = int(zero.sum())
        if keep:
            self.proofs = {alpha: (zero, t * c)}
        return int(count)

    def _products(self, V: np.ndarray, U: np.ndarray) -> np.ndarray:
        """⟨v, u⟩ with the rows weighed by 1/h."""
        weighted = (V * self.metric).reshape(len(V), -1)
        return weighted @ U.reshape(len(U), -1).T
