"""Encoded: labels as indicators, gaps filled, useless columns left out and named."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from sources.tables import make_table
from tamis._core.errors import InputError
from tamis.sources import Encoded, Kind, as_source, gather
from tamis.testing import check_source


def test_columns_of_every_kind():
    frame = make_table()
    encoded = Encoded(as_source(frame, target="target"))
    assert encoded.names == ["size", "grade", "count", "yes", "colour=blue", "colour=green", "colour=red", "day"]
    assert encoded.origin == ["size", "grade", "count", "yes", "colour", "colour", "colour", "day"]
    assert set(encoded.left_out) == {"row", "code", "same", "note"}
    X = gather(encoded).X
    np.testing.assert_allclose(
        X[:, 0], frame["size"].fillna(frame["size"].mean()), rtol=1e-13
    )  # another order of summing
    for k, colour in enumerate(["blue", "green", "red"]):
        np.testing.assert_array_equal(X[:, 4 + k], (frame["colour"] == colour).to_numpy(dtype=float))
    days = (frame["day"] - frame["day"].min()).dt.total_seconds() / 86_400
    np.testing.assert_allclose(
        X[:, 7] - X[:, 7].min(), days.fillna(days.mean()), atol=1e-9
    )  # days since 1970: 4e-12 each
    missing = frame["colour"].isna().to_numpy()
    assert missing.any()
    assert not X[missing, 4:7].any()


def test_schema_tells_what_the_blocks_hold():
    encoded = Encoded(as_source(make_table(), target="target"))
    X = gather(encoded).X
    for j, column in enumerate(encoded.schema.columns):
        assert column.mean == pytest.approx(X[:, j].mean(), rel=1e-12)
        assert column.missing == 0
    assert encoded.schema.kinds[4:] == [Kind.BOOLEAN] * 3 + [Kind.DATE]
    assert encoded.schema.target.levels == ("maybe", "no", "yes")


def test_without_filling_gaps_stay():
    encoded = Encoded(as_source(make_table(), target="target"), fill=False)
    assert encoded.filled == {}
    assert np.isnan(gather(encoded).X[:, 0]).sum() == make_table()["size"].isna().sum()
    check_source(encoded)


def test_complete_numbers_are_handed_on_as_views():
    X = np.random.default_rng(0).normal(size=(50, 4))
    encoded = Encoded(as_source(X))
    assert np.shares_memory(gather(encoded).X, X)
    check_source(Encoded(as_source(X), columns=[3, 1]))
    assert Encoded(as_source(X), columns=[3, 1]).names == ["x3", "x1"]


def test_sparse_stays_sparse_and_is_filled():
    rng = np.random.default_rng(0)
    dense = rng.normal(size=(40, 5)) * (rng.random((40, 5)) < 0.4)
    dense[3, 1] = dense[7, 1] = np.nan
    encoded = Encoded(as_source(sp.csr_array(dense)))
    check_source(encoded)
    X = gather(encoded).X
    assert sp.issparse(X)
    assert encoded.filled == {"x1": 2}
    assert X[3, 1] == pytest.approx(np.nanmean(dense[:, 1]), rel=1e-12)


def test_nothing_left():
    with pytest.raises(InputError, match=r"no column is left to learn from: 'x0 \(constant\)'"):
        Encoded(as_source(np.ones((5, 1))))
    lost = Encoded(as_source(pd.DataFrame({"a": [1.5, 2, 3], "b": [np.nan] * 3})))
    assert lost.left_out == {"b": "missing in every row"}


def test_any_table_with_its_target_is_encoded():
    frame = make_table()
    X, y = frame.drop(columns="target"), frame["target"]
    reference = Encoded(as_source(X, y))
    for encoded in (Encoded(X, y=y), Encoded(frame, y="target")):
        assert encoded.names == reference.names
        for ours, theirs in zip(encoded.blocks(), reference.blocks(), strict=True):
            np.testing.assert_array_equal(ours.X, theirs.X)
            np.testing.assert_array_equal(ours.y, theirs.y)
    with pytest.raises(InputError, match="X is a Source, which brings its own target"):
        Encoded(as_source(X, y), y=y)
