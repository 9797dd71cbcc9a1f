"""Random subsets, judged by a learner."""

import pickle
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from selection.set_functions import SetFunction, random_function, table
from tamis import InputError, LasVegasWrapper
from tamis._core.errors import ConvergenceWarning
from tamis.selection import LasVegas, RandomSubset, Search, Stop, SubsetSelector


def subsets(history):
    return [tuple(history.subset(i)) for i in range(len(history))]


def same(a, b):
    """All of the history but the seconds."""
    assert subsets(a.history_) == subsets(b.history_)
    for column in ("round", "parent", "size", "score", "spread", "kept", "reason"):
        np.testing.assert_array_equal(a.history_[column], b.history_[column])
    assert a.selected_features_ == b.selected_features_
    np.testing.assert_equal((a.score_, a.status_), (b.score_, b.status_))


def book(error, p, T, rng):
    """Algorithm 11.1 line by line: A*, and whom it evaluated."""
    E, d, A_star, t, known = np.inf, p, tuple(range(p)), 0, {}
    while t < T:
        member = rng.integers(0, 2, p, dtype=np.uint8)
        while not member.any():
            member = rng.integers(0, 2, p, dtype=np.uint8)
        A = tuple(np.flatnonzero(member).tolist())
        E_new = known.setdefault(A, error(frozenset(A)))
        if E_new < E or (E_new == E and len(A) < d):
            t, E, d, A_star = 0, E_new, len(A), A
        else:
            t = t + 1
    return A_star, list(known)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 9999), p=st.integers(1, 7), T=st.integers(1, 30), levels=st.sampled_from([2, 5, 1000]))
def test_it_is_the_books_algorithm(seed, p, T, levels):
    f = random_function(seed)
    coarse = lambda S: np.floor(f(S) * levels) / levels  # noqa: E731  ties in plenty
    run = LasVegas(T).run(p, Stop(), np.random.default_rng(seed))
    evaluated, score = [], None
    while True:
        try:
            (subset,) = run.send(score)
        except StopIteration as end:
            found = end.value
            break
        evaluated.append(subset)
        score = np.array([coarse(frozenset(subset))])
    best, expected = book(lambda S: -coarse(S), p, T, np.random.default_rng(seed))
    assert found == best
    assert evaluated == expected


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 9999), p=st.integers(1, 7), T=st.integers(1, 40))
def test_with_trials_all_columns_come_first_and_so_many_draws_follow(seed, p, T):
    f = random_function(seed)
    fitted = SubsetSelector(LasVegas(trials=T), SetFunction(f), random_state=seed).fit(*table(p))
    evaluated = subsets(fitted.history_)
    assert evaluated[0] == tuple(range(p))
    assert len(evaluated) == len(set(evaluated)) <= T + 1
    assert fitted.score_ == max(f(frozenset(S)) for S in evaluated)
    rng = np.random.default_rng(np.random.default_rng(seed).integers(2**63))
    draws = []
    while len(draws) < T:
        member = rng.integers(0, 2, p, dtype=np.uint8)
        draws += [tuple(np.flatnonzero(member).tolist())] if member.any() else []
    assert evaluated == list(dict.fromkeys([tuple(range(p)), *draws]))


def test_every_column_is_in_half_of_the_draws():
    run = LasVegas(trials=4000).run(40, Stop(), np.random.default_rng(0))
    next(run)
    member = np.zeros(40)
    n = 0
    try:
        score = np.zeros(1)
        while True:
            (subset,) = run.send(score)
            member[list(subset)] += 1
            n += 1
    except StopIteration:
        pass
    assert n == 4000  # of 2⁴⁰ subsets none comes twice
    assert np.abs(member / n - 0.5).max() < 4.5 * 0.5 / np.sqrt(n)  # 4.5 standard errors


def test_of_equals_the_fewest_columns_win_and_then_the_first():
    fitted = SubsetSelector(LasVegas(500), SetFunction(lambda S: 1.0), random_state=3).fit(*table(6))
    sizes, kept = fitted.history_["size"], fitted.history_["kept"]
    assert len(fitted.selected_features_) == 1
    assert fitted.selected_features_ == list(subsets(fitted.history_)[np.flatnonzero(sizes == 1)[0]])
    assert (np.diff(sizes[kept]) < 0).all()


def test_the_score_is_the_learners():
    X, y = load_wine(return_X_y=True)
    fitted = LasVegasWrapper(KNeighborsClassifier(3), patience=20, cv=4, random_state=1).fit(X, y)
    expected = cross_val_score(KNeighborsClassifier(3), X[:, fitted.support_], y, cv=4)
    assert fitted.score_ == pytest.approx(expected.mean(), rel=1e-15)
    assert fitted.score_ == fitted.history_["score"].max()
    assert fitted.status_ == "finished"
    assert not fitted.history_["kept"][-20:].any()
    assert fitted.history_["kept"][-21]
    assert fitted.transform(X).shape == (len(y), fitted.support_.sum())
    assert LasVegasWrapper(KNeighborsClassifier(3), trials=5, cv=4).fit(X, y).history_["reason"][0] == "all columns"


@pytest.mark.parametrize("options", [{"patience": 12}, {"trials": 15}, {"patience": 9, "keep": [3]}])
def test_workers_do_not_change_the_history(options, tmp_path):
    X, y = load_wine(return_X_y=True)
    make = LasVegasWrapper(KNeighborsClassifier(), cv=2, random_state=5, **options)
    serial = clone(make).fit(X, y)
    for n_jobs in (2, 4):
        file = tmp_path / f"{n_jobs}.sqlite"
        same(serial, clone(make).set_params(n_jobs=n_jobs, checkpoint=file).fit(X, y))
        again = clone(make).set_params(n_jobs=1, checkpoint=file).fit(X, y)
        same(serial, again)
        assert again.n_recalled_ == len(again.history_)


class Counting(RegressorMixin, BaseEstimator):
    """Predicts about the mean; counts its fits, takes its time, raises where a column is bad or its time has come."""

    fits = 0
    last = np.inf
    end = SystemExit

    def __init__(self, bad=None, seconds=0.0):
        self.bad = bad
        self.seconds = seconds

    def fit(self, X, y):
        if Counting.fits >= Counting.last:
            raise Counting.end
        Counting.fits += 1
        time.sleep(self.seconds)
        if self.bad is not None and (np.asarray(X)[0] == self.bad).any():
            raise ArithmeticError("a bad column")
        self.mean_ = np.mean(y) + np.sin(X[0]).sum() % 0.1
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


@pytest.fixture
def mortal(monkeypatch):
    """A function that sets after how many fits the learner ends, and how."""

    def die(last, end=SystemExit):
        monkeypatch.setattr(Counting, "fits", 0)
        monkeypatch.setattr(Counting, "last", last)
        monkeypatch.setattr(Counting, "end", end)

    return die


def numbered(p, n=12):
    """Rows in which column j is j everywhere, and a target."""
    return np.tile(np.arange(float(p)), (n, 1)), np.random.default_rng(0).standard_normal(n)


@pytest.mark.parametrize("trials", [None, 25])
def test_a_killed_run_goes_on_and_ends_the_same(tmp_path, trials, mortal):
    X, y = numbered(6)
    run = LasVegasWrapper(Counting(), patience=15, trials=trials, cv=2, random_state=0)
    whole = clone(run).fit(X, y)
    run.checkpoint = tmp_path / "run.sqlite"
    mortal(11)
    with pytest.raises(SystemExit):
        clone(run).fit(X, y)
    mortal(np.inf)
    again = clone(run).fit(X, y)
    same(whole, again)
    assert again.n_recalled_ == 5
    assert Counting.fits == 2 * (len(whole.history_) - 5)
    with pytest.raises(InputError, match="written by a run with other search"):
        clone(run).set_params(patience=16, trials=None).fit(X, y)


PROGRAM = """
import os, signal, sys, time
import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from tamis import LasVegasWrapper

class Killed(RegressorMixin, BaseEstimator):
    left = int(sys.argv[2])
    def fit(self, X, y):
        Killed.left -= 1
        if not Killed.left:
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.01)
        self.mean_ = float(np.sin(X[0]).sum())
        return self
    def predict(self, X):
        return np.full(len(X), self.mean_)

X, y = np.tile(np.arange(12.0), (10, 1)), np.linspace(0, 1, 10) ** 2
run = LasVegasWrapper(Killed(), patience=25, cv=2, random_state=0, checkpoint=sys.argv[1]).fit(X, y)
print(run.n_recalled_, [run.history_.subset(i) for i in range(len(run.history_))], run.score_.hex())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_sigkill(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(PROGRAM))

    def run(file, fits):
        command = [sys.executable, str(program), str(tmp_path / file), str(fits)]
        return subprocess.run(command, capture_output=True, text=True)

    whole = run("whole.sqlite", -1)
    assert run("run.sqlite", 45).returncode == -9
    again = run("run.sqlite", -1)
    assert again.stdout.split(maxsplit=1)[1] == whole.stdout.split(maxsplit=1)[1]
    assert 22 - 6 <= int(again.stdout.split()[0]) <= 22  # recorded at least every 100 ms, two fits of 10 ms each


def test_a_time_limit_before_any_success_is_no_solution_yet():
    X, y = numbered(4)
    slow = LasVegasWrapper(Counting(), cv=2, time_limit=1e-9)
    with pytest.warns(ConvergenceWarning, match="no solution yet"):
        fitted = clone(slow).fit(X, y)
    assert fitted.support_.all()
    assert np.isnan(fitted.score_)
    assert fitted.status_ == "time_limit"
    assert len(fitted.history_) == 0
    with pytest.warns(ConvergenceWarning, match="no solution yet"):
        assert clone(slow).set_params(keep=[0], trials=5).fit(X, y).support_.all()
    with pytest.raises(InputError, match=r"time_limit=1e-09 s was over"):
        SubsetSelector(LasVegas(), SetFunction(lambda S: 0.0), time_limit=1e-9).fit(X, y)


def test_a_time_limit_later_on_leaves_the_best_so_far():
    X, y = numbered(9)
    fitted = LasVegasWrapper(Counting(seconds=0.01), cv=2, patience=10**6, time_limit=0.4, random_state=0).fit(X, y)
    assert fitted.status_ == "time_limit"
    assert fitted.score_ == pytest.approx(fitted.history_["score"].max(), rel=1e-12)
    best = np.flatnonzero(fitted.history_["kept"])[-1]
    assert fitted.history_.subset(best) == tuple(fitted.selected_features_)
    assert fitted.history_["reason"][best] == "best so far when time was up"


def test_errors_are_no_lack_of_time():
    X, y = np.zeros((8, 3)), np.arange(8.0)
    with pytest.raises(InputError, match="could not evaluate any subset: failed: ArithmeticError: a bad column"):
        LasVegasWrapper(Counting(bad=0.0), cv=2, patience=5).fit(X, y)
    with pytest.raises(InputError, match="could not evaluate any subset: failed: ArithmeticError: a bad column"):
        LasVegasWrapper(Counting(bad=0.0, seconds=0.05), cv=2, patience=10**6, time_limit=0.3).fit(X, y)


@pytest.mark.parametrize("seed, first", [(0, False), (2, True)])
def test_a_subset_that_fails_is_a_draw_in_vain(seed, first):
    X, y = numbered(5)
    fitted = LasVegasWrapper(Counting(bad=2.0), cv=2, patience=40, random_state=seed).fit(X, y)
    failed = np.isnan(fitted.history_["score"])
    assert failed[0] == first
    assert failed.any()
    assert [2 in S for S in subsets(fitted.history_)] == failed.tolist()
    assert not fitted.history_["kept"][failed].any()
    assert set(fitted.history_["reason"][failed]) == {"failed: ArithmeticError: a bad column"}
    assert not fitted.support_[2]


def test_ctrl_c(mortal):
    X, y = numbered(6)
    mortal(1, KeyboardInterrupt)
    with pytest.raises(KeyboardInterrupt):  # before any success
        LasVegasWrapper(Counting(), cv=2, keep=[1]).fit(X, y)
    mortal(9, KeyboardInterrupt)
    fitted = LasVegasWrapper(Counting(), cv=2, random_state=0).fit(X, y)
    assert fitted.status_ == "interrupted"
    assert len(fitted.history_) == 4
    assert fitted.score_ == pytest.approx(fitted.history_["score"].max(), rel=1e-12)


def test_kept_columns_groups_and_sizes():
    X, y = load_wine(return_X_y=True)
    groups = [[0, 1, 2], [5, 6]]
    fitted = LasVegasWrapper(
        KNeighborsClassifier(), patience=15, cv=2, keep=[12], feature_groups=groups, random_state=0
    ).fit(X, y)
    assert fitted.support_[12]
    for group in groups:
        assert fitted.support_[group].all() or not fitted.support_[group].any()
    sized = LasVegasWrapper(KNeighborsClassifier(), trials=15, cv=2, n_features=(2, 3), random_state=0).fit(X, y)
    assert set(sized.history_["size"]) == {2, 3}


def test_one_column():
    fitted = LasVegasWrapper(Ridge(), cv=3, patience=7).fit(np.arange(9.0)[:, None], np.arange(9.0))
    assert fitted.support_.tolist() == [True]
    assert len(fitted.history_) == 1


def test_weights_reach_the_learner():
    X, y = load_wine(return_X_y=True)
    weight = np.random.default_rng(0).random(len(y))
    learner = LogisticRegression(C=0.01, solver="liblinear")
    X, y = X / X.std(axis=0), y == 1
    fitted = [LasVegasWrapper(learner, trials=6, cv=3, random_state=0).fit(X, y, w) for w in (None, weight)]
    assert subsets(fitted[0].history_) == subsets(fitted[1].history_)
    assert (fitted[0].history_["score"] != fitted[1].history_["score"]).any()


def test_the_history_is_small_and_can_be_pickled():
    p, T = 2_000, 50
    X, y = numbered(p)
    fitted = LasVegasWrapper(Counting(), trials=T, cv=2, random_state=0).fit(X, y)
    read = pickle.loads(pickle.dumps(fitted))
    assert subsets(read.history_) == subsets(fitted.history_)
    names = len(pickle.dumps(fitted.history_.names))
    assert len(pickle.dumps(fitted.history_)) < names + 8 * p + T * (p / 8 + 400)  # one bit for each column of a draw


class Foreseeing(Search):
    """Tells of three subsets ahead, and ends after as many as it was told to."""

    batch_size = 2
    order = (0, 1, 2)

    def run(self, p, stop, rng):
        for i in range(self.batch_size):
            bits = np.packbits(np.arange(p) == self.order[i]).tobytes()
            yield RandomSubset(bits, p, [(j,) for j in self.order[i + 1 :]])
        return (self.order[0],)


class Batched(SetFunction):
    """Remembers what it was asked at once."""

    def n_parallel(self, state):
        return 2

    def score_subsets(self, state, subsets):
        self.batches_ = [*getattr(self, "batches_", []), list(subsets)]
        return super().score_subsets(state, subsets)


def test_draws_are_evaluated_as_many_at_once_as_there_are_workers():
    evaluation = Batched(lambda S: 1.0)
    fitted = SubsetSelector(Foreseeing(), evaluation).fit(*table(3))
    assert evaluation.batches_ == [[(0,), (1,)]]
    assert len(fitted.history_) == 2


def test_what_is_remembered_is_not_evaluated_ahead(tmp_path, monkeypatch):
    f, file = random_function(0), tmp_path / "run.sqlite"
    monkeypatch.setattr(Foreseeing, "batch_size", 1)
    monkeypatch.setattr(Foreseeing, "order", (1,))
    SubsetSelector(Foreseeing(), Batched(f), checkpoint=file, random_state=0).fit(*table(3))
    monkeypatch.setattr(Foreseeing, "batch_size", 3)
    monkeypatch.setattr(Foreseeing, "order", (0, 1, 2))
    again = SubsetSelector(Foreseeing(), Batched(f), checkpoint=file, random_state=0).fit(*table(3))
    assert again.evaluation.batches_ == [[(0,)], [(2,)]]
    assert again.history_["score"].tolist() == [f(frozenset({j})) for j in range(3)]


@pytest.mark.parametrize("options", [{"patience": 0}, {"patience": 1.5}, {"trials": 0}, {"trials": "many"}])
def test_complaints(options):
    name, value = next(iter(options.items()))
    with pytest.raises(InputError, match=rf"{name} must be .* got {value!r}"):
        LasVegasWrapper(Ridge(), **options).fit(*numbered(3))


def test_kept_columns_alone_are_no_answer_where_every_subset_of_the_size_asked_for_fails():
    evaluation = SetFunction(lambda S: np.nan if len(S) == 3 else 1.0)
    with pytest.raises(InputError, match="could not evaluate any subset"):
        SubsetSelector(LasVegas(10), evaluation, n_features=3, keep=[1], random_state=0).fit(*table(4))
