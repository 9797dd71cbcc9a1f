"""Optimality laws of the penalties, and their formulas written out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tamis.penalties import L1, L1L2, L2, SLOPE, Box, Bridge, Fused, Group, SparseGroup, Terms, adaptive_weights
from tamis.testing import check_penalty
from tolerances import EPS, ROUNDING

LABELS = [1, 0, 1, 2, 1, 0]
WEIGHTS = [1.0, 0.5, 0.0, 2.0, 1.0, 3.0]
PENALTIES = [
    L1(),
    L1(weights=WEIGHTS),
    L1(positive=True),
    L1(weights=WEIGHTS, positive=True),
    L2(),
    L2(weights=WEIGHTS, positive=True),
    L1L2(),
    L1L2(l1_ratio=0.0),
    L1L2(l1_ratio=0.9, weights=WEIGHTS),
    L1L2(l1_ratio=0.3, positive=True),
    Group(),
    Group(LABELS),
    Group(LABELS, weights=[1.0, 0.0, 2.0]),
    SparseGroup(LABELS),
    SparseGroup(LABELS, l1_ratio=0.0),
    SparseGroup(LABELS, l1_ratio=1.0),
    SparseGroup(LABELS, l1_ratio=0.2, weights=[1.0, 0.0, 2.0]),
    Bridge(),
    Bridge(1.1),
    Bridge(1.9, weights=WEIGHTS),
    Box(),
    Box(lower=0.0, upper=np.inf),
    Box(lower=-0.3, upper=[1.0, 2.0, 0.0, 0.1, 5.0, np.inf]),
    SLOPE(),
    SLOPE(weights=[3.0, 2.0, 1.0, 0.5, 0.5, 0.0]),
    Fused(),
    Fused(l1_ratio=0.1),
    Fused(l1_ratio=1.0),
]


# Each on a vector, and on a matrix of one or of three columns, in turns.
SHAPES = [
    pytest.param(penalty, n, id=f"{penalty!r}-{n}", marks=pytest.mark.deep if n and (n == 1) == (i % 2 == 0) else [])
    for i, penalty in enumerate(PENALTIES)
    for n in (None, 1, 3)
]


@pytest.mark.parametrize("penalty, n_outputs", SHAPES)
def test_laws(penalty, n_outputs):
    check_penalty(penalty, 6, n_outputs=n_outputs)


@pytest.mark.parametrize(
    "penalty",
    [L1(), L1(positive=True), L2(), L1L2(), Group(), SparseGroup(), Bridge(), Box(), SLOPE(), Fused()],
    ids=repr,
)
@settings(max_examples=30, deadline=None)
@given(v=st.floats(-5, 5), step=st.floats(0.01, 5), alpha=st.floats(0.01, 3))
def test_prox_is_argmin_on_a_grid(penalty, v, step, alpha):
    z = np.append(np.linspace(-6, 6, 501), penalty.prox(np.array([v]), step, alpha))  # a grid, not a search from z
    cost = (z - v) ** 2 / (2 * step) + [penalty.value(np.array([t]), alpha) for t in z]
    assert cost[-1] <= cost.min() + 8 * EPS * (1 + abs(cost[-1]))


@given(z=st.floats(-9, 9), lam=st.floats(0.01, 5), L=st.floats(0.1, 10))
def test_prox_of_l1_is_the_book_s_three_cases(z, lam, L):
    expected = z - lam / L if z > lam / L else z + lam / L if z < -lam / L else 0.0  # (11.14)
    assert L1().prox(np.array([z]), 1 / L, lam)[0] == pytest.approx(expected, abs=4 * EPS * 9)


@given(w=st.floats(-3, 3), g=st.floats(-3, 3), alpha=st.floats(0.01, 2))
def test_distance_to_the_subdifferential_of_l1(w, g, alpha):
    at = np.linspace(-alpha, alpha, 4001) if w == 0 else np.array([alpha * np.sign(w)])
    nearest = np.abs(at + g).min()
    got = L1().subdifferential_distance(np.array([w]), np.array([g]), alpha)[0]
    assert abs(got - nearest) <= 2 * alpha / 4000 + 1e-12  # half a step of the grid


def values_of(w):
    """(penalty, Ω(w) from the formula) on six coefficients with groups {1, 5}, {0, 2, 4}, {3} of LABELS."""
    v = np.array(WEIGHTS)
    norms = np.sqrt([w[1] ** 2 + w[5] ** 2, w[0] ** 2 + w[2] ** 2 + w[4] ** 2, w[3] ** 2])
    roots, u = np.sqrt([2, 3, 1]), np.array([0.5, 0.0, 2.0])
    sums = np.array([abs(w[1]) + abs(w[5]), abs(w[0]) + abs(w[2]) + abs(w[4]), abs(w[3])])
    return [
        (L1(WEIGHTS), v @ np.abs(w)),
        (L2(WEIGHTS), 0.5 * v @ w**2),
        (L1L2(0.3, WEIGHTS), 0.3 * v @ np.abs(w) + 0.35 * v @ w**2),
        (Group(LABELS, u), u @ (roots * norms)),
        (SparseGroup(LABELS, 0.3, u), u @ (0.3 * sums + 0.7 * roots * norms)),
    ]


@pytest.mark.parametrize("seed", range(5))
def test_values_are_the_formulas(seed):
    w = np.random.default_rng(seed).standard_normal(6)
    for penalty, expected in values_of(w):
        assert penalty.value(w, 1.0) == pytest.approx(expected, rel=ROUNDING)


def test_row_groups_of_several_outputs_are_the_norms_of_rows():
    W = np.array([[3.0, 4.0], [0.0, 0.0], [1.0, 0.0]])
    assert Group().value(W, 1.0) == pytest.approx(6.0)
    assert L1().value(W, 1.0) == pytest.approx(8.0)


def test_negative_coefficients_are_worth_infinity_where_positive():
    assert L1(positive=True).value(np.array([1.0, -1e-9]), 1.0) == np.inf
    assert L1(positive=True).subdifferential_distance(np.array([-1.0]), np.array([0.0]), 1.0)[0] == np.inf


@given(st.lists(st.floats(-4, 4).filter(lambda c: abs(c) > 1e-3), min_size=3, max_size=3), st.floats(0, 1))
def test_entry_of_a_sparse_group_by_bisection(c, rho):
    c, low, high = np.array(c), 0.0, 100.0
    for _ in range(200):
        middle = (low + high) / 2
        rest = np.maximum(np.abs(c) - middle * rho, 0)
        outside = np.linalg.norm(rest) > middle * (1 - rho) * np.sqrt(3)
        low, high = (middle, high) if outside else (low, middle)
    assert SparseGroup([0, 0, 0], rho).alpha_max(c) == pytest.approx(high, rel=1e-7)  # ρ = 1: a root of a square


def test_alpha_max_is_the_largest_gradient():
    assert L1().alpha_max(np.array([1.0, -3.0])) == 3.0
    assert L1().alpha_max(np.array([])) == 0.0
    assert L1(positive=True).alpha_max(np.array([3.0, -1.0])) == 1.0
    assert L1(weights=[0.0, 2.0]).alpha_max(np.array([0.1, -3.0])) == 1.5
    assert L2().alpha_max(np.array([1e-9])) == np.inf
    assert L2().alpha_max(np.zeros(3)) == 0.0


def test_adaptive_weights_penalise_less_what_was_large():
    np.testing.assert_allclose(adaptive_weights([2.0, 0.0, -0.5], gamma=2.0, eps=0.5), [0.16, 4.0, 1.0])
    assert (adaptive_weights([2.0, 0.0], gamma=0.0) == 1).all()


def test_terms_say_what_is_free():
    free = Terms(np.array([0.0, 1.0, 0.0]), np.zeros(3), np.array([0.0, 1.0]), np.array([0, 0, 1])).free
    assert free.tolist() == [True, False, False]


@pytest.mark.parametrize(
    "method, slip, words",
    [
        ("prox", lambda right, v, step, alpha: right(v, 1.02 * step, alpha), "is not the minimum"),
        ("prox", lambda right, v, step, alpha: right(v, step, alpha**2), "a prox step moves"),
        ("value", lambda right, w, alpha: right(w, alpha) ** 0.5, "not convex"),
        ("alpha_max", lambda right, g: 1.1 * right(g), "too large"),
        ("subdifferential_distance", lambda right, w, g, alpha: 0.9 * right(w, g, alpha), "a prox step moves"),
        ("violation", lambda right, g, alpha: right(g, 1.2 * alpha), "contradicts prox"),
    ],
)
def test_a_slip_is_found(method, slip, words):
    penalty = L1()
    right = getattr(penalty, method)
    setattr(penalty, method, lambda *given: slip(right, *given))
    with pytest.raises(AssertionError, match=words):
        check_penalty(penalty)
