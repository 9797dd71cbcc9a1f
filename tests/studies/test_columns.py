"""Columns named on the command line."""

import pytest

from tamis import InputError
from tamis.studies.columns import group_lists


def test_groups_are_split_as_csv():
    assert group_lists("feature_groups", ['a,"b,c"', "d,e"], ["a", "b,c", "d", "e"]) == [["a", "b,c"], ["d", "e"]]


@pytest.mark.parametrize("group", ["\r0,a", "a\rb", '"a\n'])
def test_line_breaks_are_part_of_a_name_that_is_no_column(group):
    with pytest.raises(InputError, match="not a column in use") as caught:
        group_lists("feature_groups", [group], ["a", "b"])
    assert caught.value.argument == "feature_groups"
