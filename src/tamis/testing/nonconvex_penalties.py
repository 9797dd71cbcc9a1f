"""The laws of a penalty that need not be convex."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from tamis.penalties import Penalty

TOLERANCE = 1e-9  # relative; sums of a few dozen products, and differences of numbers that nearly cancel
STEPS = (0.05, 0.4, 1.0, 3.0, 20.0)
ALPHAS = (0.3, 1.0, 2.0)
GRID = np.linspace(-6, 6, 481)
DIFFERENCE = 1e-6  # of the derivatives, whose error is about its square, and ε over it
SMALL_STEP = 1e-3


def check_nonconvex_penalty(penalty: Penalty, p: int = 4, *, seed: int = 0) -> None:
    """Raise AssertionError with the law that a penalty on p columns breaks, which need not be convex.

    Ω_α(w) is ``value(w, alpha)``; it is taken to be the same for w and −w.

    * Ω_α(0) = 0, Ω_α ≥ 0, Ω_α(−w) = Ω_α(w), and Ω_α does not fall as α grows;
    * prox(v, τ, α) is the global minimum of ‖z − v‖²/(2τ) + Ω_α(z): no point of a grid is better, whether v has one
      coordinate that is not zero or many;
    * there (v − z)/τ lies in ∂Ω_α(z), and where Ω_α has a derivative, the distance to ∂Ω_α is that to the derivative;
    * ``alpha_max`` is the smallest α at which 0 is stationary, and a small step from there does not move.
    """
    rng = np.random.default_rng(seed)
    for alpha in ALPHAS:
        points = [scale * rng.standard_normal(p) for scale in (0.3, 1.0, 3.0)]
        for v in points:
            _check_value(penalty, v, alpha)
            _check_derivative(penalty, v, rng.standard_normal(p), alpha)
        for step in STEPS:
            for j in range(p):
                _check_prox_on_an_axis(penalty, p, j, float(rng.uniform(-5, 5)), step, alpha)
            for v in points:
                _check_prox(penalty, v, step, alpha, _candidates(v, rng))
    for _ in range(5):
        _check_alpha_max(penalty, rng.standard_normal(p))


def _check_value(penalty: Penalty, w: np.ndarray, alpha: float) -> None:
    assert penalty.value(np.zeros_like(w), alpha) == 0, f"{penalty}: the value at 0 must be 0"
    value = penalty.value(w, alpha)
    assert value >= 0, f"{penalty}: the value {value} at {w} and α = {alpha} is negative"
    other = penalty.value(-w, alpha)
    assert _close(value, other), f"{penalty}: the value is {value} at {w} and {other} at its negative"
    more = penalty.value(w, 1.5 * alpha)
    assert more >= value or _close(more, value), f"{penalty}: the value {value} at {w} falls as α grows"


def _check_prox_on_an_axis(penalty: Penalty, p: int, j: int, at: float, step: float, alpha: float) -> None:
    """v with one coordinate that is not zero: there the grid is as good as all points together."""
    v, z = np.zeros(p), np.zeros((len(GRID), p))
    v[j], z[:, j] = at, GRID
    _check_prox(penalty, v, step, alpha, iter(z))


def _check_prox(penalty: Penalty, v: np.ndarray, step: float, alpha: float, others: Iterator[np.ndarray]) -> None:
    z = penalty.prox(v, step, alpha)
    assert z.shape == v.shape, f"{penalty}: prox changes the shape {v.shape} to {z.shape}"
    least = _cost(penalty, z, v, step, alpha)
    for other in others:
        cost = _cost(penalty, other, v, step, alpha)
        assert least <= cost + TOLERANCE * (1 + cost), (
            f"{penalty}: prox({v}, {step}, {alpha}) = {z} costs {least}, but {other} costs {cost}"
        )
    distance = penalty.subdifferential_distance(z, (z - v) / step, alpha)
    assert np.linalg.norm(distance) <= TOLERANCE * (1 + np.linalg.norm(v) / step), (
        f"{penalty}: (v − z)/step must lie in the subdifferential at z = prox({v}, {step}, {alpha}), it is {distance} "
        "away"
    )


def _candidates(v: np.ndarray, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Points that know nothing of the answer: v with any coordinates left out, multiples of it, and random ones."""
    for kept in product((0.0, 1.0), repeat=min(len(v), 8)):
        mask = np.ones(len(v))
        mask[: len(kept)] = kept
        yield from (t * mask * v for t in np.linspace(0.1, 1.0, 10))
    for scale in (0.01, 0.1, 1.0):
        yield from (v + scale * rng.standard_normal(v.shape) for _ in range(20))


def _cost(penalty: Penalty, z: np.ndarray, v: np.ndarray, step: float, alpha: float) -> float:
    return float(np.sum((z - v) ** 2)) / (2 * step) + penalty.value(z, alpha)


def _check_derivative(penalty: Penalty, w: np.ndarray, gradient: np.ndarray, alpha: float) -> None:
    """Coordinates at which the value has a kink, to the left another slope than to the right, are left out."""
    distance = penalty.subdifferential_distance(w, gradient, alpha)
    assert distance.shape == w.shape, f"{penalty}: the distance has shape {distance.shape}, not {w.shape}"
    for j in range(len(w)):
        e = np.zeros_like(w)
        e[j] = DIFFERENCE
        left, here, right = (penalty.value(w + t * e, alpha) for t in (-1, 0, 1))
        if not np.isfinite([left, here, right]).all() or not abs(left - 2 * here + right) <= 1e-3 * DIFFERENCE:
            continue
        expected = abs(gradient[j] + (right - left) / (2 * DIFFERENCE))
        assert abs(distance[j] - expected) <= 1e-3, (
            f"{penalty}: the distance at coordinate {j} of {w} is {distance[j]} with gradient {gradient[j]} and "
            f"α = {alpha}, but the slope of the value makes it {expected}"
        )


def _check_alpha_max(penalty: Penalty, g: np.ndarray) -> None:
    most, zero = penalty.alpha_max(g), np.zeros_like(g)
    if np.isinf(most):
        left = penalty.subdifferential_distance(zero, g, 1e6)
        assert left.any(), f"{penalty}: alpha_max is infinite, but 0 is stationary at a large α"
        return
    above = most * (1 + 1e-9) + np.finfo(float).tiny
    left = penalty.subdifferential_distance(zero, g, above)
    assert not left.any(), f"{penalty}: above alpha_max = {most} of gradient {g} zero is {left} from stationary"
    moved = penalty.prox(-SMALL_STEP * g, SMALL_STEP, above)
    assert not moved.any() or most == 0, f"{penalty}: above alpha_max = {most} a small step from 0 leads to {moved}"
    below = penalty.subdifferential_distance(zero, g, most * (1 - 1e-6))
    assert most == 0 or below.any(), f"{penalty}: alpha_max = {most} of {g} is too large, 0 is stationary below it"


def _close(a: float, b: float) -> bool:
    return a == b or abs(a - b) <= TOLERANCE * (1 + abs(a))
