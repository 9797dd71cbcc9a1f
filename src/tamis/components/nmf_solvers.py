"""Algorithms for X ≈ W H with W, H ≥ 0. Each is a generator of iterates: (W, H, objective, stationarity), of which the
last two are None where they are not known anyway.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve
from sklearn.base import BaseEstimator

from tamis._core.errors import InputError
from tamis.components.nmf_data import TINY, Factorisation, projected

FLOOR = 1e-10  # of the mean of a factor

Iterate = tuple[np.ndarray, np.ndarray, float | None, float | None]


class NMFSolver(BaseEstimator):
    """``iterates`` begins at (W, H) and goes on for as long as it is asked."""

    datafits: ClassVar[tuple[str, ...]] = ("squared", "kl")
    positive: ClassVar[bool] = False  # zeros stay zeros, so a start should have none
    sparse: ClassVar[bool] = True

    def iterates(self, problem: Factorisation, W: np.ndarray, H: np.ndarray) -> Iterator[Iterate]:
        raise NotImplementedError


class HALS(NMFSolver):
    """Hierarchical alternating least squares, for squares: coordinate descent on each row of W, then of Hᵀ.

    Several sweeps for each product with X (Gillis & Glineur 2012), and steps extrapolated as long as the objective
    falls (Ang & Gillis 2019): one where it did not is taken back and the next is not extrapolated, so iterates descend.

    Parameters
    ----------
    sweeps : int
        Sweeps at most for each product.
    extrapolate : bool
    """

    datafits = ("squared",)

    def __init__(self, sweeps: int = 8, extrapolate: bool = True) -> None:
        self.sweeps = sweeps
        self.extrapolate = extrapolate

    def iterates(self, problem: Factorisation, W: np.ndarray, H: np.ndarray) -> Iterator[Iterate]:
        rows, columns = problem.rows, problem.columns
        best, last_W, last_H = np.inf, W, H  # the last are those before extrapolation
        Wy, Hy, pace, most = W, H, 0.5 if self.extrapolate else 0.0, 1.0
        plain = True
        while True:
            beta = 0.0 if plain else pace
            given = rows.products(Hy)
            slope = projected(rows.gradient(Wy, given), Wy)
            new_W = rows.descend(Wy, given, self.sweeps, SHRINK)
            trial_W = np.maximum(new_W + beta * (new_W - last_W), 0.0) if beta else new_W
            given = columns.products(np.ascontiguousarray(trial_W.T))
            slope = float(np.hypot(slope, projected(columns.gradient(Hy.T, given), Hy.T)))
            new_H = columns.descend(Hy.T, given, self.sweeps, SHRINK).T
            value = columns.loss(new_H.T, trial_W.T, given)
            value += rows.penalty.value(trial_W) + columns.penalty.value(new_H)
            if value > best and not plain:
                Wy, Hy, last_W, last_H = W, H, W, H
                most, pace, plain = pace, pace / BACK, True
                continue
            trial_H = np.maximum(new_H + beta * (new_H - last_H), 0.0) if beta else new_H
            best, W, H = value, trial_W, new_H
            Wy, Hy, last_W, last_H = trial_W, trial_H, new_W, new_H
            if not plain:
                pace, most = min(most, FASTER * pace), min(1.0, WIDER * most)
            plain = not self.extrapolate
            yield W, H, value, slope


SHRINK = 1e-2  # sweeps end when one has become a tenth as long as the first
FASTER, WIDER, BACK = 1.05, 1.01, 1.5  # paces of the extrapolation, as Ang & Gillis have them


class Newton(NMFSolver):
    """For the Kullback–Leibler divergence: a Newton step for each row of W, on its own k × k problem with w ≥ 0, then
    for each row of Hᵀ; in one compiled loop. Every step lowers the objective.

    Parameters
    ----------
    steps : int
        For each row before the other factor's turn.
    """

    datafits = ("kl",)
    positive = True

    def __init__(self, steps: int = 1) -> None:
        self.steps = steps

    def iterates(self, problem: Factorisation, W: np.ndarray, H: np.ndarray) -> Iterator[Iterate]:
        while True:
            W = problem.rows.newton(W, H, self.steps)
            H = np.ascontiguousarray(problem.columns.newton(H.T, W.T, self.steps).T)
            yield W, H, None, None


class Multiplicative(NMFSolver):
    """Multiplicative updates (Lee & Seung 2001): W ← W ∘ (what is taken away)/(what is added). Every one lowers the
    objective; zeros stay zeros, and progress is slow."""

    positive = True

    def iterates(self, problem: Factorisation, W: np.ndarray, H: np.ndarray) -> Iterator[Iterate]:
        while True:
            W = _multiplied(problem.rows, W, H)
            H = _multiplied(problem.columns, H.T, W.T).T
            yield W, H, None, None


def _multiplied(side: Any, W: np.ndarray, H: np.ndarray) -> np.ndarray:
    less, more = side.split(W, H)
    l1, l2 = side.penalty.l1, side.penalty.l2
    if np.any(l2) and not hasattr(side, "products"):
        b = more + l1  # for the divergence the bound with l2/2 w² is a quadratic equation
        return np.asarray((np.sqrt(b**2 + 4 * l2 * less * W) - b) / (2 * l2))
    return np.asarray(W * (less / np.maximum(more + l1 + l2 * W, TINY)))


class ADMM(NMFSolver):
    """Alternating direction method of multipliers on Y = W H, W = W₊, H = H₊ (Sun & Févotte 2014). Dense X only.

    Fast at first; no guarantee, and the objective need not fall.

    Parameters
    ----------
    rho : float > 0, optional
        Weight of the coupling; by default 1 for squares, and 1/mean(X) for the divergence.
    """

    positive = True
    sparse = False

    def __init__(self, rho: float | None = None) -> None:
        self.rho = rho

    def iterates(self, problem: Factorisation, W: np.ndarray, H: np.ndarray) -> Iterator[Iterate]:
        X, M, kl = _entries(problem)
        rho = self.rho if self.rho is not None else 1.0 / max(float(X.mean()), TINY) if kl else 1.0
        Wp, Hp, Y = W, H, W @ H
        dW, dH, dY = np.zeros_like(W), np.zeros_like(H), np.zeros_like(Y)  # scaled multipliers
        eye = np.eye(W.shape[1])
        while True:
            H = cho_solve(cho_factor(W.T @ W + eye), W.T @ (Y + dY) + Hp - dH)
            W = cho_solve(cho_factor(H @ H.T + eye), ((Y + dY) @ H.T + Wp - dW).T).T
            product = W @ H
            Y = _nearest(X, M, product - dY, rho, kl)
            Wp = _nonnegative(W + dW, problem.rows.penalty, rho)
            Hp = _nonnegative(H + dH, problem.columns.penalty, rho)
            dY, dW, dH = dY + Y - product, dW + W - Wp, dH + H - Hp
            yield (_positive(Wp), _positive(Hp), None, None) if kl else (Wp, Hp, None, None)


def _positive(W: np.ndarray) -> np.ndarray:
    """W with its zeros raised to next to nothing: z = 0 < x would be infinitely far from x."""
    return np.maximum(W, FLOOR * float(W.mean()))


def _entries(problem: Factorisation) -> tuple[np.ndarray, Any, bool]:
    side = problem.rows
    X = np.asarray(side.X, dtype=np.float64)
    M = getattr(side, "M", None)
    return X, 1.0 if M is None else M, not hasattr(side, "products")


def _nearest(X: np.ndarray, M: Any, V: np.ndarray, rho: float, kl: bool) -> np.ndarray:
    """argmin_Y Div(X, Y) + ρ/2 ‖Y − V‖², entry by entry; V itself where nothing is observed."""
    if not kl:
        return np.asarray((M * X + rho * V) / (M + rho))
    b = V - M / rho
    return np.asarray(0.5 * (b + np.sqrt(b**2 + 4 * M * X / rho)))


def _nonnegative(V: np.ndarray, penalty: Any, rho: float) -> np.ndarray:
    return np.maximum((V - penalty.l1 / rho) / (1 + penalty.l2 / rho), 0.0)


class PrimalDual(NMFSolver):
    """For the Kullback–Leibler divergence: primal-dual steps on one factor, then on the other (Yanez & Bach 2017, after
    Chambolle & Pock 2011). Dense X only; no guarantee for the two together.

    Parameters
    ----------
    steps : int
        For each factor before the other's turn.
    """

    datafits = ("kl",)
    positive = True
    sparse = False

    def __init__(self, steps: int = 5) -> None:
        self.steps = steps

    def iterates(self, problem: Factorisation, W: np.ndarray, H: np.ndarray) -> Iterator[Iterate]:
        X, M, _ = _entries(problem)
        dual = 1.0 - X / np.maximum(W @ H, TINY)
        turned, M_turned = X.T, M if np.isscalar(M) else M.T
        while True:
            W, dual = self._factor(X, M, W, H, dual, problem.rows.penalty)
            Ht, dual_turned = self._factor(turned, M_turned, H.T, W.T, dual.T, problem.columns.penalty)
            H, dual = Ht.T, dual_turned.T
            yield _positive(W), _positive(H), None, None

    def _factor(
        self, X: np.ndarray, M: Any, W: np.ndarray, H: np.ndarray, dual: np.ndarray, penalty: Any
    ) -> tuple[np.ndarray, np.ndarray]:
        """min_W Σ m (z − x log z), z = W H: the dual of m(z − x log z) is −m x log(1 − y/m), y < m."""
        length = np.linalg.norm(H, 2)
        if length == 0:
            return W, dual
        ratio = max(float(np.linalg.norm(W)), TINY) / max(float(np.linalg.norm(dual)), TINY)
        sigma, tau = 1 / (ratio * length), ratio / length
        ahead = W
        for _ in range(self.steps):
            v = dual + sigma * (ahead @ H)
            dual = 0.5 * (v + M - np.sqrt((v - M) ** 2 + 4 * sigma * M * X))
            new = np.maximum((W - tau * (dual @ H.T + penalty.l1)) / (1 + tau * penalty.l2), 0.0)
            ahead, W = 2 * new - W, new
        return W, dual


SOLVERS: dict[str, type[NMFSolver]] = {
    "hals": HALS,
    "newton": Newton,
    "mu": Multiplicative,
    "admm": ADMM,
    "primal_dual": PrimalDual,
}


def check_solver(solver: NMFSolver, datafit: str, X: Any) -> None:
    """The solver can do what is asked."""
    name = type(solver).__name__
    if datafit not in solver.datafits:
        able = ", ".join(repr(kind) for kind, made in SOLVERS.items() if datafit in made.datafits)
        raise InputError(f"solver {name} is not for datafit={datafit!r}: use one of {able}", argument="solver")
    if sp.issparse(X) and not solver.sparse:
        raise InputError(f"solver {name} would make a sparse X dense: use 'hals', 'newton' or 'mu'", argument="solver")
