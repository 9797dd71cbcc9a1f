"""The classes of sparse PCA: elastic nets, lassos, power methods.

Each finds loadings V (k, p), rows of length 1 or of zeros, from a view of the covariance C, a start (the principal
directions) and how sparse they are to be: ``Sparsity``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from tamis._core.checks import check_choice, check_count, check_number
from tamis._core.evidence import Status
from tamis._core.vectors import unit_rows
from tamis._kernels.interruption import check_interrupted
from tamis.components.sparse_data import CovarianceView
from tamis.solvers.svd import SAME, procrustes
from tamis.solvers.thresholds import keep_largest, soft_threshold

SMALL = 1e-6  # ridge that only breaks ties
BISECTIONS = 40  # of an α whose elastic net has a given number of entries
SETTLING = 20  # rounds in which the columns of a component may change where their number is given


@dataclass(frozen=True)
class Sparsity:
    """For each component a weight of the ℓ₁ norm, or a number of entries; the other is None."""

    alpha: np.ndarray | None
    n_nonzero: np.ndarray | None


@dataclass(frozen=True)
class Loadings:
    """V (k, p), the α of each component where there is one, and how the search ended."""

    V: np.ndarray
    alpha: np.ndarray | None
    n_iter: int
    status: Status
    change: float
    alpha_max: np.ndarray  # beyond it a component has no loadings
    certificate: Any = None


class SparseMethod(BaseEstimator):
    """How loadings are found; ``tol`` is the change of all loadings in a round that is taken for none."""

    max_iter: int
    tol: float

    def loadings(self, view: CovarianceView, start: np.ndarray, sparsity: Sparsity) -> Loadings:
        """From ``start`` (k, p), orthonormal rows."""
        raise NotImplementedError


class Elastic(SparseMethod):
    """min 1/(2n)‖X − X B Aᵀ‖² + α₂/2 ‖B‖² + Σₖ αₖ‖bₖ‖₁ over AᵀA = I (Zou, Hastie & Tibshirani 2006).

    B given A is an elastic net for each component, by coordinate descent; A given B is the Procrustes rotation of C B.
    With ``ridge=np.inf`` bₖ is, up to its length, C aₖ soft-thresholded by αₖ: for many more columns than rows.

    Parameters
    ----------
    ridge : float ≥ 0, inf or None
        α₂. None: with ``alpha`` 1e-6, or infinite where there are more columns than rows, which fit any scores without
        a ridge; with ``n_nonzero`` infinite, for a small one chooses columns that tell the scores of PCA, whose own
        variances may be small.
    max_iter, tol
        Rounds at most, and the change of the loadings in one, in the largest entry, that ends the search.
    """

    def __init__(self, ridge: float | None = None, *, max_iter: int = 1000, tol: float = 1e-5) -> None:
        self.ridge = ridge
        self.max_iter = max_iter
        self.tol = tol

    def loadings(self, view: CovarianceView, start: np.ndarray, sparsity: Sparsity) -> Loadings:
        ridge = self._ridge(view.wide or sparsity.alpha is None)
        max_iter, tol = check_count("max_iter", self.max_iter), check_number("tol", self.tol, at_least=0.0)
        A, nets = start.T, [_Net(view, ridge, sparsity, k) for k in range(len(start))]
        V, change, n_iter = np.zeros_like(start), np.inf, 0
        for _ in range(max_iter):
            check_interrupted()
            n_iter += 1
            B = np.array([net.at(A[:, k]) for k, net in enumerate(nets)])
            last, V = V, unit_rows(B)[0]
            change = float(np.abs(V - last).max())
            if change <= tol or not V.any():
                break
            A = procrustes(view.times(B.T)).Q
        status = Status.CONVERGED if change <= tol or not V.any() else Status.MAX_ITER
        return Loadings(V, np.array([net.alpha for net in nets]), n_iter, status, change, _largest(nets))

    def _ridge(self, infinite: bool) -> float:
        if self.ridge is None:
            return np.inf if infinite else SMALL
        return np.inf if self.ridge == np.inf else check_number("ridge", self.ridge, at_least=0.0)


class LassoPCA(SparseMethod):
    """One component after the other: min 1/(2n)‖X − X b aᵀ‖² + α‖b‖₁ over ‖a‖ = 1, a ⟂ those before.

    Without a ridge each b is a lasso, which has at most as many entries as there are rows: the limit that elastic nets
    were made to pass. In the manner of SCoTLASS (Jolliffe, Trendafilov & Uddin 2003), which bounds the ℓ₁ norm.

    Parameters
    ----------
    max_iter, tol
        As in Elastic, for each component.
    """

    def __init__(self, *, max_iter: int = 1000, tol: float = 1e-5) -> None:
        self.max_iter = max_iter
        self.tol = tol

    def loadings(self, view: CovarianceView, start: np.ndarray, sparsity: Sparsity) -> Loadings:
        max_iter, tol = check_count("max_iter", self.max_iter), check_number("tol", self.tol, at_least=0.0)
        V, before, nets = np.zeros_like(start), np.zeros((view.p, 0)), []
        total, worst = 0, 0.0
        for k, a in enumerate(start):
            nets.append(_Net(view, 0.0, sparsity, k))
            V[k], a, n_iter, change = self._one(view, nets[k], a, before, max_iter, tol)
            before = np.column_stack([before, a])
            total, worst = total + n_iter, max(worst, change)
        status = Status.CONVERGED if worst <= tol else Status.MAX_ITER
        return Loadings(V, np.array([net.alpha for net in nets]), total, status, worst, _largest(nets))

    def _one(
        self, view: CovarianceView, net: _Net, a: np.ndarray, before: np.ndarray, max_iter: int, tol: float
    ) -> tuple[np.ndarray, np.ndarray, int, float]:
        v, change, n_iter = np.zeros(view.p), np.inf, 0
        for n_iter in range(1, max_iter + 1):
            check_interrupted()
            b = net.at(a)
            last, v = v, unit_rows(b[None])[0][0]
            change = float(np.abs(v - last).max())
            if change <= tol or not b.any():
                return v, a, n_iter, 0.0 if not b.any() else change
            direction = view.times(b)
            direction = direction - before @ (before.T @ direction)
            length = np.linalg.norm(direction)
            a = direction / length if length > 0 else a
        return v, a, n_iter, change


class Power(SparseMethod):
    """The generalised power method (Journée, Nesterov, Richtárik & Sepulchre 2010), on Y with C = YᵀY, columns yⱼ.

    ``penalty="l1"`` maximises √(vᵀCv) − α‖v‖₁ over ‖v‖ ≤ 1, ``"l0"`` vᵀCv − α‖v‖₀: a unit vector x climbs
    Σⱼ max(|yⱼᵀx| − α, 0)² or Σⱼ max((yⱼᵀx)² − α, 0). With a number of entries instead of α, the largest of Cv are kept
    (Yuan & Zhang 2013). α is at most the largest standard deviation, or variance, of a column.

    Parameters
    ----------
    penalty : "l1" or "l0"
    block : bool
        All components together, x being a matrix with orthonormal columns; else one after the other, each on what those
        before have left.
    max_iter, tol
        Steps at most for each component, and the change of the loadings in one that ends them.
    """

    def __init__(self, penalty: str = "l1", *, block: bool = False, max_iter: int = 1000, tol: float = 1e-5) -> None:
        self.penalty = penalty
        self.block = block
        self.max_iter = max_iter
        self.tol = tol

    def loadings(self, view: CovarianceView, start: np.ndarray, sparsity: Sparsity) -> Loadings:
        check_choice("penalty", self.penalty, ("l1", "l0"))
        check_choice("block", self.block, (True, False))
        max_iter, tol = check_count("max_iter", self.max_iter), check_number("tol", self.tol, at_least=0.0)
        if self.block:
            return self._together(view, start, sparsity, max_iter, tol)
        V, rest, total, worst, limits = np.zeros_like(start), view, 0, 0.0, []
        for k in range(len(start)):
            v = start[k] if k == 0 else self._first_direction(rest)
            one = Sparsity(
                *(None if part is None else part[k : k + 1] for part in (sparsity.alpha, sparsity.n_nonzero))
            )
            found = self._together(rest, v[None], one, max_iter, tol)
            V[k], total, worst = found.V[0], total + found.n_iter, max(worst, found.change)
            limits.append(found.alpha_max)
            if V[k].any():
                rest = rest.without(V[k : k + 1])
        status = Status.CONVERGED if worst <= tol else Status.MAX_ITER
        return Loadings(V, sparsity.alpha, total, status, worst, np.concatenate(limits))

    def _together(
        self, view: CovarianceView, start: np.ndarray, sparsity: Sparsity, max_iter: int, tol: float
    ) -> Loadings:
        V, change, n_iter, Y = np.zeros_like(start), np.inf, 0, view.root
        x = _orthonormal(Y @ start.T)
        for _ in range(max_iter):
            check_interrupted()
            n_iter += 1
            B = self._shrunk((Y.T @ x).T, sparsity)
            last, V = V, unit_rows(B)[0]
            change = float(np.abs(V - last).max())
            if change <= tol or not B.any():
                break
            x = _orthonormal(Y @ B.T)
        change = 0.0 if not V.any() else change
        limit = np.sqrt(max(float(view.variances.max()), 0.0))  # rounding leaves less than 0 of what is explained
        limits = np.full(len(V), limit if self.penalty == "l1" else limit**2)
        return Loadings(
            V, sparsity.alpha, n_iter, Status.CONVERGED if change <= tol else Status.MAX_ITER, change, limits
        )

    def _shrunk(self, C: np.ndarray, sparsity: Sparsity) -> np.ndarray:
        """What is left of the correlations (k, p) with x."""
        if sparsity.n_nonzero is not None:
            return np.array([keep_largest(c, int(m)) for c, m in zip(C, sparsity.n_nonzero, strict=True)])
        assert sparsity.alpha is not None
        alpha = sparsity.alpha[:, None]
        return soft_threshold(C, alpha) if self.penalty == "l1" else np.where(alpha < C**2, C, 0.0)

    def _first_direction(self, view: CovarianceView) -> np.ndarray:
        """The covariances with the column of largest variance, the first of those: where Journée et al. begin."""
        unit = np.zeros(view.p)
        unit[int((view.variances >= (1 - SAME) * view.variances.max()).argmax())] = 1.0
        c = view.times(unit)
        length = np.linalg.norm(c)
        return np.asarray(c / length if length > 0 else c)


class _Net:
    """The elastic nets of one component: with its α, or with the α that leaves its number of entries."""

    def __init__(self, view: CovarianceView, ridge: float, sparsity: Sparsity, k: int) -> None:
        self.view, self.ridge = view, ridge
        self.n_nonzero = None if sparsity.n_nonzero is None else int(sparsity.n_nonzero[k])
        self.alpha = 0.0 if sparsity.alpha is None else float(sparsity.alpha[k])
        self.b = np.zeros(view.p)
        self.S = np.zeros(0, np.intp)
        self.alpha_max, self.rounds = 0.0, 0

    def at(self, a: np.ndarray) -> np.ndarray:
        c = self.view.times(a)
        self.alpha_max = float(np.abs(c).max())
        if self.n_nonzero is not None:
            return self._counted(a, c)
        self.b = self._net(a, c, self.alpha)
        return self.b

    def _net(self, a: np.ndarray, c: np.ndarray, alpha: float) -> np.ndarray:
        return soft_threshold(c, alpha) if self.ridge == np.inf else self.view.elastic_net(a, alpha, self.ridge, self.b)

    def _counted(self, a: np.ndarray, c: np.ndarray) -> np.ndarray:
        """The elastic net chooses the columns, least squares with the ridge their loadings: a count asks for no
        shrinkage. Columns are settled after some rounds, since choosing might go round in circles."""
        self.rounds += 1
        if self.rounds <= SETTLING:
            self.S = self._columns(a, c)
        b = np.zeros(len(c))
        if self.ridge == np.inf:
            b[self.S] = c[self.S]
            return b
        S = self.S[self.view.variances[self.S] > 0]  # constant columns have no loadings
        if len(S) == 0:
            return b
        part = self.view.part(S)
        floor = 1e-12 * np.trace(part) / len(part)
        b[S] = np.linalg.solve(part + (self.ridge + floor) * np.eye(len(part)), c[S])
        return b

    def _columns(self, a: np.ndarray, c: np.ndarray) -> np.ndarray:
        """Of the elastic net with the least α, to bisection, that leaves at most n_nonzero."""
        assert self.n_nonzero is not None
        if self.ridge == np.inf or self.n_nonzero == len(c):
            return np.sort(np.argsort(-np.abs(c), kind="stable")[: self.n_nonzero])
        low, high, alpha = 0.0, self.alpha_max, min(self.alpha or 0.5 * self.alpha_max, self.alpha_max)
        S = np.abs(c).argmax(keepdims=True)
        for _ in range(BISECTIONS):
            self.b = self._net(a, c, alpha)
            count = np.count_nonzero(self.b)
            low, high = (low, alpha) if count <= self.n_nonzero else (alpha, high)
            if 0 < count <= self.n_nonzero:
                S, self.alpha = np.flatnonzero(self.b), alpha
            if count == self.n_nonzero or high - low <= 1e-9 * self.alpha_max:
                break
            alpha = 0.5 * (low + high)
        return S


def _largest(nets: list[_Net]) -> np.ndarray:
    return np.array([net.alpha_max for net in nets])


def _orthonormal(X: np.ndarray) -> np.ndarray:
    """The nearest matrix with orthonormal columns: one column, divided by its length."""
    if X.shape[1] == 1:
        length = np.linalg.norm(X)
        return X / length if length > 0 else X
    return procrustes(X).Q
