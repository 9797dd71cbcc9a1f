"""Derivatives, conjugates and weights of the datafits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis import InputError
from tamis.datafits import Logistic, Multinomial, Squared, as_datafit
from tamis.solvers.verification import LOSSES
from tamis.testing import check_datafit

CASES = [
    (Squared(), np.array([1.0, -2.0, 0.5, 3.0])),
    (Squared(), np.array([[1.0, -2.0], [0.5, 3.0], [0.0, 1.0]])),
    (Logistic(), np.array([1.0, -1.0, -1.0, 1.0, 1.0])),
    (Multinomial(), np.eye(3)[[0, 2, 1, 1, 2]]),
]


@pytest.mark.parametrize("datafit, y", CASES, ids=["squared", "squares", "logistic", "multinomial"])
@pytest.mark.parametrize("seed", range(3))
def test_laws(datafit, y, seed):
    check_datafit(datafit, y, seed=seed)


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
    for datafit, target in ((Squared(), y), (Logistic(), y)):
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
        assert LOSSES["logistic"].conjugate(y[:, None], (-y * v)[:, None]).mean() == pytest.approx(inside, abs=1e-15)
    assert Logistic().conjugate(y, -y * np.array([-1e-9, 0.25, 0.5]) / 3) == np.inf


def test_a_multinomial_loss_below_rounding_keeps_its_digits():
    y, Z = np.eye(3)[[1]], np.array([[-40.0, 1.0, -41.0]])
    expected = np.exp(-41.0) + np.exp(-42.0)
    assert Multinomial().value(y, Z) == pytest.approx(expected, rel=1e-12)
    assert LOSSES["multinomial"].value(y, Z)[0] == pytest.approx(expected, rel=1e-12)


def test_multinomial_gradient_of_a_certain_row_has_all_its_digits():
    """At z = (30, 0, 0) and class 0: ∂ = −2e⁻³⁰/(1 + 2e⁻³⁰), e⁻³⁰/(1 + 2e⁻³⁰); q₀ − 1 would be 0."""
    tiny = np.exp(-30.0)
    gradient = Multinomial().gradient(np.array([[1.0, 0.0, 0.0]]), np.array([[30.0, 0.0, 0.0]]))[0]
    np.testing.assert_allclose(gradient, np.array([-2, 1, 1]) * tiny / (1 + 2 * tiny), rtol=1e-14)
