"""The sensor: what it measures it recovers, in the shape it came in; and phase transitions."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from tamis import InputError
from tamis._core.evidence import Status
from tamis.sensing import (
    FISTA,
    OMP,
    BasisPursuit,
    Bernoulli,
    CompressedSensor,
    Gabor,
    Gaussian,
    PartialDCT,
    PartialFourier,
    PartialHadamard,
    Samples,
    TotalVariation,
    donoho_tanner,
    phase_transition,
)
from tamis.sensing.bases import as_basis
from tamis.sensing.phase_transition import half_line

EXACT = 1e-6  # relative; recoveries end at a relative residual of 1e-7


def planted(basis, shape, k, seed=0):
    rng = np.random.default_rng(seed)
    n = as_basis(basis).operator(shape).shape[1]
    s = np.zeros(n)
    s[rng.permutation(n)[:k]] = rng.choice([-1.0, 1.0], k) * rng.uniform(1, 2, k)
    return as_basis(basis).synthesise(s, shape)


SIGNALS = [("identity", 128), ("dct", 128), ("fourier", 127), ("haar", 128), (None, 120)]
IMAGES = [("haar", (16, 16)), ("dct", (12, 10)), ("db2", (16, 8))]


@pytest.mark.parametrize("basis, shape", SIGNALS + IMAGES)
@pytest.mark.parametrize("kind", [Gaussian, Bernoulli, PartialHadamard])
def test_what_is_sparse_comes_back(kind, basis, shape):
    x = planted(basis, shape, 4)
    for recovery in ("basis_pursuit", OMP(n_nonzero=4)):
        sensor = CompressedSensor(kind(0.5, random_state=0), basis, recovery)
        y = sensor.measure(x)
        assert y.shape == (round(0.5 * x.size),)
        found = sensor.recover(y)
        assert found.signal.shape == x.shape
        assert np.linalg.norm(found.signal - x) <= EXACT * np.linalg.norm(x)
        assert found.status is Status.CONVERGED


@pytest.mark.parametrize(
    "measurement, basis, shape",
    [
        (PartialFourier(0.4, random_state=1), "identity", 96),
        (PartialFourier(0.4, random_state=1), "identity", (10, 12)),
        (PartialFourier(0.6, pattern="radial"), "identity", (12, 12)),
        (PartialDCT(0.4, random_state=1), "identity", 96),
        (Samples(0.4, random_state=1), "fourier", 96),
        (Samples(0.4, random_state=1), "dct", (10, 12)),
    ],
)
def test_transforms_recover_what_they_spread(measurement, basis, shape):
    x = planted(basis, shape, 4)
    sensor = CompressedSensor(measurement, basis, BasisPursuit())
    y = sensor.measure(x)
    assert (y.dtype.kind == "c") == isinstance(measurement, PartialFourier)
    found = sensor.recover(y)
    assert found.signal.dtype == np.float64  # a real signal, whatever the measurements
    assert np.linalg.norm(found.signal - x) <= EXACT * np.linalg.norm(x)


def test_a_chirp_in_a_gabor_frame():
    t = np.arange(512)
    x = np.sin(2 * np.pi * (0.01 * t + 0.0002 * t**2)) * np.hanning(512)
    sensor = CompressedSensor(Samples(0.5, random_state=0), Gabor(window=96), FISTA(alpha=1e-5, tol=1e-6))
    found = sensor.recover(sensor.measure(x))
    assert np.linalg.norm(found.signal - x) < 0.05 * np.linalg.norm(x)


def test_total_variation_knows_the_shape():
    image = np.kron(np.array([[0.2, 0.9], [0.6, 0.1]]), np.ones((8, 8)))
    sensor = CompressedSensor(PartialFourier(0.5, random_state=0), None, TotalVariation(noise=0.0))
    found = sensor.recover(sensor.measure(image))
    assert np.linalg.norm(found.signal - image) <= 1e-3 * np.linalg.norm(image)
    with pytest.raises(InputError, match="give basis=None"):
        sensor.set_params(basis="haar").recover(sensor.measure(image))


def test_complex_signals_are_recovered_complex_or_refused():
    rng = np.random.default_rng(0)
    x = np.zeros(64, complex)
    x[[3, 30]] = rng.standard_normal(2) + 1j * rng.standard_normal(2)
    measurement = PartialFourier(0.4, mirrored=False, random_state=0)
    sensor = CompressedSensor(measurement, "identity", OMP(n_nonzero=2), complex_signals=True)
    np.testing.assert_allclose(sensor.recover(sensor.measure(x)).signal, x, atol=1e-9)
    with pytest.raises(InputError, match="x is complex: give complex_signals=True"):
        CompressedSensor(measurement, "identity").measure(x)
    real = CompressedSensor(Gaussian(0.5, random_state=0), "identity")
    real.measure(np.ones(8))
    with pytest.raises(InputError, match="y is complex"):
        real.recover(np.ones(4) * 1j)


def test_several_signals_at_once():
    X = np.stack([planted("haar", (8, 8), 3, seed) for seed in range(3)], axis=-1)
    sensor = CompressedSensor(Gaussian(0.6, random_state=0), "haar", OMP(n_nonzero=3), shape=(8, 8))
    Y = sensor.measure(X)
    assert Y.shape == (38, 3)
    found = sensor.recover(Y)
    assert found.signal.shape == (8, 8, 3)
    np.testing.assert_allclose(found.signal, X, atol=1e-8)
    one = sensor.recover(Y[:, 1])
    np.testing.assert_allclose(one.signal, X[..., 1], atol=1e-8)


def test_the_measurement_is_drawn_once_and_again_where_it_changes():
    x = planted("identity", 64, 3)
    sensor = CompressedSensor(Gaussian(0.5), "identity")  # no seed: recover must use what measure drew
    y = sensor.measure(x)
    np.testing.assert_allclose(sensor.recover(y).signal, x, atol=1e-6)
    np.testing.assert_array_equal(sensor.measure(x), y)
    sensor.set_params(measurement=Gaussian(0.25))
    assert sensor.measure(x).shape == (16,)
    sensor.measurement.rate = 0.5
    assert sensor.measure(x).shape == (32,)


def test_recovery_elsewhere_needs_the_shape_and_the_seed():
    x = planted("haar", (8, 8), 3)
    here = CompressedSensor(Gaussian(0.6, random_state=5), "haar")
    y = here.measure(x)
    there = CompressedSensor(Gaussian(0.6, random_state=5), "haar", shape=(8, 8))
    np.testing.assert_allclose(there.recover(y).signal, x, atol=1e-6)
    np.testing.assert_allclose(pickle.loads(pickle.dumps(here)).recover(y).signal, x, atol=1e-6)
    with pytest.raises(InputError, match="shape must be given"):
        clone(here).recover(y)


def test_options_reach_the_recovery():
    x = planted("identity", 64, 3)
    sensor = CompressedSensor(Gaussian(0.5, random_state=0), "identity", "omp")
    y = sensor.measure(x)
    assert len(sensor.recover(y, n_nonzero=1).support) == 1
    with pytest.raises(InputError, match="n_nonzer means nothing to OMP"):
        sensor.recover(y, n_nonzer=1)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda s: s.measure(np.ones((2, 3, 4))), "x has 3 axes: give the shape"),
        (lambda s: s.measure([1.0, np.nan]), "x holds NaN"),
        (lambda s: s.measure("abc"), "x must be an array of numbers"),
        (lambda s: s.set_params(shape=5).measure(np.ones(6)), r"x must have the shape \(5,\)"),
        (lambda s: s.set_params(shape=8).recover(np.ones(3)), "y must have 4 measurements"),
        (lambda s: s.set_params(shape=8).recover([np.nan] * 4), "y holds NaN"),
        (lambda s: s.set_params(recovery="ompp", shape=8).recover(np.ones(4)), "did you mean 'omp'"),
        (lambda s: s.set_params(basis="waveletz", shape=8).recover(np.ones(4)), "did you mean 'wavelet'"),
        (lambda s: s.set_params(measurement="gausian").measure(np.ones(4)), "did you mean 'gaussian'"),
        (lambda s: s.set_params(complex_signals=3).measure(np.ones(4) * 1j), "complex_signals must be one of"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(call, words):
    with pytest.raises(InputError, match=words) as error:
        call(CompressedSensor(Gaussian(0.5, random_state=0), "identity"))
    assert "\n" not in str(error.value)


def test_the_curve_of_donoho_and_tanner():
    np.testing.assert_allclose(donoho_tanner([0.25, 0.5, 0.75]), [0.267, 0.386, 0.534], atol=5e-4)  # published
    delta = np.linspace(0.02, 1.0, 50)
    rho = donoho_tanner(delta)
    assert (np.diff(rho) > 0).all()
    assert rho[-1] == 1.0
    assert donoho_tanner(0.5) == pytest.approx(0.3857, abs=1e-4)
    with pytest.raises(InputError, match="delta must be numbers above 0"):
        donoho_tanner([0.0])


@pytest.mark.parametrize("middle", [0.2, 0.37])
def test_the_half_line_is_the_middle_of_a_falling_curve(middle):
    rho = np.linspace(0.05, 0.6, 23)
    share = 1 / (1 + np.exp((rho - middle) / 0.02))
    assert half_line(rho, 1000 * share, np.full(23, 1000)) == pytest.approx(middle, abs=0.003)
    at_once = (rho < middle).astype(float)
    assert half_line(rho, 10 * at_once, np.full(23, 10)) == pytest.approx(middle, abs=0.02)
    assert np.isnan(half_line(rho, np.zeros(23), np.full(23, 10)))
    assert np.isnan(half_line(rho, np.full(23, 10), np.full(23, 10)))


def test_a_phase_transition_falls_with_rho_and_does_not_depend_on_threads():
    settings = {"n": 60, "delta": [0.3, 0.6], "rho": [0.1, 0.3, 0.9], "n_trials": 6, "random_state": 0}
    one, two = phase_transition(**settings, n_jobs=1), phase_transition(**settings, n_jobs=2)
    np.testing.assert_array_equal(one.success, two.success)
    assert (one.success[:, 0] == 1).all()
    assert (one.success[:, -1] == 0).all()
    assert ((one.line > 0.1) & (one.line < 0.9)).all()
    assert one.trials.sum() == 36
    assert one.status is Status.CONVERGED
    signs = phase_transition(**settings, amplitudes="signs", recovery="omp", measurement="partial_dct")
    assert (signs.success[:, -1] == 0).all()
    assert not np.array_equal(phase_transition(**(settings | {"random_state": 1})).success, one.success)


def test_a_phase_transition_ends_in_time():
    found = phase_transition(400, n_trials=50, time_limit=1e-9)
    assert found.status is Status.TIME_LIMIT
    assert np.isnan(found.success).all()
    assert np.isnan(found.line).all()


@pytest.mark.deep
def test_the_half_line_of_l1_is_donoho_and_tanners():
    """Signal length 1,000: within 0.02 in ρ of the curve for endless signals."""
    for delta in (0.25, 0.5, 0.75):
        near = donoho_tanner(delta) + np.linspace(-0.07, 0.07, 8)
        found = phase_transition(1000, [delta], near, n_trials=25, random_state=0)
        assert abs(found.line[0] - donoho_tanner(delta)) <= 0.02
