"""Partial SVD, singular value thresholding and Procrustes: optimality, agreement with LAPACK, and warm starts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse.linalg import aslinearoperator
from scipy.stats import ortho_group

from tamis import InputError
from tamis.solvers.svd import partial_svd, procrustes, singular_value_threshold
from tolerances import AGREE, FLOAT32, ROUNDING


def matrix(seed, n, p, values):
    """U diag(values) Vᵀ with random orthonormal U, V."""
    rng = np.random.default_rng(seed)
    U = np.linalg.qr(rng.standard_normal((n, len(values))))[0]
    V = np.linalg.qr(rng.standard_normal((p, len(values))))[0]
    return (U * values) @ V.T


def check_triplets(A, found, s):
    A = A.toarray() if sparse.issparse(A) else A
    k = len(found.s)
    np.testing.assert_allclose(found.s, s[:k], rtol=0, atol=1e-10 * s[0])
    np.testing.assert_allclose(found.U.T @ found.U, np.eye(k), rtol=0, atol=ROUNDING)
    np.testing.assert_allclose(found.Vt @ found.Vt.T, np.eye(k), rtol=0, atol=ROUNDING)
    right, left = A @ found.Vt.T - found.U * found.s, A.T @ found.U - found.Vt.T * found.s
    measured = np.maximum(np.linalg.norm(right, axis=0), np.linalg.norm(left, axis=0))
    np.testing.assert_allclose(found.residuals, measured, rtol=0, atol=ROUNDING * s[0])
    assert found.residuals.max() <= 1.01e-10 * s[0]
    assert found.status == "converged"


SPECTRA = {
    "decaying": 0.9 ** np.arange(200),
    "flat": np.linspace(2, 1, 200),
    "low rank": np.r_[np.linspace(5, 4, 12), np.zeros(188)],
    "two scales": np.r_[np.full(3, 1e6), np.linspace(2, 1, 197)],
}


@pytest.mark.parametrize("name", SPECTRA)
@pytest.mark.parametrize("shape", [(300, 200), (200, 300)])
@pytest.mark.parametrize("k", [1, 8])
def test_the_largest_triplets_are_found(name, shape, k):
    s = SPECTRA[name]
    A = matrix(k, *shape, s)
    check_triplets(A, partial_svd(A, k, random_state=0), s)


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 99), copies=st.integers(1, 8))
def test_every_copy_of_a_singular_value_is_found(seed, copies):
    """A Krylov space of one vector sees one copy only."""
    s = np.r_[np.full(copies, 3.0), np.linspace(2, 1, 150)]
    A = matrix(seed, 200, 180, s)
    check_triplets(A, partial_svd(A, 10, random_state=seed), s)


@pytest.mark.parametrize("kind", ["csr", "csc", "operator", "fortran"])
def test_any_matrix_with_products_will_do(kind):
    S = sparse.random_array((400, 300), density=0.05, rng=np.random.default_rng(0), format="csr")
    s = np.linalg.svd(S.toarray(), compute_uv=False)
    A = {"csr": S, "csc": S.tocsc(), "operator": aslinearoperator(S), "fortran": np.asfortranarray(S.toarray())}[kind]
    check_triplets(S, partial_svd(A, 6, random_state=0), s)
    wide = partial_svd(A.T, 6, random_state=0)
    np.testing.assert_allclose(wide.s, s[:6], rtol=1e-10)


def test_small_dense_matrices_and_every_triplet():
    A = np.random.default_rng(1).standard_normal((12, 7))
    found = partial_svd(A, 7)
    check_triplets(A, found, np.linalg.svd(A, compute_uv=False))
    np.testing.assert_allclose(found.toarray(), A, rtol=0, atol=ROUNDING)
    every = partial_svd(sparse.csr_array(A), 7, random_state=0)
    np.testing.assert_allclose(every.toarray(), A, rtol=0, atol=ROUNDING)


def test_zero_matrices_and_more_triplets_than_rank():
    found = partial_svd(sparse.csr_array((50, 40)), 3, random_state=0)
    assert found.s.tolist() == [0, 0, 0]
    assert found.status == "converged"
    np.testing.assert_allclose(found.U.T @ found.U, np.eye(3), rtol=0, atol=ROUNDING)
    s = np.array([3.0, 1.0])
    check_triplets(A := matrix(2, 90, 80, s), partial_svd(aslinearoperator(A), 5, random_state=0), np.r_[s, 0, 0, 0])


@pytest.mark.parametrize("shape", [(400, 300), (300, 400)])
def test_a_warm_start_saves_passes(shape):
    rng = np.random.default_rng(3)
    A = matrix(3, *shape, np.linspace(10, 5, 12)) + 0.02 * rng.standard_normal(shape)
    first = partial_svd(A, 12, random_state=0)
    B = A + 1e-3 * rng.standard_normal(shape)
    cold, warm = partial_svd(B, 12, random_state=0), partial_svd(B, 12, start=first, random_state=0)
    rows = partial_svd(B, 12, start=first.Vt, random_state=0)
    assert warm.n_passes < 0.3 * cold.n_passes
    assert rows.n_passes < 0.3 * cold.n_passes
    s = np.linalg.svd(B, compute_uv=False)
    for found in (cold, warm, rows):
        check_triplets(B, found, s)
    assert partial_svd(B, 12, start=warm, random_state=0).n_iter == 1


@pytest.mark.parametrize("seed", range(3))
def test_a_start_far_away_does_no_harm(seed):
    A = matrix(seed, 250, 220, SPECTRA["decaying"])
    start = np.random.default_rng(seed).standard_normal((9, 220))
    check_triplets(A, partial_svd(A, 5, start=start, random_state=seed), SPECTRA["decaying"])


@pytest.mark.parametrize("seed", range(3))
def test_a_start_in_the_wrong_part_is_noticed(seed):
    """Exact triplets, but not the largest: their residuals are zero."""
    A = matrix(seed, 250, 220, SPECTRA["decaying"])
    Vt = np.linalg.svd(A, full_matrices=False)[2]
    check_triplets(A, partial_svd(A, 5, start=Vt[7:12], random_state=seed), SPECTRA["decaying"])
    check_triplets(A, partial_svd(A, 5, start=Vt[1:7], random_state=seed), SPECTRA["decaying"])


def test_same_seed_same_answer_and_signs_are_fixed():
    A = matrix(4, 200, 150, 0.9 ** np.arange(150))
    one, two = partial_svd(A, 4, random_state=5), partial_svd(A, 4, random_state=5)
    assert np.array_equal(one.U, two.U)
    other = partial_svd(-A, 4, random_state=6)
    np.testing.assert_allclose(other.Vt, one.Vt, rtol=0, atol=AGREE)
    np.testing.assert_allclose(other.U, -one.U, rtol=0, atol=AGREE)


def test_running_out_of_rounds_is_told():
    A = matrix(5, 300, 200, SPECTRA["flat"])
    found = partial_svd(A, 5, max_iter=1, random_state=0)
    assert found.status == "max_iter"
    assert found.residuals.max() > 1e-10 * 2


def test_float32_is_kept():
    A = matrix(6, 300, 250, 0.9 ** np.arange(200)).astype(np.float32)
    found = partial_svd(A, 5, random_state=0)
    assert {found.U.dtype, found.s.dtype, found.Vt.dtype} == {np.dtype(np.float32)}
    assert found.status == "converged"
    np.testing.assert_allclose(found.s, 0.9 ** np.arange(5), rtol=FLOAT32)
    low = singular_value_threshold(A, 0.5, random_state=0)
    assert low.toarray().dtype == np.float32
    assert procrustes(A).Q.dtype == np.float32


def nuclear_objective(Z, A, tau):
    return ((Z - A) ** 2).sum() / 2 + tau * np.linalg.svd(Z, compute_uv=False).sum()


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 99), tau=st.sampled_from([0.0, 0.5, 2.0, 50.0]), shape=st.sampled_from([(9, 6), (5, 8), (1, 4)])
)
def test_thresholding_beats_every_perturbation(seed, tau, shape):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal(shape)
    Z = singular_value_threshold(A, tau, random_state=0).toarray()
    best = nuclear_objective(Z, A, tau)
    for size in (1e-3, 0.1, 1.0):
        for other in (Z + size * rng.standard_normal(shape), Z + size * A, (1 - size) * Z):
            assert best <= nuclear_objective(other, A, tau) + ROUNDING * (1 + best)


@pytest.mark.parametrize("tau", [0.01, 0.3, 0.95, 2.0])
def test_thresholding_equals_the_whole_svd(tau):
    s = 0.95 ** np.arange(80)
    A = matrix(7, 110, 80, s)
    U, values, Vt = np.linalg.svd(A, full_matrices=False)
    Z = singular_value_threshold(sparse.csr_array(A), tau, random_state=0)
    np.testing.assert_allclose(Z.toarray(), (U * np.maximum(values - tau, 0)) @ Vt, rtol=0, atol=1e-8)
    assert Z.rank == np.count_nonzero(s > tau)
    left_out = s[Z.rank] if Z.rank < 80 else 0.0
    assert Z.next_value == pytest.approx(left_out, rel=1e-9)
    assert Z.next_value <= tau


def test_thresholding_starts_from_its_last_answer():
    rng = np.random.default_rng(8)
    A = matrix(8, 500, 400, np.linspace(10, 5, 10)) + 0.02 * rng.standard_normal((500, 400))
    first = singular_value_threshold(A, 2.0, random_state=0)
    B = A + 1e-3 * rng.standard_normal(A.shape)
    cold = singular_value_threshold(B, 2.0, random_state=0)
    warm = singular_value_threshold(B, 2.0, start=first, random_state=0)
    assert (first.rank, warm.rank) == (10, 10)
    assert warm.n_passes < cold.n_passes
    np.testing.assert_allclose(warm.toarray(), cold.toarray(), rtol=0, atol=1e-8)
    nothing = singular_value_threshold(B, 100.0, random_state=0)
    assert (nothing.rank, nothing.toarray().any()) == (0, False)
    assert singular_value_threshold(B, 2.0, start=nothing, random_state=0).rank == 10


@pytest.mark.parametrize("shape", [(5, 5), (8, 4), (4, 8)])
@pytest.mark.parametrize("seed", range(3))
def test_procrustes_beats_every_orthonormal_matrix(shape, seed):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal(shape)
    found = procrustes(A)
    small, large = sorted(shape)
    tall = found.Q if shape[0] >= shape[1] else found.Q.T
    np.testing.assert_allclose(tall.T @ tall, np.eye(small), rtol=0, atol=ROUNDING)
    assert found.distance == pytest.approx(np.linalg.norm(A - found.Q), rel=1e-14)
    assert found.rank == small
    for R in ortho_group(large, seed=seed).rvs(200):
        other = R[:, :small] if shape[0] >= shape[1] else R[:small]
        assert found.distance <= np.linalg.norm(A - other) + ROUNDING
    near = np.linalg.qr(tall + 1e-3 * rng.standard_normal(tall.shape))
    other = near[0] * np.sign(np.diag(near[1]))
    assert found.distance <= np.linalg.norm(A - (other if shape[0] >= shape[1] else other.T)) + ROUNDING


def test_procrustes_recovers_a_rotation():
    rng = np.random.default_rng(9)
    R = ortho_group(6, seed=9).rvs()
    X = rng.standard_normal((40, 6))
    np.testing.assert_allclose(procrustes(X.T @ (X @ R)).Q, R, rtol=0, atol=ROUNDING * 100)  # κ(XᵀX) below 100


@pytest.mark.parametrize("shape", [(5, 5), (7, 4), (4, 7)])
@pytest.mark.parametrize("rank", [0, 1, 3])
def test_procrustes_without_full_rank_takes_what_is_nearest_to_the_identity(shape, rank):
    A = matrix(10 + rank, *shape, np.linspace(2, 1, rank))
    found = procrustes(A)
    assert found.rank == rank
    tall = found.Q if shape[0] >= shape[1] else found.Q.T
    np.testing.assert_allclose(tall.T @ tall, np.eye(min(shape)), rtol=0, atol=ROUNDING)
    # the minimum: ‖A‖² − 2 Σ s + min(n, p)
    expected = np.sqrt((found.s**2).sum() - 2 * found.s.sum() + min(shape))
    assert found.distance == pytest.approx(expected, rel=1e-12)
    nearby = procrustes(A + 1e-7 * np.eye(*shape)).Q  # the identity decides what A leaves open
    np.testing.assert_allclose(found.Q, nearby, rtol=0, atol=1e-5)
    if rank == 0:
        np.testing.assert_allclose(found.Q, np.eye(*shape), rtol=0, atol=ROUNDING)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: partial_svd(np.eye(3), 4), "k must be ≥ 1 and ≤ 3"),
        (lambda: partial_svd(np.ones(3), 1), "A must be a matrix"),
        (lambda: partial_svd(np.ones((0, 3)), 1), "at least one row"),
        (lambda: partial_svd([[np.nan]], 1), "A holds NaN"),
        (lambda: partial_svd(aslinearoperator(np.eye(3, dtype=complex)), 1), "float32 or float64"),
        (lambda: partial_svd(sparse.eye_array(30), 1, start=np.ones((2, 3))), r"rows \(k, 30\)"),
        (lambda: partial_svd(sparse.eye_array(30), 1, start=np.full((2, 30), np.inf)), "start holds"),
        (lambda: singular_value_threshold(np.eye(3), -1.0), "tau must be ≥ 0"),
        (lambda: partial_svd(np.eye(3) * 1j, 1), "A must hold real numbers, got dtype complex128"),
        (lambda: partial_svd(sparse.eye_array(30, dtype=complex), 1), "A must hold real numbers"),
        (lambda: partial_svd(np.eye(30), 1, start=np.ones((1, 30)) * 1j), "start must hold real numbers"),
        (lambda: procrustes(np.eye(3) * 1j), "A must hold real numbers"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(InputError, match=words):
        call()
