"""The block kernel against plain proximal gradient, and its laws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import MultiTaskLasso

from reference.blocks import grouped_quadratic
from reference.lasso import lasso
from tamis.penalties import L1, L1L2, L2, Group, SparseGroup
from tamis.solvers.block_descent import BlockQuadratic
from tolerances import AGREE, AGREE_SKLEARN

LABELS = [0, 0, 0, 1, 2, 2, 2, 2, 3, 3, 4, 4, 4, 4, 4]
PENALTIES = {
    "group": Group(LABELS),
    "group weights": Group(LABELS, weights=[1.0, 2.0, 0.0, 0.5, 1.5]),
    "sparse group": SparseGroup(LABELS, l1_ratio=0.4),
    "sparse group weights": SparseGroup(LABELS, l1_ratio=0.7, weights=[1.0, 0.0, 1.0, 0.5, 1.5]),
    "rows": Group(),
    "l1": L1(),
    "l1 positive": L1(positive=True),
    "l1 weights": L1(weights=np.arange(15) / 4),
    "l1l2": L1L2(l1_ratio=0.5),
    "l2": L2(),
}


def quadratic(seed, n=60, p=15, n_outputs=None, rho=0.5):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    for j in range(1, p):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho**2) * X[:, j]
    Y = X @ (rng.standard_normal((p, n_outputs or 1)) * (rng.random((p, 1)) < 0.5)) + rng.standard_normal((n, 1))
    Q = Y.T @ X / n
    return X.T @ X / n, (Q if n_outputs else Q[0]), X, Y


def solve(H, q, penalty, alpha, tol=0.0):
    w = np.zeros_like(q)
    inner = BlockQuadratic(penalty.terms(q.shape[-1]))
    inner.grow(np.arange(q.shape[-1]))
    n_iter, converged = inner.minimise(H, q, w, alpha, tol)
    assert converged, n_iter
    return w


def top(q, penalty):
    """α_max, or what stands for it where there is none."""
    return min(penalty.alpha_max(-q.T), np.abs(q).max())


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 99), name=st.sampled_from(list(PENALTIES)), ratio=st.sampled_from([0.9, 0.3, 0.05]),
    n_outputs=st.sampled_from([None, 1, 3]),
)  # fmt: skip
def test_kernel_equals_plain_proximal_gradient(seed, name, ratio, n_outputs):
    H, q, _, _ = quadratic(seed, n_outputs=n_outputs)
    penalty = PENALTIES[name]
    alpha = ratio * top(q, penalty)
    expected = grouped_quadratic(H, q, penalty.terms(15), alpha)
    np.testing.assert_allclose(solve(H, q, penalty, alpha), expected, rtol=0, atol=AGREE)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 99), name=st.sampled_from(list(PENALTIES)), n=st.sampled_from([8, 60]),
    rho=st.sampled_from([0.0, 0.95]), n_outputs=st.sampled_from([None, 4]),
)  # fmt: skip
def test_no_subgradient_is_left(seed, name, n, rho, n_outputs):
    """Also where H is singular: 15 columns of 8 rows."""
    H, q, _, _ = quadratic(seed, n=n, n_outputs=n_outputs, rho=rho)
    penalty = PENALTIES[name]
    alpha = 0.1 * top(q, penalty)
    w = solve(H, q, penalty, alpha)
    distance = penalty.subdifferential_distance(w.T, (w @ H - q).T, alpha)
    assert (
        distance.max() <= 2e-13 * np.abs(q).max()
    )  # the kernel's own slack for rounding, once more for the products here


@pytest.mark.parametrize("seed", range(5))
def test_singletons_are_the_lasso(seed):
    H, q, _, _ = quadratic(seed)
    alpha = 0.1 * np.abs(q).max()
    expected = lasso(H, q, alpha)
    for penalty in (Group(), SparseGroup(list(range(15)), l1_ratio=0.3), L1()):
        np.testing.assert_allclose(solve(H, q, penalty, alpha), expected, rtol=0, atol=AGREE)


@pytest.mark.parametrize("seed", range(5))
def test_row_groups_are_the_multi_task_lasso(seed):
    H, q, X, Y = quadratic(seed, n_outputs=3)
    alpha = 0.1 * Group().alpha_max(-q.T)
    theirs = MultiTaskLasso(alpha=alpha, fit_intercept=False, tol=1e-12, max_iter=100_000).fit(X, Y)
    np.testing.assert_allclose(solve(H, q, Group(), alpha), theirs.coef_, rtol=0, atol=AGREE_SKLEARN)


@pytest.mark.parametrize("name", ["group", "sparse group", "l1"])
def test_scaling_the_problem_leaves_the_minimiser(name):
    H, q, _, _ = quadratic(3)
    penalty, alpha = PENALTIES[name], 0.1 * np.abs(quadratic(3)[1]).max()
    w = solve(H, q, penalty, alpha)
    np.testing.assert_allclose(solve(64.0 * H, 64.0 * q, penalty, 64.0 * alpha), w, rtol=0, atol=AGREE)
    np.testing.assert_allclose(solve(H, 64.0 * q, penalty, 64.0 * alpha), 64.0 * w, rtol=0, atol=64 * AGREE)


@pytest.mark.parametrize("exponent", [-400, 400])
@pytest.mark.parametrize("n_outputs", [None, 3])
@pytest.mark.parametrize("name", ["group", "sparse group", "rows"])
def test_units_far_outside_single_precision_change_no_digit(name, n_outputs, exponent):
    """Powers of two scale every number of the computation and round none of them."""
    H, q, _, _ = quadratic(11, n_outputs=n_outputs, rho=0.9)
    alpha = 0.1 * top(q, PENALTIES[name])
    unit = 2.0**exponent
    scaled = solve(H, unit * q, PENALTIES[name], unit * alpha)
    np.testing.assert_array_equal(scaled, unit * solve(H, q, PENALTIES[name], alpha))


def test_a_group_rotated_rotates_its_coefficients():
    """‖w_g‖ knows no axes inside a group."""
    H, q, _, _ = quadratic(4)
    R = np.eye(15)
    R[10:, 10:] = np.linalg.qr(np.random.default_rng(0).standard_normal((5, 5)))[0]
    w = solve(H, q, PENALTIES["group"], 0.05)
    np.testing.assert_allclose(solve(R.T @ H @ R, q @ R, PENALTIES["group"], 0.05), w @ R, rtol=0, atol=AGREE)


def test_a_constant_column_never_enters():
    H, q, _, _ = quadratic(5)
    H[4], H[:, 4], q[4] = 0.0, 0.0, 0.0
    for penalty in (PENALTIES["group"], PENALTIES["sparse group"], L1()):
        w = solve(H, q, penalty, 0.01 * np.abs(q).max())
        assert w[4] == 0
        assert np.count_nonzero(w) > 5


def test_a_set_that_grows_gives_what_it_would_give_at_once():
    """The copy of H that the kernel keeps must follow features that enter, and an H that changes."""
    H, q, _, _ = quadratic(6)
    order = np.array([4, 5, 6, 7, 0, 1, 2, 10, 11, 12, 13, 14, 3, 8, 9])
    penalty = PENALTIES["group"]
    inner = BlockQuadratic(penalty.terms(15))
    for end, factor, alpha in ((4, 1.0, 0.2), (7, 1.0, 0.1), (12, 3.0, 0.05), (15, 1.0, 0.02), (15, 2.0, 0.3)):
        W = order[:end]
        inner.grow(W[len(inner.features) :])
        inner.reset()
        w = np.zeros(end)
        H_W = factor * np.pad(H[np.ix_(W, W)], ((0, 0), (0, 9)))[:, :end]  # rows further apart than they are long
        assert inner.minimise(H_W, factor * q[W], w, alpha, 0.0)[1]
        back = np.argsort(W)
        sub = Group(np.asarray(LABELS)[np.sort(W)])
        expected = solve(H_W[np.ix_(back, back)], factor * q[W][back], sub, alpha)
        np.testing.assert_allclose(w[back], expected, rtol=0, atol=AGREE)


@pytest.mark.parametrize("name", ["group", "sparse group"])
@pytest.mark.parametrize("n_outputs", [None, 3])
def test_a_path_gives_what_every_alpha_gives_alone(name, n_outputs):
    """Starts that lean on the last two solutions, up and down the path, with a stranger between, change nothing."""
    H, q, _, _ = quadratic(10, n_outputs=n_outputs)
    inner, w = BlockQuadratic(PENALTIES[name].terms(15)), np.zeros_like(q)
    inner.grow(np.arange(15))
    for alpha in np.abs(q).max() * np.array([0.4, 0.3, 0.2, 0.15, 0.1, 0.1, 0.02, 0.3, 0.35]):
        assert inner.minimise(H, q, w, alpha, 0.0)[1]
        np.testing.assert_allclose(w, solve(H, q, PENALTIES[name], alpha), rtol=0, atol=AGREE)
        if alpha < 0.16 * np.abs(q).max():
            w += 0.1


def test_any_number_of_threads_gives_the_same():
    rng = np.random.default_rng(7)
    X = rng.standard_normal((300, 600))
    H, q = X.T @ X / 300, X.T @ rng.standard_normal(300) / 300
    found = []
    for n_threads in (1, 2):
        inner, w = BlockQuadratic(Group(5).terms(600), n_threads=n_threads), np.zeros(600)
        inner.grow(np.arange(600))
        assert inner.minimise(H, q, w, 0.01, 1e-12)[1]
        found.append(w)
    assert np.count_nonzero(found[0]) > 450  # large enough for the threads to be used
    np.testing.assert_array_equal(*found)


def test_running_out_of_rounds_is_told():
    H, q, _, _ = quadratic(8, rho=0.95)
    inner, w = BlockQuadratic(Group(LABELS).terms(15), max_iter=1), np.zeros(15)
    inner.grow(np.arange(15))
    assert inner.minimise(H, q, w, 1e-3, 1e-15) == (1, False)


def test_above_alpha_max_everything_is_zero():
    H, q, _, _ = quadratic(9)
    for name in ("group", "sparse group", "rows", "l1"):
        highest = PENALTIES[name].alpha_max(-q)
        assert not solve(H, q, PENALTIES[name], highest * (1 + 1e-12)).any()
        assert solve(H, q, PENALTIES[name], highest * (1 - 1e-6)).any()


@pytest.mark.parametrize("name", ["group", "sparse group", "rows"])
def test_a_random_order_ends_at_the_same_minimum(name):
    H, q, _, _ = quadratic(9, rho=0.9)
    alpha = 0.1 * top(q, PENALTIES[name])
    rough, fine = [], []
    for seed in (-1, 0, 0, 1):
        for max_iter, kept in ((1, rough), (1000, fine)):
            inner, w = BlockQuadratic(PENALTIES[name].terms(15), max_iter, seed=seed), np.zeros(15)
            inner.grow(np.arange(15))
            inner.minimise(H, q, w, alpha, 0.0)
            kept.append(w)
    np.testing.assert_array_equal(rough[1], rough[2])
    assert not np.array_equal(rough[0], rough[1])
    assert not np.array_equal(rough[1], rough[3])
    for w in fine[1:]:
        np.testing.assert_allclose(w, fine[0], rtol=0, atol=AGREE)
