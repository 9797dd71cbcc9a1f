"""K-term approximation and thresholds: Parseval's error, the best of all K terms, and noise that goes."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tamis import InputError
from tamis.sensing import (
    hard_threshold,
    k_term,
    noise_level,
    soft_threshold,
    threshold_denoise,
)
from tamis.solvers.thresholds import keep_largest
from tolerances import ROUNDING

ORTHOBASES = ["identity", "fourier", "dct", "haar", "db2"]


@pytest.mark.parametrize("basis", ORTHOBASES)
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 99), K=st.integers(0, 32))
def test_the_error_is_parsevals(basis, seed, K):
    x = np.random.default_rng(seed).standard_normal(32)
    found = k_term(x, basis, n_terms=K)
    assert np.count_nonzero(found.code) == K
    assert found.error == pytest.approx(np.linalg.norm(x - found.signal), rel=1e-8, abs=1e-9)
    assert found.kept_energy == pytest.approx((np.linalg.norm(found.signal) / np.linalg.norm(x)) ** 2, abs=1e-9)


def test_no_other_terms_do_better():
    x = np.random.default_rng(0).standard_normal(8)
    for basis in ("dct", "haar"):
        from tamis.sensing.bases import as_basis

        Psi = as_basis(basis).operator(8) @ np.eye(8)
        for K in range(1, 5):
            others = [np.linalg.lstsq(Psi[:, S], x, rcond=None)[1].sum() for S in itertools.combinations(range(8), K)]
            assert k_term(x, basis, n_terms=K).error == pytest.approx(np.sqrt(min(others)), rel=1e-9)


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 999), K=st.integers(1, 10), a=st.floats(-3, 3), b=st.floats(-3, 3))
def test_a_sum_of_two_sparse_signals_has_at_most_twice_the_terms(seed, K, a, b):
    rng = np.random.default_rng(seed)
    x1, x2 = (k_term(rng.standard_normal(32), "dct", n_terms=K).signal for _ in range(2))
    assert k_term(a * x1 + b * x2, "dct", n_terms=min(32, 2 * K)).error <= 1e-12 * (1 + np.linalg.norm([a, b])) * 32
    both = k_term(x1 + x2, "dct", n_terms=K)
    sizes = np.abs(np.asarray(k_term(x1 + x2, "dct", n_terms=32).code))
    if (sizes > 1e-9).sum() > K:  # not K-sparse in general: something is lost
        assert both.error > 1e-10


def test_terms_by_share_and_by_energy():
    x = np.array([3.0, 0.0, 4.0, 0.0, 0.0, 12.0, 0.0, 0.0])
    assert k_term(x, "identity", share=0.25).n_terms == 2
    assert k_term(x, "identity", energy=1.0).n_terms == 3
    assert k_term(x, "identity", energy=(144 + 16) / 169).n_terms == 2
    assert k_term(x, "identity", energy=0.0).n_terms == 0
    assert k_term(np.zeros(4), "identity", energy=0.9).n_terms == 0
    image = np.outer(np.arange(7.0), np.ones(9))
    found = k_term(image, "db2", share=0.3)  # continued to other lengths: the error is measured
    assert found.signal.shape == image.shape
    assert found.error == pytest.approx(np.linalg.norm(image - found.signal))


def test_images_and_complex_signals():
    rng = np.random.default_rng(0)
    z = rng.standard_normal(16) + 1j * rng.standard_normal(16)
    found = k_term(z, "fourier", n_terms=5)
    assert found.error == pytest.approx(np.linalg.norm(z - found.signal), rel=ROUNDING * 100)
    image = rng.standard_normal((8, 16))
    found = k_term(image, "haar", n_terms=40)
    assert found.error == pytest.approx(np.linalg.norm(image - found.signal), rel=1e-9)


def test_largest_of_equals_are_the_first():
    np.testing.assert_array_equal(keep_largest(np.array([1.0, -2.0, 2.0, 2.0]), 2), [0.0, -2.0, 2.0, 0.0])


@given(v=st.lists(st.floats(-5, 5), min_size=1, max_size=5).map(np.array), threshold=st.floats(0, 3))
def test_thresholds_are_proximal_points(v, threshold):
    """S_τ minimises ½(z − v)² + τ|z|, hard thresholding ½(z − v)² + ½τ²·1[z ≠ 0], on a grid and the answer."""
    for shrink, penalty in (
        (soft_threshold, lambda z: threshold * np.abs(z)),
        (hard_threshold, lambda z: 0.5 * threshold**2 * (z != 0)),
    ):
        for value, answer in zip(v, shrink(v, threshold), strict=True):
            z = np.append(np.linspace(-6, 6, 1201), [0.0, answer])
            cost = 0.5 * (z - value) ** 2 + penalty(z)
            assert cost[-1] <= cost.min() + 1e-12


def test_complex_numbers_keep_their_phase():
    np.testing.assert_allclose(soft_threshold(np.array([3 + 4j, 0j, 0.1j]), 1.0), [2.4 + 3.2j, 0, 0])
    np.testing.assert_allclose(hard_threshold(np.array([3 + 4j, 0.1j]), 1.0), [3 + 4j, 0])


@pytest.mark.parametrize("shape", [4096, (64, 64), (63, 65)])
@pytest.mark.parametrize("sigma", [0.01, 1.0, 30.0])
def test_the_noise_level_is_found(shape, sigma):
    rng = np.random.default_rng(0)
    clean = 5 * sigma * np.cumsum(rng.standard_normal(shape), axis=0) * 0 + 7.0
    noisy = clean + sigma * rng.standard_normal(shape)
    n_fine = np.prod(shape) // (2 if np.ndim(shape) == 0 else 4)
    assert noise_level(noisy) == pytest.approx(sigma, rel=4 * 1.17 / np.sqrt(n_fine))  # MAD: 1.17 σ/√n of error


@pytest.mark.parametrize("rule", ["soft", "hard"])
def test_pure_noise_goes_and_the_signal_stays(rule):
    rng = np.random.default_rng(0)
    noise = rng.standard_normal(4096)
    found = threshold_denoise(noise, "haar", rule=rule)
    assert found.sigma == pytest.approx(1.0, abs=0.1)
    assert found.threshold == pytest.approx(found.sigma * np.sqrt(2 * np.log(4096)))
    assert found.n_kept <= 6  # the coarse part of one number, and 0.2 expected beyond the threshold
    steps = np.repeat(rng.standard_normal(8) * 5, 512)
    cleaned = threshold_denoise(steps + 0.5 * noise, "haar", rule=rule).signal
    assert np.linalg.norm(cleaned - steps) < 0.2 * np.linalg.norm(0.5 * noise)


def test_no_noise_no_change():
    x = np.full((16, 16), 0.5)
    np.testing.assert_allclose(threshold_denoise(x).signal, x, atol=1e-10)
    y = np.random.default_rng(0).standard_normal(64)
    np.testing.assert_allclose(threshold_denoise(y, threshold=0.0).signal, y, atol=1e-10)
    assert np.isnan(threshold_denoise(y, threshold=1.0).sigma)  # not measured where it is not needed


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: k_term(np.ones(4)), "give one of n_terms, share and energy"),
        (lambda: k_term(np.ones(4), n_terms=1, share=0.5), "give one of"),
        (lambda: k_term(np.ones(4), "dct", n_terms=5), "n_terms must be ≥ 0 and ≤ 4"),
        (lambda: k_term(np.ones(4), "dct", share=1.1), "share must be"),
        (lambda: k_term([np.nan, 1.0], "dct", n_terms=1), "NaN or infinite"),
        (lambda: k_term(["a"], "dct", n_terms=1), "signal or an image of numbers"),
        (lambda: k_term(3.0, "dct", n_terms=1), "signal or an image of numbers"),
        (lambda: threshold_denoise(np.ones(4), rule="sotf"), "did you mean 'soft'"),
        (lambda: threshold_denoise(np.ones(4), sigma=-1.0), "sigma must be ≥ 0"),
        (lambda: threshold_denoise(np.ones(4), threshold=-1.0), "threshold must be ≥ 0"),
        (lambda: noise_level(np.ones(1)), "at least two numbers"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(call, words):
    with pytest.raises(InputError, match=words) as error:
        call()
    assert "\n" not in str(error.value)
