"""Derivatives, conjugates and weights of the datafits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis import InputError
from tamis.datafits import Gamma, Huber, Logistic, Multinomial, Poisson, Quantile, Squared, SquaredHinge, as_datafit
from tamis.solvers.verification_losses import LOSSES, verified_loss, written_out
from tamis.testing import check_datafit

CASES = [
    (Squared(), np.array([1.0, -2.0, 0.5, 3.0])),
    (Squared(), np.array([[1.0, -2.0], [0.5, 3.0], [0.0, 1.0]])),
    (Logistic(), np.array([1.0, -1.0, -1.0, 1.0, 1.0])),
    (Multinomial(), np.eye(3)[[0, 2, 1, 1, 2]]),
    (SquaredHinge(), np.array([1.0, -1.0, -1.0, 1.0, 1.0])),
    (Poisson(), np.array([0.0, 3.0, 1.0, 7.0])),
    (Gamma(), np.array([0.2, 3.0, 1.0, 7.0])),
    (Huber(), np.array([1.0, -2.0, 0.5, 30.0])),
    (Quantile(0.3, 0.7), np.array([1.0, -2.0, 0.5, 3.0])),
    (Huber(0.1), np.array([1.0, -2.0, 0.5, 1e12])),
]


@pytest.mark.parametrize("datafit, y", CASES[:-1], ids=lambda part: type(part).__name__)
@pytest.mark.parametrize("seed", range(3))
def test_laws(datafit, y, seed):
    check_datafit(datafit, y, seed=seed)


@pytest.mark.parametrize("datafit, y", CASES, ids=lambda part: type(part).__name__)
@pytest.mark.parametrize("seed", range(3))
def test_the_verification_has_the_same_losses(datafit, y, seed):
    """Written out apart from the datafits: value, slope, curvature times a direction, and conjugate of each row."""
    rng = np.random.default_rng(seed)
    n, Z, V = len(y), rng.standard_normal(y.shape), rng.standard_normal(y.shape)
    g, (Y, T, U, G) = datafit.gradient(y, Z), (a.reshape(n, -1) for a in (y, Z, V, datafit.gradient(y, Z)))
    loss = written_out(verified_loss(datafit))
    assert loss.value(Y, T).mean() == pytest.approx(datafit.value(y, Z), rel=1e-12)
    np.testing.assert_allclose(loss.slope(Y, T) / n, G, rtol=1e-12, atol=1e-14)
    assert loss.conjugate(Y, n * G).mean() == pytest.approx(datafit.conjugate(y, g), rel=1e-12)
    if not isinstance(datafit, Multinomial):
        H = datafit.hessian(y, Z).reshape(n, -1)
        np.testing.assert_allclose(loss.curve(Y, T, U) / n, H * U, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("datafit, y", [case for case in CASES if hasattr(case[0], "local") and case[1].ndim == 1])
def test_one_pass_gives_value_gradient_and_hessian(datafit, y):
    Z = np.random.default_rng(0).standard_normal(len(y))
    value, g, h = datafit.local(y, Z)
    assert value == pytest.approx(datafit.value(y, Z), rel=1e-13)
    np.testing.assert_allclose(g, datafit.gradient(y, Z), rtol=1e-13, atol=1e-16)
    hessian = datafit.hessian(y, Z)
    np.testing.assert_allclose(h[hessian > 0], hessian[hessian > 0], rtol=1e-13)
    assert (h[hessian == 0] >= 0).all()  # where it is flat a kernel may keep some curvature


def test_what_a_loss_cannot_fit_is_said():
    with pytest.raises(InputError, match="counts ≥ 0, got -1 in 1 rows such as row 1"):
        Poisson().check_target(np.array([0.0, -1.0, 2.0]))
    with pytest.raises(InputError, match="every count in y is 0"):
        Poisson().check_target(np.array([0.0, 0.0, 2.0]), np.array([1.0, 1.0, 0.0]))
    with pytest.raises(InputError, match="amounts > 0, got 0"):
        Gamma().check_target(np.array([0.0, 1.0]))
    with pytest.raises(InputError, match="delta must be"):
        Huber(0.0).check_target(np.ones(2))
    with pytest.raises(InputError, match="for two classes, y holds 3"):
        SquaredHinge().for_classes(3)


@given(st.floats(-800, 800))
def test_logistic_is_the_multinomial_of_two_classes(z):
    """log(1 + e^(−z)) = log(e^z + e^0) − z."""
    Z = np.array([[z, 0.0]])
    one = np.array([[1.0, 0.0]])
    assert Logistic().value(np.ones(1), Z[:, 0]) == pytest.approx(Multinomial().value(one, Z), abs=1e-12)
    assert Logistic().gradient(np.ones(1), Z[:, 0])[0] == pytest.approx(Multinomial().gradient(one, Z)[0, 0], abs=1e-15)


def test_outside_its_domain_a_conjugate_is_infinite():
    y, one_hot = np.array([1.0, -1.0]), np.eye(2)
    assert Logistic().conjugate(y, np.array([0.1, 0.0])) == np.inf
    assert Logistic().conjugate(y, np.array([-0.6, 0.0])) == np.inf
    assert Multinomial().conjugate(one_hot, np.array([[0.1, -0.1], [0.0, 0.0]])) == np.inf
    assert Multinomial().conjugate(one_hot, np.array([[-0.1, 0.0], [0.0, 0.0]])) == np.inf
    s = np.array([1.0, 0.0])
    assert SquaredHinge().conjugate(y, np.array([0.1, 0.0])) == np.inf
    assert Poisson().conjugate(np.array([1.0, 0.0]), np.array([0.0, -0.1])) == np.inf
    assert Gamma().conjugate(np.ones(2), np.array([0.6, 0.0])) == np.inf
    assert Huber(1.0).conjugate(y, np.array([0.6, 0.0])) == np.inf
    for datafit, target in ((Squared(), y), (Logistic(), y), (SquaredHinge(), y), (Huber(), y), (Poisson(), y + 2)):
        assert datafit.conjugate(target, np.array([0.0, -1e-3]), s) == np.inf
        assert np.isfinite(datafit.conjugate(target, np.array([-1e-3, 0.0]), s))


def test_a_class_nobody_is_in_has_a_finite_null_prediction():
    y = np.eye(3)[[0, 0, 1]]
    z = Multinomial().null_prediction(y)
    assert np.isfinite(z).all()
    entropy = np.log(3) - 2 / 3 * np.log(2)  # of shares ⅔ and ⅓
    assert Multinomial().value(y, np.tile(z, (3, 1))) == pytest.approx(entropy, rel=1e-12)
    assert np.isfinite(Logistic().null_prediction(np.ones(3)))
    assert Logistic().value(np.ones(3), np.full(3, Logistic().null_prediction(np.ones(3)))) < 1e-15


def test_a_wrong_gradient_is_found():
    class Slip(Squared):
        def gradient(self, y, Z, s=None):
            return 1.01 * super().gradient(y, Z, s)

    with pytest.raises(AssertionError, match="the gradient"):
        check_datafit(Slip(), np.array([1.0, 2.0]))


def test_short_strings_stand_for_datafits():
    assert isinstance(as_datafit("logistic"), Logistic)
    assert type(as_datafit("squared")) is Squared
    with pytest.raises(InputError, match="did you mean 'squared'"):
        as_datafit("square")


def test_rounding_does_not_leave_the_domain_of_a_conjugate():
    """v of a row that is certain is 0 or 1 but for rounding, of either sign."""
    y = np.array([1.0, -1.0, 1.0])
    for v in ([-1e-17, 0.25, 0.5], [1 + 2.0**-52, 0.25, 0.5]):
        inside = Logistic().conjugate(y, -y * np.clip(v, 0, 1) / 3)
        assert Logistic().conjugate(y, -y * np.array(v) / 3) == pytest.approx(inside, abs=1e-15)
        assert LOSSES["logistic"]().conjugate(y[:, None], (-y * v)[:, None]).mean() == pytest.approx(inside, abs=1e-15)
    assert Logistic().conjugate(y, -y * np.array([-1e-9, 0.25, 0.5]) / 3) == np.inf


def test_a_multinomial_loss_below_rounding_keeps_its_digits():
    y, Z = np.eye(3)[[1]], np.array([[-40.0, 1.0, -41.0]])
    expected = np.exp(-41.0) + np.exp(-42.0)
    assert Multinomial().value(y, Z) == pytest.approx(expected, rel=1e-12)
    assert LOSSES["multinomial"]().value(y, Z)[0] == pytest.approx(expected, rel=1e-12)


def test_multinomial_gradient_of_a_certain_row_has_all_its_digits():
    """At z = (30, 0, 0) and class 0: ∂ = −2e⁻³⁰/(1 + 2e⁻³⁰), e⁻³⁰/(1 + 2e⁻³⁰); q₀ − 1 would be 0."""
    tiny = np.exp(-30.0)
    gradient = Multinomial().gradient(np.array([[1.0, 0.0, 0.0]]), np.array([[30.0, 0.0, 0.0]]))[0]
    np.testing.assert_allclose(gradient, np.array([-2, 1, 1]) * tiny / (1 + 2 * tiny), rtol=1e-14)
