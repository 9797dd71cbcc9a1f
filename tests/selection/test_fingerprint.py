"""What a checkpoint tells apart: data, kinds of columns, and the user's own code."""

import functools
import importlib
import sys

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import KFold

from tamis import InputError
from tamis.selection import CrossValidated, SubsetSelector
from tamis.selection.fingerprint import described, fingerprint
from tamis.sources import as_source

pd = pytest.importorskip("pandas")


def test_a_column_whose_kind_changed_is_other_data(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 30, 200)
    X = pd.DataFrame({"x": x, "noise": rng.standard_normal(200)})
    y = x + 0.1 * rng.standard_normal(200)
    make = lambda: SubsetSelector("forward", CrossValidated(Ridge()), n_features=1, checkpoint=tmp_path / "r")  # noqa: E731
    make().fit(X, y)
    for changed, target in [
        (X.astype({"x": "category"}), y),
        (X.astype({"x": str}), y),
        (X.astype({"x": float}), y),
        (X.rename(columns={"x": "z"}), y),
    ]:
        with pytest.raises(InputError, match="written by a run with other data"):
            make().fit(changed, target)
    assert make().fit(X.copy(), y).n_recalled_ == 2


def test_kinds_that_the_user_gives_and_the_names_of_labels_are_data():
    X, y = np.arange(12.0).reshape(6, 2) + 0.5, [0, 1] * 3
    assert fingerprint(as_source(X, y)) != fingerprint(as_source(X, y, discrete="all"))
    assert fingerprint(as_source(X, ["a", "b"] * 3)) != fingerprint(as_source(X, y))
    assert fingerprint(as_source(X, ["a", "b"] * 3)) != fingerprint(as_source(X, ["a", "c"] * 3))
    assert fingerprint(as_source(X, y)) == fingerprint(as_source(X.copy(), np.array(y)))


MODULE = """
from tamis.selection import Evaluation

def helper(x):
    return {helper}

class Mine(Evaluation):
    limit = {limit}
    def prepare(self, source, *, n_jobs=None, steps=None):
        return None
    def score(self, state, subset):
        return {score}

class Child(Mine):
    pass

def scorer(model, X, y):
    return helper(1.0)
"""
PLAIN = {"helper": "x", "limit": 1, "score": "float(helper(len(subset)))"}


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A function that writes a module of the user's with these bodies and imports it anew."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def write(**bodies):
        (tmp_path / "users_own.py").write_text(MODULE.format(**{**PLAIN, **bodies}))
        sys.modules.pop("users_own", None)
        importlib.invalidate_caches()
        import linecache

        linecache.clearcache()
        return importlib.import_module("users_own")

    yield write
    sys.modules.pop("users_own", None)


@pytest.mark.parametrize("change", [{"score": "float(len(subset) ** 2)"}, {"helper": "-x"}, {"limit": 2}])
@pytest.mark.parametrize("what", ["Mine", "Child"])
def test_changed_code_of_an_evaluation_is_another_evaluation(module, tmp_path, change, what):
    X, y = np.eye(5), [0, 1, 0, 1, 1]
    file = tmp_path / "run.sqlite"
    first = SubsetSelector("forward", getattr(module(), what)(), checkpoint=file).fit(X, y)
    again = SubsetSelector("forward", getattr(module(), what)(), checkpoint=file).fit(X, y)
    assert again.n_recalled_ == len(first.history_)
    with pytest.raises(InputError, match="written by a run with other evaluation"):
        SubsetSelector("forward", getattr(module(**change), what)(), checkpoint=file).fit(X, y)


def test_changed_code_of_a_scorer_is_another_scorer(module):
    before = described(CrossValidated(Ridge(), scoring=module().scorer))
    assert before == described(CrossValidated(Ridge(), scoring=module().scorer))
    assert before != described(CrossValidated(Ridge(), scoring=module(helper="2 * x").scorer))


def test_lambdas_on_one_line_are_told_apart():
    one, other = lambda m, X, y: 1.0, lambda m, X, y: 2.0
    assert described(one) != described(other)
    made = [eval("lambda m, X, y: y[0] + 1.5"), eval("lambda m, X, y: y[0] + 2.5")]  # no source can be had
    assert described(made[0]) != described(made[1])
    assert described(made[0]) == described(eval("lambda m, X, y: y[0] + 1.5"))


def test_what_a_function_encloses_counts_but_not_what_it_counts_in():
    def make(limit, calls):
        def scorer(model, X, y):
            calls.append(limit)
            return limit

        return scorer

    assert described(make(1.0, [])) != described(make(2.0, []))
    assert described(make(1.0, [])) == described(make(1.0, [3, 4]))
    assert described(functools.partial(make, 1)) != described(functools.partial(make, 2))


def test_scorers_and_splitters_are_told_by_what_they_hold():
    assert described(make_scorer(f1_score, pos_label="m")) != described(make_scorer(f1_score, pos_label="f"))
    assert described(make_scorer(f1_score)) == described(make_scorer(f1_score))
    assert described(KFold(3)) != described(KFold(4))
    assert described(KFold(3, shuffle=True, random_state=1)) == described(KFold(3, shuffle=True, random_state=1))
    assert described(np.array(["a", "b"], dtype=object)) == described(np.array(["a", "b"], dtype=object))
    assert described(np.array(["a", "b"], dtype=object)) != described(np.array(["a", "c"], dtype=object))
    assert described(pd.Series([1, 2])) != described(pd.Series([1, 3]))
    loop = []
    loop.append(loop)
    assert described(loop) == "[…]"
    assert len(described(list(range(10**5)))) < 200
