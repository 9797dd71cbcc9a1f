"""The kernels that look at every column, against NumPy."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import columns
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
    value = kernels.logistic(y, z, share, g, h)
    told, slope, curvature = columns.logistic(y, z, share)
    # log-sum-exp of numbers of size z loses |z| eps on the way, in the twin
    relative = 8 * EPS * (1 + np.abs(z).max())
    assert value == pytest.approx(told, rel=relative)
    seen = np.abs(z) < 700  # beyond it e^(−|z|) is below the smallest normal number, and the kernel says 0
    np.testing.assert_allclose(g[seen], slope[seen], rtol=relative)
    np.testing.assert_allclose(h[seen], curvature[seen], rtol=relative)
