"""Approximate message passing, and the recursion of one number that predicts it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.stats import norm

from tamis._core.checks import check_count, check_number
from tamis._core.evidence import Status
from tamis.sensing.convergence import SLACK, SmallResidual, small_residual, unmoved
from tamis.sensing.l1_transition import l1_transition
from tamis.sensing.recoveries.base import RecoveryMethod
from tamis.sensing.recovery import Recovery
from tamis.sensing.system import Found, System
from tamis.solvers.support_least_squares import column_lengths
from tamis.solvers.thresholds import soft_threshold

PATIENCE = 50  # iterations without a smaller residual
DIVERGED = 1e3  # times ‖y‖


def amp(
    A: Any,
    y: Any,
    *,
    threshold: float | None = None,
    noise: float | None = None,
    tol: float = 1e-7,
    max_iter: int = 500,
    time_limit: float | None = None,
    basis: Any = None,
    start: Any = None,
) -> Recovery:
    """Approximate message passing with soft thresholds (Donoho, Maleki & Montanari 2009).

    On columns of unit length, with z the residual and τ = ‖z‖/√m an estimate of the noise in s + Aᴴz,

        s ← S_{θτ}(s + Aᴴz),    z ← y − A s + z ‖s‖₀/m;

    the last term keeps that noise Gaussian. For complex codes it is z/m times the mean derivative of the complex soft
    threshold. It is meant for matrices with independent entries, or subsampled transforms with random rows; where it
    does not settle, or finds nothing above its threshold, it is stalled, and the best code is given. It is converged
    where ‖y − A s‖ ≤ max(tol ‖y‖, noise), or where a step moves s by at most tol ‖s‖ (with noise it then is a solution
    of the lasso for some α).

    Parameters
    ----------
    A : (m, n) array, sparse array or operator
    y : (m,) or (m, signals)
    threshold : float, optional
        θ, in units of τ. By default the one that is best for the least favourable signals of the sparsity that can be
        recovered at m/n.
    noise, tol : float
        Residual norms that are small enough, as such and relative to ‖y‖.
    max_iter : int
    time_limit : float, optional
        Seconds.
    basis : operator, optional
        Ψ: the signal is Ψ s and is measured by A, y = A Ψ s.
    start : code or Recovery, optional
        Where to start from.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.sensing import amp
    >>> rng = np.random.default_rng(0)
    >>> A, s = rng.standard_normal((200, 400)), np.zeros(400)
    >>> s[:20] = rng.standard_normal(20)
    >>> found = amp(A, A @ s)
    >>> found.status.value, bool(np.allclose(found.code, s, atol=1e-5))
    ('converged', True)
    """
    system = System.of(A, y, basis, start, time_limit)
    m, n = system.A.shape
    theta = minimax_threshold(m / n) if threshold is None else check_number("threshold", threshold, above=0.0)
    small, max_iter = small_residual(tol, noise), check_count("max_iter", max_iter)
    lengths = column_lengths(system.A)
    passing = _Passing(system.A, lengths, theta)
    rule = replace(small, otherwise=lambda end: passing.stays(end.y, lengths * end.s, small.tol * (1 + SLACK)))
    return system.each(lambda y, s: _amp(system, passing, y, s, small, max_iter), rule)


class AMP(RecoveryMethod, function=amp):
    """Approximate message passing. Parameters are those of `amp`."""


@dataclass(frozen=True)
class _Passing:
    """Steps on columns of unit length: x = ‖aⱼ‖ sⱼ."""

    A: Any
    lengths: np.ndarray
    theta: float

    @cached_property
    def inverse(self) -> np.ndarray:
        return np.where(self.lengths > 0, 1 / np.where(self.lengths > 0, self.lengths, 1.0), 0.0)

    def residual(self, y: np.ndarray, x: np.ndarray) -> np.ndarray:
        r: np.ndarray = y - self.A @ (self.inverse * x)
        return r

    def step(self, x: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, float]:
        """The next x, and what z is multiplied by."""
        t = self.theta * float(np.linalg.norm(z)) / np.sqrt(len(z))
        v = x + self.inverse * (self.A.H @ z)
        return soft_threshold(v, t), _slopes(v, t) / len(z)

    def stays(self, y: np.ndarray, x: np.ndarray, tol: float) -> bool:
        """Whether x is a fixed point with z = r + b z, b what the step from there multiplies z by."""
        r, b = self.residual(y, x), float(np.count_nonzero(x)) / len(y)
        for _ in range(FIXED):  # b of complex codes depends on z
            if b >= 1:
                return False
            new, b_new = self.step(x, r / (1 - b))
            if b_new == b:
                break
            b = b_new
        return unmoved(x, new, tol)


FIXED = 20  # rounds for the factor of z at a fixed point


def _amp(system: System, passing: _Passing, y: np.ndarray, start: Any, small: SmallResidual, max_iter: int) -> Found:
    x = np.zeros(system.A.shape[1], system.dtype) if start is None else start * passing.lengths
    z, inverse = passing.residual(y, x), passing.inverse
    best, code, age, size, goal = np.inf, inverse * x, 0, float(np.linalg.norm(y)), small.goal(y)
    trace: list[float] = []
    for k in range(1, max_iter + 1):
        if system.limits.late:
            return Found(code, Status.TIME_LIMIT, k - 1, {"residual_norm": best}, np.array(trace))
        (x, b), before = passing.step(x, z), x
        r = passing.residual(y, x)
        z = r + z * b
        trace.append(float(np.linalg.norm(r)))
        best, code, age = (trace[-1], inverse * x, 0) if trace[-1] < best * (1 - 1e-6) else (best, code, age + 1)
        if trace[-1] <= goal or (unmoved(x, before, small.tol) and passing.stays(y, x, small.tol)):
            return Found(inverse * x, Status.CONVERGED, k, {"residual_norm": trace[-1]}, np.array(trace))
        nothing = not before.any() and not x.any()  # the threshold is above all correlations, and stays there
        if nothing or age >= PATIENCE or not trace[-1] <= DIVERGED * size:
            return Found(code, Status.STALLED, k, {"residual_norm": best}, np.array(trace))
    return Found(code, Status.MAX_ITER, max_iter, {"residual_norm": best}, np.array(trace))


def _slopes(v: np.ndarray, t: float) -> float:
    """The sum of the derivatives of the soft threshold; of a complex one, half its divergence."""
    size = np.abs(v)
    above = size > t
    if v.dtype.kind != "c":
        return float(np.count_nonzero(above))
    return float((1 - 0.5 * t / size[above]).sum())


def minimax_threshold(delta: float) -> float:
    """θ that minimises the largest risk over signals of the sparsity ρ(δ) that can just be recovered.

    It is where the maximum that `donoho_tanner` tells is attained (Donoho, Maleki & Montanari 2009).

    Examples
    --------
    >>> from tamis.sensing.recoveries.amp import minimax_threshold
    >>> round(minimax_threshold(0.5), 2)
    0.88
    """
    return max(LEAST, l1_transition(delta)[1])


LEAST = 0.1  # of θ: with as many measurements as unknowns hardly any threshold is needed


def state_evolution(
    delta: float, draws: np.ndarray, *, threshold: float | None = None, noise: float = 0.0, n_iter: int = 10
) -> np.ndarray:
    """τ² of `amp` before each of the first iterations, for i.i.d. Gaussian A of variance 1/m:

        τ²ₜ₊₁ = σ² + E[(S_{θτₜ}(X + τₜ Z) − X)²]/δ,    τ²₀ = σ² + E[X²]/δ,

    X as the entries of the code are, Z standard normal. The mean square error after t iterations is δ(τ²ₜ − σ²).

    Parameters
    ----------
    delta : float
        m/n.
    draws : array
        Values of X, each as likely: the entries of a code. The expectation over Z is exact.
    threshold, noise, n_iter
        θ as in `amp`, the standard deviation σ of the noise in y, and how many.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.sensing import state_evolution
    >>> state_evolution(0.5, np.array([1.0, 0.0, 0.0, 0.0]), n_iter=3).round(3)
    array([0.5  , 0.412, 0.363])
    """
    theta = minimax_threshold(delta) if threshold is None else check_number("threshold", threshold, above=0.0)
    X = np.asarray(draws, dtype=np.float64).ravel()
    taus = [noise**2 + float(np.mean(X**2)) / delta]
    while len(taus) < check_count("n_iter", n_iter):
        tau = np.sqrt(taus[-1])
        taus.append(noise**2 + float(np.mean(_risk(X / tau, theta))) * taus[-1] / delta)
    return np.array(taus)


def _risk(mu: np.ndarray, theta: float) -> np.ndarray:
    """E(S_θ(μ + Z) − μ)² for standard normal Z."""
    up, down = theta - mu, -theta - mu
    risk: Callable[..., Any] = lambda a: (1 + theta**2) * norm.sf(a) + (a - 2 * theta) * norm.pdf(a)  # noqa: E731
    inside = mu**2 * (norm.cdf(up) - norm.cdf(down))
    return np.asarray(risk(up) + risk(-down) + inside)
