"""Proximal gradient steps of spectral length: the lasso's conditions, real and complex, and its path."""

import numpy as np
import pytest

from tamis.operators import as_operator
from tamis.solvers import Status
from tamis.solvers.homotopy import lasso_homotopy
from tamis.solvers.l1_least_squares import L1LeastSquares
from tamis.solvers.spectral_descent import SpectralDescent


def problem(seed, kind=float, m=30, n=80):
    rng = np.random.default_rng(seed)
    A, s = rng.standard_normal((m, n)).astype(kind), np.zeros(n, kind)
    if kind is complex:
        A = A + 1j * rng.standard_normal((m, n))
    s[rng.choice(n, 5, replace=False)] = rng.standard_normal(5)
    return as_operator(A, complex_ok=True), A @ s + 0.1 * rng.standard_normal(m)


@pytest.mark.parametrize("share", [0.5, 0.1, 0.01])
@pytest.mark.parametrize("seed", range(4))
def test_it_ends_where_the_path_does(seed, share):
    A, y = problem(seed)
    lam, goal = share * np.abs(A.T @ y).max(), 1e-9 * 0.5 * y @ y
    descent = SpectralDescent(L1LeastSquares(A, y, lam), None, 50_000)
    descent.to(3 * lam)
    point = descent.to(lam, lambda gap, _: gap <= goal)
    assert point.status is Status.CONVERGED
    np.testing.assert_allclose(point.s, lasso_homotopy(A, y, lam=lam).s, atol=1e-7)
    np.testing.assert_allclose(point.r, y - A @ point.s, atol=1e-9)


def test_complex_codes_satisfy_their_conditions():
    A, y = problem(0, complex)
    lam = 0.1 * np.abs(A.H @ y).max()
    goal = 1e-10 * 0.5 * np.vdot(y, y).real
    point = SpectralDescent(L1LeastSquares(A, y, lam), None, 50_000).to(lam, lambda gap, _: gap <= goal)
    assert point.status is Status.CONVERGED
    c, on = A.H @ point.r, point.s != 0
    assert np.abs(c).max() <= lam * (1 + 1e-4)
    np.testing.assert_allclose(c[on], lam * point.s[on] / np.abs(point.s[on]), rtol=1e-2, atol=1e-3 * lam)


def test_it_ends_after_the_products_it_may_make_and_in_time():
    A, y = problem(1)
    lam = 0.001 * np.abs(A.T @ y).max()
    never = lambda gap, value: False  # noqa: E731
    assert SpectralDescent(L1LeastSquares(A, y, lam), None, 7).to(lam, never).status is Status.MAX_ITER
    late = SpectralDescent(L1LeastSquares(A, y, lam), None, 10**6, lambda: True).to(lam, never)
    assert late.status is Status.TIME_LIMIT
