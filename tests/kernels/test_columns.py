"""The kernels that look at every column, against NumPy."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import columns, screening
from tamis._kernels import kernels
from tolerances import EPS, ROUNDING


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (7, 1), (5, 3), (2_500, 40), (30, 1_100)])
@pytest.mark.parametrize("m", [1, 2, 3, 4, 9])
def test_correlations_are_products_with_every_column(dtype, order, shape, m):
    rng = np.random.default_rng(0)
    X = np.asarray(rng.standard_normal(shape), dtype, order=order)
    R, out = rng.standard_normal((m, shape[0])), np.empty((m, shape[1]))
    kernels.correlate(X, R, out, 2)
    np.testing.assert_allclose(out, R @ X.astype(np.float64), rtol=0, atol=ROUNDING * np.sqrt(shape[0]))


def test_a_column_of_a_wider_table_is_not_read_as_its_neighbours():
    wide = np.arange(12.0).reshape(4, 3)
    out = np.empty((1, 1))
    kernels.correlate(wide[:, 1:2], np.ones((1, 4)), out, 1)
    assert out[0, 0] == wide[:, 1].sum()


@pytest.mark.parametrize("n_threads", [1, 2, 5])
@pytest.mark.parametrize("order", ["C", "F"])
def test_correlations_do_not_depend_on_threads(order, n_threads):
    rng = np.random.default_rng(1)
    X, R = np.asarray(rng.standard_normal((700, 90)), order=order), rng.standard_normal((5, 700))
    one, many = np.empty((5, 90)), np.empty((5, 90))
    kernels.correlate(X, R, one, 1)
    kernels.correlate(X, R, many, n_threads)
    np.testing.assert_array_equal(one, many)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("m", [1, 2, 3, 4, 6])
def test_sparse_correlations(dtype, index, m):
    rng = np.random.default_rng(2)
    X = sp.random_array((60, 2_300), density=0.05, rng=rng, format="csc", dtype=dtype)
    R, out = rng.standard_normal((m, 60)), np.empty((m, 2_300))
    kernels.correlate_sparse(X.data, X.indices.astype(index), X.indptr.astype(index), R, out, 2)
    np.testing.assert_allclose(out, R @ X.toarray().astype(np.float64), rtol=0, atol=ROUNDING)


@settings(max_examples=50, deadline=None)
@given(
    seed=st.integers(0, 99),
    positive=st.booleans(),
    alpha=st.sampled_from([0.0, 0.5, 2.0, 9.0]),
    room=st.integers(0, 900),
)
def test_survey_finds_who_violates(seed, positive, alpha, room):
    rng = np.random.default_rng(seed)
    p = 700
    c, l1, inside = rng.standard_normal(p), rng.choice([0.0, 0.5, 1.0], p), rng.random(p) < 0.2
    largest, violators = columns.survey(c, l1, inside, positive, alpha, 1e-3)
    found, n_found = np.full(room, -1), np.zeros(1, np.int64)
    assert kernels.survey(c, l1, inside, positive, alpha, 1e-3, found, n_found) == largest
    assert n_found[0] == len(violators)
    np.testing.assert_array_equal(found[: len(violators)], violators[:room])


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 99), scale=st.sampled_from([1e-8, 1.0, 30.0, 700.0]), weighted=st.booleans())
def test_logistic_loss_and_derivatives(seed, scale, weighted):
    rng = np.random.default_rng(seed)
    n = 513
    y, z = rng.choice([-1.0, 1.0], n), scale * rng.standard_normal(n)
    share = rng.random(n) if weighted else np.array([1.0 / n])
    g, h = np.empty(n), np.empty(n)
    value = kernels.losses(0, 0.0, y, z, share, g, h)
    expected, slope, curvature = columns.logistic(y, z, share)
    # log-sum-exp of numbers of size z loses |z| eps on the way, in the twin
    relative = 8 * EPS * (1 + np.abs(z).max())
    assert value == pytest.approx(expected, rel=relative)
    seen = np.abs(z) < 700  # beyond it e^(−|z|) is below the smallest normal number, and the kernel says 0
    np.testing.assert_allclose(g[seen], slope[seen], rtol=relative)
    np.testing.assert_allclose(h[seen], curvature[seen], rtol=relative)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 99),
    kind=st.sampled_from([1, 2, 3, 4]),
    scale=st.sampled_from([1e-8, 1.0, 30.0]),
    weighted=st.booleans(),
)
def test_losses_and_derivatives(seed, kind, scale, weighted):
    rng = np.random.default_rng(seed)
    n = 513
    y = rng.choice([-1.0, 1.0], n) if kind == 1 else rng.integers(1, 9, n).astype(float)
    z = scale * rng.standard_normal(n)
    share = rng.random(n) if weighted else np.array([1.0 / n])
    g, h = np.empty(n), np.empty(n)
    value = kernels.losses(kind, 1.35, y, z, share, g, h)
    expected, slope, curvature = columns.LOSSES[kind](y, z, share, 1.35)
    size = 16 * EPS * (1 + scale)  # of e^z, whose exponent is rounded
    np.testing.assert_allclose(g, slope, rtol=size, atol=size * share.max() * 10)
    np.testing.assert_allclose(h, curvature, rtol=size)
    assert value == pytest.approx(expected, rel=size * n, abs=size)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("n", [1, 127, 700])
def test_gathered_columns_are_centred_rows(dtype, order, n):
    rng = np.random.default_rng(3)
    X = np.asarray(rng.standard_normal((n, 40)), dtype, order=order)
    S, mean = rng.permutation(40)[:7].astype(np.int64), rng.standard_normal(40)
    out = np.empty((7, n), dtype)
    kernels.gather(X, S, mean, out, 2)
    np.testing.assert_array_equal(out, (X[:, S].T.astype(np.float64) - mean[S, None]).astype(dtype))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("k", "n"), [(0, 5), (1, 1), (3, 300), (9, 1_000), (50, 40_000)])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_newton_step_in_one_reading(dtype, k, n, weighted):
    rng = np.random.default_rng(4)
    X = rng.standard_normal((k, n)).astype(dtype)
    d = np.where(rng.random(k) < 0.3, 0.0, rng.standard_normal(k))
    y, z, g, curvature = rng.choice([-1.0, 1.0], n), *rng.standard_normal((3, n))
    share = rng.random(n) / n if weighted else np.array([1.0 / n])
    found = [np.empty(n) for _ in range(4)] + [np.empty(k), np.empty(3)]
    none = np.empty((0, n), dtype)
    kernels.loss_step(0, 0.0, X, none, d, 0.3, y, share, z, g, curvature, 1.7, *found, 2)
    expected = columns.logistic_step(X.astype(np.float64), d, 0.3, y, share, z, g, curvature, 1.7)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=ROUNDING)
    alone = [np.empty_like(out) for out in found]
    kernels.loss_step(0, 0.0, X, none, d, 0.3, y, share, z, g, curvature, 1.7, *alone, 1)
    for ours, theirs in zip(found, alone, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    rest = rng.standard_normal((k, n)).astype(dtype)
    kernels.loss_step(0, 0.0, X, rest, d, 0.3, y, share, z, g, curvature, 1.7, *found, 2)
    expected = columns.logistic_step(X.astype(np.float64) + rest, d, 0.3, y, share, z, g, curvature, 1.7)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("order", ["C", "F"])
def test_columns_in_two_halves(order):
    rng = np.random.default_rng(3)
    X = np.asarray(rng.standard_normal((700, 40)), order=order)
    S, mean = rng.permutation(40)[:7].astype(np.int64), rng.standard_normal(40)
    first, rest, d, out = *np.empty((2, 7, 700), np.float32), rng.standard_normal((3, 7)), np.empty((3, 700))
    kernels.gather_halves(X, S, mean, first, rest, 2)
    centred = X[:, S].T - mean[S, None]
    np.testing.assert_array_equal(first, centred.astype(np.float32))
    np.testing.assert_allclose(first + rest.astype(np.float64), centred, rtol=2.0**-47)
    kernels.sum_columns(rest, d, out, 2)
    np.testing.assert_allclose(out, d @ rest.astype(np.float64), rtol=0, atol=ROUNDING)
    h, rough = rng.random(700), np.empty((3, 7))
    kernels.rough_products(first, 4, h, rough, 2)
    Z = first.astype(np.float64)
    # a rounded weight, a rounded product, and sums in single precision over at most 512 of them
    bound = 514 * 2.0**-24 * ((np.abs(Z[4:]) * h) @ np.abs(Z).T)
    assert (np.abs(rough - (Z[4:] * h) @ Z.T) <= bound).all()


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 99), weighted=st.booleans(), tiny=st.sampled_from([1.0, 1e-8, 1e-300]))
def test_logistic_conjugate(seed, weighted, tiny):
    rng = np.random.default_rng(seed)
    n = 700
    y, share = rng.choice([-1.0, 1.0], n), rng.random(n) if weighted else np.full(n, 1.0 / n)
    v = np.concatenate([[0.0, 1.0, 0.5, np.sqrt(0.5), np.nextafter(1.0, 0.0)], tiny * rng.random(n - 5)])
    theta = -y * v * share
    given_share = share if weighted else share[:1]
    expected = columns.logistic_conjugate(y, theta, share)
    assert kernels.logistic_conjugate(y, theta, given_share) == pytest.approx(expected, rel=64 * EPS)
    theta[3] = -y[3] * 1.5 * share[3]
    assert kernels.logistic_conjugate(y, theta, given_share) == np.inf


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("k", "start", "n"), [(1, 0, 1), (5, 4, 700), (50, 0, 33), (101, 90, 1_100), (49, 47, 513)])
def test_weighted_products_of_rows(dtype, k, start, n):
    rng = np.random.default_rng(5)
    X, h, out = rng.standard_normal((k, n)).astype(dtype), rng.random(n), np.empty((k - start, k))
    kernels.weighted_products(X, start, h, out, 2)
    Z = X.astype(np.float64)
    np.testing.assert_allclose(out, (Z[start:] * h) @ Z.T, rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", [False, True])
def test_gram_of_sparse_columns(dtype, weighted):
    rng = np.random.default_rng(6)
    X = sp.random_array((90, 23), density=0.1, rng=rng, format="csc", dtype=dtype)
    h, out = rng.random(90) if weighted else np.array([0.5]), np.empty((9, 23))
    kernels.gram_sparse(X.data, X.indices, X.indptr, 14, h, out, 90, 2)
    Z = X.toarray().astype(np.float64)
    np.testing.assert_allclose(out, (Z[:, 14:] * np.broadcast_to(h, 90)[:, None]).T @ Z, rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("storage", [np.asfortranarray, sp.csc_array])
@pytest.mark.parametrize("m", [1, 2, 3, 4, 9])
@pytest.mark.parametrize("count", [0, 1, 6, 70])
def test_correlations_of_some_columns(dtype, storage, m, count):
    rng = np.random.default_rng(2)
    X = storage((rng.standard_normal((2_500, 90)) * (rng.random((2_500, 90)) < 0.3)).astype(dtype))
    S, R = rng.permutation(90)[:count], rng.standard_normal((m, 2_500))
    out, every = np.empty((m, count)), np.empty((m, 90))
    if sp.issparse(X):
        kernels.correlate_sparse(X.data, X.indices, X.indptr, R, every, 2)
        kernels.correlate_sparse_some(X.data, X.indices, X.indptr, S, R, out, 2)
    else:
        kernels.correlate(X, R, every, 2)
        kernels.correlate_some(X, S, R, out, 2)
    np.testing.assert_allclose(out, every[:, S], rtol=0, atol=ROUNDING * 50)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("storage", [np.asfortranarray, sp.csc_array])
@pytest.mark.parametrize("far", [0.0, 1e6])
def test_moments_of_columns(dtype, storage, far):
    rng = np.random.default_rng(3)
    dense = ((rng.standard_normal((70, 50)) + far) * (rng.random((70, 50)) < np.linspace(0, 1, 50))).astype(dtype)
    share = rng.random(70) * (rng.random(70) < 0.8)
    share /= share.sum()
    X, mean, variance = storage(dense), np.empty(50), np.empty(50)
    if sp.issparse(X):
        kernels.column_moments_sparse(X.data, X.indices, X.indptr, share, mean, variance, 2)
    else:
        kernels.column_moments(X, share, mean, variance, 2)
    expected = screening.column_moments(dense.astype(np.float64), share)
    np.testing.assert_allclose(mean, expected[0], rtol=0, atol=ROUNDING * (1 + far))
    # differences of numbers of size ``far`` keep far · eps of it
    np.testing.assert_allclose(variance, expected[1], rtol=1e-10, atol=ROUNDING + (64 * EPS * far) ** 2)


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 99), positive=st.booleans(), shape=st.sampled_from([(1, 1, 1), (5, 4, 30), (3, 2, 5_000)]))
def test_estimated_correlations(seed, positive, shape):
    rng = np.random.default_rng(seed)
    q, m, p = shape
    C, A, away = rng.standard_normal((q, p)), rng.standard_normal((m, q)), rng.random(m)
    norms, l1, alphas = rng.random(p), rng.random(p), 3 * rng.random(m)
    norms[0] = np.inf
    slack = np.full(m, 1e-3)
    estimates, still_open = np.empty((m, p)), np.empty((m, p), bool)
    kernels.estimate_correlations(C, A, away, norms, l1, alphas, slack, positive, estimates, still_open, 2)
    expected = screening.estimate_correlations(C, A, away, norms, l1, alphas, slack, positive)
    np.testing.assert_allclose(estimates, expected[0], rtol=0, atol=ROUNDING * q)
    sure = np.abs(np.abs(expected[0]) + np.outer(away, norms) - np.outer(alphas, l1) + 1e-3) > ROUNDING * q
    np.testing.assert_array_equal(still_open[sure], expected[1][sure])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("m", [1, 2, 4, 6])
@pytest.mark.parametrize("shape", [(1, 1), (300, 40), (40, 3_000)])
def test_sparse_products_across_what_is_stored_together(dtype, index, m, shape):
    rng = np.random.default_rng(4)
    dense = (rng.standard_normal(shape) * (rng.random(shape) < 0.2)).astype(dtype)
    dense[: shape[0] // 3] = 0  # rows with nothing in them
    X, R = sp.csr_array(dense), rng.standard_normal((m, shape[0]))
    found = []
    for n_threads in (1, 2, 5):
        out = np.full((m, shape[1]), np.nan)
        kernels.spread_sparse(X.data, X.indices.astype(index), X.indptr.astype(index), R, out, n_threads)
        found.append(out)
    np.testing.assert_allclose(found[0], R @ dense.astype(np.float64), rtol=0, atol=ROUNDING * 20)
    np.testing.assert_array_equal(found[1], found[0])
    np.testing.assert_array_equal(found[2], found[0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("m", [1, 7, 24])
@pytest.mark.parametrize("shape", [(1, 1), (300, 40), (40, 3_000), (70_000, 2)])
def test_sparse_products_with_many_vectors_side_by_side(dtype, index, m, shape):
    rng = np.random.default_rng(5)
    dense = (rng.standard_normal(shape) * (rng.random(shape) < 0.2)).astype(dtype)
    dense[: shape[0] // 3] = 0  # rows with nothing in them
    X, V = sp.csr_array(dense), rng.standard_normal((shape[1], m))
    found = []
    for n_threads in (1, 2, 5):
        out = np.full((shape[0], m), np.nan)
        kernels.sparse_times(X.data, X.indices.astype(index), X.indptr.astype(index), V, out, n_threads)
        found.append(out)
    np.testing.assert_allclose(found[0], dense.astype(np.float64) @ V, rtol=0, atol=ROUNDING * 20)
    np.testing.assert_array_equal(found[1], found[0])
    np.testing.assert_array_equal(found[2], found[0])
