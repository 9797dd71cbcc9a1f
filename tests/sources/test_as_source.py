"""The same table gives the same rows, kinds and missing counts in every form."""

from dataclasses import astuple

import numpy as np
import pytest

from sources.tables import make_table
from tamis.sources import Encoded, Kind, as_source, gather
from tamis.testing import check_source

KINDS = {
    "size": Kind.CONTINUOUS,
    "grade": Kind.DISCRETE,
    "count": Kind.CONTINUOUS,
    "row": Kind.IDENTIFIER,
    "yes": Kind.BOOLEAN,
    "colour": Kind.DISCRETE,
    "day": Kind.DATE,
    "code": Kind.IDENTIFIER,
    "same": Kind.CONSTANT,
    "note": Kind.TEXT,
}


def test_laws_hold_in_every_form(form):
    source = as_source(form(make_table()), y="target")
    source.block_bytes = 8 * 10 * 70  # several blocks
    check_source(source)


def test_every_form_gives_the_same_table(form):
    frame = make_table(seed=1)
    source, reference = as_source(form(frame), y="target"), as_source(frame, target="target")
    assert dict(zip(source.names, source.schema.kinds, strict=True)) == KINDS
    for ours, theirs in zip(source.schema.columns, reference.schema.columns, strict=True):
        # Means are sums in the order of the blocks: equal to rounding, everything else exactly.
        assert astuple(ours)[:7] == astuple(theirs)[:7]
        assert (ours.mean is None) == (theirs.mean is None)
        assert ours.mean is None or ours.mean == pytest.approx(theirs.mean, rel=1e-12)
    assert source.schema.target == reference.schema.target
    a, b = gather(source), gather(reference)
    np.testing.assert_array_equal(a.X, b.X)
    np.testing.assert_array_equal(a.y, b.y)
    assert source.n_rows == len(frame)


def test_rows_are_those_of_the_table(form):
    frame = make_table(seed=2)
    source = as_source(form(frame), target="target")
    block = gather(source)
    for j, name in enumerate(source.names):
        column, values = source.schema.columns[j], frame[name]
        assert column.missing == values.isna().sum()
        if column.levels is not None:
            codes = block.X[:, j]
            assert [None if np.isnan(c) else column.levels[int(c)] for c in codes] == values.astype(object).where(
                values.notna(), None
            ).tolist()
        elif column.kind is not Kind.DATE:
            np.testing.assert_array_equal(block.X[:, j], values.to_numpy(dtype=float))
    days = (frame["day"] - np.datetime64("1970-01-01")).dt.days.to_numpy(dtype=float)
    np.testing.assert_array_equal(block.X[:, source.names.index("day")], days)
    assert [source.schema.target.levels[int(c)] for c in block.y] == frame["target"].tolist()


@pytest.mark.parametrize("rows", [7, 100, 1000])
def test_any_block_size_gives_the_same_rows(form, rows):
    source = as_source(form(make_table()), target="target")
    whole = gather(source)
    source.block_bytes = 8 * 11 * rows
    assert rows > 240 or sum(1 for _ in source.blocks()) > 1
    np.testing.assert_array_equal(gather(source).X, whole.X)


def test_weights_from_a_column(form):
    source = as_source(form(make_table()), target="target", weight="count")
    assert "count" not in source.names
    np.testing.assert_array_equal(gather(source).weight, make_table()["count"].to_numpy(dtype=float))
    check_source(source)


def test_y_and_weights_from_arrays(form):
    frame = make_table()
    rng = np.random.default_rng(0)
    y, weight = rng.normal(size=len(frame)), rng.random(len(frame))
    source = as_source(form(frame), y, sample_weight=weight)
    source.block_bytes = 10_000
    block = gather(source)
    np.testing.assert_array_equal(block.y, y)
    np.testing.assert_array_equal(block.weight, weight)


def test_encoding_is_the_same_in_every_form(form):
    frame = make_table(seed=3)
    encoded, reference = (Encoded(as_source(t, target="target")) for t in (form(frame), frame))
    check_source(encoded)
    assert encoded.names == reference.names
    assert encoded.left_out == reference.left_out
    assert encoded.filled == reference.filled == {n: int(frame[n].isna().sum()) for n in ("size", "grade", "day")}
    np.testing.assert_allclose(gather(encoded).X, gather(reference).X, rtol=1e-12)  # means of other block sums
