"""What working-set solvers of any loss keep: the set, its columns, their Gram matrix, and the check of all others."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._kernels.workspace import larger, square
from tamis.datafits import HasNewtonStep
from tamis.operators.base import Linear
from tamis.penalties.terms import Terms
from tamis.solvers.block_descent import BlockQuadratic
from tamis.solvers.duality import solve_normal
from tamis.solvers.gathered_columns import gather_columns
from tamis.solvers.quadratic import FeatureQuadratic, Quadratic
from tamis.solvers.screening import MOST_READ, Screen, screens


class WorkingSetState:
    """The working set W of a problem; ``H`` is in the order in which features joined."""

    def __init__(
        self,
        problem: Any,
        max_iter: int,
        seed: int = -1,
        n_threads: int = 1,
        screening: bool | str = "auto",
        tol: float = 1e-7,
    ) -> None:
        self.A = problem.A
        n, p = self.A.shape
        self.share = np.full(1, 1.0 / n) if problem.s is None else problem.s / problem.s.sum()
        self.centred = problem.fit_intercept
        self.mean = problem.means() if self.centred else np.zeros(p)
        self.terms: Terms = problem.penalty.terms(p)
        self.columns = gather_columns(self.A, self.mean, n_threads, isinstance(problem.datafit, HasNewtonStep), tol)
        self.quadratic = quadratic_for(self.terms, max_iter, seed, n_threads)
        self.features = np.zeros(0, np.int64)
        self.local = self.terms.take(self.features)
        self.inside = np.zeros(self.terms.n_units, bool)
        self._members = _members_of(self.terms)
        self._H = square(64)
        self._free: Any = None  # positions of the unpenalised columns in W, and their Gram matrix
        self.datafit, self.y, self.s = problem.datafit, problem.y, problem.s
        self.screen = screen_of(problem, self.terms, self.share, screening, n_threads)

    @property
    def H(self) -> np.ndarray:
        k = len(self.features)
        return self._H[:k, :k]

    def admit(self, units: np.ndarray) -> slice:
        """Units join W; the positions of their features. Their rows of H are still to be written."""
        new = self._members(units)
        start, end = len(self.features), len(self.features) + len(new)
        self.features = np.append(self.features, new)
        self.local = self.terms.take(self.features)
        self.inside[units] = True
        self.columns.grow(new)
        self.quadratic.grow(new)
        if end > len(self._H):
            self._H = larger(self._H, start, end)
        return slice(start, end)

    def write(self, rows: slice, values: np.ndarray) -> None:
        """Rows of H, and by symmetry its columns."""
        end = rows.stop
        self._H[rows, :end] = values
        self._H[: rows.start, rows] = values[:, : rows.start].T

    def correlate(self, V: np.ndarray) -> np.ndarray:
        """X̃ᵀ v of every column for vectors v of length n in rows: (…, p) for (…, n)."""
        R = V.reshape(-1, V.shape[-1])
        C: np.ndarray = (self.A.T @ R.T).T
        if self.centred:
            for c, total in zip(C, R.sum(axis=-1), strict=True):
                c -= total * self.mean
        return C.reshape(*V.shape[:-1], -1)

    def first_correlations(self, v: np.ndarray) -> np.ndarray:
        """``correlate`` for the dual point of the null model, from which the path begins."""
        c = self.correlate(v)
        if self.screen is not None:
            self.screen.learn(v[None], c[None])
        return c

    def correlations(self, V: np.ndarray, alphas: np.ndarray) -> np.ndarray:
        """``correlate`` for dual points V, one for each α.

        Where columns are screened, those that cannot leave their bounds hold an estimate within them.
        """
        screen = self.screen
        if screen is None:
            return self.correlate(V)
        C, S = screen.estimate(V, alphas)
        if len(S) > MOST_READ * len(self.mean):
            C = self.correlate(V)
            screen.learn(V, C)
            return C
        C[..., S] = self._correlate_at(V, S)
        screen.fill_unread(C, alphas, S)
        return C

    def _correlate_at(self, V: np.ndarray, S: np.ndarray) -> np.ndarray:
        R = V.reshape(-1, V.shape[-1])
        C: np.ndarray = (self.A.adjoint_at(R.T, S) if isinstance(self.A, Linear) else (self.A.T @ R.T)[S]).T
        if self.centred:
            C = C - np.multiply.outer(R.sum(axis=-1), self.mean[S])
        return C.reshape(*V.shape[:-1], -1)

    def prove(
        self, v: np.ndarray, c: np.ndarray, t: float, alpha: float, primal: float, gap: float, keep: bool = False
    ) -> int:
        """How many columns are proved to be zero at α by the gap at t·v, c being the correlations of v.

        ``keep``: they are not read again at this α.
        """
        if self.screen is None:
            return 0
        if self.terms.free.any():
            c, t, gap = self._orthogonal_to_unpenalised(v, c, alpha, primal)
        return self.screen.prove(c, t, alpha, gap, keep)

    def _orthogonal_to_unpenalised(
        self, v: np.ndarray, c: np.ndarray, alpha: float, primal: float
    ) -> tuple[np.ndarray, float, float]:
        """Bounds of c, t and the gap for v with its part along the unpenalised columns taken off.

        A solver that stops early leaves v correlated with them, and then v is no dual point.
        """
        assert self.screen is not None
        positions, G = self._free_gram()
        U, w = self.features[positions], np.zeros((*c.shape[:-1], len(self.features)))
        w[..., positions] = solve_normal(G, c[..., U].T).T
        along = self.share * self.columns.product(w)
        moved = np.sqrt(max(0.0, float((w[..., positions] * c[..., U]).sum())))
        c = (c if self.terms.positive else np.abs(c)) + moved * self.screen.norms
        c[..., U] = 0.0
        bound, _ = self.terms.survey(c.T, alpha, 0.0, self.inside)
        t, conjugate = dual_scale(self.terms, c.T, alpha, bound)
        dual = -self.datafit.conjugate(self.y, -t * (v - along).T, self.s) - conjugate
        return c, t, max(0.0, primal - dual)

    def _free_gram(self) -> tuple[np.ndarray, np.ndarray]:
        """Where the unpenalised columns U are in W, all of which joined at first, and X̃_Uᵀ diag(h) X̃_U."""
        if self._free is None:
            U = np.flatnonzero(self.terms.free[self.features])
            self._free = U, self.columns.cross(U, U, np.broadcast_to(self.share, self.A.shape[:1]))
        positions, G = self._free
        return positions, G

    def candidates(self, c: np.ndarray, alpha: float, most: int) -> np.ndarray:
        """Units outside W that correlations c make likely at α, the most correlated of them."""
        _, likely = self.terms.survey(c, LIKELY * alpha, 0.0, self.inside)
        if len(likely) > most:
            norms = self.terms.entry_alphas(-c)[likely]
            likely = np.sort(likely[np.argpartition(-norms, most)[:most]])
        return likely

    def violators(self, c: np.ndarray, alpha: float, slack: float) -> np.ndarray:
        """Units outside W that cannot stay at zero."""
        return self.terms.survey(c, alpha, slack, self.inside)[1]

    def units_of(self, used: Any) -> np.ndarray:
        """Units outside W that hold one of the features where ``used`` is not zero."""
        features = np.flatnonzero(used)
        units = features if self.terms.labels is None else np.unique(self.terms.labels[features])
        return units[~self.inside[units]]

    def free_units(self) -> np.ndarray:
        return self.units_of(self.terms.free)

    def intercept(self, w: np.ndarray, centre: Any) -> Any:
        """b for columns as given, when the centred ones have intercept ``centre``."""
        return centre - w @ self.mean[self.features] if self.centred else np.zeros(w.shape[:-1])


class CorrelationTrend:
    """Correlations as a function of α, carried on in a straight line from the last two that were seen.

    Between the kinks of a path they are straight lines, so this tells well who is about to enter.
    """

    def __init__(self, c: np.ndarray, alpha: float) -> None:
        self.c, self.alpha, self.slope = c, alpha, 0.0 * c

    def update(self, C: np.ndarray, alphas: np.ndarray) -> None:
        c, alpha = (C[-2], alphas[-2]) if len(alphas) > 1 else (self.c, self.alpha)
        self.slope = (C[-1] - c) / (alphas[-1] - alpha) if alphas[-1] != alpha else 0.0 * c
        self.c, self.alpha = C[-1], alphas[-1]

    def at(self, alpha: float) -> np.ndarray:
        return self.c + (alpha - self.alpha) * self.slope if np.isfinite(self.alpha) else self.c


def dual_scale(terms: Terms, c: np.ndarray, alpha: float, bound: float) -> tuple[float, float]:
    """The largest t ≤ 1 for which t·c is dual feasible, ``bound`` being its dual norm, and the ridged conjugate.

    Unpenalised features are orthogonal to the residual but for rounding; a feature with l2 > 0 has no constraint, its
    conjugate max(|t cⱼ| − α l1ⱼ, 0)²/(2α l2ⱼ) is taken off the dual value instead.
    """
    t = min(1.0, alpha / bound) if bound > 0 else 1.0
    if alpha == 0 or not terms.ridged:
        return t, 0.0
    ridged = terms.l2 > 0
    reach = c[ridged] if terms.positive else np.abs(c[ridged])
    beyond = np.maximum(t * reach - alpha * terms.l1[ridged], 0.0)
    return t, float((beyond**2 / (2 * alpha * terms.l2[ridged])).sum())


def screen_of(problem: Any, terms: Terms, share: np.ndarray, screening: bool | str, n_threads: int) -> Screen | None:
    """None where it would not pay, or no column can be zero."""
    sparse = terms.l1.any() or (terms.group is not None and terms.group.any())
    if not sparse or not screens(problem.A, screening)[0]:
        return None
    return Screen(terms, problem.norms(), share, problem.datafit.lipschitz, n_threads)


LIKELY = 0.95  # of α: a predicted dual norm below it does not make a candidate


def quadratic_for(terms: Terms, max_iter: int, seed: int, n_threads: int) -> Quadratic:
    """The solver of quadratic models that knows these terms."""
    if terms.labels is not None:
        return BlockQuadratic(terms, max_iter, n_threads, seed)
    return FeatureQuadratic(terms, max_iter=max_iter, seed=seed)


def _members_of(terms: Terms) -> Any:
    """units → their features, group by group."""
    if terms.labels is None:
        return lambda units: np.asarray(units, dtype=np.int64)
    order = np.argsort(terms.labels, kind="stable").astype(np.int64)
    starts = np.searchsorted(terms.labels[order], np.arange(terms.n_units + 1))
    return lambda units: np.concatenate([order[starts[g] : starts[g + 1]] for g in units] or [order[:0]])
