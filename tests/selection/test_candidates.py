"""Columns that are always kept, columns that come together, and how many are wanted."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from selection.set_functions import SetFunction, random_function, table
from tamis import InputError
from tamis.penalties import Group
from tamis.selection import (
    FCBF,
    Backward,
    Beam,
    BestFirst,
    Bidirectional,
    EmbeddedSelector,
    Exhaustive,
    Floating,
    Forward,
    LasVegas,
    LasVegasWrapper,
    Ranking,
    ReliefF,
    SubsetSelector,
    TreeSelector,
    find_redundant,
)
from tamis.sources import as_source

SEARCHES = [
    Forward(),
    Backward(),
    Ranking(),
    Bidirectional(),
    Floating(),
    BestFirst(),
    Beam(2),
    Exhaustive(),
    LasVegas(20),
]


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 999), search=st.sampled_from(SEARCHES), keep=st.sets(st.integers(0, 6), max_size=3),
    size=st.sampled_from([None, 3, (1, 5)]),
)  # fmt: skip
def test_kept_columns_are_in_every_subset(seed, search, keep, size):
    fitted = SubsetSelector(
        search, SetFunction(random_function(seed)), keep=sorted(keep), n_features=size, random_state=0
    ).fit(*table(7))
    assert all(keep <= S for S in fitted.evaluation.asked_ if len(S) > 1 or S & keep)
    assert keep <= set(fitted.selected_features_)
    assert size != 3 or len(fitted.selected_features_) == 3
    assert fitted.history_["size"].max() <= 7
    assert fitted.support_.sum() == len(fitted.selected_features_)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 999), search=st.sampled_from(SEARCHES))
def test_groups_come_and_go_together(seed, search):
    groups = [{0, 5}, {1, 2, 3}]
    fitted = SubsetSelector(
        search,
        SetFunction(random_function(seed)),
        feature_groups=[sorted(g) for g in groups],
        n_features=2,
        random_state=0,
    ).fit(*table(7))
    for S in [*fitted.evaluation.asked_[: len(fitted.history_)], set(fitted.selected_features_)]:
        assert all(not S & g or g <= S for g in groups)
    units = [g for g in [*groups, {4}, {6}] if g <= set(fitted.selected_features_)]
    assert len(units) == 2


def test_groups_have_names_in_the_history():
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame(np.zeros((4, 3)), columns=["a", "b", "c"])
    fitted = SubsetSelector("forward", SetFunction(len), feature_groups={"both": ["a", "c"]}, n_features=1)
    fitted.fit(X, [0, 1, 0, 1])
    assert fitted.selected_features_ == ["a", "c"]
    assert fitted.history_["added"].tolist() == [("both",), ("b",)]
    assert fitted.history_["size"].tolist() == [2, 1]


MASKS = [
    np.array([False, True, False, True]),
    [False, True, False, True],
    (False, np.True_, False, True),
    [1, 3],
    np.array([1, 3]),
    [-3, -1],
    ["b", "d"],
    [1, "d"],
    {"b": None, "d": None}.keys(),
]


@pytest.mark.parametrize("columns", MASKS, ids=repr)
def test_a_mask_positions_and_names_say_the_same(columns):
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 3, (60, 4)) * 1.0, columns=list("abcd"))
    y = rng.integers(0, 2, 60)
    chosen = ["b", "d"]
    classes = LogisticRegression(C=1e-4, l1_ratio=1.0, solver="liblinear")
    for selector in (
        SubsetSelector("forward", "information_gain", n_features=2),
        TreeSelector(DecisionTreeClassifier(max_depth=1, random_state=0), n_features=2),
        EmbeddedSelector(classes, n_features=2),
        LasVegasWrapper(classes, trials=3, cv=2, n_features=2),
    ):
        assert sorted(selector.set_params(keep=columns).fit(X, y).selected_features_) == chosen
    X["e"] = X["d"] = X["b"]
    assert find_redundant(X.drop(columns="e"), keep=columns).dropped == []
    grouped = SubsetSelector("forward", SetFunction(len), feature_groups=[columns], n_features=1).fit(
        X.drop(columns="e"), y
    )
    assert grouped.selected_features_ == chosen
    assert Group([columns]).bound(4, list("abcd")).feature_groups.tolist() == [1, 0, 2, 0]
    kinds = as_source(X.drop(columns="e") + 0.5, y, discrete=columns).schema.kinds
    assert [str(kind) for kind in kinds] == ["continuous", "discrete"] * 2


def test_one_mask_is_one_group():
    mask = np.array([True, False, True, False])
    fitted = SubsetSelector("forward", SetFunction(len), feature_groups=mask, n_features=1).fit(*table(4))
    assert fitted.selected_features_ == [0, 2]
    assert fitted.history_["size"].tolist() == [2, 1, 1]


def test_numbers_that_are_names_stay_numbers():
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame(np.eye(4), columns=[30, 10, 0, 1])
    y = [0, 1, 0, 1]
    fitted = SubsetSelector("forward", SetFunction(len), keep=[1], feature_groups=[[30, 10]], n_features=2).fit(X, y)
    assert fitted.selected_features_ == [1, 30, 10]
    assert [type(name) for name in fitted.selected_features_] == [int] * 3
    assert not hasattr(fitted, "feature_names_in_")
    with pytest.raises(InputError, match="keep names column 3, which X does not have"):
        SubsetSelector("forward", SetFunction(len), keep=[3]).fit(X, y)
    kinds = as_source(X + 0.5, y, discrete=[1]).schema.kinds
    assert [str(kind) for kind in kinds] == ["continuous"] * 3 + ["discrete"]
    assert FCBF(discrete=[30]).fit(pd.DataFrame(X), y).n_features_in_ == 4
    assert ReliefF(n_neighbors=1, discrete=[0, 1], n_features=2).fit(X, y).support_.sum() == 2


def test_nothing_is_left_to_search():
    fitted = SubsetSelector("forward", SetFunction(len), keep=[0, 2], n_features=2).fit(*table(4))
    assert fitted.selected_features_ == [0, 2]
    assert fitted.score_ == 2


@pytest.mark.parametrize(
    "options, message",
    [
        ({"keep": [9]}, "keep holds column 9, but columns count from 0 to 3"),
        ({"keep": 1.5}, "keep must be names or positions of columns, or a mask of 4 booleans; got 1.5"),
        ({"keep": [True, False]}, "keep as a mask must hold one boolean for each of the 4 columns, got 2"),
        ({"keep": [1, -3]}, "keep holds column -3 twice"),
        ({"keep": "age"}, "keep names column 'age', but X has no column names"),
        ({"feature_groups": [[True, False, True]]}, "feature_groups as a mask must hold one boolean for each of the 4"),
        ({"feature_groups": 1.5}, "feature_groups must be labels, lists of columns or a size; got 1.5"),
        ({"keep": [0, 1], "n_features": 1}, "n_features=1 is less than the 2 that keep asks for"),
        ({"n_features": (3, 2)}, "asks for at least 3 and at most 2"),
        ({"n_features": (1, 2, 3)}, "a pair"),
        ({"n_features": 5}, "n_features must be at most the number of columns, 4; got 5"),
        ({"feature_groups": [[0, 1], [1, 2]]}, "holds column 1 twice"),
        ({"time_limit": 0}, "time_limit must be > 0"),
    ],
)
def test_complaints(options, message):
    with pytest.raises(InputError, match=message):
        SubsetSelector("forward", SetFunction(len), **options).fit(*table(4))
