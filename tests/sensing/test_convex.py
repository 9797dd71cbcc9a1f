"""ℓ₁ recoveries: their proofs, other solvers of the same problems, and the recursion that predicts message passing."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog, minimize_scalar
from scipy.stats import norm

from tamis import InputError
from tamis.operators import DCT, DFT, Diagonal, Restriction, as_operator
from tamis.sensing import (
    amp,
    basis_pursuit,
    bpdn,
    dantzig,
    fista,
    ista,
    l0,
    reweighted_l1,
    state_evolution,
    total_variation,
)
from tamis.sensing.recoveries.amp import minimax_threshold
from tamis.sensing.recoveries.total_variation import gradient, gradient_adjoint
from tamis.solvers import Status, operator_lars_path
from tamis.solvers.equality_l1 import EqualityL1
from tamis.solvers.homotopy import lasso_homotopy
from tamis.solvers.l1_least_squares import L1LeastSquares, dual_point
from tamis.solvers.support_least_squares import NORM_MARGIN, operator_norm
from tolerances import AGREE


def gaussian(seed, m=40, n=100, k=6):
    rng = np.random.default_rng(seed)
    A, s = rng.standard_normal((m, n)), np.zeros(n)
    s[rng.choice(n, k, replace=False)] = rng.standard_normal(k)
    return A, s, A @ s


@pytest.mark.parametrize("seed", range(8))
def test_basis_pursuit_is_the_linear_programme(seed):
    """Sparse or not: y of 40 random numbers has 40 non-zeros at the least ‖s‖₁."""
    A, _, y = gaussian(seed, k=6 if seed % 2 else 30)
    found = basis_pursuit(A, y)
    n = A.shape[1]
    theirs = linprog(np.ones(2 * n), A_eq=np.hstack([A, -A]), b_eq=y, method="highs")
    assert found.status is Status.CONVERGED
    assert np.abs(found.code).sum() == pytest.approx(theirs.fun, rel=1e-9)
    checked = found.certificate.verify(A, y)
    assert checked.gap <= AGREE * checked.value
    assert checked.residual_norm <= AGREE * np.linalg.norm(y)
    assert checked.bound <= theirs.fun * (1 + 1e-12)


@pytest.mark.parametrize("seed", [38, 61, 141, 182, 1025])
def test_columns_of_very_different_lengths_are_solved(seed):
    """The path's last kinks are below the rounding of its first here; 1025 ends beside y itself."""
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((10, 12)) * 10.0 ** rng.integers(-2, 3, 12)
    y = A[:, :3].sum(axis=1)
    found = basis_pursuit(A, y)
    assert found.status is Status.CONVERGED
    checked = found.certificate.verify(A, y)
    assert checked.gap <= AGREE * checked.value
    assert checked.residual_norm <= AGREE * np.linalg.norm(y)


def test_measurements_of_no_code_are_stalled_at_the_least_residual():
    rng = np.random.default_rng(0)
    A, y = rng.standard_normal((12, 5)), rng.standard_normal(12)
    found = basis_pursuit(A, y)
    assert found.status is Status.STALLED
    assert found.residual_norm == pytest.approx(np.sqrt(np.linalg.lstsq(A, y)[1][0]), rel=1e-9)


def test_a_certificate_of_another_problem_does_not_hold():
    A, _, y = gaussian(0)
    other, _, _ = gaussian(1)
    checked = basis_pursuit(A, y).certificate.verify(other, y)
    assert checked.residual_norm > 0.1 * np.linalg.norm(y)


def test_a_wrong_code_is_not_proved():
    """Another code with the same measurements has a larger norm, and the gap is the difference."""
    A, s, y = gaussian(0)
    found = basis_pursuit(A, y)
    wrong = s + np.linalg.svd(A)[2][-1]
    checked = replace(found.certificate, code=wrong).verify(A, y)
    assert checked.gap == pytest.approx(np.abs(wrong).sum() - np.abs(s).sum(), rel=1e-6)


def test_the_dual_of_least_squares_does_not_prove_but_the_one_found_does():
    """At 500 × 2,000 with 60 non-zeros the least-squares dual leaves the bounds, though the code is right."""
    A, s, y = gaussian(0, 250, 1000, 60)
    S = np.flatnonzero(s)
    naive = A[:, S] @ np.linalg.solve(A[:, S].T @ A[:, S], np.sign(s[S]))
    assert np.abs(A.T @ naive).max() > 1.05
    w = dual_point(as_operator(A), s)
    assert np.abs(A.T @ w).max() <= 1 + 1e-8
    np.testing.assert_allclose(A[:, S].T @ w, np.sign(s[S]), atol=1e-8)
    found = basis_pursuit(A, y)
    assert found.certificate.gap <= AGREE * np.abs(s).sum()
    np.testing.assert_allclose(found.code, s, atol=AGREE)


@pytest.mark.parametrize("seed", range(20))
def test_the_path_without_gram_is_the_path(seed):
    """Also with rounded entries, which tie, copies of columns and zero columns."""
    rng = np.random.default_rng(seed)
    m, n = ((30, 20), (20, 60))[seed % 2]
    A, y = rng.standard_normal((m, n)), rng.standard_normal(m)
    if seed % 3 == 0:
        A, y = np.round(A), np.round(3 * y)
    if seed % 4 == 0:
        A[:, 5], A[:, 7] = A[:, 3], 0.0
    path = operator_lars_path(A, y)
    for share in (0.0, 0.1, 0.5):
        lam = share * m * path.alphas[0]
        end = lasso_homotopy(as_operator(A), y, lam=lam)
        expected = path.coef_at(lam / m)
        assert end.status is Status.CONVERGED
        values = [0.5 * np.sum((y - A @ s) ** 2) + lam * np.abs(s).sum() for s in (end.s, expected)]
        assert values[0] == pytest.approx(values[1], rel=1e-9, abs=1e-12)
        assert np.abs(end.s).sum() == pytest.approx(np.abs(expected).sum(), rel=1e-7)


@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("noise", [0.1, 1.0, 5.0])
def test_within_a_radius_and_penalised_are_one_problem(noise, dtype):
    rng = np.random.default_rng(0)
    A, s, y = gaussian(0)
    if dtype is complex:
        A = A + 1j * rng.standard_normal(A.shape)
        y = A @ s
    y = y + 0.05 * rng.standard_normal(len(y))
    found = bpdn(A, y, noise=noise)
    assert found.status is Status.CONVERGED
    assert found.residual_norm == pytest.approx(noise, rel=1e-6)
    checked = found.certificate.verify(A, y)
    assert checked.gap <= 1e-7 * checked.value
    alpha = np.abs(A.conj().T @ (y - A @ found.code)).max() / len(y)
    again = bpdn(A, y, alpha=alpha, tol=1e-12)
    np.testing.assert_allclose(again.code, found.code, atol=2e-4)


@pytest.mark.parametrize("function", [ista, fista, bpdn])
def test_penalised_codes_satisfy_their_conditions(function):
    """|Aᵀr|/m ≤ α everywhere, and = α sign(s) on the support."""
    A, _, y = gaussian(2, 60, 100)
    alpha = 0.1 * np.abs(A.T @ y).max() / len(y)
    found = function(A, y, alpha=alpha, tol=1e-10)
    assert found.status is Status.CONVERGED
    c = A.T @ (y - A @ found.code) / len(y)
    assert np.abs(c).max() <= alpha * (1 + 1e-3)
    on = np.abs(found.code) > 1e-3
    np.testing.assert_allclose(c[on], alpha * np.sign(found.code[on]), rtol=1e-3)
    checked = found.certificate.verify(A, y)
    assert -1e-12 <= checked.gap <= 1e-10 * np.sum(y**2) / (2 * len(y)) * 1.001


def test_operators_never_written_out_satisfy_the_same_bounds():
    rng = np.random.default_rng(1)
    n, m = 512, 200
    A = Restriction(n, np.sort(rng.choice(n, m, replace=False))) @ DCT(n)
    s = np.zeros(n)
    s[rng.choice(n, 15, replace=False)] = rng.standard_normal(15)
    y = A @ s + 0.01 * rng.standard_normal(m)
    noise = 0.01 * np.sqrt(m)
    dense = A.columns(np.arange(n))
    ours, exact = bpdn(A, y, noise=noise), bpdn(dense, y, noise=noise)
    assert ours.status is Status.CONVERGED
    assert exact.status is Status.CONVERGED
    np.testing.assert_allclose(ours.code, exact.code, atol=1e-6)


@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("noise", [1e-7, 1e-9])
def test_within_a_radius_that_is_next_to_nothing(noise, dtype):
    """Falling λ do not come so near; the code that measures y is proved to be as good."""
    A, s, _ = gaussian(3)
    A = A.astype(dtype) * (1 if dtype is float else np.exp(1j * np.arange(40 * 100).reshape(40, 100)))
    found = bpdn(A, A @ s, noise=noise)
    assert found.status is Status.CONVERGED
    assert np.linalg.norm(A @ s - A @ found.code) <= noise * (1 + 1e-6)
    checked = found.certificate.verify(A, A @ s)
    assert checked.gap <= 1e-7 * checked.value


def test_columns_that_see_what_is_left_join_before_λ_falls():
    """Small entries of a code would ask for λ below them, 190 steps; they stand out of what least squares leave."""
    rng = np.random.default_rng(0)
    A = Restriction(1024, np.sort(rng.choice(1024, 256, replace=False))) @ DCT(1024)
    s = np.zeros(1024)
    s[rng.choice(1024, 51, replace=False)] = rng.standard_normal(51)
    found = basis_pursuit(A, A @ s)
    assert found.status is Status.CONVERGED
    np.testing.assert_allclose(found.code, s, atol=1e-12)
    assert found.n_iter <= 100


def test_a_radius_that_zero_meets_gives_zero():
    A, _, y = gaussian(0)
    found = bpdn(A, y, noise=2 * np.linalg.norm(y))
    assert not found.code.any()
    assert found.certificate.gap == 0


def test_alpha_and_noise_together_are_refused():
    A, _, y = gaussian(0)
    with pytest.raises(InputError, match="either alpha"):
        bpdn(A, y, alpha=0.1, noise=0.1)


@pytest.mark.parametrize(("delta", "rho"), [(0.25, 0.267), (0.5, 0.386), (0.75, 0.534)])
def test_the_threshold_of_message_passing_is_that_of_the_transition(delta, rho):
    """The largest sparsity over thresholds is the ℓ₁ transition of Donoho & Tanner (2009)."""

    def sparsity(z):
        risk = (1 + z**2) * norm.cdf(-z) - z * norm.pdf(z)
        return (1 - 2 / delta * risk) / (1 + z**2 - 2 * risk)

    z = minimax_threshold(delta)
    assert sparsity(z) == pytest.approx(rho, abs=0.001)
    best = minimize_scalar(lambda t: -sparsity(t), bounds=(0.1, 5), method="bounded")
    assert z == pytest.approx(best.x, abs=1e-3)


def test_message_passing_follows_its_state_evolution():
    """Mean of 3 runs; the error of a run falls with 1/√n."""
    n, delta, rho = 4_000, 0.5, 0.2
    m, k = int(delta * n), int(rho * delta * n)
    errors, predicted = [], []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        A, s = rng.standard_normal((m, n)) / np.sqrt(m), np.zeros(n)
        s[:k] = rng.standard_normal(k)
        predicted.append(delta * state_evolution(delta, s, n_iter=8))
        errors.append([np.mean((amp(A, A @ s, max_iter=t, tol=1e-12).code - s) ** 2) for t in (1, 3, 6)])
    np.testing.assert_allclose(np.mean(errors, axis=0), np.mean(predicted, axis=0)[[1, 3, 6]], rtol=0.1)


def test_state_evolution_is_its_expectation():
    rng = np.random.default_rng(0)
    X = np.array([2.0, 0.0, 0.0])
    tau2 = state_evolution(0.5, X, threshold=1.1, n_iter=2)
    V = X[:, None] + np.sqrt(tau2[0]) * rng.standard_normal((3, 400_000))
    t = 1.1 * np.sqrt(tau2[0])
    soft = V - np.clip(V, -t, t)
    assert tau2[1] == pytest.approx(np.mean((soft - X[:, None]) ** 2) / 0.5, rel=0.01)


def test_reweighting_recovers_from_fewer_measurements():
    """At 40 of 100 with 17 non-zeros basis pursuit fails on most of these, reweighting on few."""
    plain, weighted = 0, 0
    for seed in range(10):
        A, s, y = gaussian(seed, k=15)
        plain += np.allclose(basis_pursuit(A, y).code, s, atol=1e-6)
        weighted += np.allclose(reweighted_l1(A, y).code, s, atol=1e-4)
    assert weighted >= plain + 2


def test_the_dantzig_selector_is_proved_and_below_the_lasso():
    A, _, y = gaussian(0, 40, 60)
    alpha = 0.1 * np.abs(A.T @ y).max() / len(y)
    found = dantzig(A, y, alpha=alpha)
    checked = found.certificate.verify(A, y)
    assert found.status is Status.CONVERGED
    assert checked.gap <= 1e-6 * checked.value
    assert checked.correlation <= alpha * (1 + 1e-6)
    assert checked.value <= np.abs(bpdn(A, y, alpha=alpha).code).sum() * (1 + 1e-9)
    with pytest.raises(InputError, match="real"):
        dantzig(A + 0j, y, alpha=alpha)


@pytest.mark.parametrize("dtype", [float, complex])
def test_the_best_support_is_that_of_all_supports(dtype):
    rng = np.random.default_rng(0)
    A, y = rng.standard_normal((10, 14)).astype(dtype), rng.standard_normal(10)
    if dtype is complex:
        A = A + 1j * rng.standard_normal(A.shape)
    for k in (1, 2, 3):
        found = l0(A, y, n_nonzero=k)
        assert found.status is Status.CONVERGED
        assert np.count_nonzero(found.code) == k
        assert found.certificate.verify(A, y).bound == pytest.approx(found.residual_norm, rel=1e-9)


def test_the_sparsest_code_is_found_where_others_fail():
    """6 measurements of 20 unknowns, 3 non-zeros: ‖s‖₁ is smaller elsewhere, ‖s‖₀ is not."""
    rng = np.random.default_rng(3)
    A, s = rng.standard_normal((6, 20)), np.zeros(20)
    s[[4, 9, 15]] = 1.0, 1.0, -1.0
    found = l0(A, A @ s)
    np.testing.assert_allclose(found.code, s, atol=AGREE)
    proof = found.certificate.verify(A, A @ s)
    assert proof.n_nonzero == 2
    assert proof.bound > 1e-3
    limited = l0(A, A @ s, max_nodes=2)
    assert limited.status is Status.MAX_ITER
    assert limited.certificate is None


def test_differences_and_their_adjoint():
    rng = np.random.default_rng(0)
    x, p = rng.standard_normal(12), rng.standard_normal((2, 3, 4))
    p[0, -1], p[1, :, -1] = 0, 0
    assert np.vdot(p, gradient(x, (3, 4))) == pytest.approx(np.vdot(gradient_adjoint(p), x))


def test_an_image_of_few_edges_from_few_fourier_samples():
    rng = np.random.default_rng(0)
    image = np.zeros((24, 24))
    image[4:12, 6:18], image[14:20, 2:9] = 1.0, -0.5
    kept = rng.random(576) < 0.4
    kept[0] = True
    A = Restriction(576, kept) @ DFT((24, 24))
    found = total_variation(A, A @ image.ravel(), shape=(24, 24), noise=0.0, tol=1e-4)
    assert found.status is Status.CONVERGED
    assert np.linalg.norm(found.code - image.ravel()) < 0.02 * np.linalg.norm(image)
    with pytest.raises(InputError, match="shape must have 576 pixels"):
        total_variation(A, A @ image.ravel(), shape=(24, 25), noise=0.0)


def test_the_least_penalised_variation_is_the_taut_string():
    """Two levels of 8 numbers each: every level moves by mα/8 towards the other (A = I, m = 16)."""
    y = np.repeat([0.0, 1.0], 8)
    found = total_variation(np.eye(16), y, alpha=0.05, tol=1e-8)
    np.testing.assert_allclose(found.code, np.repeat([0.1, 0.9], 8), atol=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_the_estimated_norm_comes_from_below_and_its_margin_from_above(seed):
    rng = np.random.default_rng(seed)
    tall, wide = rng.standard_normal((200, 100)), rng.standard_normal((50, 80))
    for A in (tall, wide, wide + 1j * rng.standard_normal(wide.shape), np.zeros((3, 4)), np.abs(wide)):
        exact = np.linalg.norm(A, 2)
        assert operator_norm(as_operator(A, complex_ok=True)) <= exact * (1 + 1e-12)
        assert NORM_MARGIN * operator_norm(as_operator(A, complex_ok=True)) >= exact


def test_steps_that_are_too_long_at_first_are_shortened():
    A, _, y = gaussian(0)
    problem = L1LeastSquares(as_operator(A), y, 1.0, 1e-3 * np.linalg.norm(A, 2) ** 2)
    found = problem.descend(goal=lambda gap, value: gap <= 1e-9 * value)
    assert found.status is Status.CONVERGED
    assert 1.2 * np.linalg.norm(A, 2) ** 2 >= problem.L


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("function", [fista, ista, bpdn])
def test_the_certificate_proves_what_the_status_says(function, seed):
    """The residual's best multiple is handed over, which may be longer than the residual."""
    rng = np.random.default_rng(seed)
    A, y = rng.standard_normal((6, 4)), rng.standard_normal(6)
    for complex_numbers in (False, True):
        B = A + 1j * rng.standard_normal(A.shape) if complex_numbers else A
        found = function(B, y, alpha=0.9 * np.abs(B.conj().T @ y).max() / 6)
        assert found.status is Status.CONVERGED
        least = np.sum(np.abs(y) ** 2) / 12
        assert found.certificate.verify(B, y).gap <= 1.01e-7 * least
        assert found.certificate.gap == pytest.approx(found.diagnostics.measured["gap"], abs=1e-12 * least)


def test_a_radius_that_cannot_be_reached_is_stalled():
    rng = np.random.default_rng(11)
    a = rng.standard_normal((7, 1)) + 0j
    y = a[:, 0] + 0.1 * rng.standard_normal(7)
    found = bpdn(a, y, noise=0.1 * np.linalg.norm(y))
    assert found.status is Status.STALLED
    assert found.residual_norm == pytest.approx(np.sqrt(np.linalg.lstsq(a, y + 0j)[1][0].real), rel=1e-3)


@pytest.mark.parametrize("shape", [(20, 50, 13), (1, 9, 2), (6, 8, 8)])
def test_complex_codes_that_are_not_sparse_are_proved(shape):
    """Their minimisers may have more non-zeros than rows, which least squares on a support never finds."""
    m, n, k = shape
    rng = np.random.default_rng(0)
    A, s = rng.standard_normal((m, n)) + 1j * rng.standard_normal((m, n)), np.zeros(n, complex)
    s[:k] = rng.standard_normal(k) + 1j * rng.standard_normal(k)
    found = basis_pursuit(A, A @ s)
    assert found.status is Status.CONVERGED
    checked = found.certificate.verify(A, A @ s)
    assert checked.gap <= 1e-7 * checked.value
    assert checked.residual_norm <= AGREE * np.linalg.norm(A @ s)


def test_dense_signals_behind_operators_are_solved_as_their_matrices():
    rng = np.random.default_rng(3)
    A = Restriction(64, np.sort(rng.choice(64, 30, replace=False))) @ DCT(64)
    y = A @ rng.standard_normal(64)
    ours, matrix = basis_pursuit(A, y), basis_pursuit(A.columns(np.arange(64)), y)
    assert ours.status is Status.CONVERGED
    np.testing.assert_allclose(ours.code, matrix.code, atol=AGREE)


def test_alternating_directions_find_the_same_code_and_measure_y():
    """Rows of a transform, a matrix, and one that is not in memory, whose rows depend on each other."""
    rng = np.random.default_rng(0)
    A = rng.standard_normal((20, 60))
    twice = np.vstack([A, A[:1]])
    rows = Restriction(60, np.sort(rng.choice(60, 20, replace=False))) @ DCT(60)
    for B in (rows, as_operator(A), as_operator(twice), as_operator(twice) @ Diagonal(np.ones(60))):
        y = B @ rng.standard_normal(60)
        s, w, status, _ = EqualityL1(B, y.dtype).solve(y, None, tol=1e-3, max_iter=20_000)
        exact = basis_pursuit(B.columns(np.arange(60)), y)
        assert status is Status.CONVERGED
        assert np.linalg.norm(B @ s - y) <= AGREE * np.linalg.norm(y)
        assert np.abs(B.T @ w).max() <= 1 + 1e-12
        assert np.abs(s).sum() == pytest.approx(np.abs(exact.code).sum(), rel=1e-3)
    s, _, status, _ = EqualityL1(as_operator(twice), y.dtype).solve(rng.standard_normal(21), None, tol=1e-6, max_iter=9)
    assert status is Status.STALLED


def test_ended_early_the_code_is_the_best_so_far():
    rng = np.random.default_rng(0)
    A = Restriction(4096, np.sort(rng.choice(4096, 2048, replace=False))) @ DCT(4096)
    y = A @ rng.standard_normal(4096)
    found = basis_pursuit(A, y, max_iter=200)
    assert found.status is Status.MAX_ITER
    assert found.residual_norm <= 1e-6 * np.linalg.norm(y)
    assert 0 < found.certificate.gap < 0.1 * found.certificate.value
