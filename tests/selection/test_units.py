"""Columns that are always kept, columns that come together, and how many are wanted."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selection.set_functions import Told, random_function, table
from tamis import InputError
from tamis.selection import (
    Backward,
    Beam,
    BestFirst,
    Bidirectional,
    Exhaustive,
    Floating,
    Forward,
    LasVegas,
    Ranking,
    SubsetSelector,
)

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
        search, Told(random_function(seed)), keep=sorted(keep), n_features=size, random_state=0
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
        search, Told(random_function(seed)), feature_groups=[sorted(g) for g in groups], n_features=2, random_state=0
    ).fit(*table(7))
    for S in [*fitted.evaluation.asked_[: len(fitted.history_)], set(fitted.selected_features_)]:
        assert all(not S & g or g <= S for g in groups)
    units = [g for g in [*groups, {4}, {6}] if g <= set(fitted.selected_features_)]
    assert len(units) == 2


def test_groups_have_names_in_the_history():
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame(np.zeros((4, 3)), columns=["a", "b", "c"])
    fitted = SubsetSelector("forward", Told(len), feature_groups={"both": ["a", "c"]}, n_features=1)
    fitted.fit(X, [0, 1, 0, 1])
    assert fitted.selected_features_ == ["a", "c"]
    assert fitted.history_["added"].tolist() == [("both",), ("b",)]
    assert fitted.history_["size"].tolist() == [2, 1]


def test_nothing_is_left_to_search():
    fitted = SubsetSelector("forward", Told(len), keep=[0, 2], n_features=2).fit(*table(4))
    assert fitted.selected_features_ == [0, 2]
    assert fitted.score_ == 2


@pytest.mark.parametrize(
    "options, message",
    [
        ({"keep": [9]}, "keep holds 9, which is none of the 4 columns"),
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
        SubsetSelector("forward", Told(len), **options).fit(*table(4))
