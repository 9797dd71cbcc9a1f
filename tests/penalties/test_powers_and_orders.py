"""L0, Lq, Bridge, Box, SLOPE and Fused against formulas of their own, and what their parameters may be."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.chain import chain
from tamis import InputError
from tamis._kernels import kernels
from tamis.penalties import L0, SLOPE, Box, Bridge, Fused, Lq
from tolerances import EPS, ROUNDING


@settings(max_examples=60, deadline=None)
@given(v=st.floats(-5, 5), step=st.floats(0.01, 5), alpha=st.floats(0.01, 3), q=st.sampled_from([0.0, 0.3, 0.5, 2 / 3]))
def test_prox_is_the_global_minimum_on_a_grid(v, step, alpha, q):
    penalty = Lq(q) if q else L0()
    z = np.append(np.linspace(-6, 6, 2001), penalty.prox(np.array([v]), step, alpha))
    size = (z != 0).astype(float) if q == 0 else np.abs(z) ** q
    cost = (z - v) ** 2 / (2 * step) + alpha * size
    assert cost[-1] <= cost.min() + 64 * EPS * (1 + abs(cost[-1]))


def half(v, level):
    """Xu, Chang, Xu and Zhang (2012): argmin ½(z − v)² + level √z for v ≥ 0."""
    if v <= 1.5 * level ** (2 / 3):
        return 0.0
    return 2 / 3 * v * (1 + np.cos(2 / 3 * (np.pi - np.arccos(level / 4 * (v / 3) ** -1.5))))


def two_thirds(v, level):
    """Cao, Sun and Xu (2013): argmin ½(z − v)² + level z^(2/3), by the root of a quartic."""
    if v <= 2 * (2 / 3 * level) ** 0.75:
        return 0.0
    roots = np.roots([1, 0, 0, -v, 2 / 3 * level])  # t⁴ − v t + 2/3 level = 0, z = t³
    real = roots[np.abs(roots.imag) < 1e-9].real
    return real.max() ** 3


@pytest.mark.parametrize("q, formula, tolerance", [(1 / 2, half, 1e-12), (2 / 3, two_thirds, 1e-9)])
def test_lq_is_the_closed_form(q, formula, tolerance):
    for v, level in itertools.product((0.5, 1.0, 1.7, 3.0, 10.0, 1e3), (0.1, 0.7, 2.0)):
        got = Lq(q).prox(np.array([v]), step=level, alpha=1.0)[0]
        assert got == pytest.approx(formula(v, level), rel=tolerance)


@pytest.mark.parametrize("q", [0.0, 0.3, 0.5, 0.9])
def test_entry_is_where_a_coordinate_leaves_zero(q):
    """By bisection on α: ½h t² − b t + α t^q has its minimum at t > 0 below it, at 0 above."""
    penalty, b, h = Lq(q) if q else L0(), np.array([1.3]), np.array([0.8])
    entry = penalty.entry_alpha(b, h)
    t = np.linspace(0, 4, 40_001)[1:]
    for alpha, stays in ((1.001 * entry, True), (0.999 * entry, False)):
        assert (np.min(0.5 * h * t**2 - b * t + alpha * t**q) >= 0) == stays


def test_hard_thresholding_keeps_the_largest_and_of_equal_ones_the_first():
    v = np.array([1.0, -3.0, 2.0, 3.0, -2.0])
    assert L0(n_nonzero=2).prox(v, 1.0, 0.0).tolist() == [0.0, -3.0, 0.0, 3.0, 0.0]
    assert L0(n_nonzero=3).prox(v, 1.0, 0.0).tolist() == [0.0, -3.0, 2.0, 3.0, 0.0]
    assert not L0(n_nonzero=0).prox(v, 1.0, 0.0).any()
    assert L0(n_nonzero=9).prox(v, 1.0, 0.0).tolist() == v.tolist()


@pytest.mark.parametrize("seed", range(5))
def test_hard_thresholding_is_the_best_of_all_supports(seed):
    rng = np.random.default_rng(seed)
    v, K, step, alpha = rng.standard_normal(6), 3, 0.7, 0.2
    penalty = L0(n_nonzero=K)
    z = penalty.prox(v, step, alpha)
    best = min(
        np.sum(np.delete(v, list(S)) ** 2) / (2 * step) + alpha * len(S)
        for k in range(K + 1)
        for S in itertools.combinations(range(6), k)
    )
    assert np.sum((z - v) ** 2) / (2 * step) + penalty.value(z, alpha) == pytest.approx(best, rel=ROUNDING)


@settings(max_examples=50, deadline=None)
@given(
    v=st.lists(st.floats(-4, 4), min_size=1, max_size=9),
    edges=st.lists(st.sampled_from([0.0, 0.1, 0.5, 2.0, 30.0]), min_size=8, max_size=8),
)
def test_the_chain_is_its_twin(v, edges):
    v, edges = np.array(v), np.array(edges[: len(v) - 1])
    out = np.empty(len(v))
    kernels.chain(v, edges, out)
    np.testing.assert_allclose(out, chain(v, edges), atol=1e-10)


@pytest.mark.parametrize("seed", range(4))
def test_dual_norms_are_the_largest_ratios_over_all_runs_and_prefixes(seed):
    c = np.random.default_rng(seed).standard_normal(7)
    rho = 0.3
    runs = [(i, j) for i in range(7) for j in range(i + 1, 8)]
    ratios = [abs(c[i:j].sum()) / (rho * (j - i) + (1 - rho) * ((i > 0) + (j < 7))) for i, j in runs]
    assert Fused(rho).dual_norm(c) == pytest.approx(max(ratios), rel=ROUNDING)
    lam, size = np.array([4.0, 2.0, 2.0, 1.0, 1.0, 0.5, 0.0]), np.sort(np.abs(c))[::-1]
    assert SLOPE(lam).dual_norm(c) == pytest.approx((np.cumsum(size) / np.cumsum(lam)).max(), rel=ROUNDING)


def test_slope_begins_as_l1_and_falls():
    lam = SLOPE(fdr=0.2).sequence(50)
    assert lam[0] == 1.0
    assert (np.diff(lam) < 0).all()
    assert (lam > 0).all()


@pytest.mark.parametrize(
    "penalty, words",
    [
        (Lq(1.0), r"q must be between 0 and 1, got 1.0: .*Bridge is for 1 < q < 2"),
        (Bridge(2.0), "q must be between 1 and 2, got 2.0"),
        (Box(lower=0.1), "lower must be ≤ 0, for coefficients may be zero; got 0.1"),
        (Box(upper=-2.0), "upper must be ≥ 0"),
        (Box(upper=[1.0, 2.0]), "upper must be a number, or one for each of the 3 columns"),
        (Box(lower="no"), "lower must be a number"),
        (SLOPE(weights=[1.0, 2.0, 3.0]), "weights of SLOPE must be 3 numbers ≥ 0 that do not grow"),
        (SLOPE(weights=[0.0, 0.0, 0.0]), "the first above 0"),
        (SLOPE(fdr=1.0), "fdr must be below 1"),
        (Fused(l1_ratio=0.0), "l1_ratio"),
        (L0(n_nonzero=-1), "n_nonzero"),
        (L0(weights=[1.0, 0.0, 1.0], n_nonzero=2), "n_nonzero counts every column"),
    ],
    ids=repr,
)
def test_parameters_that_cannot_be_used_are_named(penalty, words):
    with pytest.raises(InputError, match=words):
        penalty.bound(3)
