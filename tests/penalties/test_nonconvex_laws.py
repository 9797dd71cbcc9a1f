"""Laws of penalties that are not convex, and that the checker finds what breaks them."""

import numpy as np
import pytest

from penalties.nonconvex import L0, MCP, SCAD
from tamis import penalties
from tamis.penalties import L1, L1L2, L2, Group
from tamis.testing import check_nonconvex_penalty, check_penalty

OURS = [
    penalties.MCP(),
    penalties.MCP(1.5),
    penalties.SCAD(),
    penalties.SCAD(2.5),
    penalties.L0(),
    penalties.Lq(),
    penalties.Lq(2 / 3),
    penalties.Lq(0.05),
    penalties.Lq(0.95),
]


@pytest.mark.parametrize(
    "penalty", [MCP(), MCP(1.5), SCAD(), SCAD(2.5), L0(), *OURS, penalties.L0(n_nonzero=2)], ids=repr
)
def test_nonconvex_penalties_keep_the_laws(penalty):
    check_nonconvex_penalty(penalty)


@pytest.mark.parametrize("kind", [penalties.MCP, penalties.SCAD, penalties.L0, penalties.Lq])
def test_weights_are_a_penalty_of_their_own_for_each_column(kind):
    check_nonconvex_penalty(kind(weights=[1.0, 0.5, 2.0, 1.0]))


@pytest.mark.parametrize("penalty", [L1(), L1([1.0, 0.5, 2.0, 1.0]), L2(), L1L2(), Group([0, 0, 1, 1])], ids=repr)
def test_convex_penalties_keep_the_laws_too(penalty):
    check_nonconvex_penalty(penalty)


@pytest.mark.parametrize("penalty", [MCP(), SCAD(), *OURS], ids=repr)
def test_what_is_not_convex_is_no_convex_penalty(penalty):
    with pytest.raises(AssertionError, match=r"not convex|not the minimum"):
        check_penalty(penalty)


def hard_at_alpha(right, v, step, alpha):
    """√(2 α step) forgotten."""
    return np.where(np.abs(v) > alpha * step, v, 0.0)


def soft(right, v, step, alpha):
    """A stationary point of MCP near 0, but large coefficients are shrunk."""
    return np.sign(v) * np.maximum(np.abs(v) - step * alpha, 0.0)


def firm_at_any_step(right, v, step, alpha):
    """The formula of small steps at large ones: stationary where it is not the minimum."""
    return np.where(np.abs(v) > 3.0 * alpha, v, 0.0) if step >= 3 else right(v, step, alpha)


@pytest.mark.parametrize(
    "penalty, method, slip, words",
    [
        (L0(), "prox", hard_at_alpha, "costs"),
        (MCP(), "prox", soft, "costs"),
        (MCP(), "prox", firm_at_any_step, "costs"),
        (
            MCP(),
            "prox",
            lambda right, v, step, alpha: right(v, step, 1.02 * alpha),
            "costs|must lie in",
        ),
        (MCP(), "value", lambda right, w, alpha: right(w, alpha) - 0.1, "at 0 must be 0"),
        (MCP(), "value", lambda right, w, alpha: right(np.maximum(w, 0.0), alpha), "at its negative"),
        (MCP(), "value", lambda right, w, alpha: right(w, 1 / alpha), "as α grows"),
        (MCP(), "subdifferential_distance", lambda right, w, g, alpha: np.zeros_like(w), "slope of the value"),
        (MCP(), "subdifferential_distance", lambda right, w, g, alpha: right(w, -g, alpha), "slope of the value"),
        (MCP(), "alpha_max", lambda right, g: 1.1 * right(g), "too large"),
        (MCP(), "alpha_max", lambda right, g: 0.9 * right(g), "from stationary"),
        (L2(), "alpha_max", lambda right, g: 5.0, "from stationary"),
        (MCP(), "alpha_max", lambda right, g: np.inf, "alpha_max is infinite"),
    ],
)
def test_a_slip_is_found(penalty, method, slip, words):
    right = getattr(penalty, method)
    setattr(penalty, method, lambda *given: slip(right, *given))
    with pytest.raises(AssertionError, match=words):
        check_nonconvex_penalty(penalty)
