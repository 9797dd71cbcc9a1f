"""Images of small total variation, recovered by a primal-dual method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tamis._core.checks import check_count, check_number
from tamis._core.errors import InputError
from tamis._core.evidence import Status
from tamis.sensing.convergence import Stationary
from tamis.sensing.recoveries.base import RecoveryMethod
from tamis.sensing.recovery import Recovery
from tamis.sensing.system import Found, System
from tamis.solvers.support_least_squares import NORM_MARGIN, operator_norm

PATIENCE = 5_000
PIXEL = 30.0


def total_variation(
    A: Any,
    y: Any,
    alpha: float | None = None,
    *,
    shape: tuple[int, ...] | None = None,
    noise: float | None = None,
    tol: float = 1e-5,
    max_iter: int = 20_000,
    time_limit: float | None = None,
    basis: Any = None,
    start: Any = None,
) -> Recovery:
    """The image of the least 1/(2m)‖y − A x‖² + α TV(x), or of the least TV(x) with ‖y − A x‖ ≤ noise.

    TV(x) = Σ ‖(∇x)ᵢ‖₂ over pixels, ∇ the forward differences along each axis, 0 at the far edge (Rudin, Osher & Fatemi
    1992). By the primal-dual method of Chambolle & Pock (2011) with equal steps on both sides. It is converged
    where both residuals of the optimality conditions are at most tol, relative to their terms; nothing is proved.

    Parameters
    ----------
    A : (m, pixels) array, sparse array or operator
    y : (m,) or (m, images)
    alpha, noise : float
        One of them; noise = 0 asks for A x = y.
    shape : tuple of int, optional
        Of the image, whose pixels are taken row by row; a line of pixels by default.
    tol : float
    max_iter : int
    time_limit, start
        As for `basis_pursuit`.
    basis : operator, optional
        Ψ: TV is that of the code, not of Ψ x; give the image's own pixels as the code.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.operators import DCT, Restriction
    >>> from tamis.sensing import total_variation
    >>> x = np.repeat([0.0, 1.0, -1.0, 2.0], 16)
    >>> A = Restriction(64, np.random.default_rng(0).choice(64, 32, replace=False)) @ DCT(64)
    >>> found = total_variation(A, A @ x, noise=0.0)
    >>> bool(np.abs(found.code - x).max() < 0.01)
    True
    """
    if (alpha is None) == (noise is None):
        raise InputError(
            "give either alpha, the price of variation, or noise, the radius of ‖y − A x‖", argument="noise"
        )
    system = System.of(A, y, basis, start, time_limit)
    n = system.A.shape[1]
    grid = (n,) if shape is None else tuple(check_count("shape", size) for size in shape)
    if int(np.prod(grid)) != n:
        raise InputError(f"shape must have {n} pixels, as many as A has columns, got {shape}", argument="shape")
    tol, max_iter = check_number("tol", tol, above=0.0), check_count("max_iter", max_iter)
    price = None if alpha is None else len(system.Y) * check_number("alpha", alpha, above=0.0)
    radius = 0.0 if noise is None else check_number("noise", noise, at_least=0.0)
    norm = NORM_MARGIN * operator_norm(system.A)
    scaled = _Scaled(system.A, norm if norm > 0 else 1.0, grid, price, radius)
    rule = Stationary(tol, None if noise is None else radius)
    return system.each(lambda y, x: _recovered(system, scaled, y, x, tol, max_iter), rule)


@dataclass(frozen=True)
class _Scaled:
    """The problem for x/β with ‖A‖ = 1 and TV at price 1; β makes pixels of size PIXEL, for which equal steps on both
    sides are about as good as any: the dual variable of TV has entries of size 1.
    """

    A: Any
    norm: float
    grid: tuple[int, ...]
    price: float | None  # m α, or None where the radius is kept
    radius: float

    def beta(self, y: np.ndarray) -> float:
        """From Aᴴy/‖A‖², the image that the measurements alone give."""
        size = float(np.linalg.norm(self.A.H @ y)) / (self.norm**2 * np.sqrt(self.A.shape[1]))
        return size / PIXEL if size > 0 else 1.0

    def prox(self, beta: float) -> Callable[..., np.ndarray]:
        """Of the conjugate of c/2 ‖· − y‖², or of that of the ball around y, at u with step t."""
        if self.price is None:
            radius = self.radius / (self.norm * beta)
            return lambda u, t, y: _outside_ball(u - t * y, t * radius)
        c = self.norm**2 * beta / self.price
        return lambda u, t, y: (u - t * y) / (1 + t / c)


def _recovered(
    system: System, scaled: _Scaled, y: np.ndarray, x: np.ndarray | None, tol: float, max_iter: int
) -> Found:
    beta = scaled.beta(y)
    start = None if x is None else x / beta
    found = _primal_dual(system, scaled, y / (scaled.norm * beta), start, scaled.prox(beta), tol, max_iter)
    x = beta * found.s
    measured = {**found.measured, "residual_norm": float(np.linalg.norm(y - system.A @ x))}
    return replace(found, s=x, measured=measured)


class TotalVariation(RecoveryMethod, function=total_variation):
    """Least total variation of images. Parameters are those of `total_variation`."""


def _outside_ball(u: np.ndarray, radius: float) -> np.ndarray:
    """u − its projection on the ball of this radius."""
    size = float(np.linalg.norm(u))
    return u * max(0.0, 1 - radius / size) if size > 0 else u


def gradient(x: np.ndarray, grid: tuple[int, ...]) -> np.ndarray:
    """Forward differences along each axis, (axes, *grid)."""
    image = x.reshape(grid)
    out = np.zeros((len(grid), *grid), x.dtype)
    for axis in range(len(grid)):
        out[(axis, *_all_but(axis, slice(None, -1), len(grid)))] = np.diff(image, axis=axis)
    return out


def gradient_adjoint(p: np.ndarray) -> np.ndarray:
    """∇ᴴ p as a vector."""
    grid = p.shape[1:]
    out = np.zeros(grid, p.dtype)
    for axis in range(len(grid)):
        inner = p[(axis, *_all_but(axis, slice(None, -1), len(grid)))]
        out[_all_but(axis, slice(None, -1), len(grid))] -= inner
        out[_all_but(axis, slice(1, None), len(grid))] += inner
    return out.ravel()


def _all_but(axis: int, part: slice, axes: int) -> Any:
    return tuple(part if a == axis else slice(None) for a in range(axes))


def _primal_dual(system: System, scaled: _Scaled, y: np.ndarray, x: Any, prox: Any, tol: float, max_iter: int) -> Found:
    A, grid, inverse = system.A, scaled.grid, 1 / scaled.norm
    x = np.zeros(A.shape[1], system.dtype) if x is None else x
    Kx = inverse * (A @ x), gradient(x, grid)
    u, p = np.zeros_like(y), np.zeros_like(Kx[1])
    Ku = np.zeros_like(x)
    ahead, best, age, trace = Kx, np.inf, 0, []
    tau = sigma = 1 / np.sqrt(1 + 4 * len(grid))
    for k in range(1, max_iter + 1):
        new_u = prox(u + sigma * ahead[0], sigma, y)
        new_p = _project(p + sigma * ahead[1])
        along = gradient_adjoint(new_p)
        new_Ku = inverse * (A.H @ new_u) + along
        new_x = x - tau * new_Ku
        new_Kx = inverse * (A @ new_x), gradient(new_x, grid)
        # What is left of 0 ∈ Kᴴu and of 0 ∈ Kx − ∂F*(u): the steps over their lengths, with what the other side moved.
        primal = float(np.linalg.norm((x - new_x) / tau - (Ku - new_Ku)))
        over = [
            (old - new) / sigma - (a - b) for old, new, a, b in zip((u, p), (new_u, new_p), ahead, new_Kx, strict=True)
        ]
        dual = float(np.sqrt(sum(np.linalg.norm(part) ** 2 for part in over)))
        measure = max(
            primal / max(float(np.linalg.norm(along)), TINY), dual / max(float(np.linalg.norm(y)), TINY)
        ) if k % 10 == 0 else np.inf  # fmt: skip
        ahead = tuple(2 * new - old for new, old in zip(new_Kx, Kx, strict=True))
        x, u, p, Ku, Kx = new_x, new_u, new_p, new_Ku, new_Kx
        if k % 10:
            continue
        trace.append(measure)
        best, age = (measure, 0) if measure < best else (best, age + 10)
        found = _ended(measure <= tol, age > PATIENCE, system.limits.late)
        if found is not None:
            return Found(x, found, k, {"stationarity": measure}, np.array(trace))
    return Found(x, Status.MAX_ITER, max_iter, {"stationarity": trace[-1] if trace else np.inf}, np.array(trace))


TINY = np.finfo(float).tiny


def _ended(reached: bool, stalled: bool, over: bool) -> Status | None:
    return Status.CONVERGED if reached else Status.STALLED if stalled else Status.TIME_LIMIT if over else None


def _project(p: np.ndarray) -> np.ndarray:
    """Each pixel's vector within the unit ball."""
    size = np.sqrt((np.abs(p) ** 2).sum(axis=0))
    return p / np.maximum(size, 1.0)
