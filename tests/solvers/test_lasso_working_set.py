"""The lasso at one λ on a working set: the point of the path, whatever ties or copies columns have."""

import numpy as np
import pytest

from tamis.operators import as_operator
from tamis.solvers import Status
from tamis.solvers.homotopy import lasso_homotopy
from tamis.solvers.lasso_working_set import lasso_at


@pytest.mark.parametrize("share", [0.5, 0.1, 0.01, 0.001])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_it_is_the_point_of_the_path(seed, share, dtype):
    rng = np.random.default_rng(seed)
    A, y = rng.standard_normal((60, 300)).astype(dtype), rng.standard_normal(60)
    if seed % 2:
        A, y = np.round(A), np.round(3 * y)
        A[:, 5], A[:, 7] = A[:, 3], 0.0
    operator = as_operator(A)
    lam = share * np.abs(operator.T @ y).max()
    point, end = lasso_at(operator, y, lam), lasso_homotopy(operator, y, lam=lam)
    assert point.status is Status.CONVERGED
    assert point.s[5] == 0 or not seed % 2  # of equal columns the first
    np.testing.assert_allclose(point.r, y - A.astype(float) @ point.s, atol=1e-10)
    np.testing.assert_allclose(point.c, A.astype(float).T @ point.r, atol=1e-9)
    value = lambda s: 0.5 * np.sum((y - A.astype(float) @ s) ** 2) + lam * np.abs(s).sum()  # noqa: E731
    assert value(point.s) == pytest.approx(value(end.s), rel=1e-10)


def test_it_says_where_it_does_not_do():
    rng = np.random.default_rng(0)
    A, y = as_operator(rng.standard_normal((30, 90))), rng.standard_normal(30)
    highest = np.abs(A.T @ y).max()
    assert lasso_at(A, y, 1e-5 * highest).status is Status.STALLED
    assert lasso_at(A, y, 0.1 * highest, lambda: True).status is Status.TIME_LIMIT
    nothing = lasso_at(A, y, 1.01 * highest)
    assert nothing.status is Status.CONVERGED
    assert not nothing.s.any()
