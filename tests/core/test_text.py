"""Names from a table are short and visible wherever they are read, and exact wherever they are data."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis._core.checks import check_choice, shorten
from tamis._core.errors import InputError
from tamis._core.text import MOST, MOST_OF_LINE, one_line, short, visible


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("plain name", "plain name"),
        ("größe ✓ 身長", "größe ✓ 身長"),
        ("a\nb", "a\\nb"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("bell\a, back\b", "bell\\x07, back\\x08"),
        ("right to left \u202e", "right to left \\u202e"),
        ("c1 \x9b31m", "c1 \\x9b31m"),
        ("a\u2028b", "a\\u2028b"),
        ("می\u200cخواهم", "می\u200cخواهم"),  # a joiner that Persian is written with
        ("half \ud800", "half \\ud800"),
    ],
)
def test_what_steers_a_terminal_is_written_out(text, seen):
    assert visible(text) == seen


@given(st.text(max_size=300), st.integers(10, 100))
def test_short_text_has_its_beginning_and_end(text, most):
    found = short(text, most)
    whole = visible(text)
    assert len(found) <= most
    assert found == whole or (whole.startswith(found.partition("…")[0]) and whole.endswith(found[-(most // 3) :]))
    assert not any(c in found for c in "\n\r\x1b")


@pytest.mark.parametrize("name", ["x" * 100_000, "a b " * 25_000, "it's " * 20_000, '"' * 100_000, "\n" * 100_000])
def test_errors_are_one_line_that_ends(name):
    error = InputError(f"column {name!r} holds text, did you mean {name + 'y'!r}? Drop it.")
    assert len(str(error)) <= MOST_OF_LINE
    assert str(error).startswith("column ")
    assert str(error).endswith("Drop it.")
    assert "\n" not in str(error)


def test_quoted_names_are_cut_one_by_one():
    found = one_line(f"columns {'a' * 500!r} and {'b' * 500!r}: the user's don't fit, nobody's do; drop them")
    assert found.count("…") == 2
    assert len(found) < 3 * MOST
    assert found.endswith("the user's don't fit, nobody's do; drop them")


def test_apostrophes_are_no_quotes():
    message = "the learner's score " + "is a number " * 20 + "and the user's choice"
    assert one_line(message) == message


def test_lists_of_names_are_short():
    assert len(shorten(["n" * 100_000] * 9)) < 10 * MOST
    with pytest.raises(InputError) as error:
        check_choice("search", "z" * 100_000, ["forward", "backward"])
    assert len(str(error.value)) < 3 * MOST
