"""Views: some columns, some rows, one class against the others, rows kept in memory."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from sources.tables import make_table
from tamis.sources import Columns, Encoded, Indicator, InMemory, Kind, SomeRows, as_source, gather
from tamis.sources.base import matrix_of, origin_of, original_of
from tamis.testing import check_source

ROWS = np.sort(np.random.default_rng(5).permutation(240)[:90])
VIEWS = {
    "columns": lambda source: Columns(source, [5, 0, 3]),
    "rows": lambda source: SomeRows(source, ROWS),
    "indicator": lambda source: Indicator(source, 1.0),
    "memory": InMemory,
    "columns of rows": lambda source: Columns(SomeRows(source, ROWS), [5, 0, 3]),
    "rows of columns": lambda source: SomeRows(Columns(source, [5, 0, 3]), ROWS),
}


def readable(form):
    """The table without the columns that no block can hold."""
    return as_source(form(make_table().drop(columns=["note", "code"])), target="target", weight="count")


@pytest.mark.parametrize("view", VIEWS)
def test_laws_hold_for_every_view(form, view):
    source = readable(form)
    source.block_bytes = 8 * 9 * 70  # several blocks
    check_source(VIEWS[view](source))


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("kind", ["dense", "integers", "csr", "csc"])
def test_laws_hold_for_every_view_of_an_array(kind, view):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 7)).round(1) * (rng.random((240, 7)) < 0.5)
    X = {"dense": X, "integers": X.astype(int), "csr": sp.csr_array(X), "csc": sp.csc_array(X)}[kind]
    check_source(VIEWS[view](as_source(X, rng.integers(0, 3, 240), sample_weight=rng.random(240), discrete=[0])))


def test_a_run_of_columns_of_an_array_is_still_an_array():
    X = np.random.default_rng(0).normal(size=(50, 6))
    source = as_source(X, X[:, 0])
    assert np.shares_memory(matrix_of(Columns(source, [2, 3, 4])), X)
    assert matrix_of(Columns(source, [4, 2])) is None
    assert matrix_of(Indicator(source, 1.0)) is X


def test_a_view_of_encoded_columns_knows_where_they_come_from():
    encoded = Encoded(as_source(make_table(), target="target"))
    chosen = [5, 0, 4]
    for view in (
        Columns(encoded, chosen),
        Columns(InMemory(encoded), chosen),
        Indicator(Columns(encoded, chosen), 0.0),
    ):
        assert origin_of(view) == ["colour", "size", "colour"]


def test_views_give_back_their_part_of_the_frame_and_encoded_columns_none():
    frame = make_table()
    source = as_source(frame, target="target")
    features, chosen = frame.drop(columns="target"), ["day", "size"]
    columns = Columns(source, [source.names.index(name) for name in chosen])
    pd.testing.assert_frame_equal(original_of(columns), features[chosen])
    pd.testing.assert_frame_equal(original_of(SomeRows(columns, ROWS)), features[chosen].iloc[ROWS])
    pd.testing.assert_frame_equal(original_of(Indicator(source, 1.0)), features)
    assert original_of(Encoded(source)) is None
    cells = features[["colour", "size"]].to_numpy(dtype=object)
    picked = original_of(SomeRows(Columns(as_source(cells), [0]), ROWS))
    pd.testing.assert_frame_equal(pd.DataFrame(picked), pd.DataFrame(cells[ROWS, :1]))


def test_dates_are_dates_among_some_rows(form):
    view = SomeRows(readable(form), ROWS)
    assert [c.name for c in view.schema.columns if c.stored_as_date] == ["day"]


def test_some_columns_are_those_of_the_table(form):
    source = readable(form)
    view = Columns(source, [5, 0])
    assert view.names == ["day", "size"]
    assert view.labels == ["target"]
    np.testing.assert_array_equal(gather(view).X, gather(source).X[:, [5, 0]])


def test_some_rows_are_those_of_the_table(form):
    frame = make_table().drop(columns=["note", "code"])
    source, picked = (as_source(t, target="target", weight="count") for t in (form(frame), frame.iloc[ROWS]))
    for rows in (ROWS, ROWS[::-1], np.isin(np.arange(len(frame)), ROWS)):
        view = SomeRows(source, rows)
        ours, whole = gather(view), gather(source)
        np.testing.assert_array_equal(ours.X, whole.X[ROWS])
        np.testing.assert_array_equal(ours.y, whole.y[ROWS])
        np.testing.assert_array_equal(ours.weight, whole.weight[ROWS])
    for ours, theirs in zip(view.schema.columns, picked.schema.columns, strict=True):
        assert (ours.name, ours.missing, ours.n_distinct) == (theirs.name, theirs.missing, theirs.n_distinct)
        assert ours.mean == theirs.mean or ours.mean == pytest.approx(theirs.mean, rel=1e-12)
        assert (ours.low, ours.high, ours.levels) == (theirs.low, theirs.high, theirs.levels)
    assert view.schema.target.counts == picked.schema.target.counts


def test_levels_stay_those_of_the_whole_table():
    frame = make_table()[["size", "colour", "target"]]
    view = SomeRows(as_source(frame, target="target"), np.flatnonzero(frame["colour"] == "green"))
    column = view.schema.columns[1]
    assert column.levels == ("blue", "green", "red")
    assert column.counts == (0, view.n_rows, 0)
    assert column.kind is Kind.CONSTANT
    assert set(gather(view).X[:, 1]) == {1.0}


def test_sparse_rows_stay_sparse():
    X = sp.random_array((60, 8), density=0.3, rng=np.random.default_rng(0), format="csc")
    view = SomeRows(as_source(X), [3, 4, 17, 59])
    assert sp.issparse(gather(view).X)
    np.testing.assert_array_equal(gather(view).X.toarray(), X.toarray()[[3, 4, 17, 59]])
    check_source(view)


def test_a_class_against_the_others(form):
    source = readable(form)
    view = Indicator(source, source.schema.target.levels.index("no"))
    np.testing.assert_array_equal(gather(view).y, (make_table()["target"] == "no").to_numpy(dtype=float))
    assert view.labels == ["colour"]
    assert view.schema.target.kind is Kind.BOOLEAN


def test_rows_in_memory_are_read_once(tmp_path):
    frame = make_table()[["size", "grade", "yes"]]
    path = tmp_path / "table.parquet"
    frame.to_parquet(path)
    source = as_source(path, target="yes")
    view = InMemory(source)
    path.unlink()
    assert view.in_memory
    np.testing.assert_array_equal(gather(view, [1]).X[:, 0], frame["grade"])
    assert np.shares_memory(gather(view).X, gather(view, [0]).X)
