"""Columns of rarer types mean the same in every library and in files."""

import datetime as dt
from decimal import Decimal

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tamis.sources import Kind, as_source, gather

UTC = dt.UTC
FRAME = pl.DataFrame(
    {
        "exact": [Decimal("1.5"), None, Decimal("2.25")],
        "nothing": [None, None, None],
        "time taken": [dt.timedelta(days=1), None, dt.timedelta(hours=12)],
        "zoned": [dt.datetime(2020, 1, 1, 2, tzinfo=UTC), None, dt.datetime(2020, 1, 1, 12, tzinfo=UTC)],
        "fine": pl.Series([dt.datetime(2020, 1, 1), None, dt.datetime(1960, 1, 1, 6)], dtype=pl.Datetime("ns")),
        "day": [dt.date(2020, 1, 1), None, dt.date(1960, 1, 1)],
        "small": pl.Series([1, None, 2], dtype=pl.UInt8),
        "yes": [True, None, False],
        "pool": pl.Series(["b", None, "a"], dtype=pl.Categorical),
        "list": [[1], [2, 3], None],
        "record": [{"a": 1}, {"a": 2}, None],
    }
)
# Days since 1970-01-01: 2020-01-01 is day 18262 (50 years, 12 leap days), 1960-01-01 day −3653 (10 years, 3 leap days).
ROWS = [
    [1.5, np.nan, 1.0, 18262 + 2 / 24, 18262, 18262, 1, 1, 1],
    [np.nan] * 9,
    [2.25, np.nan, 0.5, 18262.5, -3652.75, -3653, 2, 0, 0],
]


def _parquet(folder):
    FRAME.write_parquet(folder / "a.parquet")
    return folder / "a.parquet"


WAYS = {
    "polars": lambda folder: FRAME,
    "arrow": lambda folder: FRAME.to_arrow(),
    "pandas": lambda folder: FRAME.to_pandas(),
    "pandas on arrow": lambda folder: FRAME.to_pandas(use_pyarrow_extension_array=True),
    "parquet": _parquet,
}


@pytest.mark.parametrize("way", WAYS)
def test_rare_types(way, tmp_path):
    source = as_source(WAYS[way](tmp_path))
    columns = source.schema.columns
    assert [c.readable for c in columns] == [True] * 9 + [False] * 2
    assert [c.kind for c in columns[3:6]] == [Kind.DATE] * 3
    assert columns[8].levels == ("a", "b")
    # A day has 86,400,000 milliseconds: its fractions are rounded once.
    np.testing.assert_allclose(gather(source, range(9)).X, ROWS, rtol=4 * np.finfo(float).eps)


def test_dictionary_that_differs_between_row_groups(tmp_path):
    pieces = [["b", "a", None], ["c", "c", "a"], [None, None, "d"]]
    with pq.ParquetWriter(tmp_path / "a.parquet", pa.schema([("x", pa.dictionary(pa.int8(), pa.string()))])) as writer:
        for piece in pieces:
            writer.write_table(
                pa.table({"x": pa.array(piece).dictionary_encode().cast(pa.dictionary(pa.int8(), pa.string()))})
            )
    source = as_source(tmp_path / "a.parquet")
    assert source.schema.columns[0].levels == ("a", "b", "c", "d")
    codes = gather(source).X[:, 0]
    assert [None if np.isnan(c) else "abcd"[int(c)] for c in codes] == [*pieces[0], *pieces[1], *pieces[2]]


def test_numbers_too_large_for_a_float_are_rounded_not_refused():
    table = pa.table({"x": [2**62 + 1, 5, 7], "y": [1, 2, 3]})
    assert gather(as_source(table)).X[0, 0] == float(2**62)
