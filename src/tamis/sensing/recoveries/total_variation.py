"""Images of small total variation, recovered by a primal-dual method."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tamis._core.checks import check_count, check_number
from tamis._core.errors import InputError
from tamis._core.evidence import Status
from tamis.sensing.recoveries.base import RecoveryMethod
from tamis.sensing.recovery import Recovery
from tamis.sensing.system import Found, System
from tamis.solvers.support_least_squares import NORM_MARGIN, operator_norm

PATIENCE = 5_000


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
    if alpha is not None:
        price = len(system.Y) * check_number("alpha", alpha, above=0.0)
        prox: Callable[..., np.ndarray] = lambda u, t, y: (u - t * y) / (1 + t)  # noqa: E731
    else:
        price, radius = 1.0, check_number("noise", noise, at_least=0.0)
        prox = lambda u, t, y: _outside_ball(u - t * y, t * radius)  # noqa: E731
    norm = float(np.sqrt((NORM_MARGIN * operator_norm(system.A)) ** 2 + 4 * len(grid)))
    return system.each(lambda y, x: _primal_dual(system, y, x, grid, price, prox, norm, tol, max_iter))


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


def _primal_dual(
    system: System, y: np.ndarray, x: Any, grid: tuple[int, ...], price: float, prox: Any, norm: float, tol: float,
    max_iter: int,
) -> Found:  # fmt: skip
    A = system.A
    x = np.zeros(A.shape[1], system.dtype) if x is None else x
    Kx = A @ x, gradient(x, grid)
    u, p = np.zeros_like(y), np.zeros_like(Kx[1])
    Ku = np.zeros_like(x)
    ahead, best, age, trace = Kx, np.inf, 0, []
    tau = sigma = 1 / norm
    for k in range(1, max_iter + 1):
        new_u = prox(u + sigma * ahead[0], sigma, y)
        new_p = _project(p + sigma * ahead[1], price)
        new_Ku = A.H @ new_u + gradient_adjoint(new_p)
        new_x = x - tau * new_Ku
        new_Kx = A @ new_x, gradient(new_x, grid)
        # What is left of 0 ∈ Kᴴu and of 0 ∈ Kx − ∂F*(u): the steps over their lengths, with what the other side moved.
        primal = float(np.linalg.norm((x - new_x) / tau - (Ku - new_Ku)))
        over = [
            (old - new) / sigma - (a - b) for old, new, a, b in zip((u, p), (new_u, new_p), ahead, new_Kx, strict=True)
        ]
        dual = float(np.sqrt(sum(np.linalg.norm(part) ** 2 for part in over)))
        measure = max(
            primal / max(float(np.linalg.norm(new_Ku - A.H @ new_u)), TINY), dual / max(float(np.linalg.norm(y)), TINY)
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


def _project(p: np.ndarray, price: float) -> np.ndarray:
    """Each pixel's vector within the ball of radius ``price``."""
    size = np.sqrt((np.abs(p) ** 2).sum(axis=0))
    return p / np.maximum(size / price, 1.0)
