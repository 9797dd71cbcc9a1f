"""Exact ℓ₁ recoveries: `basis_pursuit` (11.23) and `bpdn`, each with a dual point that proves it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tamis._core.checks import check_count, check_number
from tamis._core.errors import InputError
from tamis._core.evidence import Certificate, Status
from tamis.sensing.convergence import ProvedLeast, ProvedPenalised
from tamis.sensing.gap_certificates import ConstrainedGap
from tamis.sensing.recoveries.base import RecoveryMethod
from tamis.sensing.recoveries.equality_search import GRAM_AT_MOST, EqualitySearch
from tamis.sensing.recoveries.soft_thresholding import l1_problem, penalised_certificate, penalty_strength
from tamis.sensing.recovery import Recovery
from tamis.sensing.system import Found, System
from tamis.solvers.dense_columns import gram_matrix
from tamis.solvers.homotopy import HomotopyEnd, lasso_homotopy
from tamis.solvers.iteration_limits import IterationLimits
from tamis.solvers.l1_least_squares import L1LeastSquares, L1Point, SupportNormal
from tamis.solvers.lars import lars_path
from tamis.solvers.lasso_working_set import lasso_at
from tamis.solvers.spectral_descent import SpectralDescent
from tamis.solvers.support_least_squares import in_memory

SHRINK = 0.1  # of λ from one solution on the way to the next
SPECTRAL = 200  # steps of spectral length before others

LassoEnd = tuple[np.ndarray, np.ndarray, np.ndarray, Status, int]  # s, r, Aᴴr, how it ended, after how many steps


def basis_pursuit(
    A: Any,
    y: Any,
    *,
    tol: float = 1e-7,
    max_iter: int = 20_000,
    time_limit: float | None = None,
    basis: Any = None,
    start: Any = None,
) -> Recovery:
    """The code with the least ‖s‖₁ among those with A s = y (11.23), with a proof.

    The certificate holds w with |Aᴴw| ≤ 1: then ‖s‖₁ ≥ Re⟨w, y⟩ for every code with these measurements. It is converged
    where ‖y − A s‖ ≤ tol ‖y‖ and the gap ‖s‖₁ − Re⟨w, y⟩ is at most tol ‖s‖₁. Where no code measures y, it is stalled
    at one of least residual.

    A real A in memory is solved along the path of the lasso, exactly; other operators by accelerated proximal gradient
    steps for falling λ, until least squares on the support, and on columns that see much of what these leave, measures
    y; where the code is not sparse, by alternating directions on the dual problem.

    Parameters
    ----------
    A : (m, n) array, sparse array or operator
    y : (m,) or (m, signals)
    tol : float
    max_iter : int
        Proximal gradient steps in all.
    time_limit : float, optional
        Seconds.
    basis : operator, optional
        Ψ: the signal is Ψ s and is measured by A, y = A Ψ s.
    start : code or Recovery, optional
        Tried first: where it proves to be the answer, nothing else is computed.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.sensing import basis_pursuit
    >>> rng = np.random.default_rng(0)
    >>> A, s = rng.standard_normal((40, 80)), np.zeros(80)
    >>> s[[5, 60]] = 2.0, -1.0
    >>> found = basis_pursuit(A, A @ s)
    >>> bool(np.allclose(found.code, s)), bool(found.certificate.verify(A, A @ s).gap < 1e-9)
    (True, True)
    """
    system = System.of(A, y, basis, start, time_limit)
    search = _Search.of(system, tol, max_iter)
    return system.each(
        search.equality().pursue,
        ProvedLeast(search.tol),
        lambda S, duals: constrained_certificate(system, S, duals, 0.0),
    )


class BasisPursuit(RecoveryMethod, function=basis_pursuit):
    """Basis pursuit, exactly and with a proof. Parameters are those of `basis_pursuit`."""


def bpdn(
    A: Any,
    y: Any,
    alpha: float | None = None,
    *,
    noise: float | None = None,
    tol: float = 1e-7,
    max_iter: int = 20_000,
    time_limit: float | None = None,
    basis: Any = None,
    start: Any = None,
) -> Recovery:
    """Basis pursuit denoising: the least 1/(2m)‖y − A s‖² + α‖s‖₁, or the least ‖s‖₁ with ‖y − A s‖ ≤ noise.

    Give ``alpha`` or ``noise``. With α it is converged where the duality gap is at most tol times the objective at
    s = 0; with a noise radius where ‖y − A s‖ ≤ (1 + tol) noise and the gap is at most tol ‖s‖₁. Other arguments are
    those of `basis_pursuit`, which noise = 0 means.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.sensing import bpdn
    >>> found = bpdn(np.eye(3), [3.0, -2.0, 0.5], noise=1.5)
    >>> found.code.round(6), round(found.residual_norm, 6)
    (array([ 2., -1.,  0.]), 1.5)
    """
    if (alpha is None) == (noise is None):
        raise InputError(
            "give either alpha, the price of a non-zero, or noise, the radius of ‖y − A s‖", argument="noise"
        )
    system = System.of(A, y, basis, start, time_limit)
    search = _Search.of(system, tol, max_iter)
    if alpha is not None:
        strength = penalty_strength(alpha)
        return system.each(
            lambda y, s: search.penalised(y, s, len(y) * strength),
            ProvedPenalised(search.tol),
            lambda S, duals: penalised_certificate(system, S, duals, strength),
        )
    radius = check_number("noise", noise, at_least=0.0)
    return system.each(
        lambda y, s: search.constrained(y, s, radius),
        ProvedLeast(search.tol, radius),
        lambda S, duals: constrained_certificate(system, S, duals, radius),
    )


class BPDN(RecoveryMethod, function=bpdn):
    """Basis pursuit denoising, penalised or within a radius. Parameters are those of `bpdn`."""


def constrained_certificate(
    system: System, S: np.ndarray, duals: list[Any], noise: float, weights: np.ndarray | None = None
) -> Certificate:
    W = np.column_stack([np.zeros(len(system.Y), system.dtype) if w is None else w for w in duals])
    code, dual, y = (S[:, 0], W[:, 0], system.Y[:, 0]) if system.one else (S, W, system.Y)
    return ConstrainedGap(code, dual, noise, weights).verify(system.A, y)


@dataclass
class _Search:
    """Both problems of one operator."""

    A: Any
    problem: L1LeastSquares
    exact: bool
    tol: float
    max_iter: int
    limits: IterationLimits

    @classmethod
    def of(cls, system: System, tol: Any, max_iter: Any) -> _Search:
        A = system.A
        exact = system.dtype.kind != "c" and in_memory(A)
        tol, max_iter = check_number("tol", tol, above=0.0), check_count("max_iter", max_iter)
        problem = l1_problem(system, 1.0)
        return cls(A, problem, exact, tol, max_iter, system.limits)

    def equality(self) -> EqualitySearch:
        return EqualitySearch(self.A, self.problem, self.exact, self.tol, self.max_iter, self.limits)

    # --- min ½‖y − A s‖² + λ‖s‖₁

    def penalised(self, y: np.ndarray, start: np.ndarray | None, lam: float) -> Found:
        limit = self.tol * 0.5 * float(np.vdot(y, y).real)
        s, r, c, status, n_iter = self._exact_lasso(y, lam) if self.exact else self._lasso(y, start, lam, limit)
        problem = self.problem.at(lam)
        problem.y = y
        return Found(s, status, n_iter, {"gap": problem.gap(s, r, c) / len(y)}, None, r)

    def _exact_lasso(self, y: np.ndarray, lam: float) -> LassoEnd:
        """On a working set, or along the path where that does not do."""
        point = lasso_at(self.A, y, lam, self.limits.over)
        if point.status is not Status.STALLED:
            return point.s, point.r, point.c, point.status, point.n_iter
        end = self._on_path(y, lam=lam)
        return end.s, end.r, self.A.T @ end.r, end.status, end.n_iter

    def _lasso(self, y: np.ndarray, start: np.ndarray | None, lam: float, limit: float) -> LassoEnd:
        problem = self.problem.at(lam)
        problem.y = y
        point = self._spectral(problem, start, lam, limit)
        if point.status is Status.CONVERGED or point.status is Status.TIME_LIMIT or point.n_iter >= self.max_iter:
            return point.s, point.r, self.A.H @ point.r, point.status, point.n_iter
        self.problem.ready()
        problem, left, n_iter = self.problem.at(lam), self.max_iter - point.n_iter, point.n_iter
        problem.y = y
        point = problem.descend(point.s, goal=lambda gap, _: gap <= limit, max_iter=left, over=self.limits.over)
        exact = problem.finish(point.s) if point.status is Status.CONVERGED else None
        c = None if exact is None else self.A.H @ exact[1]
        if exact is not None and c is not None and problem.gap(*exact, c) <= point.gap:
            return *exact, c, point.status, n_iter + point.n_iter
        return point.s, point.r, self.A.H @ point.r, point.status, n_iter + point.n_iter

    def _spectral(self, problem: L1LeastSquares, start: np.ndarray | None, lam: float, limit: float) -> L1Point:
        """Steps of spectral length, along falling λ where there is no start: few, or the code is not sparse, and
        accelerated steps are better.
        """
        descent = SpectralDescent(problem, start, min(SPECTRAL, self.max_iter), self.limits.over)
        level = float(np.abs(descent.c).max())
        while start is None and level * SHRINK > lam:
            level *= SHRINK
            descent.to(level)
        return descent.to(lam, lambda gap, _: gap <= limit)

    # --- min ‖s‖₁ with ‖y − A s‖ ≤ σ

    def constrained(self, y: np.ndarray, start: np.ndarray | None, sigma: float) -> Found:
        size = float(np.linalg.norm(y))
        if sigma >= size:
            return Found(np.zeros(self.A.shape[1], y.dtype), Status.CONVERGED, 0, {"gap": 0.0})
        if not (self.A.H @ y).any():  # no column sees y
            return Found(np.zeros(self.A.shape[1], y.dtype), Status.STALLED, 0, {"gap": np.inf})
        if sigma == 0:
            return self.equality().pursue(y, start)
        if sigma <= self.tol * size:
            found = self._without_noise(y, start, sigma)
            if found.status is Status.CONVERGED:
                return found
        if self.exact:
            end = self._on_path(y, radius=sigma)
            found = self._radius_reached(y, end.s, end.r, sigma, end.n_iter)
            over = found.status is not Status.CONVERGED and end.status is Status.TIME_LIMIT
            return replace(found, status=end.status) if over else found
        return self._by_lambdas(y, start, sigma, size)

    def _without_noise(self, y: np.ndarray, start: np.ndarray | None, sigma: float) -> Found:
        """The code that measures y: its dual point w proves that codes within a tiny radius gain at most σ‖w‖."""
        found = self.equality().pursue(y, start)
        if found.status is not Status.CONVERGED:
            return found
        value, gap = float(np.abs(found.s).sum()), found.measured["gap"] + sigma * float(np.linalg.norm(found.proof))
        done = gap <= self.tol * value and float(np.linalg.norm(y - self.A @ found.s)) <= sigma
        return replace(found, status=Status.CONVERGED if done else Status.STALLED, measured={"gap": gap})

    def _by_lambdas(self, y: np.ndarray, s: np.ndarray | None, sigma: float, size: float) -> Found:
        """Penalised problems for λ that come closer to the one whose residual has norm σ."""
        highest = float(np.abs(self.A.H @ y).max())
        bracket, lam, n_iter = _Bracket(highest, size, sigma), highest * sigma / size, 0
        for _ in range(RADIUS_STEPS):
            scale = float(np.abs(y).sum() if s is None else np.abs(s).sum())
            s, r, _, status, k = self._lasso(y, s, lam, 0.01 * self.tol * lam * scale)
            n_iter += k
            found = self._radius_reached(y, s, r, sigma, n_iter)
            if found.status is not Status.CONVERGED and bracket.closes(s, r):
                found = self._radius_reached(y, *bracket.between(), sigma, n_iter)
            if found.status is Status.CONVERGED:
                return found
            if status is not Status.CONVERGED:
                return replace(found, status=status, n_iter=n_iter)
            exact = self._segment_lambda(s, r, lam, sigma) if s.dtype.kind != "c" else np.nan
            lam = bracket.next(lam, float(np.linalg.norm(r)), exact)
        return found

    def _radius_reached(self, y: np.ndarray, s: np.ndarray, r: np.ndarray, sigma: float, n_iter: int) -> Found:
        highest = float(np.abs(self.A.H @ r).max())
        w = r / highest if highest > 0 else np.zeros_like(r)  # 0 where the residual is the least there is
        bound = float(np.vdot(w, y).real) - sigma * float(np.linalg.norm(w))
        value = float(np.abs(s).sum())
        done = float(np.linalg.norm(r)) <= sigma * (1 + self.tol) and value - bound <= self.tol * value
        return Found(s, Status.CONVERGED if done else Status.STALLED, n_iter, {"gap": value - bound}, None, w)

    def _on_path(self, y: np.ndarray, **until: Any) -> HomotopyEnd:
        end = lasso_homotopy(self.A, y, over=self.limits.over, **until)
        if end.status is not Status.STALLED or self.A.shape[1] > GRAM_AT_MOST:
            return end
        return _on_gram_path(self.A, y, **until)

    def _segment_lambda(self, s: np.ndarray, r: np.ndarray, lam: float, sigma: float) -> float:
        """Where ‖r‖ = σ if real signs stand: r moves by δ A_E(A_EᵀA_E)⁻¹ sign(s_E) as λ does by δ; NaN if nowhere."""
        E = np.flatnonzero(s)
        d = SupportNormal(self.A, E).solve(np.sign(s[E])) if 0 < len(E) <= len(r) else None
        if d is None:
            return np.nan
        whole = np.zeros_like(s)
        whole[E] = d
        q = self.A @ whole
        a, b, c = float(q @ q), float(q @ r), float(r @ r) - sigma**2
        return lam + (np.sqrt(b * b - a * c) - b) / a if a > 0 and b * b >= a * c else np.nan


def _on_gram_path(A: Any, y: np.ndarray, lam: float = 0.0, radius: float = 0.0) -> HomotopyEnd:
    """On a Gram matrix, whose path is prepared for columns that reach their bounds together."""
    m = len(y)
    path = lars_path(gram_matrix(A) / m, A.T @ y / m, alpha_min=lam / m)
    alphas, codes = path.alphas, path.coefs_sparse
    norms = np.linalg.norm(y[:, None] - A @ codes.T.toarray(), axis=0)
    k = int(np.argmax(norms <= radius)) if radius > 0 and (norms <= radius).any() else len(alphas) - 1
    s = codes[[k]].toarray()[0]
    if k > 0 and norms[k] < radius:
        r, q = y - A @ s, A @ (codes[[k - 1]].toarray()[0] - s)
        b, c, a = float(q @ r), float(r @ r) - radius**2, float(q @ q)
        share = (b + np.sqrt(b * b - a * c)) / a
        s = s + share * (codes[[k - 1]].toarray()[0] - s)
    r = y - A @ s
    return HomotopyEnd(m * float(alphas[k]), s, r, r, path.status, path.n_iter)


class _Bracket:
    """λ with ‖y − A s_λ‖ = σ: the norm grows with λ. The secant of log ‖r‖ over log λ, within what is known."""

    def __init__(self, high: float, size: float, sigma: float) -> None:
        self.sigma, self.low, self.high = sigma, 0.0, high
        self.points = [(np.log(high), np.log(size))]
        self.inside: Any = None  # the last code and residual with ‖r‖ < σ, and with ‖r‖ > σ
        self.outside: Any = None

    def closes(self, s: np.ndarray, r: np.ndarray) -> bool:
        """Whether codes on both sides of the radius are known."""
        if float(np.linalg.norm(r)) < self.sigma:
            self.inside = s, r
        else:
            self.outside = s, r
        return self.inside is not None and self.outside is not None

    def between(self) -> tuple[np.ndarray, np.ndarray]:
        """Code and residual with ‖r‖ = σ on the line between both: codes are nearly linear in λ where they are near."""
        (s, r), (far, far_r) = self.inside, self.outside
        q = far_r - r
        a, b, c = float(np.vdot(q, q).real), float(np.vdot(q, r).real), float(np.vdot(r, r).real) - self.sigma**2
        share = (np.sqrt(max(b * b - a * c, 0.0)) - b) / a if a > 0 else 0.0
        return s + share * (far - s), r + share * q

    def next(self, lam: float, rho: float, better: float) -> float:
        self.low, self.high = (lam, self.high) if rho < self.sigma else (self.low, lam)
        self.points.append((np.log(lam), np.log(max(rho, np.finfo(float).tiny))))
        if self.low < better < self.high:
            return better
        (x0, f0), (x1, f1) = self.points[-2:]
        slope = (f1 - f0) / (x1 - x0) if x1 != x0 else 0.0
        after = float(np.exp(x1 + (np.log(self.sigma) - f1) / slope)) if slope > 0.05 else np.nan
        if self.low < after < self.high:
            return after
        return float(np.sqrt(self.low * self.high)) if self.low > 0 else 0.1 * self.high


RADIUS_STEPS = 60
