"""The plots of compressed sensing: what stands on the axes."""

import matplotlib as mpl
import numpy as np
import pytest

from tamis import InputError
from tamis.plots import phase, recovery
from tamis.sensing import CompressedSensor, Gaussian, phase_transition, recover

mpl.use("Agg")


def test_phase_shows_shares_half_lines_and_the_curve():
    found = phase_transition(40, [0.3, 0.6], [0.1, 0.4, 0.8], n_trials=4, random_state=0)
    ax = phase(found)
    np.testing.assert_array_equal(ax.collections[0].get_array().ravel(), found.success.ravel())
    dots, curve = ax.lines
    np.testing.assert_array_equal(dots.get_ydata(), found.line)
    np.testing.assert_array_equal(curve.get_ydata(), found.theory)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["half are solved", "Donoho–Tanner, ℓ₁"]
    phase(phase_transition(40, [0.5], [0.2], n_trials=1, random_state=0))  # one value each has edges too
    with pytest.raises(InputError, match="no phase transition"):
        phase(3)


def test_recovery_shows_signals_and_images():
    A, s = np.random.default_rng(0).standard_normal((20, 40)), np.zeros(40)
    s[[3, 30]] = 1.0, -2.0
    found = recover(A, A @ s)
    ax = recovery(found, original=s)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), s)
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), found.signal)
    assert "2 non-zeros, converged, error" in ax.get_title()
    assert len(recovery(found).lines) == 1
    sensor = CompressedSensor(Gaussian(0.9, random_state=0), "haar")
    image = np.kron(np.eye(2), np.ones((4, 4)))
    ax = recovery(sensor.recover(sensor.measure(image)), original=image)
    np.testing.assert_allclose(ax.images[0].get_array(), image, atol=1e-6)
    with pytest.raises(InputError, match="original of its shape"):
        recovery(found, original=np.ones(3))
    with pytest.raises(InputError, match="no recovery to draw"):
        recovery(s)
