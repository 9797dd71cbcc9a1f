"""A complaint carries the argument it is about."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from tamis import SubsetSelector
from tamis._core.checks import as_object, check_choice, check_count, check_number
from tamis._core.errors import InputError, about


@pytest.mark.parametrize(
    "check",
    [
        lambda: check_number("gamma", "x"),
        lambda: check_number("gamma", 0, above=0),
        lambda: check_count("gamma", 1.5),
        lambda: check_count("gamma", 0),
        lambda: check_choice("gamma", "x", ["y"]),
        lambda: as_object("gamma", "x", {"y": int}, int),
        lambda: as_object("gamma", 1.5, {"y": int}, int),
    ],
)
def test_checks_say_which_argument(check):
    with pytest.raises(InputError) as caught:
        check()
    assert caught.value.argument == "gamma"


def test_the_innermost_argument_is_the_one():
    for given, expected in ((None, "outer"), ("inner", "inner")):
        with pytest.raises(InputError) as caught, about("outer"):
            raise InputError("no", argument=given)
        assert caught.value.argument == expected


def test_argument_survives_a_worker_process():
    error = pickle.loads(pickle.dumps(InputError("cv must be ≥ 2", argument="cv")))
    assert (str(error), error.argument) == ("cv must be ≥ 2", "cv")


@pytest.mark.parametrize(
    ("arguments", "about"),
    [
        ({"n_features": 9}, "n_features"),
        ({"n_features": (3, 2)}, "n_features"),
        ({"n_features": (1, 2, 3)}, "n_features"),
        ({"n_features": 1, "keep": [0, 1]}, "n_features"),
        ({"search": "branch_and_bound"}, "n_features"),
        ({"search": "floating", "evaluation": "cmim"}, "search"),
        ({"search": "backwards"}, "search"),
        ({"time_limit": 1e-9}, "time_limit"),
        ({"time_limit": -1}, "time_limit"),
        ({"checkpoint": "/nowhere/run.sqlite"}, "checkpoint"),
        ({"checkpoint": 3}, "checkpoint"),
    ],
)
def test_selector_says_which_argument(arguments, about):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (40, 4))
    with pytest.raises(InputError) as caught:
        SubsetSelector(**arguments).fit(X, X[:, 0] > 0)
    assert caught.value.argument == about
