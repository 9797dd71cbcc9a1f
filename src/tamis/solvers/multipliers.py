"""Low rank + sparse by the method of multipliers: min ‖L‖_* + α‖S‖₁ with X = L + S at the observed entries.

A step thresholds singular values, L = argmin ‖L‖_* + r/2 ‖X − L − S + Z/r‖², then entries,
S = shrink(X − L + Z/r, α/r), and moves the multipliers, Z + r(X − L − S). With r fixed this is ADMM; with r growing it
is the inexact augmented Lagrangian method (Lin, Chen & Ma 2010), which ends sooner, near the optimum but not at it.
α = ∞ leaves no S: X = L at the observed entries, the completion of least nuclear norm (11.26).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tamis._core.evidence import Diagnostics, Status
from tamis._core.progress import Steps, silent
from tamis._core.threads import blas_threads, thread_count
from tamis._kernels import kernels
from tamis.operators.products import narrow_product
from tamis.solvers.iteration_limits import IterationLimits
from tamis.solvers.separation_gap import SeparationGap, separation_gap
from tamis.solvers.svd import Factors
from tamis.solvers.thin_qr import thin_qr

CHECK = 10  # steps between looks at the gap
SMALL = 100  # a matrix with a side up to this goes to LAPACK whole
BESIDE = 8  # columns beside those of the last step
NEAR = 1e-3  # relative gap: below, the inexact method ended at the optimum to its tolerance; else at some per cent
BALANCED = 0.02, 0.5  # residual over gap, between which the penalty stays
BALANCING = 1.5
MOST_GROWTH = 1e7  # of the penalty over its first value


@dataclass(frozen=True)
class Separation:
    """X ≈ L + S: L as factors, S (n, p), the multipliers Z of the last step, and how it ended."""

    low_rank: Factors
    sparse: np.ndarray
    status: Status
    n_iter: int
    diagnostics: Diagnostics = field(default_factory=Diagnostics)
    certificate: SeparationGap | None = None
    Z: np.ndarray | None = None


def admm(
    X: np.ndarray, alpha: float, limits: IterationLimits, *, penalty: float | None = None, start: Any = None,
    n_threads: int, rng: np.random.Generator, steps: Steps = silent,
) -> Separation:  # fmt: skip
    """ADMM with a fixed penalty r until ‖X − L − S‖ ≤ tol‖X‖ and the duality gap is at most tol times the objective.

    X has NaN where an entry is missing. ``start`` is the multipliers and the factors of an earlier result; from there
    the penalty is changed for the first half of the steps where residual and gap fall apart, then it is fixed.
    """
    state = _State(X, alpha, first_penalty(X) if penalty is None else penalty, n_threads, rng)
    if start is not None:
        state.begin_at(*start)
    best: SeparationGap | None = None
    trace: list[float] = []
    status = Status.MAX_ITER
    growth = 1.0
    for k in steps(range(1, limits.max_iter + 1), "ADMM"):
        residual = state.step(growth)
        growth = 1.0
        if (k % CHECK == 0 or k == limits.max_iter) and np.isfinite(alpha):
            best = separation_gap(X, state.low_rank, state.Z, alpha)
            trace.append(best.relative_gap)
            done = residual <= limits.tol and best.relative_gap <= limits.tol
            if start is not None and 2 * k <= limits.max_iter:
                growth = _balance(residual, best.relative_gap)
        else:
            done = np.isinf(alpha) and residual <= limits.tol and state.moved <= limits.tol
        status = limits.status(done)
        if status is not Status.MAX_ITER:
            break
    if np.isfinite(alpha) and (best is None or best.low_rank is not state.low_rank):
        best = separation_gap(X, state.low_rank, state.Z, alpha)
    measured = Diagnostics({"residual": residual, "penalty": state.r}, np.array(trace))
    return Separation(state.low_rank, state.sparse(), status, k, measured, best, state.Z)


def augmented_lagrangian(
    X: np.ndarray, alpha: float, limits: IterationLimits, *, n_threads: int, rng: np.random.Generator,
    steps: Steps = silent, certified: bool = True, growth: float = 1.5,
) -> Separation:  # fmt: skip
    """The inexact method, until ‖X − L − S‖ ≤ tol‖X‖; the gap is what it is then. ``growth`` is that of the penalty in
    each step.

    With a large penalty L and S hardly move any more: where ``certified`` finds a gap above NEAR, it has stalled.
    """
    sigma = largest_singular_value(X, rng)
    state = _State(X, alpha, 1.25 / sigma if sigma > 0 else 1.0, n_threads, rng)
    if sigma > 0:
        size = max(sigma, float(np.nanmax(np.abs(X))) / alpha)
        state.begin_at(np.nan_to_num(X) / X.dtype.type(size), None)
    trace: list[float] = []
    status = Status.MAX_ITER
    for k in steps(range(1, limits.max_iter + 1), "augmented Lagrangian"):  # noqa: B007 (told at the end)
        residual = state.step(growth, loose=True)
        trace.append(residual)
        status = limits.status(residual <= limits.tol)
        if status is not Status.MAX_ITER:
            break
    gap = separation_gap(X, state.low_rank, state.Z, alpha) if certified else None
    if status is Status.CONVERGED and gap is not None and gap.relative_gap > NEAR:
        status = Status.STALLED
    measured = Diagnostics({"residual": residual, "penalty": state.r}, np.array(trace))
    return Separation(state.low_rank, state.sparse(), status, k, measured, gap, state.Z)


class _State:
    """M, the matrix to threshold next, and the multipliers Z; both (n, p)."""

    def __init__(self, X: np.ndarray, alpha: float, r: float, n_threads: int, rng: np.random.Generator) -> None:
        self.X, self.alpha, self.r, self.n_threads, self.rng = X, alpha, r, n_threads, rng
        self.first, self.norm = r, float(np.sqrt(np.nansum(np.square(X, dtype=np.float64))))
        self.Z = np.zeros_like(X)
        self.M = np.nan_to_num(X)  # L = X, S = Z = 0
        self.low_rank: Any = None
        self.moved = np.inf

    def begin_at(self, Z: np.ndarray, low_rank: Factors | None) -> None:
        """From multipliers, and from L where there is one."""
        self.Z[...] = Z
        self.low_rank = low_rank
        if low_rank is not None:
            self.M[...] = low_rank.toarray()
        self.M += self.Z / self.X.dtype.type(self.r)

    def step(self, growth: float, loose: bool = False) -> float:
        """One step; ‖X − L − S‖/‖X‖ after it."""
        before = self.low_rank
        self.low_rank = threshold(self.M, 1 / self.r, before, self.rng, 2 if loose else 3)
        np.matmul(self.low_rank.U * self.low_rank.s, self.low_rank.Vt, out=self.M)
        self.moved = _distance(self.low_rank, before) / self.norm if self.norm > 0 else 0.0
        after = min(self.r * growth, MOST_GROWTH * self.first)
        square = kernels.multiplier_step(self.X, self.Z, self.M, float(self.alpha), self.r, after, self.n_threads)
        self.r = after
        return float(np.sqrt(square)) / self.norm if self.norm > 0 else 0.0

    def sparse(self) -> np.ndarray:
        """S, which is 0 where the multiplier is inside of ±α."""
        S = self.Z / self.X.dtype.type(self.r)
        S -= self.M
        S += self.X
        S[~(np.abs(self.Z) >= self.X.dtype.type(self.alpha))] = 0
        return S


def threshold(M: np.ndarray, tau: float, start: Any, rng: np.random.Generator, steps: int = 3) -> Factors:
    """The prox of τ‖·‖_* at a dense matrix, from the factors of one near it.

    Large matrices: the subspace of ``start`` and some random columns take ``steps`` steps of the power method, and the
    block is doubled until its least singular value is at most τ. What this leaves of an error the next step sees, for
    it starts from here.
    """
    side = min(M.shape)
    width = BESIDE if start is None else len(start.s) + BESIDE
    V = None if start is None else start.Vt.T
    while side > SMALL and 4 * width <= side:
        U, s, V = leading_triplets(M, V, width, steps if start is not None else 2 * steps, rng)
        if s[-1] <= tau:
            return _lowered(U, s, V.T, tau)
        width *= 2
    with blas_threads(1 if side <= SMALL else thread_count()):  # threads only wait for each other in small ones
        return _lowered(*np.linalg.svd(M, full_matrices=False), tau)


def leading_triplets(M: Any, V: np.ndarray | None, width: int, steps: int, rng: np.random.Generator) -> tuple[Any, ...]:
    """Ritz triplets U, s, V of a block of ``width`` columns, begun with V, after some steps of the power method."""
    p = M.shape[1]
    more = rng.standard_normal((p, width - (0 if V is None else V.shape[1]))).astype(M.dtype)
    V = more if V is None else np.hstack([V, more])
    for _ in range(steps):
        Q = thin_qr(narrow_product(M, V))[0]
        V, R = thin_qr(narrow_product(M.T, Q))
    left, s, right = np.linalg.svd(R.T)
    return Q @ left, s, V @ right.T


def _lowered(U: np.ndarray, s: np.ndarray, Vt: np.ndarray, tau: float) -> Factors:
    k = int(np.count_nonzero(s > tau))
    return Factors(U[:, :k], s[:k] - s.dtype.type(tau), Vt[:k])


def _balance(residual: float, gap: float) -> float:
    """Factor of the penalty: a larger one lowers the residual sooner, a smaller one the gap."""
    if residual > BALANCED[1] * gap:
        return BALANCING
    return 1 / BALANCING if residual < BALANCED[0] * gap else 1.0


def first_penalty(X: np.ndarray) -> float:
    """n p / (4‖X‖₁), as Candès et al. (2011) have it; over the observed entries."""
    total = float(np.nansum(np.abs(X), dtype=np.float64))
    return float(np.count_nonzero(np.isfinite(X))) / (4 * total) if total > 0 else 1.0


def largest_singular_value(X: np.ndarray, rng: np.random.Generator) -> float:
    """σ₁ with 0 in place of missing entries, to some digits."""
    return float(leading_triplets(np.nan_to_num(X), None, min(4, *X.shape), 6, rng)[1][0])


def _distance(new: Factors, old: Factors | None) -> float:
    """‖L − L'‖ from the factors alone."""
    if old is None:
        return np.inf
    cross = float(np.sum((new.U.T @ old.U) * (new.s[:, None] * (new.Vt @ old.Vt.T) * old.s)))
    square = float(new.s @ new.s) + float(old.s @ old.s) - 2 * cross
    return float(np.sqrt(max(0.0, square)))
