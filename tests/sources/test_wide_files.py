"""Files with very many columns: work grows with the columns, not with their square."""

import sys

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from tamis.sources import as_source, gather

WRITERS = {"csv": pa.csv.write_csv, "parquet": pq.write_table}


def _calls(path):
    """Functions called, Python's and C's, while the table is read."""
    n = 0

    def count(frame, event, argument):
        nonlocal n
        n += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        gather(as_source(path, target="c0"))
    finally:
        sys.setprofile(None)
    return n


@pytest.mark.parametrize("ending", WRITERS)
def test_work_grows_with_the_columns(ending, tmp_path):
    counts = []
    for p in (200, 200, 400):  # the first one imports what it needs
        path = tmp_path / f"{p}.{ending}"
        WRITERS[ending](pa.table({f"c{j}": [0.5 * j, 1.5, 2.0] for j in range(p)}), path)
        counts.append(_calls(path))
    assert counts[2] < 2.1 * counts[1]
