"""Optimality laws of the penalties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.penalties import L1
from tolerances import EPS

PENALTIES = [L1()]


@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
@given(v=st.floats(-5, 5), step=st.floats(0.01, 5))
def test_prox_is_argmin(penalty, v, step):
    z = np.append(np.linspace(-6, 6, 2001), penalty.prox(np.array([v]), step))  # a grid, not a search from the answer
    cost = (z - v) ** 2 / (2 * step) + [penalty.value(np.array([t])) for t in z]
    assert cost[-1] <= cost.min() + 8 * EPS * (1 + abs(cost[-1]))


@given(w=st.floats(-3, 3), g=st.floats(-3, 3), alpha=st.floats(0.01, 2))
def test_distance_to_the_subdifferential_of_l1(w, g, alpha):
    at = np.linspace(-alpha, alpha, 4001) if w == 0 else np.array([alpha * np.sign(w)])
    nearest = np.abs(at + g).min()
    got = L1().subdifferential_distance(np.array([w]), np.array([g]), alpha)[0]
    assert abs(got - nearest) <= 2 * alpha / 4000 + 1e-12  # half a step of the grid


def test_alpha_max_is_the_largest_gradient():
    assert L1().alpha_max(np.array([1.0, -3.0])) == 3.0
    assert L1().alpha_max(np.array([])) == 0.0
