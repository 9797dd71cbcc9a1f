"""Every search: its laws, and what it is for."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.linear_model import LinearRegression

from selection.set_functions import SetFunction, coverage, random_function, table
from tamis import InputError
from tamis.selection import (
    Backward,
    Beam,
    BestFirst,
    Bidirectional,
    BranchAndBound,
    CrossValidated,
    Exhaustive,
    Floating,
    Forward,
    InformationGain,
    LasVegas,
    Ranking,
    SubsetSelector,
)
from tamis.testing import check_search

GREEDY = [Forward(), Backward(), Ranking(), Bidirectional(), Floating(), BestFirst(), Beam(3), Exhaustive()]
GREEDY.append(Floating(direction="backward"))
ALL = [*GREEDY, LasVegas(30)]


def fit(search, f, p, monotone=False, **options):
    return SubsetSelector(search, SetFunction(f, monotone), random_state=0, **options).fit(*table(p))


def chosen(fitted):
    return tuple(sorted(fitted.selected_features_))


@pytest.mark.parametrize("search", GREEDY, ids=str)
def test_laws(search):
    check_search(search)


def test_laws_of_a_search_that_draws():
    check_search(LasVegas(400), greedy=False)


@pytest.mark.parametrize("search", [*ALL, BranchAndBound()], ids=str)
@pytest.mark.parametrize("n_features", [1, 3, 6, (2, 4), (5, 5)])
def test_the_number_of_features_is_within_bounds(search, n_features):
    low, high = n_features if isinstance(n_features, tuple) else (n_features, n_features)
    for seed in range(3):
        fitted = fit(search, coverage(seed, 6), 6, monotone=True, n_features=n_features)
        assert low <= len(chosen(fitted)) <= high
        assert fitted.score_ == coverage(seed, 6)(frozenset(chosen(fitted)))


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 999), size=st.sampled_from([None, 2, (2, 3)]))
def test_exhaustive_is_brute_force(seed, size):
    f, p = random_function(seed), 5
    low, high = {None: (1, p), 2: (2, 2), (2, 3): (2, 3)}[size]
    subsets = [S for k in range(low, high + 1) for S in combinations(range(p), k)]
    fitted = fit(Exhaustive(), f, p, n_features=size)
    assert chosen(fitted) == max(subsets, key=lambda S: f(frozenset(S)))
    assert len(fitted.history_) == len(subsets)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 9999), p=st.integers(1, 7), levels=st.sampled_from([1, 3, 1000]), data=st.data())
def test_branch_and_bound_agrees_with_exhaustive(seed, p, levels, data):
    k = data.draw(st.integers(1, p))
    f = coverage(seed, p, levels=levels)
    found = [fit(search, f, p, monotone=True, n_features=k) for search in (Exhaustive(), BranchAndBound())]
    assert found[0].score_ == found[1].score_
    assert chosen(found[0]) == chosen(found[1])


def test_branch_and_bound_looks_at_fewer_subsets():
    f = coverage(1, 14, n_points=60, levels=1000)
    found = [fit(search, f, 14, monotone=True, n_features=9) for search in (Exhaustive(), BranchAndBound())]
    assert chosen(found[0]) == chosen(found[1])
    assert len(found[1].history_) < 0.5 * len(found[0].history_)
    assert "branches were cut off" in " ".join(found[1].history_["reason"])


def test_branch_and_bound_on_real_counts():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (60, 7))
    y = (X[:, 1] ^ X[:, 4]) | X[:, 2]
    for k in (2, 3, 4):
        a, b = (SubsetSelector(s, n_features=k).fit(X, y) for s in (Exhaustive(), BranchAndBound()))
        assert chosen(a) == chosen(b)
        assert a.score_ == pytest.approx(b.score_, abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 999), size=st.sampled_from([None, 3]))
def test_a_beam_of_one_is_forward(seed, size):
    f = random_function(seed)
    assert chosen(fit(Beam(1), f, 6, n_features=size)) == chosen(fit(Forward(), f, 6, n_features=size))


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 999), size=st.integers(1, 5))
def test_floating_returns_the_best_it_saw_and_the_widest_beam_the_best_there_is(seed, size):
    f, p = random_function(seed), 6
    floating = fit(Floating(), f, p, n_features=size)
    assert floating.score_ == max(f(S) for S in floating.evaluation.asked_ if len(S) == size)
    assert fit(Beam(1000), f, p, n_features=size).score_ == fit(Exhaustive(), f, p, n_features=size).score_


def test_floating_takes_back_what_forward_cannot():
    scores = {frozenset({0}): 3.0, frozenset({1}): 2.0, frozenset({2}): 1.0, frozenset({1, 2}): 9.0}

    def f(S):
        return scores.get(S, 3.5 + 0.1 * len(S) if 0 in S else 0.0) + (10.0 if {0, 1, 2} == S else 0.0)

    assert chosen(fit(Forward(), f, 3, n_features=2)) == (0, 1)
    fitted = fit(Floating(), f, 3, n_features=(1, 3))
    assert "better than every subset of 2 before" in " ".join(fitted.history_["reason"])
    assert fitted.score_ > 13


def test_best_first_goes_back():
    good = {frozenset({0}): 2.0, frozenset({1}): 1.0, frozenset({1, 2}): 5.0}
    f = lambda S: good.get(S, 0.5)  # noqa: E731
    assert chosen(fit(Forward(), f, 4)) == (0,)
    assert chosen(fit(BestFirst(), f, 4)) == (1, 2)
    assert chosen(fit(BestFirst(patience=1), f, 4)) == (0,)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 999))
def test_what_bidirectional_added_stays_and_what_it_struck_out_stays_out(seed):
    fitted = fit(Bidirectional(), random_function(seed), 7, n_features=3)
    history, added, out = fitted.history_, set(), set()
    for came, went, kept in zip(history["added"], history["removed"], history["kept"], strict=True):
        assert not set(came) & out
        assert not set(went) & added
        added |= set(came) if kept else set()
        out |= set(went) if kept else set()
    assert chosen(fitted) == tuple(sorted(added))


def test_las_vegas_draws_the_same_with_the_same_seed_and_prefers_fewer():
    f = lambda S: float(3 in S)  # noqa: E731
    runs = [SubsetSelector(LasVegas(300), SetFunction(f), random_state=4).fit(*table(6)) for _ in range(2)]
    assert chosen(runs[0]) == chosen(runs[1]) == (3,)
    assert len(runs[0].evaluation.asked_) == len(set(runs[0].evaluation.asked_))  # none twice


def test_complaints():
    with pytest.raises(InputError, match="1,048,575 subsets of 20 columns"):
        fit(Exhaustive(max_subsets=1000), random_function(0), 20)
    with pytest.raises(InputError, match="BranchAndBound is for monotone evaluations"):
        fit(BranchAndBound(), random_function(0), 4, n_features=2)
    with pytest.raises(InputError, match="BranchAndBound needs n_features"):
        SubsetSelector(BranchAndBound(), InformationGain()).fit(np.eye(3), [0, 1, 1])
    with pytest.raises(InputError, match="width must be ≥ 1"):
        fit(Beam(0), random_function(0), 4)
    with pytest.raises(InputError, match="patience must be ≥ 1"):
        fit(LasVegas(0), random_function(0), 4)
    with pytest.raises(InputError, match="tol must be ≥ 0"):
        fit(Floating(tol=-1), random_function(0), 4)
    with pytest.raises(InputError, match="direction"):
        fit(Floating(direction="up"), random_function(0), 4)


def test_a_ranking_puts_columns_that_cannot_be_evaluated_last():
    def f(S):
        return np.nan if S & {0, 2} else float(max(S, default=0))

    assert fit(Ranking(), f, 5, n_features=1).selected_features_ == [4]
    assert fit(Ranking(), lambda S: np.nan if 0 in S else 1.0, 3, n_features=2).selected_features_ == [1, 2]


@pytest.mark.parametrize("tol", [-0.1, -0.03, -0.01, -0.001])
def test_a_negative_tolerance_backward_is_that_of_scikit_learn(tol):
    X, y = load_diabetes(return_X_y=True)
    theirs = SequentialFeatureSelector(LinearRegression(), tol=tol, direction="backward", cv=5).fit(X, y)
    ours = SubsetSelector(Backward(tol), CrossValidated(LinearRegression())).fit(X, y)
    assert ours.support_.tolist() == theirs.get_support().tolist()


def test_a_positive_tolerance_backward_is_what_a_removal_must_gain():
    gains = {4: 0.0, 3: 0.2, 2: 0.25, 1: 0.0}
    evaluation = SetFunction(lambda S: gains[len(S)])
    sizes = [SubsetSelector(Backward(tol), evaluation).fit(*table(4)).support_.sum() for tol in (0.0, 0.1, 0.3)]
    assert sizes == [2, 3, 4]
