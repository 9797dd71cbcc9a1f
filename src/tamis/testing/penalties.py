"""The laws of a penalty."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from tamis.penalties import CompiledPenalty, HasConjugate, Penalty

TOLERANCE = 1e-9  # relative; sums of a few dozen products, and roots of numbers that cancelled
STEPS_AND_ALPHAS = ((0.05, 1.0), (0.4, 0.7), (3.0, 1.0), (0.5, 2.5))


def check_penalty(penalty: Penalty, p: int = 6, *, n_outputs: int | None = None, seed: int = 0) -> None:
    """Raise AssertionError with the law that a convex penalty on p columns breaks.

    Ω_α(w) is ``value(w, alpha)``; τ is a step.

    * Ω_α(0) = 0, Ω_α ≥ 0 and Ω_α is convex;
    * z = prox(v, τ, α) is the minimum: ‖z' − v‖²/(2τ) + Ω_α(z') exceeds that of z by ‖z' − z‖²/(2τ) at least, for any
      z';
    * (v − z)/τ lies in ∂Ω_α(z), and ‖w − prox(w − g, 1, α)‖ is at most the distance of −g to ∂Ω_α(w);
    * the null model is optimal above ``alpha_max`` and not below;
    * where it has a conjugate, Ω_α(w) + Ω_α*(c) ≥ ⟨c, w⟩, with equality where c lies in ∂Ω_α(w);
    * where the penalty compiles to terms, a unit's violation is ≤ 0 exactly where prox leaves it at zero.

    For a penalty that is not convex: :func:`check_nonconvex_penalty`.
    """
    rng = np.random.default_rng(seed)
    shape = (p,) if n_outputs is None else (p, n_outputs)
    for _ in range(5):
        points = [rng.standard_normal(shape) * scale for scale in (0.1, 1.0, 5.0)]
        _check_value(penalty, points)
        for v in points:
            for step, alpha in STEPS_AND_ALPHAS:
                _check_prox(penalty, v, step, alpha, rng)
            _check_distance(penalty, v, rng)
        _check_alpha_max(penalty, points[1])
        if isinstance(penalty, HasConjugate):
            _check_conjugate(penalty, points, rng)
        if isinstance(penalty, CompiledPenalty):
            _check_terms(penalty, points)


def _check_value(penalty: Penalty, points: list[np.ndarray]) -> None:
    for alpha in (0.3, 1.0):
        assert penalty.value(np.zeros_like(points[0]), alpha) == 0, f"{penalty}: the value at 0 must be 0"
        inside = [penalty.prox(v, 0.1, alpha) for v in points]  # where the value is finite
        for a, b in pairwise(inside):
            ends = penalty.value(a, alpha), penalty.value(b, alpha)
            assert min(ends) >= 0, f"{penalty}: the value at {a} or {b} is negative"
            middle = penalty.value((a + b) / 2, alpha)
            assert middle <= sum(ends) / 2 + TOLERANCE * (1 + sum(ends)), f"{penalty}: not convex between {a} and {b}"


def _check_prox(penalty: Penalty, v: np.ndarray, step: float, alpha: float, rng: np.random.Generator) -> None:
    z = penalty.prox(v, step, alpha)
    assert z.shape == v.shape, f"{penalty}: prox changes the shape {v.shape} to {z.shape}"
    least = _cost(penalty, z, v, step, alpha)
    assert np.isfinite(least), f"{penalty}: the value at prox({v}, {step}, {alpha}) is not finite"
    for other in _candidates(penalty, z, v, alpha, rng):
        short = least + 0.5 * np.sum((other - z) ** 2) - _cost(penalty, other, v, step, alpha)
        assert short <= TOLERANCE * (1 + abs(least) + np.sum(other**2)), (
            f"{penalty}: prox({v}, {step}, {alpha}) = {z} is not the minimum, {other} shows"
        )
    distance = penalty.subdifferential_distance(z, (z - v) / step, alpha)
    assert np.linalg.norm(distance) <= TOLERANCE * (1 + np.linalg.norm(v) / step), (
        f"{penalty}: (v − z)/step must lie in the subdifferential at z = prox({v}, {step}, {alpha}), it is {distance} "
        "away"
    )


def _candidates(
    penalty: Penalty, z: np.ndarray, v: np.ndarray, alpha: float, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """Points all over the place: a grid on every axis, the ends, and random ones near and far."""
    yield from (np.zeros_like(v), v, np.maximum(v, 0.0))
    for j in np.ndindex(v.shape):
        for t in np.linspace(-6, 6, 7):
            other = z.copy()
            other[j] = t
            yield other
    for scale in (1e-3, 0.1, 1.0, 10.0):
        yield z + scale * rng.standard_normal(z.shape)
        yield penalty.prox(v + scale * rng.standard_normal(z.shape), 0.1, alpha)


def _cost(penalty: Penalty, z: np.ndarray, v: np.ndarray, step: float, alpha: float) -> float:
    """step times what prox minimises: the distance to v keeps its size."""
    return 0.5 * float(np.sum((z - v) ** 2)) + step * penalty.value(z, alpha)


def _check_distance(penalty: Penalty, v: np.ndarray, rng: np.random.Generator) -> None:
    alpha = 0.7
    w, g = penalty.prox(v, 0.5, alpha), rng.standard_normal(v.shape)
    distance = np.linalg.norm(penalty.subdifferential_distance(w, g, alpha))
    residual = np.linalg.norm(w - penalty.prox(w - g, 1.0, alpha))
    assert residual <= distance + TOLERANCE * (1 + residual), (
        f"{penalty}: −gradient {-g} is said to be {distance} from the subdifferential at {w}, but a prox step moves "
        f"{residual}"
    )


def _check_alpha_max(penalty: Penalty, g: np.ndarray) -> None:
    g = np.where(_penalised(penalty, g), g, 0.0)  # at the null model unpenalised columns have no gradient
    most = penalty.alpha_max(g)
    if np.isinf(most):
        assert np.any(penalty.prox(-g, 1.0, 1e6)), f"{penalty}: alpha_max is infinite, but a large α gives 0"
        return
    above = penalty.prox(-g, 1.0, most * (1 + 1e-9))
    assert not above.any(), f"{penalty}: above alpha_max = {most} of gradient {g} a step from 0 leads to {above}"
    below = penalty.prox(-g, 1.0, most * (1 - 1e-6))
    assert most == 0 or below.any(), f"{penalty}: alpha_max = {most} of {g} is too large"


def _penalised(penalty: Penalty, like: np.ndarray) -> np.ndarray:
    """Which coordinates cost something when they alone are 1."""
    out = np.zeros(like.shape, bool)
    for j in np.ndindex(like.shape):
        e = np.zeros(like.shape)
        e[j] = 1.0
        out[j] = penalty.value(e, 1.0) > 0
    return out


def _check_conjugate(penalty: Any, points: list[np.ndarray], rng: np.random.Generator) -> None:
    step, alpha = 0.4, 0.7
    for v in points:
        w = penalty.prox(v, step, alpha)
        c = (1 - 1e-12) * (v - w) / step  # in ∂Ω_α(w), and not out of the domain by rounding
        value, conjugate = penalty.value(w, alpha), penalty.conjugate(c, alpha)
        missed, size = value + conjugate - np.sum(c * w), 1 + abs(value) + np.sum(np.abs(c * w))
        assert abs(missed) <= TOLERANCE * size, f"{penalty}: Ω({w}) + Ω*({c}) misses ⟨c, w⟩ by {missed}"
        other = penalty.prox(v + rng.standard_normal(v.shape), step, alpha)
        below = np.sum(c * other) - penalty.value(other, alpha) - conjugate
        assert below <= TOLERANCE * size, f"{penalty}: Ω({other}) + Ω*({c}) is below ⟨c, w⟩ by {below}"


def _check_terms(penalty: CompiledPenalty, points: list[np.ndarray]) -> None:
    terms, alpha = penalty.terms(len(points[0])), 0.6
    for v in points:
        w = penalty.prox(v, 0.3, alpha)
        assert np.isclose(terms.value(w, alpha), penalty.value(w, alpha)), f"{penalty}: value and terms differ at {w}"
        z = penalty.prox(v, 1.0, alpha)  # from 0 with gradient −v, a step of 1
        labels = np.arange(len(v)) if terms.labels is None else terms.labels
        stays = np.ones(terms.n_units, bool)
        np.logical_and.at(stays, labels, ~z.reshape(len(v), -1).any(axis=1))
        allowed = penalty.violation(-v, alpha) <= 0
        assert np.array_equal(allowed, stays), f"{penalty}: violation at gradient {-v} and α = {alpha} contradicts prox"
