"""Columns told by names, positions or a mask."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis import InputError
from tamis._core.column_positions import column_positions

NAMES = list("abcdef")


@given(st.lists(st.booleans(), min_size=6, max_size=6), st.randoms())
def test_mask_positions_and_names_agree(mask, random):
    at = [j for j, is_in in enumerate(mask) if is_in]
    assert column_positions("keep", np.array(mask), 6, NAMES) == at
    random.shuffle(at)
    assert column_positions("keep", at, 6) == at
    assert column_positions("keep", [j - 6 for j in at], 6) == at
    assert column_positions("keep", [NAMES[j] for j in at], 6, NAMES) == at


def test_numbers_are_names_where_columns_are_called_so():
    assert column_positions("keep", [7, 3], 3, [3, 5, 7]) == [2, 0]
    assert column_positions("keep", 5, 3, [3, 5, 7]) == [1]
    assert column_positions("keep", [("a", 1)], 2, [("a", 0), ("a", 1)]) == [1]


@pytest.mark.parametrize(
    "given, words",
    [
        (1.5, "must be names or positions"),
        ([1.0], "must be names or positions"),
        ([np.nan], "must be names or positions"),
        ([None], "must be names or positions"),
        (True, "must be names or positions"),
        ([0, True], "must be names or positions"),
        ({"a": 1}, "must be names or positions"),
        (b"a", "must be names or positions"),
        (np.zeros((2, 2), int), "must be names or positions"),
        (np.array(3.0), "must be names or positions"),
        (object, "must be names or positions"),
        ([[0]], "must be names or positions"),
        ([True] * 5, "one boolean for each of the 6 columns, got 5"),
        ([6], "columns count from 0 to 5"),
        ([-7], "columns count from 0 to 5"),
        (["a", 0], "holds column 0 twice"),
        ("aa", "names column 'aa', which X does not have, did you mean 'a'"),
        (["zzz"], "which X does not have: give names as X has them"),
    ],
)
def test_what_names_no_column_is_refused_in_one_line(given, words):
    with pytest.raises(InputError, match=f"^keep .*{words}") as caught:
        column_positions("keep", given, 6, NAMES)
    assert "\n" not in str(caught.value)
