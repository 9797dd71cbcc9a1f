"""The kernels of transforms and random matrices, against their specifications."""

import numpy as np
import pytest

from reference.hadamard import fwht
from reference.random_signs import signs, word
from tamis._kernels import kernels
from tolerances import EPS

SINGLE = 2.0**-23


@pytest.mark.parametrize("dtype, eps", [(np.float32, SINGLE), (np.float64, EPS)])
@pytest.mark.parametrize("m", [1, 3])
@pytest.mark.parametrize("levels", range(14))
def test_fast_hadamard_is_the_product_with_the_matrix(levels, m, dtype, eps):
    n = 2**levels
    X = np.random.default_rng(levels).standard_normal((m, n)).astype(dtype)
    out = np.full_like(X, np.nan)
    kernels.fwht(X, out, n**-0.5, 2)
    # A sum of n numbers in `levels` additions each: levels · eps of the sum of their sizes, over √n.
    np.testing.assert_allclose(
        out, fwht(X, n**-0.5), rtol=0, atol=(levels + 2) * eps * np.abs(X).sum(axis=1).max() / n**0.5
    )


@pytest.mark.parametrize("levels", [15, 18, 21])
def test_long_hadamard_transforms_are_their_own_inverse_and_find_single_waves(levels):
    n = 2**levels
    X = np.random.default_rng(0).standard_normal((1, n))
    once, twice = np.empty_like(X), np.empty_like(X)
    kernels.fwht(X, once, n**-0.5, 2)
    kernels.fwht(once, twice, n**-0.5, 2)
    np.testing.assert_allclose(twice, X, rtol=0, atol=2 * levels * EPS * np.linalg.norm(X))
    j = n // 3
    wave = 1.0 - 2.0 * (np.bitwise_count(np.arange(n) & j) & 1)
    kernels.fwht(wave[None], once, 1.0 / n, 1)
    np.testing.assert_array_equal(once[0], np.eye(1, n, j)[0])  # sums of ±1 over a power of two: exact


@pytest.mark.parametrize("n_threads", [2, 5])
def test_hadamard_does_not_depend_on_threads(n_threads):
    X = np.random.default_rng(1).standard_normal((3, 2**14))
    one, many = np.empty_like(X), np.empty_like(X)
    kernels.fwht(X, one, 1.0, 1)
    kernels.fwht(X, many, 1.0, n_threads)
    np.testing.assert_array_equal(one, many)


def test_splitmix_is_the_published_generator():
    assert [word(0, k) for k in range(3)] == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize("m, n", [(1, 1), (3, 64), (5, 130), (2, 63)])
@pytest.mark.parametrize("key", [0, 2**64 - 1])
def test_random_signs_are_bits_of_the_generator(key, m, n, n_threads):
    expected, rng = signs(key, m, n), np.random.default_rng(0)
    out = np.zeros((m, n))
    kernels.sign_rows(key, 0, out, n_threads)
    np.testing.assert_array_equal(out, expected)
    last = np.zeros((1, n))
    kernels.sign_rows(key, m - 1, last, n_threads)
    np.testing.assert_array_equal(last[0], expected[-1])
    rows, columns = rng.integers(0, m, 7), rng.integers(0, n, 9)
    some = np.zeros((7, 9))
    kernels.sign_entries(key, n, rows, columns, some, n_threads)
    np.testing.assert_array_equal(some, expected[np.ix_(rows, columns)])
