"""A range of sizes means the best size within it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier

from selection.set_functions import SetFunction, coverage, random_function, table
from tamis import SubsetSelector
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
    LasVegas,
    Ranking,
    Recursive,
)

ADDING = [Forward(), Beam(3), BestFirst(), Bidirectional(), Floating(), Ranking()]
DROPPING = [Backward(), Floating(direction="backward"), Recursive()]
ALL = [*ADDING, *DROPPING, Exhaustive(), LasVegas(20)]


class Weighed(SetFunction):
    """The same, with weights for searches that ask for them."""

    has_weights = True

    def weights(self, state, subset):
        return np.random.default_rng(sorted(subset)).random(len(subset))


def fit(search, f, p, **options):
    return SubsetSelector(search, Weighed(f), random_state=0, **options).fit(*table(p))


def seen(fitted, low, high):
    """(score, subset) of everything of a size asked for that the search evaluated."""
    history = fitted.history_
    rows = [(float(s), history.subset(i)) for i, s in enumerate(history["score"])]
    return [(s, S) for s, S in rows if low <= len(S) <= high]


ranges = st.tuples(st.integers(1, 6), st.integers(1, 6)).map(lambda r: tuple(sorted(r)))


@pytest.mark.parametrize("search", ALL, ids=str)
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 9999), sizes=ranges)
def test_the_best_of_what_was_seen_is_returned(search, seed, sizes):
    fitted = fit(search, random_function(seed), 6, n_features=sizes)
    best = max(s for s, _ in seen(fitted, *sizes))
    assert fitted.score_ == best
    assert sizes[0] <= fitted.support_.sum() <= sizes[1]


@pytest.mark.parametrize("search", ALL, ids=str)
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 9999), sizes=ranges)
def test_ties_go_to_the_smaller_set(search, seed, sizes):
    fitted = fit(search, lambda S: float(random_function(seed)(S) > 0.8), 6, n_features=sizes)
    tied = [S for s, S in seen(fitted, *sizes) if s == fitted.score_]
    assert fitted.support_.sum() == min(len(S) for S in tied)


@pytest.mark.parametrize("search", ADDING, ids=str)
@given(seed=st.integers(0, 9999), sizes=ranges)
@settings(max_examples=8, deadline=None)
def test_searches_that_add_come_to_the_largest_size(search, seed, sizes):
    fitted = fit(search, random_function(seed), 6, n_features=sizes)
    assert sizes[1] in fitted.history_["size"]


@pytest.mark.parametrize("search", DROPPING, ids=str)
@given(seed=st.integers(0, 9999), sizes=ranges)
@settings(max_examples=8, deadline=None)
def test_searches_that_drop_come_to_the_smallest_size(search, seed, sizes):
    fitted = fit(search, random_function(seed), 6, n_features=sizes)
    assert sizes[0] in fitted.history_["size"]


@pytest.mark.parametrize(
    "search", [Forward(), Backward(), Beam(3), Floating(), Floating(direction="backward")], ids=str
)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 9999), sizes=ranges)
def test_a_range_is_at_least_as_good_as_each_size_in_it(search, seed, sizes):
    f = random_function(seed)
    ranged = fit(search, f, 6, n_features=sizes).score_
    assert all(ranged >= fit(search, f, 6, n_features=k).score_ for k in range(sizes[0], sizes[1] + 1))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 9999), sizes=ranges, levels=st.sampled_from([1, 3, 1000]))
def test_branch_and_bound_agrees_with_exhaustive_on_a_range(seed, sizes, levels):
    f = coverage(seed, 6, levels=levels)
    a, b = (
        SubsetSelector(search, SetFunction(f, True), n_features=sizes).fit(*table(6))
        for search in (Exhaustive(), BranchAndBound())
    )
    assert a.score_ == b.score_
    assert a.support_.tolist() == b.support_.tolist()


@pytest.mark.parametrize("search", [s for s in ALL if not isinstance(s, (Ranking, LasVegas, Recursive))], ids=str)
def test_four_neighbours_on_iris_find_three_columns(search):
    X, y = load_iris(return_X_y=True)
    evaluation = CrossValidated(KNeighborsClassifier(4), cv=4)
    three = SubsetSelector(search, evaluation, n_features=3).fit(X, y)
    ranged = SubsetSelector(search, evaluation, n_features=(1, 3)).fit(X, y)
    assert ranged.score_ >= three.score_ >= 0.973


def size_taken(search):
    scores = {1: 0.50, 2: 0.58, 3: 0.66, 4: 0.67}
    return fit(search, lambda S: scores[len(S)], 4, n_features=(1, 4)).support_.sum()


@pytest.mark.parametrize("search", ["forward", "beam", "floating"])
def test_a_larger_set_must_gain_more_than_the_tolerance(search):
    scores = {1: 0.50, 2: 0.58, 3: 0.66, 4: 0.67}
    kind = {"forward": Forward, "beam": Beam, "floating": Floating}[search]
    sizes = {
        tol: fit(kind(tol=tol), lambda S: scores[len(S)], 4, n_features=(1, 4)).support_.sum()
        for tol in (0, 0.05, 0.1, 0.2)
    }
    assert sizes == {0: 4, 0.05: 3, 0.1: 3, 0.2: 1}


@pytest.mark.parametrize("search", [Backward, lambda tol: Floating(tol, "backward")])
def test_a_smaller_set_may_lose_what_a_negative_tolerance_allows(search):
    scores = {1: 0.50, 2: 0.58, 3: 0.66, 4: 0.67}
    sizes = {
        tol: fit(search(tol), lambda S: scores[len(S)], 4, n_features=(1, 4)).support_.sum()
        for tol in (0, -0.05, -0.1, -0.2)
    }
    assert sizes == {0: 4, -0.05: 3, -0.1: 2, -0.2: 1}


def test_columns_that_are_kept_count_and_may_be_enough():
    def f(S):
        return -float(len(S))

    for search in [s for s in ALL if not isinstance(s, Recursive)]:
        fitted = fit(search, f, 5, n_features=(1, 3), keep=[2])
        assert fitted.selected_features_ == [2], search


def test_the_chosen_size_is_told():
    fitted = fit(Forward(), lambda S: -abs(len(S) - 2.0), 5, n_features=(1, 4))
    (row,) = [i for i, why in enumerate(fitted.history_["reason"]) if "the sizes asked for" in why]
    assert fitted.history_.subset(row) == tuple(fitted.selected_features_)
    assert len(fitted.selected_features_) == 2


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 9999))
def test_backward_floating_mirrors_forward_floating(seed):
    """Of f′(S) = f(complement of S), what is dropped is what floating forward adds."""
    f, p = random_function(seed), 6
    whole = frozenset(range(p))
    for k in range(1, p):
        up = fit(Floating(), f, p, n_features=k)
        down = fit(Floating(direction="backward"), lambda S: f(whole - S), p, n_features=p - k)
        assert (up.support_ != down.support_).all()
        assert len(down.history_) == len(up.history_) + 1  # all columns are evaluated first
