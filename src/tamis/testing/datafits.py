"""The laws of a datafit."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.datafits import CouplesOutputs, Datafit, HasCurvature, HasDual, HasNull

STEP = 1e-5  # of the finite differences, whose error is about STEP² + eps / STEP
DIFFERENCE = 1e-7
TOLERANCE = 1e-10  # relative; sums over a few rows, and logarithms


def check_datafit(datafit: Datafit, y: np.ndarray, *, seed: int = 0) -> None:
    """Raise AssertionError with the law that a convex datafit breaks on the target y, (n,) or (n, n_outputs).

    * the gradient is the derivative of the value, and the hessian that of the gradient;
    * the value is convex, and its curvature nowhere above ``lipschitz``;
    * weight 2 is a duplicated row, weight 0 no row, and the weights' scale does not matter;
    * D(Z) + D*(θ) ≥ ⟨θ, Z⟩, with equality at θ = ∇D(Z);
    * no constant prediction beats ``null_prediction``.
    """
    rng = np.random.default_rng(seed)
    y = np.asarray(y, dtype=np.float64)
    for _ in range(5):
        Z, other = rng.standard_normal(y.shape), 3 * rng.standard_normal(y.shape)
        s = rng.uniform(0.5, 2.0, len(y))
        _check_gradient(datafit, y, Z, s)
        _check_convexity(datafit, y, Z, other, s)
        _check_weights(datafit, y, Z, s)
        if isinstance(datafit, HasCurvature):
            _check_curvature(datafit, y, Z, other, s)
        if isinstance(datafit, CouplesOutputs):
            _check_coupling(datafit, y, Z, other, s)
        if isinstance(datafit, HasDual):
            _check_conjugate(datafit, y, Z, other, s)
        if isinstance(datafit, HasNull):
            _check_null(datafit, y, s, rng)


def _check_gradient(datafit: Datafit, y: np.ndarray, Z: np.ndarray, s: np.ndarray) -> None:
    gradient = datafit.gradient(y, Z, s)
    assert gradient.shape == Z.shape, f"{datafit}: the gradient has shape {gradient.shape}, not {Z.shape}"
    for i in np.ndindex(Z.shape):
        up, down = _moved(Z, i)
        slope = (datafit.value(y, up, s) - datafit.value(y, down, s)) / (2 * STEP)
        assert abs(slope - gradient[i]) <= DIFFERENCE, f"{datafit}: the gradient at {i} is {gradient[i]}, not {slope}"


def _check_curvature(datafit: Any, y: np.ndarray, Z: np.ndarray, other: np.ndarray, s: np.ndarray) -> None:
    hessian = datafit.hessian(y, Z, s)
    for i in np.ndindex(Z.shape):
        up, down = _moved(Z, i)
        slope = (datafit.gradient(y, up, s)[i] - datafit.gradient(y, down, s)[i]) / (2 * STEP)
        assert abs(slope - hessian[i]) <= DIFFERENCE, f"{datafit}: the hessian at {i} is {hessian[i]}, not {slope}"
    share = s / s.sum()
    for row in range(len(Z)):
        moved = datafit.gradient(y, other, s)[row] - datafit.gradient(y, Z, s)[row]
        most = datafit.lipschitz * share[row] * np.linalg.norm(other[row] - Z[row])
        assert np.linalg.norm(moved) <= most * (1 + TOLERANCE), f"{datafit}: lipschitz = {datafit.lipschitz} is too low"


def _check_coupling(datafit: Any, y: np.ndarray, Z: np.ndarray, V: np.ndarray, s: np.ndarray) -> None:
    up, down = (datafit.gradient(y, Z + step * V, s) for step in (STEP, -STEP))
    slopes = (up - down) / (2 * STEP)
    assert np.abs(slopes - datafit.curve(y, Z, V, s)).max() <= DIFFERENCE, f"{datafit}: curve is not d²D/dZ² times V"


def _check_convexity(datafit: Datafit, y: np.ndarray, Z: np.ndarray, other: np.ndarray, s: np.ndarray) -> None:
    ends = datafit.value(y, Z, s) + datafit.value(y, other, s)
    middle = datafit.value(y, (Z + other) / 2, s)
    assert middle <= ends / 2 + TOLERANCE * (1 + abs(ends)), f"{datafit}: not convex between {Z} and {other}"


def _check_weights(datafit: Datafit, y: np.ndarray, Z: np.ndarray, s: np.ndarray) -> None:
    value = datafit.value(y, Z, s)
    assert _close(datafit.value(y, Z, 3 * s), value), f"{datafit}: three times the weights change the value"
    assert _close(datafit.value(y, Z), datafit.value(y, Z, np.ones(len(y)))), f"{datafit}: s=None is not all ones"
    twice, none = s.copy(), s.copy()
    twice[0], none[0] = 2 * s[0], 0.0
    repeated = np.append(0, np.arange(len(y)))
    assert _close(datafit.value(y, Z, twice), datafit.value(y[repeated], Z[repeated], s[repeated])), (
        f"{datafit}: weight 2 is not a duplicated row"
    )
    if len(y) > 1:
        assert _close(datafit.value(y, Z, none), datafit.value(y[1:], Z[1:], s[1:])), (
            f"{datafit}: weight 0 is not a missing row"
        )


def _check_conjugate(datafit: Any, y: np.ndarray, Z: np.ndarray, other: np.ndarray, s: np.ndarray) -> None:
    theta = datafit.gradient(y, other, s)
    conjugate = datafit.conjugate(y, theta, s)
    assert np.isfinite(conjugate), f"{datafit}: the conjugate at a gradient is not finite"
    equal, at_least = (datafit.value(y, at, s) + conjugate - np.sum(theta * at) for at in (other, Z))
    assert abs(equal) <= TOLERANCE * (1 + abs(conjugate)), f"{datafit}: D(Z) + D*(∇D(Z)) misses ⟨∇D(Z), Z⟩ by {equal}"
    assert at_least >= -TOLERANCE * (1 + abs(conjugate)), f"{datafit}: D(Z) + D*(θ) is below ⟨θ, Z⟩ by {-at_least}"


def _check_null(datafit: Any, y: np.ndarray, s: np.ndarray, rng: np.random.Generator) -> None:
    b = datafit.null_prediction(y, s)
    least = datafit.value(y, np.broadcast_to(b, y.shape), s)
    for scale in (1e-3, 0.1, 1.0):
        other = b + scale * rng.standard_normal(np.shape(b))
        value = datafit.value(y, np.broadcast_to(other, y.shape), s)
        assert value >= least - TOLERANCE * (1 + abs(least)), f"{datafit}: the constant {other} beats the null's {b}"


def _moved(Z: np.ndarray, i: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    up, down = Z.copy(), Z.copy()
    up[i] += STEP
    down[i] -= STEP
    return up, down


def _close(a: float, b: float) -> bool:
    return abs(a - b) <= TOLERANCE * max(1.0, abs(a), abs(b))
