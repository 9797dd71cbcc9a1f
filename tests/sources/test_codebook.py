"""A codebook encodes the table it came from as Encoded did, however the table is stored and ordered."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from tamis import InputError, as_source
from tamis.sources import Encoded, gather
from tamis.sources.codebook import Codebook
from tamis.testing import check_source

COLUMNS = {
    "size": [1.5, None, 2.5, 4.0, 0.5, 3.5],
    "colour": ["red", "blue", None, "red", "white", "blue"],
    "sold": [True, False, True, True, False, None],
    "rooms": pa.array(["2", "3", "2", "3", "2", "3b"]).dictionary_encode(),
    "y": [1.0, 2.0, 3.0, 4.0, 5.0, 6.5],
}


@pytest.fixture(scope="module")
def encoded():
    return Encoded(as_source(pa.table(COLUMNS), target="y"))


def recoded(encoded, columns, **kwargs):
    book = Codebook(Codebook.of(encoded).plain)  # as it comes back from a file
    return book.apply(as_source(pa.table(columns), **kwargs))


def test_same_table_same_numbers(encoded):
    rows = recoded(encoded, dict(reversed(COLUMNS.items())))
    assert rows.names == encoded.names
    np.testing.assert_array_equal(gather(rows).X, gather(encoded).X)
    check_source(rows)


def test_some_columns(encoded):
    rows = recoded(encoded, COLUMNS, target="y")
    np.testing.assert_array_equal(next(rows.blocks([3, 0])).X, gather(encoded, [3, 0]).X)


def test_labels_not_met_before_are_missing(encoded):
    rows = recoded(encoded, COLUMNS | {"colour": ["green"] * 6})
    colours = [j for j, name in enumerate(rows.names) if name.startswith("colour=")]
    assert not gather(rows, colours).X.any()
    assert "'colour' holds 'green', unknown to the model: taken as missing" in rows.notes


def test_labels_that_are_all_numbers_are_still_labels(encoded):
    rows = recoded(encoded, COLUMNS | {"rooms": [2, 2, 3, 3, 3, None]})
    rooms = [rows.names.index(f"rooms={level}") for level in ("2", "3", "3b")]
    expected = [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 1, 0], [0, 0, 0]]
    np.testing.assert_array_equal(gather(rows, rooms).X, expected)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"size": ["a", "b", "c", "d", "e", "f"]}, "column 'size' holds labels, but the model was fitted on numbers"),
        ({"size": [np.inf, 1.0, 1.0, 1.0, 1.0, 1.0]}, "column 'size' is infinite in 1 row"),
    ],
)
def test_other_kinds_of_columns_are_refused(encoded, change, says):
    with pytest.raises(InputError, match=says):
        recoded(encoded, COLUMNS | change)


def test_lacking_columns_are_named(encoded):
    with pytest.raises(InputError, match="lacks the column 'size' that"):
        recoded(encoded, {name: values for name, values in COLUMNS.items() if name != "size"})
