"""Lasso codes: one signal at a time, their optimality, and what is proved of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.linear_model import lasso_path

from reference.codes import lasso_code, lasso_value
from tamis import InputError
from tamis.solvers.lasso_codes import lasso_codes
from tolerances import AGREE, AGREE_SKLEARN, FLOAT32, ROUNDING


def problem(seed, n=20, k=40, d=16):
    rng = np.random.default_rng(seed)
    D = rng.standard_normal((k, d))
    return rng.standard_normal((n, d)), D / np.linalg.norm(D, axis=1, keepdims=True)


@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 99),
    k=st.sampled_from([1, 7, 33]),
    alpha=st.sampled_from([0.05, 0.3, 1.0]),
    positive=st.booleans(),
)
def test_kernel_equals_one_signal_at_a_time(seed, k, alpha, positive):
    X, D = problem(seed, n=4, k=k)
    D *= np.random.default_rng(seed).uniform(0.3, 3, (k, 1))  # of any length
    found = lasso_codes(X, D, alpha, positive=positive)
    for x, z in zip(X, found.Z.toarray(), strict=True):
        expected = lasso_code(x, D, alpha, positive)
        assert lasso_value(x, z, D, alpha) <= lasso_value(x, expected, D, alpha) + AGREE * (x @ x)
        if k < 16:  # else the minimiser may not be well determined
            np.testing.assert_allclose(z, expected, rtol=0, atol=1e-7)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 99), alpha=st.sampled_from([1e-3, 0.1, 0.7, 5.0]), positive=st.booleans())
def test_conditions_of_optimality(seed, alpha, positive):
    X, D = problem(seed)
    Z = lasso_codes(X, D, alpha, positive=positive).Z.toarray()
    C = (X - Z @ D) @ D.T
    slack = 1e-10 * np.linalg.norm(X, axis=1, keepdims=True)
    assert ((C if positive else np.abs(C)) <= alpha + slack).all()
    np.testing.assert_allclose(C[Z != 0], alpha * np.sign(Z[Z != 0]), rtol=0, atol=slack.max())
    assert not positive or Z.min() >= 0


@pytest.mark.parametrize("positive", [False, True])
def test_gaps_are_proved_again_from_the_rows(positive):
    X, D = problem(0, n=50)
    found = lasso_codes(X, D, 0.2, positive=positive)
    again = found.certificate.verify(X).gaps
    assert (again <= 1e-12 * (X**2).sum(axis=1)).all()
    np.testing.assert_allclose(found.gaps, again, rtol=0, atol=ROUNDING * (X**2).sum(axis=1).max())


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("tol", [None, 1e-6])
def test_gaps_in_float32_are_those_of_the_codes_that_are_returned(positive, tol):
    """Atoms close to each other: on a Gram of float32 the gaps look like rounding, and are above 1e-4 ½‖x‖²."""
    rng = np.random.default_rng(0)
    X, D = problem(0, n=40, k=30)
    D = np.concatenate([D, D + 1e-4 * rng.standard_normal(D.shape)]).astype(np.float32)
    X = X.astype(np.float32)
    alpha = 1e-5 * float(np.abs(X @ D.T).max())
    found = lasso_codes(X, D, alpha, positive=positive, tol=tol)
    again, half = found.certificate.verify(X).gaps, (X.astype(float) ** 2).sum(axis=1) / 2
    assert (again <= found.gaps + 1e-9 * half).all()
    limit = (1e-4 if tol is None else tol) * half
    assert (found.status == "converged") == bool((again <= limit * (1 + 1e-6)).all())
    assert tol is not None or found.status == "converged"


def test_a_wrong_code_has_a_gap():
    X, D = problem(1)
    found = lasso_codes(X, D, 0.2)
    wrong = type(found.certificate)(found.gaps, found.Z * 1.01, D, 0.2)
    assert (wrong.verify(X).gaps > 1e-5).all()


def test_agrees_with_scikit_learn():
    X, D = problem(2, n=8, k=12)
    Z = lasso_codes(X, D, 0.15).Z.toarray()
    for x, z in zip(X, Z, strict=True):
        theirs = lasso_path(D.T.copy(), x, alphas=[0.15 / D.shape[1]], tol=1e-12, max_iter=100_000)[1][:, 0]
        np.testing.assert_allclose(z, theirs, rtol=0, atol=AGREE_SKLEARN)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_threads_and_starts_change_nothing(dtype):
    X, D = (a.astype(dtype) for a in problem(3, n=3000))
    one, two = (lasso_codes(X, D, 0.3, n_jobs=j) for j in (1, 2))
    assert one.Z.dtype == dtype
    for a, b in ((one.Z.data, two.Z.data), (one.Z.indices, two.Z.indices), (one.gaps, two.gaps)):
        np.testing.assert_array_equal(a, b)
    elsewhere = lasso_codes(X, D, 0.6).Z
    again = lasso_codes(X, D, 0.3, start=elsewhere)
    tolerance = FLOAT32 if dtype == np.float32 else AGREE
    np.testing.assert_allclose(again.Z.toarray(), one.Z.toarray(), rtol=0, atol=tolerance)


def test_sparse_rows_are_coded_as_dense_ones():
    X, D = problem(4)
    X[np.abs(X) < 1] = 0
    dense, sparse = lasso_codes(X, D, 0.3), lasso_codes(csr_array(X), D, 0.3)
    np.testing.assert_allclose(sparse.Z.toarray(), dense.Z.toarray(), rtol=0, atol=ROUNDING)


def test_atoms_that_are_there_twice_and_zero_atoms():
    X, D = problem(5, k=10)
    D = np.concatenate([D, D, np.zeros((3, 16))])
    found = lasso_codes(X, D, 0.2)
    assert (found.gaps <= 1e-7 * (X**2).sum(axis=1)).all()
    assert not found.Z.toarray()[:, 20:].any()


def test_atoms_that_nearly_depend_on_each_other():
    rng = np.random.default_rng(6)
    base = rng.standard_normal((4, 12))
    D = np.concatenate([base + 1e-9 * rng.standard_normal(base.shape) for _ in range(6)])
    X = rng.standard_normal((30, 12))
    found = lasso_codes(X, D, 0.1)
    assert found.status == "converged"
    assert (found.certificate.verify(X).gaps <= 1.01e-7 * (X**2).sum(axis=1) / 2).all()


def test_edges():
    X, D = problem(7, n=4)
    X[1] = 0
    found = lasso_codes(X, D, np.abs(X @ D.T).max() * 1.001)
    assert found.Z.nnz == 0
    assert found.status == "converged"
    assert lasso_codes(np.zeros((0, 16)), D, 0.1).Z.shape == (0, 40)
    fit = lasso_codes(X, D, 0.0)  # no penalty: least squares
    np.testing.assert_allclose(fit.Z @ D, X, rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    "change, words",
    [
        ({"alpha": -1.0}, "alpha must be"),
        ({"alpha": "much"}, "alpha must be"),
        ({"tol": -1.0}, "tol must be"),
        ({"start": np.zeros((2, 2))}, "start must hold"),
    ],
)
def test_complaints(change, words):
    X, D = problem(8)
    with pytest.raises(InputError, match=words):
        lasso_codes(X, D, **({"alpha": 0.1} | change))
    with pytest.raises(InputError, match="atoms in rows"):
        lasso_codes(X, D[:, 1:], 0.1)
