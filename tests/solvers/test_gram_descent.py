"""The path kernel against plain coordinate descent, its laws, and the certificates."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.lasso import lasso
from tamis.penalties import L1
from tamis.solvers.gram_descent import GramDescent, descent_to
from tamis.solvers.gram_problem import GramProblem
from tolerances import AGREE, EPS


def problem(seed, n=80, p=12, rho=0.6, duplicate=False, constant=False):
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((n, p))
    X = Z.copy()
    for j in range(1, p):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho**2) * Z[:, j]
    if duplicate:
        X[:, 5] = X[:, 2]
    if constant:
        X[:, 3] = 4.0
    y = X[:, :3] @ [2.0, -1.0, 0.5] + rng.standard_normal(n)
    X, y = X - X.mean(axis=0), y - y.mean()
    return GramProblem(X.T @ X / n, X.T @ y / n, float(y @ y / n), n, L1(), 0.0), X, y


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 99), rho=st.sampled_from([0.0, 0.6, 0.95]), ratio=st.sampled_from([0.9, 0.3, 0.05, 0.001]))
def test_kernel_equals_plain_coordinate_descent(seed, rho, ratio):
    prob, _, _ = problem(seed, rho=rho)
    alpha = ratio * prob.alpha_max()
    solution = GramDescent().solve(prob.at(alpha))
    np.testing.assert_allclose(solution.w, lasso(prob.G, prob.q, alpha), rtol=0, atol=AGREE)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 99), p=st.sampled_from([1, 5, 40, 150]), rho=st.sampled_from([0.0, 0.9, 0.999]))
def test_optimality_conditions_hold_along_the_path(seed, p, rho):
    prob, _, _ = problem(seed, n=60, p=max(p, 3), rho=rho)
    alphas = np.geomspace(prob.alpha_max(), prob.alpha_max() / 200, 30)
    path = GramDescent().path(prob, alphas)
    assert path.converged.all()
    for alpha, w, gap in zip(alphas, path.coefs, path.gaps, strict=True):
        distance = L1().subdifferential_distance(w, prob.gradient(w), alpha)
        exact = len(np.flatnonzero(w)) < 59  # beyond that G_SS is singular and only the gap is promised
        if exact:
            # r = q − Gw is a sum of p products: rounding of 1e-13 |q|, the kernel's own slack
            assert distance.max() <= 1e-12 * np.abs(prob.q).max()
        assert gap <= 1e-7 * 0.5 * prob.yy


def test_the_gap_bounds_the_suboptimality_and_agrees_with_the_problem():
    prob, X, y = problem(1)
    alpha = 0.1 * prob.alpha_max()
    best = prob.at(alpha).value(GramDescent().solve(prob.at(alpha)).w)
    rng = np.random.default_rng(0)
    for _ in range(50):
        w = rng.standard_normal(12) * rng.integers(0, 2, 12)
        certificate = prob.at(alpha).gap(w)
        assert certificate.gap >= prob.at(alpha).value(w) - best - 1e-14
        direct = ((y - X @ w) ** 2).mean() / 2 + alpha * np.abs(w).sum()
        assert certificate.primal == pytest.approx(direct, rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_of_two_equal_columns_the_first_is_taken(seed):
    prob, _, _ = problem(seed, duplicate=True)
    path = GramDescent().path(prob, np.geomspace(prob.alpha_max(), prob.alpha_max() / 1000, 60))
    assert path.converged.all()
    assert not path.coefs[:, 5].any()
    assert path.coefs[-1, 2] != 0


def test_a_constant_column_never_enters():
    prob, _, _ = problem(2, constant=True)
    path = GramDescent().path(prob, np.geomspace(prob.alpha_max(), prob.alpha_max() / 1000, 20))
    assert not path.coefs[:, 3].any()
    assert path.converged.all()


def test_more_columns_than_rows():
    prob, _, _ = problem(3, n=30, p=100)
    alphas = np.geomspace(prob.alpha_max(), prob.alpha_max() / 1000, 50)
    path = GramDescent().path(prob, alphas)
    assert path.converged.all()
    gaps = [prob.at(alpha).gap(w).gap for alpha, w in zip(alphas, path.coefs, strict=True)]
    assert max(gaps) <= 1e-7 * 0.5 * prob.yy


def test_a_start_at_the_solution_stays_there():
    prob, _, _ = problem(4)
    prob = prob.at(0.2 * prob.alpha_max())
    w = GramDescent().solve(prob).w
    again = GramDescent().solve(prob, start=w)
    np.testing.assert_allclose(again.w, w, rtol=0, atol=64 * EPS * np.abs(w).max())
    assert again.n_iter == 1


def test_running_out_of_rounds_is_told():
    prob, _, _ = problem(5, p=40)
    path = GramDescent(max_iter=1).path(prob, np.array([1e-3 * prob.alpha_max()]))
    assert not path.converged[0]
    assert path.gaps[0] > 1e-7 * prob.yy


def test_above_alpha_max_everything_is_zero():
    prob, _, _ = problem(6)
    solution = GramDescent().solve(prob.at(prob.alpha_max() * (1 + 1e-12)))
    assert not solution.w.any()
    assert solution.certificate.gap <= 1e-15 * prob.yy
    just_below = GramDescent().solve(prob.at(prob.alpha_max() * (1 - 1e-6)))
    assert np.count_nonzero(just_below.w) == 1


def test_the_descent_ends_at_alpha():
    assert descent_to(0.1, 10.0)[-1] == pytest.approx(0.1)
    assert list(descent_to(2.0, 1.0)) == [2.0]
    assert list(descent_to(2.0, 0.0)) == [2.0]


@pytest.mark.parametrize("outputs", [(), (2,)])
def test_unpenalised_columns_without_spread_have_zeros_in_the_null_model(outputs):
    """SciPy's nnls gives uninitialised memory for a matrix without rows: here what held NaN before."""
    p = 50
    prob = GramProblem(np.zeros((p, p)), np.zeros((p, *outputs)), 1.0, 9, L1(np.zeros(p), positive=True), 0.0)
    junk = [np.full(p, np.nan) for _ in range(20)]
    del junk
    w, value = prob.null()
    assert w.shape == (p, *outputs)
    assert not w.any()
    assert value == 0.5


def test_the_null_model_with_signs_keeps_columns_of_small_units():
    """√G = (1, 1e-9): the second has all of the target."""
    unit = np.array([1.0, 1e-9])
    prob = GramProblem(np.diag(unit**2), unit * [0.0, 0.5], 1.0, 9, L1(np.zeros(2), positive=True), 0.0)
    np.testing.assert_allclose(prob.null()[0] * unit, [0.0, 0.5], rtol=8 * EPS)
