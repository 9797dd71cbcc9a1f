"""Kernels for rows w ≥ 0 against their twins in plain NumPy."""

import numpy as np
import pytest
import scipy.sparse as sp

from reference import nonnegative as slow
from tamis._kernels import kernels
from tolerances import AGREE, ROUNDING


def problem(n, p, k, seed, zeros=0.3):
    rng = np.random.default_rng(seed)
    X = rng.poisson(3.0, (n, p)).astype(float)
    X[rng.uniform(size=X.shape) < zeros] = 0.0
    H = rng.uniform(size=(k, p)) * (rng.uniform(size=(k, p)) > 0.2)
    return X, H, rng.uniform(0.1, 1.0, (n, k)), (rng.uniform(size=X.shape) > 0.3).astype(float)


def penalties(n, l1, l2):
    """Of each row its own."""
    factor = np.random.default_rng(7).uniform(0.5, 2.0, n)
    return l1 * factor, l2 / factor


SIZES = [(1, 1, 1), (7, 5, 3), (33, 200, 4), (70, 31, 9)]


@pytest.mark.parametrize("n, p, k", SIZES)
@pytest.mark.parametrize("n_threads", [1, 2])
def test_sweeps_on_one_quadratic(n, p, k, n_threads):
    X, H, W, _ = problem(n, p, k, 0)
    A, B = X @ H.T, H @ H.T
    out = W.copy()
    kernels.nonnegative_rows(A, B, out, 3, 0.0, n_threads)
    np.testing.assert_allclose(out, slow.nonnegative_rows(A, B, W, 3), rtol=AGREE, atol=AGREE)


@pytest.mark.parametrize("n, p, k", SIZES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sweeps", [3, 4, 6])
def test_sweeps_on_observed_entries(n, p, k, dtype, sweeps):
    X, H, W, M = problem(n, p, k, 1)
    out = W.copy()
    gaps = np.where(M > 0, X, np.nan).astype(dtype)  # what is not observed may hold anything
    l1, l2 = penalties(n, 0.1, 0.2)
    kernels.weighted_rows(gaps, M.astype(dtype), H, out, l1, l2, sweeps, 2)
    np.testing.assert_allclose(out, slow.weighted_rows(X, M, H, W, l1, l2, sweeps), rtol=AGREE, atol=AGREE)


@pytest.mark.parametrize("n, p, k", [(1, 1, 1), (7, 5, 3), (4, 200, 4)])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("l1, l2", [(0.0, 0.0), (0.3, 0.0), (0.1, 0.2)])
def test_newton_steps_reach_the_minimum_of_the_twin(n, p, k, masked, l1, l2):
    X, H, W, M = problem(n, p, k, 2)
    M = M if masked else np.ones_like(X)
    out, expected = W.copy(), W.copy()
    a, b = penalties(n, l1, l2)
    kernels.kl_newton_rows(X, M if masked else None, H, out, a, b, 12, 2)
    for _ in range(12):
        rows = zip(X, M, expected, a, b, strict=True)
        expected = np.array([slow.kl_newton_row(x, m, w, H, *penalty) for x, m, w, *penalty in rows])
    for x, m, w, v, *penalty in zip(X, M, out, expected, a, b, strict=True):
        reached, least = slow.kl_objective(x, m, w, H, *penalty), slow.kl_objective(x, m, v, H, *penalty)
        assert reached <= least + AGREE * (1 + abs(least))


@pytest.mark.parametrize("seed", range(5))
def test_every_newton_step_lowers_the_objective(seed):
    X, H, W, M = problem(40, 60, 6, seed)
    W = W * 10.0 ** np.random.default_rng(seed).integers(-4, 5, (40, 1))  # starts far from the minimum
    before = [slow.kl_objective(x, m, w, H, 0.0, 0.0) for x, m, w in zip(X, M, W, strict=True)]
    for _ in range(6):
        kernels.kl_newton_rows(X, M, H, W, *penalties(40, 0.0, 0.0), 1, 1)
        now = [slow.kl_objective(x, m, w, H, 0.0, 0.0) for x, m, w in zip(X, M, W, strict=True)]
        assert (np.array(now) <= np.array(before) + ROUNDING * (1 + np.abs(before))).all()
        before = now


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_sparse_rows_are_dense_rows(index):
    X, H, W, _ = problem(50, 40, 5, 3, zeros=0.8)
    S = sp.csr_array(X)
    dense, sparse = W.copy(), W.copy()
    l1, l2 = penalties(50, 0.1, 0.2)
    kernels.kl_newton_rows(X, None, H, dense, l1, l2, 5, 2)
    parts = S.data, S.indices.astype(index), S.indptr.astype(index)
    kernels.kl_newton_rows_sparse(*parts, np.ascontiguousarray(H.T), H.sum(axis=1), sparse, l1, l2, 5, 2)
    np.testing.assert_allclose(sparse, dense, rtol=AGREE, atol=AGREE)


def test_any_number_of_threads_gives_the_same_bits():
    X, H, W, M = problem(100, 50, 7, 4)
    for run in (
        lambda out, t: kernels.nonnegative_rows(X @ H.T, H @ H.T, out, 5, 0.01, t),
        lambda out, t: kernels.kl_newton_rows(X, M, H, out, *penalties(100, 0.1, 0.1), 3, t),
        lambda out, t: kernels.weighted_rows(X, M, H, out, *penalties(100, 0.1, 0.1), 3, t),
    ):
        results = []
        for threads in (1, 2, 5):
            out = W.copy()
            run(out, threads)
            results.append(out)
        assert (results[0] == results[1]).all()
        assert (results[0] == results[2]).all()


def test_a_coordinate_that_explains_nothing_and_costs_something_is_zero():
    X, H, W, _ = problem(5, 9, 3, 6)
    H[1] = 0.0
    for cost, expected in ((0.0, W[:, 1]), (0.1, 0.0)):
        A, out = X @ H.T - cost, W.copy()
        kernels.nonnegative_rows(A, H @ H.T, out, 3, 0.0, 1)
        np.testing.assert_allclose(out, slow.nonnegative_rows(A, H @ H.T, W, 3), rtol=AGREE, atol=AGREE)
        np.testing.assert_array_equal(out[:, 1], expected)


def test_a_row_of_zeros_gets_zeros():
    X, H, W, _ = problem(3, 6, 2, 5)
    X[1] = 0.0
    kernels.kl_newton_rows(X, None, H, W, *penalties(3, 0.0, 0.0), 10, 1)
    assert (W[1] == 0).all()
    assert np.isfinite(W).all()
