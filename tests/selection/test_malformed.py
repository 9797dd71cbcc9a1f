"""Arguments nobody can use: one clear line, whatever they are."""

import inspect

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB

from tamis import InputError
from tamis import selection as sel
from tamis.selection import CrossValidated, Evaluation, Forward, InformationGain, Search, SubsetSelector

X = np.random.default_rng(0).integers(0, 3, (24, 4)) + 0.25 * np.arange(4)
Y = np.arange(24) % 2


def malformed():
    """Made anew for every argument: some can be read only once."""
    return [
        None, "", "nonsense", b"x", np.nan, np.inf, -np.inf, -1, 0, 1.5, True, False, np.True_, np.int64(-3),
        np.float32("nan"), 1j, [], (), {}, set(), [None], ["x"], [np.nan], [1.5], [-9], [99], [True], [True, False],
        [True] * 5, np.zeros(0), np.zeros((2, 2)), np.array(3), np.array(None), (1,), (1, 2, 3), (3, 1), ("a", "b"),
        (None, 2), (2, None), (0, 0), (-1, 2), (1, np.nan), {"a": 1}, {"a": [0]}, {0: "x"}, [[0], [0]], [[]], [[9]],
        [["x"]], Ridge, LogisticRegression, Ridge(), object, object(), lambda: 1, print, range(3), pd.Series([1, 2]),
        pd.DataFrame(), KFold, KFold(1000), Forward, InformationGain, Exception("x"), np.datetime64("2020-01-01"),
        iter([]), (i for i in range(3)), [([0], [1])], [(0, 1)], [([0, 99], [1])], [([[0]], [1])], [1],
    ]  # fmt: skip


MADE = {
    "SubsetSelector": SubsetSelector,
    "LasVegasWrapper": lambda **given: sel.LasVegasWrapper(
        **{"estimator": GaussianNB(), "trials": None if "patience" in given else 1, "cv": 2, **given}
    ),
    "EmbeddedSelector": lambda **given: sel.EmbeddedSelector(**{"model": LogisticRegression(max_iter=5), **given}),
    "TreeSelector": sel.TreeSelector,
    "FCBF": sel.FCBF,
    "ReliefF": lambda **given: sel.ReliefF(**{"n_neighbors": 2, **given}),
    "LinearFit": lambda **given: SubsetSelector("ranking", sel.LinearFit(**given), n_features=1),
    "CrossValidated": lambda **given: SubsetSelector(
        "ranking", CrossValidated(**{"estimator": GaussianNB(), "cv": 2, **given}), n_features=1
    ),
    "Recursive": lambda **given: SubsetSelector(sel.Recursive(**given), "linear_fit"),
    "LasVegas": lambda **given: SubsetSelector(sel.LasVegas(**{"trials": 1, **given}), random_state=0),
    "Beam": lambda **given: SubsetSelector(sel.Beam(**given)),
}
CASES = [
    (name, parameter)
    for name in MADE
    for parameter in inspect.signature(getattr(sel, name)).parameters
    if name != "LasVegasWrapper" or parameter in ("estimator", "patience", "trials", "n_jobs")  # others: as elsewhere
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name, parameter", CASES)
def test_what_cannot_be_used_is_refused_in_one_line(name, parameter, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a word is the path of a checkpoint
    for value in malformed():
        if parameter == "n_jobs" and isinstance(value, (int, np.integer)) and value < 0:
            continue  # all cores
        try:
            MADE[name](**{parameter: value}).fit(X, Y)
        except InputError as error:
            message = str(error)
        except Exception as error:
            pytest.fail(f"{parameter}={value!r}: {type(error).__name__}: {error}")
        else:
            continue
        assert "\n" not in message
        assert message


class ReturnsList(Search):
    """Gives what it was made of where a generator belongs."""

    def __init__(self, given=None):
        self.given = given

    def run(self, p, stop, rng):
        return self.given


class Yielding(ReturnsList):
    def run(self, p, stop, rng):
        yield self.given
        return (0,)


class Ending(ReturnsList):
    def run(self, p, stop, rng):
        yield [(0,)]
        return self.given


@pytest.mark.parametrize("given", [None, [(0,)], 3, iter([])])
def test_a_search_that_is_no_generator_is_refused(given):
    with pytest.raises(InputError, match="search: run must be a generator that yields lists of subsets"):
        SubsetSelector(ReturnsList(given)).fit(X, Y)


@pytest.mark.parametrize("given", [3, "ab", [3], [("a",)], [(9,)], [(-1,)], [(0, 0)], None])
def test_a_search_that_yields_no_subsets_is_refused(given):
    with pytest.raises(InputError, match="search: run yields"):
        SubsetSelector(Yielding(given)).fit(X, Y)


@pytest.mark.parametrize("given", [3, "ab", (9,), (0, 0), None])
def test_a_search_that_returns_no_subset_is_refused(given):
    with pytest.raises(InputError, match="search: run returns"):
        SubsetSelector(Ending(given)).fit(X, Y)


def test_an_evaluation_that_gives_too_few_scores_is_refused():
    class Few(Evaluation):
        def prepare(self, source, *, n_jobs=None, steps=None):
            return None

        def gains(self, state, subset, candidates):
            return np.zeros(1)

    with pytest.raises(InputError, match=r"gains of Few gives \(1,\) scores for 4 candidates"):
        SubsetSelector("forward", Few()).fit(X, Y)
