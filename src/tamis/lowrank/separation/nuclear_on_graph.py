"""Robust PCA with the nuclear norm and smoothness over a graph: min ‖L‖_* + α‖P_Ω(X − L)‖₁ + γ tr(Lᵀ𝓛L).

For every Z that is 0 outside of Ω with |Z| ≤ α and every W with ‖Z − 2γ𝓛W‖₂ ≤ 1 the minimum is at least
⟨Z, X⟩ − γ tr(Wᵀ𝓛W), since ⟨L, 𝓛L⟩ ≥ 2⟨L, 𝓛W⟩ − ⟨W, 𝓛W⟩.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from tamis._core.progress import Steps
from tamis.solvers.iteration_limits import IterationLimits
from tamis.solvers.multipliers import first_penalty, threshold
from tamis.solvers.primal_dual import ConjugateProx, PrimalDual, primal_dual
from tamis.solvers.separation_gap import spectral_norm
from tamis.solvers.svd import Factors

COLUMNS = 4096  # of a matrix that are solved for at a time


def nuclear_on_graph(
    X: np.ndarray, laplacian: Any, alpha: float, gamma: float, limits: IterationLimits, *, rng: np.random.Generator,
    steps: Steps,
) -> PrimalDual:  # fmt: skip
    """L (n, p), smooth by a prox, so that a large γ needs no small steps; X has NaN where an entry is missing."""
    problem = _Problem(X, laplacian, alpha, gamma, rng)
    sigma = first_penalty(X)  # as in ADMM for robust PCA
    conjugates = [ConjugateProx(problem.misfit, sigma)]
    if gamma > 0:
        problem.factorise(sigma)
        conjugates.append(ConjugateProx(problem.smoothness, sigma))
    return primal_dual(problem.nuclear, conjugates, problem.gap, problem.filled, limits, steps=steps)


@dataclass
class _Problem:
    """The three terms by their proxes, and the gap."""

    X: np.ndarray
    laplacian: Any
    alpha: float
    gamma: float
    rng: np.random.Generator
    filled: np.ndarray = field(init=False)
    observed: np.ndarray = field(init=False)
    factors: Factors | None = field(init=False, default=None)
    solver: Any = field(init=False, default=None)
    quadratic: float = field(init=False, default=0.0)  # γ tr(Wᵀ𝓛W) of the last step

    def __post_init__(self) -> None:
        self.filled, self.observed = np.nan_to_num(self.X), np.isfinite(self.X)

    def factorise(self, sigma: float) -> None:
        """I + (2γ/σ)𝓛, symmetric and positive definite."""
        A = sp.csc_array(sp.eye_array(len(self.X)) + (2 * self.gamma / sigma) * self.laplacian)
        self.solver = splu(A, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})

    def nuclear(self, A: np.ndarray, tau: float) -> np.ndarray:
        self.factors = threshold(np.ascontiguousarray(A), tau, self.factors, self.rng)
        return self.factors.toarray()

    def misfit(self, Z: np.ndarray, sigma: float) -> np.ndarray:
        """prox_{σf*} of f = α‖P_Ω(X − ·)‖₁: Z − σX cut to ±α."""
        limit, step = self.X.dtype.type(self.alpha), self.X.dtype.type(sigma)
        return np.where(self.observed, np.clip(Z - step * self.filled, -limit, limit), self.X.dtype.type(0))

    def smoothness(self, Z: np.ndarray, sigma: float) -> np.ndarray:
        """prox_{σf*} of f = γ tr(Lᵀ𝓛L): 2γ𝓛W with (I + (2γ/σ)𝓛)W = Z/σ, by some columns at a time."""
        out, self.quadratic = np.empty_like(Z), 0.0
        for first in range(0, Z.shape[1], COLUMNS):
            part = np.s_[:, first : first + COLUMNS]
            right = Z[part].astype(np.float64)
            W = self.solver.solve(right / sigma)
            slope = right - sigma * W
            self.quadratic += 0.5 * float(np.sum(W * slope))
            out[part] = slope
        return out

    def gap(self, L: np.ndarray, duals: list[np.ndarray]) -> float:
        """Relative; ``duals`` are −Z and 2γ𝓛W, scaled by the best factor that is allowed."""
        assert self.factors is not None
        rough = float(np.abs(self.filled - L)[self.observed].sum(dtype=np.float64))
        smooth = self.gamma * float(np.sum(L * (self.laplacian @ L), dtype=np.float64))
        value = float(self.factors.s.sum(dtype=np.float64)) + self.alpha * rough + smooth
        along = -float(np.sum(duals[0] * self.filled, dtype=np.float64))
        largest = max(1.0, spectral_norm(np.sum(duals, axis=0)), float(np.abs(duals[0]).max()) / self.alpha)
        c = 1 / largest
        if self.quadratic > 0:
            c = min(c, along / (2 * self.quadratic))
        return (value - max(0.0, c * along - c * c * self.quadratic)) / value if value > 0 else 0.0
