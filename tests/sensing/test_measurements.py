"""Measurements: what each is, that seeds fix them, and what cannot be asked."""

import numpy as np
import pytest
import scipy.fft
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from tamis import InputError
from tamis.operators import DFT, mirrored_frequencies, radial_lines
from tamis.sensing.measurements import (
    Bernoulli,
    Gaussian,
    PartialDCT,
    PartialFourier,
    PartialHadamard,
    Samples,
    as_measurement,
)
from tamis.testing import check_operator
from tolerances import ROUNDING

KINDS = [Gaussian, Bernoulli, PartialDCT, PartialFourier, PartialHadamard, Samples]


def full(A):
    return A @ np.eye(A.shape[1])


@pytest.mark.parametrize("shape", [1, 2, 13, 32, (4, 6), (8, 8)])
@pytest.mark.parametrize("kind", KINDS)
def test_laws_and_counts(kind, shape):
    A = kind(0.4, random_state=1).operator(shape)
    n = int(np.prod(shape))
    assert A.shape[1] == n
    assert max(1, round(0.4 * n)) - A.shape[0] in ((0, 1) if kind is PartialFourier else (0,))
    check_operator(A)


@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_fixes_the_measurement(kind):
    first, again, other = (full(kind(0.5, random_state=seed).operator((6, 8))) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first, again)
    assert first.shape != other.shape or not np.array_equal(first, other)
    np.testing.assert_array_equal(first, full(clone(kind(0.5, random_state=3)).operator((6, 8))))


@pytest.mark.parametrize("kind", [PartialDCT, PartialHadamard, Samples])
def test_rows_of_subsampled_transforms_are_orthonormal(kind):
    A = full(kind(0.4, random_state=0).operator(64))
    np.testing.assert_allclose(A @ A.T, np.eye(len(A)), atol=ROUNDING)


@pytest.mark.parametrize("kind", [Gaussian, Bernoulli])
def test_columns_of_random_matrices_have_unit_length(kind):
    A = full(kind(n_measurements=400, random_state=0).operator(500))
    assert np.linalg.norm(A, axis=0) == pytest.approx(1.0, abs=0.2)  # 1/√(2m) = 0.035 for a Gaussian column
    assert np.mean(A**2) == pytest.approx(1 / 400, rel=0.03)


def test_partial_transforms_have_rows_of_the_transform():
    x = np.random.default_rng(0).standard_normal((8, 4))
    spectrum = scipy.fft.dctn(x, norm="ortho").ravel()
    assert np.isin((PartialDCT(0.5, random_state=0).operator((8, 4)) @ x.ravel()).round(9), spectrum.round(9)).all()
    measurement = PartialFourier(0.5, random_state=0)
    y = measurement.operator((8, 4)) @ x.ravel()
    np.testing.assert_allclose(y, (DFT((8, 4)) @ x.ravel())[measurement.frequencies((8, 4))], atol=ROUNDING)


@settings(max_examples=50, deadline=None)
@given(
    shape=st.one_of(st.integers(1, 40), st.tuples(st.integers(1, 9), st.integers(1, 9))),
    rate=st.floats(0.05, 1.0),
    pattern=st.sampled_from(["uniform", "density"]),
    seed=st.integers(0, 99),
)
def test_frequencies_come_with_their_mirrors_and_the_mean(shape, rate, pattern, seed):
    measurement = PartialFourier(rate, pattern=pattern, random_state=seed)
    taken = measurement.frequencies(shape)
    assert 0 in taken
    assert set(mirrored_frequencies(shape)[taken]) == set(taken)
    assert measurement.count(shape) - len(taken) in (0, 1)
    alone = PartialFourier(rate, pattern=pattern, mirrored=False, random_state=seed).frequencies(shape)
    assert len(alone) == measurement.count(shape)


def test_density_takes_low_frequencies_more_often():
    shape = (64, 64)
    k = np.hypot(*np.meshgrid(np.fft.fftfreq(64, 1 / 64), np.fft.fftfreq(64, 1 / 64))).ravel()
    drawn = {p: PartialFourier(0.2, pattern=p, random_state=0).frequencies(shape) for p in ("uniform", "density")}
    mean = {p: k[rows].mean() for p, rows in drawn.items()}
    assert mean["uniform"] == pytest.approx(k.mean(), rel=0.05)
    assert mean["density"] < 0.7 * mean["uniform"]
    low = PartialDCT(0.2, pattern="density", random_state=0).operator((64, 64))
    rows, columns = np.unravel_index(low.parts[0].rows, shape)
    assert np.hypot(rows, columns).mean() < 0.7 * 64 * 0.77  # mean distance from a corner of a square: 0.765


def test_positions_are_drawn_with_equal_chances():
    counts = np.zeros(20)
    for seed in range(2000):
        counts[Samples(0.25, random_state=seed).operator(20).rows] += 1
    assert counts.sum() == 10_000
    assert np.abs(counts - 500).max() < 5 * np.sqrt(500 * 0.75)


def test_radial_lines_are_as_many_as_the_rate_allows():
    shape = (32, 48)
    for rate in (0.1, 0.25, 0.5):
        m = PartialFourier(rate, pattern="radial").operator(shape).shape[0]
        counts = np.array([radial_lines(shape, lines).sum() for lines in range(1, 60)])
        assert m == counts[counts <= rate * 32 * 48].max()
    assert PartialFourier(pattern="radial", n_lines=1).operator(shape).shape[0] == 48


def test_hadamard_of_other_lengths_is_that_of_a_signal_followed_by_zeros():
    x = np.arange(12.0)
    plain = PartialHadamard(1.0, scrambled=False, random_state=0)
    longer = full(plain.operator(16))
    A = plain.operator(12)
    assert A.shape == (12, 12)
    assert np.isin((A @ x).round(9), (longer @ np.append(x, np.zeros(4))).round(9)).all()
    assert np.abs(full(A)) == pytest.approx(0.25)


def test_large_transforms_are_never_stored():
    for kind in (PartialDCT, PartialFourier, PartialHadamard, Bernoulli):
        A = kind(0.25, random_state=0).operator((1024, 1024))  # 2 TB as a matrix
        assert A.shape[1] == 1 << 20
    with pytest.raises(InputError, match=r"a Gaussian matrix of .* needs .* measure by PartialDCT"):
        Gaussian(0.25).operator((1024, 1024))


def test_short_names_and_matrices():
    assert isinstance(as_measurement("partial_dct"), PartialDCT)
    A = np.ones((2, 5))
    assert as_measurement(A).operator(5).shape == (2, 5)
    assert as_measurement(A).count(5) == 2
    with pytest.raises(InputError, match="measurement has 5 columns and the signals have 6"):
        as_measurement(A).operator(6)
    with pytest.raises(InputError, match="did you mean 'partial_dct'"):
        as_measurement("partial_dtc")
    with pytest.raises(InputError, match="measurement must be one of"):
        as_measurement(3)


@pytest.mark.parametrize(
    "make, words, argument",
    [
        (lambda: Gaussian(0.0).operator(5), "rate must be > 0 and ≤ 1, got 0.0", "rate"),
        (lambda: Gaussian(1.5).operator(5), "rate must be > 0 and ≤ 1", "rate"),
        (lambda: Gaussian("a").operator(5), "rate must be a finite number", "rate"),
        (lambda: Gaussian(n_measurements=6).operator(5), "n_measurements must be at most 5", "n_measurements"),
        (lambda: Gaussian(n_measurements=0).operator(5), "n_measurements must be ≥ 1", "n_measurements"),
        (lambda: Gaussian().operator(0), "shape must be ≥ 1", "shape"),
        (lambda: Gaussian(random_state=-1).operator(3), "random_state must be ≥ 0", "random_state"),
        (lambda: PartialDCT(pattern="radial").operator((4, 4)), "pattern must be one of", "pattern"),
        (lambda: PartialFourier(pattern="radial").operator(16), "is for images", "pattern"),
        (lambda: PartialFourier(0.01, pattern="radial").operator((16, 16)), "one radial line has 16", "rate"),
        (lambda: PartialFourier(n_lines=3).operator((4, 4)), "n_lines is for pattern='radial'", "n_lines"),
        (lambda: PartialFourier(mirrored=2).operator(4), "mirrored must be one of True, False", "mirrored"),
        (lambda: Samples(observed=[True]).operator(2), r"booleans of shape \(2,\)", "observed"),
        (lambda: Samples(observed=[False, False]).operator(2), "some of them True", "observed"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(make, words, argument):
    with pytest.raises(InputError, match=words) as error:
        make()
    assert "\n" not in str(error.value)
    assert error.value.argument == argument
