"""Could it work: coherence, restricted isometry, exact recovery and dual certificates, against brute force."""

import itertools

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from tamis import InputError
from tamis.operators import DCT, DFT, Restriction
from tamis.sensing.coherence import babel, coherence, guaranteed_sparsity
from tamis.sensing.exact_recovery import dual_certificate, exact_recovery
from tamis.sensing.isometry import rip_bounds
from tamis.solvers import orthogonal_matching_pursuit
from tolerances import ROUNDING


def gaussian(m, n, seed=0):
    return np.random.default_rng(seed).standard_normal((m, n)) / np.sqrt(m)


def unit(A):
    return A / np.linalg.norm(A, axis=0)


@settings(max_examples=30, deadline=None)
@given(m=st.integers(1, 8), n=st.integers(2, 12), seed=st.integers(0, 99), complex_=st.booleans())
def test_coherence_and_babel_are_their_formulas(m, n, seed, complex_):
    A = gaussian(m, n, seed) + (1j * gaussian(m, n, seed + 1) if complex_ else 0.0)
    G = np.abs(unit(A).conj().T @ unit(A))
    np.fill_diagonal(G, 0.0)
    assert coherence(A) == pytest.approx(min(G.max(), 1.0), rel=1e-10, abs=ROUNDING)
    expected = [max(sum(sorted(row)[::-1][:k]) for row in G) for k in range(1, n)]
    np.testing.assert_allclose(babel(A, n - 1), expected, rtol=1e-10, atol=ROUNDING)
    if n > m:
        assert coherence(A) >= np.sqrt((n - m) / (m * (n - 1))) - 1e-12  # Welch


def test_coherence_of_known_pairs_of_bases():
    n = 64
    assert coherence(np.hstack([np.eye(n), scipy.linalg.hadamard(n) / 8])) == pytest.approx(1 / 8)
    assert coherence(np.hstack([np.eye(n), DFT(n) @ np.eye(n)])) == pytest.approx(1 / 8)
    assert coherence(np.eye(5)) == 0.0
    assert coherence(np.ones((3, 2))) == pytest.approx(1.0)  # duplicate columns
    assert coherence([[1.0, 2.0]]) == 1.0


def test_storage_and_lengths_of_columns_do_not_matter():
    A = gaussian(10, 30)
    scaled = A * np.random.default_rng(1).uniform(0.1, 10, 30)
    for other in (scaled, sp.csr_array(A), sp.csc_array(A), A.astype(np.float32), np.asfortranarray(A)):
        assert coherence(other) == pytest.approx(coherence(A), rel=1e-5)
    P = Restriction(64, np.arange(0, 64, 3)) @ DCT(64)
    assert coherence(P) == pytest.approx(coherence(P @ np.eye(64)), rel=1e-10)
    assert exact_recovery(scaled, [3, 5]).value == pytest.approx(exact_recovery(A, [3, 5]).value, rel=1e-9)


def test_guaranteed_codes_are_found_by_omp():
    A = np.hstack([np.eye(64), scipy.linalg.hadamard(64) / 8])
    k = guaranteed_sparsity(A)
    assert k >= 4  # (1 + 1/μ)/2 = 4.5
    rng = np.random.default_rng(0)
    for _ in range(20):
        s = np.zeros(128)
        s[rng.permutation(128)[:k]] = rng.standard_normal(k)
        found = orthogonal_matching_pursuit(A, A @ s, n_nonzero=k).w
        np.testing.assert_allclose(found, s, atol=1e-9)
    assert guaranteed_sparsity(np.eye(3)) == 3
    assert guaranteed_sparsity(np.ones((2, 1))) == 1
    assert guaranteed_sparsity(np.ones((3, 2))) == 0  # duplicates: not even one non-zero


def delta(A, k):
    G = A.conj().T @ A
    return max(np.abs(np.linalg.eigvalsh(G[np.ix_(S, S)]) - 1).max() for S in itertools.combinations(range(len(G)), k))


@settings(max_examples=30, deadline=None)
@given(m=st.integers(1, 9), n=st.integers(1, 9), k=st.integers(1, 9), seed=st.integers(0, 99), complex_=st.booleans())
def test_isometry_by_enumeration_is_exact_and_bounds_hold(m, n, k, seed, complex_):
    k = min(k, n)
    A = gaussian(m, n, seed) + (1j * gaussian(m, n, seed + 1) if complex_ else 0.0)
    exact, bounds = rip_bounds(A, k), rip_bounds(A, k, most_supports=0, n_starts=2)
    truth = delta(A, k)
    assert exact.exact
    assert exact.lower == exact.upper == pytest.approx(truth, rel=1e-9)
    assert not bounds.exact
    assert bounds.lower <= truth * (1 + 1e-9)
    assert bounds.upper >= truth * (1 - 1e-9)
    for given_ in (exact, bounds):
        again = given_.verify(A)
        assert again.lower == pytest.approx(given_.lower, rel=1e-9)
        assert again.upper == pytest.approx(given_.upper, rel=1e-9, abs=1e-9)


def test_the_search_finds_nearly_the_worst_support():
    A = gaussian(12, 20, 3)
    for k in (2, 3, 4):
        bounds, truth = rip_bounds(A, k, most_supports=0), delta(A, k)
        assert 0.95 * truth <= bounds.lower <= truth * (1 + 1e-9)


def test_isometry_of_orthonormal_columns_is_zero_and_grows_with_k():
    assert rip_bounds(np.eye(6), 4).upper == pytest.approx(0.0, abs=1e-12)
    A = gaussian(10, 14)
    exact = [rip_bounds(A, k).lower for k in range(1, 6)]
    assert exact == sorted(exact)
    assert rip_bounds(A, 11).lower >= 1.0 - 1e-9  # more columns than rows depend on each other
    assert rip_bounds(3.0 * np.eye(4), 2, normalise=True).upper == pytest.approx(0.0, abs=1e-12)
    assert rip_bounds(3.0 * np.eye(4), 2).lower == pytest.approx(8.0)


def test_isometry_of_an_operator_is_bounded_without_a_matrix_and_in_time():
    P = Restriction(2048, np.arange(0, 2048, 2)) @ DCT(2048) * np.sqrt(2)
    bounds = rip_bounds(P, 5, n_starts=1, time_limit=1e-9)
    assert len(bounds.support) == 5
    X = P @ np.eye(2048)[:, bounds.support]
    assert bounds.lower == pytest.approx(np.abs(np.linalg.eigvalsh(X.T @ X) - 1).max(), rel=1e-9)
    assert 0 < bounds.lower <= bounds.upper


def l1_recovers(A, s):
    """By a linear program on s = s⁺ − s⁻, apart from the certificate."""
    n = A.shape[1]
    found = linprog(np.ones(2 * n), A_eq=np.hstack([A, -A]), b_eq=A @ s, bounds=(0, None)).x
    return np.allclose(found[:n] - found[n:], s, atol=1e-6)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 999), k=st.integers(1, 5))
def test_the_dual_certificate_says_what_a_linear_program_finds(seed, k):
    A, rng = gaussian(8, 16, seed), np.random.default_rng(seed)
    S, values = rng.permutation(16)[:k], rng.standard_normal(k)
    s = np.zeros(16)
    s[S] = values
    found = dual_certificate(A, S, values)
    assert found.recovers is not None
    assert found.recovers == l1_recovers(A, s)
    again = found.verify(A)
    assert again.value == pytest.approx(found.value, rel=1e-9)
    assert again.recovers == found.recovers


def test_the_least_squares_dual_is_not_the_last_word():
    rng = np.random.default_rng(0)
    refined = 0
    for _ in range(20):
        A = gaussian(50, 120, int(rng.integers(1000)))
        S = rng.permutation(120)[:12]
        signs = rng.choice([-1.0, 1.0], 12)
        X = A[:, S]
        plain = np.abs(np.delete(A, S, axis=1).T @ X @ np.linalg.solve(X.T @ X, signs)).max()
        found = dual_certificate(A, S, signs)
        np.testing.assert_allclose(X.T @ found.w, signs, atol=1e-9)
        refined += plain >= 1.0 and found.recovers is True
    assert refined >= 5


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 999), k=st.integers(1, 4))
def test_where_the_condition_holds_omp_and_l1_find_every_code_on_the_support(seed, k):
    A, rng = unit(gaussian(20, 30, seed)), np.random.default_rng(seed)
    S = rng.permutation(30)[:k]
    found = exact_recovery(A, S)
    assert found.verify(A).value == pytest.approx(found.value, rel=1e-9)
    if found.holds:
        s = np.zeros(30)
        s[S] = rng.standard_normal(k)
        pursued = orthogonal_matching_pursuit(A, A @ s, n_nonzero=k).w
        np.testing.assert_allclose(pursued, s, atol=1e-9)
        assert dual_certificate(A, S, s[S]).recovers


def test_complex_columns_and_dependent_ones():
    A = Restriction(16, [0, 1, 3, 7, 9, 12]) @ DFT(16)
    found = dual_certificate(A, [3], [1j])
    assert found.recovers
    assert found.verify(A @ np.eye(16)).recovers
    doubled = np.hstack([gaussian(5, 4), gaussian(5, 4)])
    assert dual_certificate(doubled, [0, 4], [1, 1]).recovers is False
    assert exact_recovery(doubled, [0, 4]).value == np.inf
    assert not exact_recovery(doubled, [0]).holds  # its twin explains it as well
    assert dual_certificate(doubled, [0], [1]).recovers is False
    assert exact_recovery(np.eye(3), [0, 1, 2]).holds


ZERO = np.array([[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]])


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: coherence(ZERO), "column 1 of A is zero"),
        (lambda: babel(ZERO, 1), "column 1 of A is zero"),
        (lambda: coherence([[np.nan, 1.0]]), "NaN or infinite"),
        (lambda: babel(np.eye(3), 3), "k must be ≥ 1 and ≤ 2"),
        (lambda: rip_bounds(np.eye(3), 4), "k must be ≥ 1 and ≤ 3"),
        (lambda: rip_bounds(ZERO, 1, normalise=True), "column 1 of A is zero"),
        (lambda: rip_bounds([[np.nan, 1.0]], 1), "NaN or infinite"),
        (lambda: exact_recovery(np.eye(3), [0, 0]), "different columns from 0 to 2"),
        (lambda: exact_recovery(np.eye(3), [3]), "different columns from 0 to 2"),
        (lambda: exact_recovery(np.eye(3), []), "list of columns"),
        (lambda: exact_recovery(ZERO, [1]), "column 1 of A is zero"),
        (lambda: dual_certificate(np.eye(3), [0], [0.0]), "numbers other than 0"),
        (lambda: dual_certificate(np.eye(3), [0], [1.0, 2.0]), "1 numbers"),
        (lambda: dual_certificate(np.eye(3), [0], [1j]), "signs are complex, but A is real"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(call, words):
    with pytest.raises(InputError, match=words) as error:
        call()
    assert "\n" not in str(error.value)
