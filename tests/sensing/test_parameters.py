"""Recoveries and measurements as objects: their parameters are those written once."""

import inspect
import pickle

import numpy as np
import pytest
from sklearn.base import clone

from tamis.sensing import OMP, Gaussian, PartialFourier, RecoveryMethod, Samples
from tamis.sensing.measurements import MEASUREMENTS, Measurement
from tamis.sensing.recoveries import RECOVERIES


@pytest.mark.parametrize("name", RECOVERIES)
def test_a_recovery_has_the_parameters_and_defaults_of_its_function(name):
    kind = RECOVERIES[name]
    function = inspect.signature(kind.function).parameters
    expected = {n: p.default for n, p in function.items() if n not in ("A", "y", "basis", "start")}
    assert kind().get_params() == expected
    assert {n: p.default for n, p in inspect.signature(kind).parameters.items()} == expected


@pytest.mark.parametrize("name", MEASUREMENTS)
def test_a_measurement_is_told_its_rate_first_and_the_rest_by_name(name):
    kind = MEASUREMENTS[name]
    made = kind(0.5, n_measurements=3, random_state=1)
    assert (made.rate, made.n_measurements, made.random_state) == (0.5, 3, 1)
    assert next(iter(inspect.signature(kind).parameters)) == "rate"
    with pytest.raises(TypeError, match=kind.__name__):
        kind(0.5, 3)


@pytest.mark.parametrize("made", [OMP(n_nonzero=3), PartialFourier(pattern="radial", n_lines=4), Gaussian(0.1)])
def test_copies_keep_what_was_given(made):
    for copy in (clone(made), pickle.loads(pickle.dumps(made))):
        assert type(copy) is type(made)
        assert copy.get_params() == made.get_params()
    assert repr(made).startswith(type(made).__name__)


@pytest.mark.parametrize("kind", [OMP, PartialFourier, Samples])
def test_a_parameter_that_is_none_is_refused_by_name(kind):
    with pytest.raises(TypeError, match=f"{kind.__name__}.*colour"):
        kind(colour=3)
    with pytest.raises(ValueError, match="colour"):
        kind().set_params(colour=3)


def test_own_recoveries_and_measurements_derive():
    def halved(A, y, factor=0.5, *, basis=None, start=None):
        return factor * np.asarray(y)

    class Halved(RecoveryMethod, function=halved):
        pass

    class Every(Measurement, step=2):
        pass

    assert Halved(factor=0.25).recover(None, [4.0]).tolist() == [1.0]
    assert Every(step=3).get_params() == {"rate": 0.25, "n_measurements": None, "step": 3, "random_state": None}
    with pytest.raises(TypeError, match="derive"):
        RecoveryMethod()
