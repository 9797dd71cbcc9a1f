"""Killed, out of time, interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.model_selection import KFold

from tamis import InputError, compare_selectors
from tamis.selection.comparison import compare, comparison_steps, executor, frequencies

CHEAP = {"estimator": "linear", "methods": ["lasso", "mrmr"], "sizes": [1, 2, 3, 5], "n_jobs": 1}


@pytest.fixture(autouse=True)
def fewer_half_samples(monkeypatch):
    monkeypatch.setattr(frequencies, "PAIRS", 4)


def planted(n=100, p=10):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    return X, X[:, 1] - X[:, 4] + 0.5 * rng.normal(size=n)


class Slow(SelectorMixin, BaseEstimator):
    """Takes its time, then orders columns by their correlation with the target."""

    def __init__(self, seconds=0.0, then=None):
        self.seconds = seconds
        self.then = then

    def fit(self, X, y):
        time.sleep(self.seconds)
        if self.then is not None:
            self.then()
        self.scores_ = np.abs(X.T @ (y - y.mean()))
        self.n_features_in_ = X.shape[1]
        return self

    def _get_support_mask(self):
        return self.scores_ >= np.sort(self.scores_)[-2]


def test_a_run_from_its_checkpoint_does_nothing_again_and_ends_the_same(tmp_path):
    X, y = planted()
    path = tmp_path / "run.sqlite"
    first = compare_selectors(X, y, **CHEAP, checkpoint=path)
    again = compare_selectors(X, y, **CHEAP, checkpoint=path)
    plain = compare_selectors(X, y, **CHEAP)
    for run in (again, plain):
        assert run.recommended_ == first.recommended_
        assert run.table_ == first.table_
        assert run.columns_ == first.columns_
    assert again.n_recalled_ > 50
    assert first.n_recalled_ == 0
    with pytest.raises(InputError, match="other data"):
        compare_selectors(X, y + 1, **CHEAP, checkpoint=path)
    with pytest.raises(InputError, match="other sizes"):
        compare_selectors(X, y, **{**CHEAP, "sizes": [1]}, checkpoint=path)


def test_a_splitter_that_draws_anew_does_not_mix_folds(tmp_path):
    """The folds of the first run are taken; splits that are listed must be the same."""
    X, y = planted()
    options = {**CHEAP, "checkpoint": tmp_path / "drawn.sqlite", "cv": KFold(5, shuffle=True)}
    first, again = (compare_selectors(X, y, **options) for _ in range(2))
    assert again.n_recalled_ > 50
    assert again.recommended_ == first.recommended_
    listed = {**CHEAP, "checkpoint": tmp_path / "listed.sqlite"}
    for seed in (1, 1):
        compare_selectors(X, y, **listed, cv=KFold(5, shuffle=True, random_state=seed).split(X))
    with pytest.raises(InputError, match="other splits"):
        compare_selectors(X, y, **listed, cv=KFold(5, shuffle=True, random_state=2).split(X))


SCRIPT = """
import sys, numpy as np
from tamis import compare_selectors
from tamis.selection.checkpoint import ResultsCheckpoint
from tamis.selection.comparison import frequencies
frequencies.PAIRS = 4
class Announcing(ResultsCheckpoint):
    def _commit(self):
        super()._commit()
        print("committed", flush=True)
if len(sys.argv) > 2:
    from tamis.selection.comparison import compare
    compare.ResultsCheckpoint = Announcing
rng = np.random.default_rng(0)
X = rng.normal(size=(100, 10)); y = X[:, 1] - X[:, 4] + 0.5 * rng.normal(size=100)
print("begun", flush=True)
found = compare_selectors(X, y, estimator=["linear", "boosting"], methods=["lasso", "mrmr"], sizes=[1, 2, 3, 5],
                          n_jobs=1, checkpoint=sys.argv[1])
print(found.n_recalled_, found.recommended_, found.columns_)
"""


def test_killed_it_continues_and_ends_identical(tmp_path):
    path = str(tmp_path / "run.sqlite")
    with subprocess.Popen([sys.executable, "-c", SCRIPT, path, "printed"], stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout.readline() == "begun\n"
        for _ in range(3):  # the first commit may hold nothing but the arguments
            assert run.stdout.readline() == "committed\n"
        run.send_signal(signal.SIGKILL)
    finish = [sys.executable, "-c", SCRIPT]
    resumed, whole = (
        subprocess.run([*finish, p], capture_output=True, text=True, check=True).stdout.splitlines()[1]
        for p in (path, str(tmp_path / "other.sqlite"))
    )
    recalled, _, answer = resumed.partition(" ")
    assert int(recalled) >= 1
    assert answer == whole.partition(" ")[2]


class Clock:
    """Time that passes only where somebody says so."""

    def __init__(self):
        self.now = 0.0

    def time(self):
        return self.now

    def perf_counter(self):
        return self.now

    def minutes(self):
        """A function that takes one; a method would be copied with its clock."""

        def one():
            self.now += 60.0

        return one


@pytest.fixture
def clock(monkeypatch):
    held = Clock()
    for module in (compare, comparison_steps, executor):
        monkeypatch.setattr(module, "time", held)
    return held


def test_out_of_time_it_names_what_is_not_finished(clock):
    X, y = planted()
    methods = {"lasso": "lasso", "slow": Slow(0.0, clock.minutes())}
    found = compare_selectors(X, y, **{**CHEAP, "methods": methods}, time_limit=300)
    assert found.status_ == "time_limit"
    assert found.unfinished_ == ["slow: columns chosen in 3 of 5 folds"]  # half of the time is for them
    assert found.recommended_.method == "lasso"
    assert found.seconds_ == 180
    with pytest.raises(InputError, match="was over before one method was finished"):
        compare_selectors(X, y, **{**CHEAP, "methods": [Slow(0.0, clock.minutes())]}, time_limit=300)


def test_out_of_time_resamples_of_a_slow_scorer_end(clock):
    X, y = planted()

    def slow(model, X, y):
        clock.now += 0.1
        return -float(np.mean((model.predict(X) - y) ** 2))

    found = compare_selectors(X, y, **{**CHEAP, "sizes": [1]}, scoring=slow, time_limit=30)
    assert 5 <= found.n_resamples_ < 100
    assert f"resamples: {found.n_resamples_} of 100" in found.unfinished_
    assert not found.recommended_.better_than_none
    assert np.isnan(found.recommended_.interval).all()
    assert found.seconds_ < 60


def test_shuffles_use_the_time_that_is_left_and_are_named(clock):
    X, y = planted(n=40)
    methods = {"slow": Slow(0.0, clock.minutes())}
    options = {**CHEAP, "methods": methods, "sizes": [1], "cv": 2}
    found = compare_selectors(X, y, **options, n_shuffles=9, time_limit=1200)
    assert found.status_ == "time_limit"
    done = len(found.shuffled_scores_)
    assert 1 < done < 9
    assert f"shuffles: {done} of 9" in found.unfinished_
    assert found.pvalue_ == 1 / (1 + done)
    assert f"by {done} shuffled targets" in str(found)


def test_interrupted_resamples_return_what_is_done():
    X, y = planted()
    calls = []

    def press(model, X, y):
        calls.append(1)
        if len(calls) == 200:
            raise KeyboardInterrupt
        return -float(np.mean((model.predict(X) - y) ** 2))

    found = compare_selectors(X, y, **{**CHEAP, "sizes": [1]}, scoring=press)
    assert found.status_ == "interrupted"
    assert found.recommended_.features
    assert not found.recommended_.better_than_none
    assert "resamples: 0 of 100" in found.unfinished_


def test_interrupted_it_returns_what_is_done():
    X, y = planted()

    def press():
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.2)

    found = compare_selectors(X, y, **{**CHEAP, "methods": {"lasso": "lasso", "slow": Slow()}})
    assert found.status_ == "finished"
    methods = {"lasso": "lasso", "pressed": Slow(0.0, press)}
    with pytest.raises(KeyboardInterrupt):  # before any fit: there is nothing to return
        compare_selectors(X, y, **{**CHEAP, "methods": methods})
    calls = []

    def press_later(*args, **kwargs):
        calls.append(1)
        if len(calls) == 16:  # 5 fits of all columns, 5 to 10 at size 1, then as many at size 9
            raise KeyboardInterrupt
        return original(*args, **kwargs)

    original, executor.predict = executor.predict, press_later
    try:
        cut = compare_selectors(X, y, **{**CHEAP, "sizes": [1, 9]})
    finally:
        executor.predict = original
    assert cut.status_ == "interrupted"
    assert cut.unfinished_
    assert cut.recommended_.features
