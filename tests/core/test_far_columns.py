"""Which sparse columns are far from zero, and a sum that cancels without a trace."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from tamis._core.far_columns import FAR, exact_sum, far_columns, real_variance

NUMBERS = st.lists(st.tuples(st.floats(-1e10, 1e10), st.floats(-1e10, 1e10)), max_size=8)


@given(start=st.floats(-1e20, 1e20), terms=NUMBERS)
def test_exact_sum_rounds_once(start, terms):
    large = [(a, b) for a, b in terms if abs(a) > 1e-100 and abs(b) > 1e-100]  # else what rounding takes off underflows
    a, b = (np.array([t[i] for t in large]) for i in (0, 1))
    expected = Fraction(start) + sum(Fraction(x) * Fraction(y) for x, y in large)
    assert exact_sum(start, a, b) == float(expected)


@given(seed=st.integers(0, 99), stored=st.floats(0.5, 1.0), far=st.floats(0, 100), weighted=st.booleans())
def test_no_far_column_is_overlooked(seed, stored, far, weighted):
    rng = np.random.default_rng(seed)
    X = (rng.standard_normal((50, 4)) + far) * (rng.random((50, 4)) < stored)
    share = rng.random(50) ** 8 * (rng.random(50) < 0.8) if weighted else np.ones(50)  # some rows all but nothing
    share = share / share.sum()
    mean = share @ X
    ratio = np.abs(mean) / np.sqrt(share @ (X - mean) ** 2)
    clear = np.abs(ratio / FAR - 1) > 1e-9
    for make in (sp.csr_array, sp.csc_array):
        S, means = far_columns(make(X), share)
        np.testing.assert_array_equal(np.isin(np.arange(4), S)[clear], (ratio > FAR)[clear])
        np.testing.assert_allclose(means, mean[S], rtol=1e-13)


@pytest.mark.parametrize("make", [sp.csr_array, sp.csc_array])
def test_what_is_no_number_is_not_far(make):
    X = np.full((10, 2), 1e8)
    X[3, 0] = np.nan
    S, _ = far_columns(make(X), np.full(10, 0.1))
    assert S.tolist() == [1]


def test_a_variance_that_is_no_number_is_not_that_of_a_constant_column():
    variance = np.array([np.inf, np.nan, 1e-40, 0.0, 1.0])
    mean = np.array([1e200, np.nan, 1.0, 0.0, 1e300])
    np.testing.assert_array_equal(real_variance(variance, mean), [np.inf, np.nan, 0.0, 0.0, 0.0])
