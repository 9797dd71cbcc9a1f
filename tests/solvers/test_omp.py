"""Batch OMP against one signal at a time, its laws, and what happens where nothing can be chosen."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import orthogonal_mp_gram

from reference.omp import omp
from tamis import InputError
from tamis.solvers.omp import PursuitStatus, batch_omp, omp_codes
from tolerances import AGREE, FLOAT32, ROUNDING


def dictionary(rng, k=40, d=16):
    D = rng.standard_normal((k, d))
    return D / np.linalg.norm(D, axis=1, keepdims=True)


def statistics(X, D):
    return D @ D.T, X @ D.T, (X**2).sum(axis=1)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 99), k=st.sampled_from([1, 7, 33, 80]), n_nonzero=st.sampled_from([1, 4, 9]))
def test_kernel_equals_one_signal_at_a_time(seed, k, n_nonzero):
    rng = np.random.default_rng(seed)
    D = rng.standard_normal((k, 20)) * rng.uniform(0.1, 10, (k, 1))  # of any length
    X = rng.standard_normal((12, 20))
    G, Q, yy = statistics(X, D)
    codes = batch_omp(G, Q, yy, n_nonzero=n_nonzero)
    for i, z in enumerate(codes.Z.toarray()):
        expected, squares = omp(G, Q[i], yy[i], n_nonzero)
        np.testing.assert_allclose(z, expected, rtol=0, atol=AGREE * np.abs(expected).max())
        assert codes.residual_norms[i] == pytest.approx(np.sqrt(squares), rel=1e-6)  # √ of a difference of two squares


@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    D, X = dictionary(rng, 60, 24), rng.standard_normal((50, 24))
    G, Q, yy = statistics(X, D)
    theirs = orthogonal_mp_gram(G, Q.T, n_nonzero_coefs=6).T
    np.testing.assert_allclose(batch_omp(G, Q, yy, n_nonzero=6).Z.toarray(), theirs, rtol=0, atol=AGREE)
    theirs = orthogonal_mp_gram(G, Q.T, tol=0.25 * yy.min(), norms_squared=yy).T
    ours = batch_omp(G, Q, yy, noise=0.5 * np.sqrt(yy.min())).Z.toarray()
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=AGREE)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 99), tol=st.sampled_from([0.9, 0.5, 0.1, 1e-3]))
def test_residuals_are_orthogonal_to_the_atoms_in_use_and_as_small_as_asked(seed, tol):
    rng = np.random.default_rng(seed)
    D, X = dictionary(rng), rng.standard_normal((30, 16))
    codes = omp_codes(X, D, tol=tol)
    R = X - codes.Z @ D
    norms = np.linalg.norm(R, axis=1)
    np.testing.assert_allclose(codes.residual_norms, norms, rtol=1e-9, atol=ROUNDING)
    assert (codes.statuses == PursuitStatus.REACHED).all()
    assert (norms <= tol * np.linalg.norm(X, axis=1) * (1 + 1e-9)).all()
    in_use = codes.Z.toarray() != 0
    assert (
        np.abs((R @ D.T)[in_use]).max() <= ROUNDING * np.abs(X).sum(axis=1).max() / tol
    )  # 1/tol: digits the fit removed
    one_less = np.array(
        [np.linalg.norm(x - _best_without_last(x, D, z)) for x, z in zip(X, codes.Z.toarray(), strict=True)]
    )
    assert (one_less > tol * np.linalg.norm(X, axis=1)).all()


def _best_without_last(x, D, z):
    """The fit one step earlier."""
    n = np.count_nonzero(z) - 1
    return omp_codes(x[None], D, n_nonzero=n).Z.toarray()[0] @ D if n else np.zeros_like(x)


@pytest.mark.parametrize("seed", range(3))
def test_a_planted_code_is_found(seed):
    """Three atoms of a dictionary whose coherence μ allows it: OMP finds k atoms when k < (1 + 1/μ)/2 (Tropp 2004)."""
    rng = np.random.default_rng(seed)
    D = np.vstack([np.eye(64), hadamard(64) / 8])  # μ = 1/8: up to 4 atoms
    Z = np.zeros((20, 128))
    for z in Z:
        z[rng.choice(128, 3, replace=False)] = rng.choice([-1, 1], 3) * rng.uniform(0.5, 2, 3)
    codes = omp_codes(Z @ D, D, n_nonzero=10)
    np.testing.assert_allclose(codes.Z.toarray(), Z, rtol=0, atol=AGREE)
    assert (codes.statuses == PursuitStatus.REACHED).all()
    assert codes.residual_norms.max() <= 1e-13  # computed from the rows, which the Gram alone could not tell from 1e-8


def hadamard(n):
    H = np.ones((1, 1))
    while len(H) < n:
        H = np.block([[H, H], [H, -H]])
    return H


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 99))
def test_scaling_and_order_of_the_atoms_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    D, X = dictionary(rng), rng.standard_normal((10, 16))
    scale, order = rng.uniform(0.01, 100, 40), rng.permutation(40)
    plain = omp_codes(X, D, n_nonzero=5).Z.toarray()
    other = omp_codes(X, (scale[:, None] * D)[order], n_nonzero=5).Z.toarray()
    np.testing.assert_allclose(other * scale[order], plain[:, order], rtol=0, atol=AGREE)
    np.testing.assert_allclose(omp_codes(7 * X, D, n_nonzero=5).Z.toarray(), 7 * plain, rtol=0, atol=7 * AGREE)


def test_threads_change_nothing():
    rng = np.random.default_rng(0)
    D, X = dictionary(rng, 100, 30), rng.standard_normal((3000, 30))
    G, Q, yy = statistics(X, D)
    for code in (
        lambda jobs: batch_omp(G, Q, yy, n_nonzero=7, n_jobs=jobs),
        lambda jobs: omp_codes(X, D, n_nonzero=7, n_jobs=jobs),
    ):
        one, three = code(1), code(3)
        assert np.array_equal(one.Z.data, three.Z.data)
        assert np.array_equal(one.Z.indices, three.Z.indices)
        assert np.array_equal(one.residual_norms, three.residual_norms)


def test_float32_is_kept_and_close():
    rng = np.random.default_rng(1)
    D, X = dictionary(rng), rng.standard_normal((50, 16))
    single = omp_codes(X.astype(np.float32), D.astype(np.float32), n_nonzero=4)
    double = omp_codes(X, D, n_nonzero=4)
    assert single.Z.dtype == np.float32
    assert batch_omp(*[np.float32(a) for a in statistics(X, D)], n_nonzero=4).Z.dtype == np.float32
    np.testing.assert_allclose(single.Z.toarray(), double.Z.toarray(), rtol=0, atol=FLOAT32 * np.abs(double.Z).max())
    np.testing.assert_allclose(single.residual_norms, double.residual_norms, rtol=FLOAT32)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seed", range(5))
def test_dependent_atoms_are_never_taken(seed, dtype):
    """Copies, opposites, sums and zeros: whatever is asked for, the atoms in use stay independent."""
    rng = np.random.default_rng(seed)
    D = dictionary(rng, 6, 8)
    D = np.vstack([D, D[:2], -D[2:3], D[:1] + D[1:2], np.zeros((1, 8))]).astype(dtype)
    X = rng.standard_normal((20, 8)).astype(dtype)
    codes = omp_codes(X, D, n_nonzero=11)
    Z = codes.Z.toarray()
    assert (codes.statuses == PursuitStatus.EXHAUSTED).all()
    assert (np.count_nonzero(Z, axis=1) == 6).all()  # the rank
    assert not Z[:, -1].any()
    for z in Z:
        assert np.linalg.matrix_rank(D[z != 0].astype(float), tol=1e-3) == 6
    best = X - X @ np.linalg.pinv(D[:6].astype(float)) @ D[:6]
    np.testing.assert_allclose(codes.residual_norms, np.linalg.norm(best, axis=1), rtol=FLOAT32)


def test_of_two_equal_atoms_the_first_is_taken():
    G = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    codes = batch_omp(G, np.array([[2.0, 2.0, 1.0]]), np.array([5.0]), n_nonzero=3)
    assert codes.Z.toarray().tolist() == [[2.0, 0.0, 1.0]]
    assert codes.statuses[0] == PursuitStatus.REACHED  # ‖r‖² = 5 − 4 − 1


def test_zero_signals_and_no_signals():
    D = np.eye(3)
    codes = omp_codes(np.array([[0.0, 0, 0], [1, 0, 0]]), D, n_nonzero=2)
    assert codes.Z.toarray().tolist() == [[0, 0, 0], [1, 0, 0]]
    assert codes.residual_norms.tolist() == [0, 0]
    assert codes.statuses.tolist() == [PursuitStatus.REACHED, PursuitStatus.REACHED]
    assert omp_codes(np.empty((0, 3)), D, n_nonzero=2).Z.shape == (0, 3)


def test_a_signal_outside_every_atom_is_told():
    codes = omp_codes(np.array([[0.0, 0.0, 2.0]]), np.eye(3)[:2], tol=0.5)
    assert codes.Z.nnz == 0
    assert codes.residual_norms[0] == 2.0
    assert codes.statuses[0] == PursuitStatus.EXHAUSTED


def test_codes_are_canonical_csr():
    rng = np.random.default_rng(2)
    Z = omp_codes(rng.standard_normal((100, 16)), dictionary(rng), n_nonzero=6).Z
    assert Z.has_canonical_format
    assert Z.shape == (100, 40)
    assert Z.nnz == 600


@pytest.mark.parametrize(
    "change, words",
    [
        ({"n_nonzero": None}, "give n_nonzero, tol or noise"),
        ({"n_nonzero": 0}, "n_nonzero must be ≥ 1"),
        ({"tol": -1.0}, "tol must be ≥ 0"),
        ({"noise": np.nan}, "noise must be a finite number"),
        ({"X": np.ones(3)}, "X must be a matrix"),
        ({"X": np.full((2, 3), np.nan)}, "X holds NaN"),
        ({"D": np.ones((3, 2))}, "atoms in rows"),
        ({"D": np.eye(3) * 1j}, "D must hold real numbers"),
    ],
)
def test_bad_input_is_named(change, words):
    given = {"X": np.ones((2, 3)), "D": np.eye(3), "n_nonzero": 1} | change
    with pytest.raises(InputError, match=words):
        omp_codes(given.pop("X"), given.pop("D"), **given)


@pytest.mark.parametrize(
    "G, Q, yy, words",
    [
        (np.ones((2, 3)), np.ones((1, 3)), [1.0], r"G must be \(k, k\)"),
        (np.eye(3), np.ones((1, 2)), [1.0], r"Q \(n, k\)"),
        (np.triu(np.ones((2, 2))), np.ones((1, 2)), [1.0], "symmetric"),
        (np.eye(2), np.ones((1, 2)), [1.0, 1.0], "yy must hold the 1 squares"),
        (np.eye(2), np.ones((1, 2)), [-1.0], "yy must hold"),
        (np.eye(2), np.ones((1, 2)) * 1j, [1.0], "Q must hold real numbers"),
    ],
)
def test_bad_statistics_are_named(G, Q, yy, words):
    with pytest.raises(InputError, match=words):
        batch_omp(G, Q, yy, n_nonzero=1)
