"""Every table that cannot be used gives one line that says what is wrong and what to do."""

import gzip
import os
import zlib

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tamis._core.errors import InputError
from tamis.sources import Kind, as_source, check_learnable, gather, require_complete

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + zlib.compress(bytes(200))


@pytest.fixture
def write(tmp_path):
    """Write bytes (or text) to a file of the given name and give its path."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def refusal(*args, **kwargs):
    """The line that as_source or the first pass complains with."""
    with pytest.raises(InputError) as caught:
        gather(as_source(*args, **kwargs))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def unlearnable(X, y=None, task=None, **kwargs):
    with pytest.raises(InputError) as caught:
        check_learnable(as_source(X, y, **kwargs), task)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_missing_file(tmp_path, write):
    assert "there is no file" in refusal(tmp_path / "nothing.csv")
    write("prices.csv", "a,b\n1,2\n")
    assert "did you mean 'prices.csv'?" in refusal(tmp_path / "price.csv")


@pytest.mark.parametrize(
    "name, message", [("a.csv", "not a table: it holds binary data"), ("a.parquet", "not a Parquet file")]
)
def test_picture_with_another_name(write, name, message):
    assert message in refusal(write(name, PNG))


def test_text_with_another_name(write):
    assert "not a Parquet file" in refusal(write("a.parquet", "Dear reader,\nthis is a letter.\n"))
    assert "line 2, has 2 fields where the header has 1" in refusal(write("a.csv", "Dear reader\nthis is, a letter\n"))


def test_unknown_ending(write):
    assert ".csv, .tsv, .txt, .csv.gz, .tsv.gz, .parquet, .pq" in refusal(write("table.xls", b"1"))


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_zero_bytes(write, name):
    assert "is empty (0 bytes)" in refusal(write(name, b""))


@pytest.mark.parametrize("text", ["a,b", "a,b\n", "a,b\n\n\n"])
def test_header_only(write, text):
    assert "has a header but no rows" in refusal(write("a.csv", text))


def test_parquet_without_rows(tmp_path):
    pq.write_table(pa.table({"a": pa.array([], pa.float64())}), tmp_path / "a.parquet")
    assert "no rows" in refusal(tmp_path / "a.parquet")


def test_no_header(write):
    assert "add a line of names" in refusal(write("a.csv", "1.5,2\n3,4\n"))
    assert "has no header" in refusal(write("a.csv", "\n\n1,2\n"))


def test_one_row(write):
    assert "has 1 row (n_samples = 1)" in unlearnable(write("a.csv", "a,y\n1,2\n"), target="y")


def test_duplicate_names(write, tmp_path):
    message = "more than one column named 'a': rename all but one"
    assert message in refusal(write("a.csv", "a,b,a\n1,2,3\n"))
    assert message in refusal(pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]))
    table = pa.Table.from_arrays([pa.array([1.0])] * 3, names=["a", "b", "a"])
    assert message in refusal(table)
    pq.write_table(table, tmp_path / "a.parquet")
    assert message in refusal(tmp_path / "a.parquet")


@pytest.mark.parametrize("how", ["y", "target"])
def test_target_not_in_the_table(write, how):
    path = write("a.csv", "size,price\n1,2\n")
    for table in (path, pd.read_csv(path)):
        assert "target 'prize' is not a column of the table, did you mean 'price'?" in refusal(table, **{how: "prize"})
        assert "its columns are 'size', 'price'" in refusal(table, **{how: "zzz"})


def test_target_constant_or_missing(write):
    assert "the target 'y' is constant" in unlearnable(write("a.csv", "a,y\n1,2\n2,2\n3,2\n"), target="y")
    assert "the target 'y' is missing in all 3 rows" in unlearnable(
        write("a.csv", "a,y\n1,\n2,NA\n3,null\n"), target="y"
    )
    assert "missing (NaN) in 1 of 3 rows" in unlearnable(write("a.csv", "a,y\n1,5\n2,NA\n3,6\n"), target="y")
    assert "is constant" in unlearnable(np.arange(6).reshape(3, 2), ["a"] * 3)


def test_a_class_with_one_row():
    X = np.arange(10).reshape(5, 2)
    assert "1 class with one row only: 'b'" in unlearnable(X, list("aaaba"))
    assert "2 classes with one row only: 'b', 'c'" in unlearnable(X, list("acaba"))
    assert "1 class with one row only" in unlearnable(X, [0, 0, 1, 1, 2], "classification")


def test_task_and_target_must_fit():
    X = np.arange(60).reshape(30, 2)
    assert "holds labels, not numbers" in unlearnable(X, list("ab" * 15), "regression")
    assert "numbers with fractions" in unlearnable(X, np.linspace(0, 1, 30), "classification")
    assert "did you mean 'regression'" in unlearnable(X, np.linspace(0, 1, 30), "regresion")
    assert "a target is needed" in unlearnable(X)
    assert check_learnable(as_source(X, list("ab" * 15))) == "classification"
    assert check_learnable(as_source(X, np.linspace(0, 1, 30))) == "regression"


def test_all_features_constant(write):
    message = unlearnable(write("a.csv", "a,b,y\n1,x,1\n1,x,2\n1,x,1\n1,x,2\n"), target="y")
    assert "every feature is constant ('a', 'b')" in message


def test_columns_entirely_missing(write):
    message = unlearnable(write("a.csv", "a,b,c,y\n1,,NA,1\n2,,NA,2\n3,,NA,1\n4,,,2\n"), target="y")
    assert message == "columns 'b', 'c' are missing in every row: drop them"


def test_infinities_and_gaps_are_counted_by_column():
    frame = pd.DataFrame({"a": [1, np.inf, -np.inf, 2], "b": [1, np.nan, 3, np.inf], "c": [1.0, 2, 3, 4]})
    assert "infinite values (inf) in 'a' (2), 'b' (1)" in unlearnable(frame, [0, 1, 0, 1])
    with pytest.raises(
        InputError, match=r"missing values \(NaN\) in 'b' \(1\) and infinite values \(inf\) in 'a' \(2\), 'b' \(1\)"
    ):
        require_complete(as_source(frame))
    require_complete(as_source(frame[["c"]]))


@pytest.mark.parametrize("rows", [2, 300_000])
def test_not_utf8(write, rows):
    body = "a,name\n" + "1,plain\n" * rows + "2,caf\u00e9\n"
    message = refusal(write("a.csv", body.encode("latin1")))
    assert f"not written in UTF-8 (byte 0xe9 in line {rows + 2:,}): save it as UTF-8" in message
    assert "UTF-16: save it as UTF-8" in refusal(write("b.csv", body.encode("utf-16")))
    assert "line 1)" in refusal(write("c.csv", "caf\u00e9,b\n1,2\n".encode("latin1")))


@pytest.mark.parametrize("rows", [2, 800_000])
def test_ragged(write, rows):
    message = refusal(write("a.csv", "a,b\n" + "1,2\n" * rows + "3,4,5\n6,7\n"))
    assert f"line {rows + 2:,}, has 3 fields where the header has 2" in message


def test_broken_gzip(write):
    assert "cannot be read" in refusal(write("a.csv.gz", b"no gzip at all"))
    whole = gzip.compress(b"a,b\n" + b"1,2\n" * 1000)
    assert "cannot be read" in refusal(write("b.csv.gz", whole[:-20]))
    assert "cannot be read" in refusal(write("c.csv.gz", b"\x1f\x8b\x08\x00" + bytes(50)))
    rng = np.random.default_rng(0)
    large = bytearray(gzip.compress(b"a,b\n" + b"".join(b"%.9f,%.9f\n" % (u, v) for u, v in rng.random((20_000, 2)))))
    large[len(large) // 2] ^= 255  # the beginning, by which the file is known, can be read
    assert "cannot be read" in refusal(write("d.csv.gz", bytes(large)))


LATE = 1_100_000  # rows of '1,2': more than the block of text from which types are told


def test_numbers_that_turn_into_others_late(write):
    source = as_source(write("a.csv", "a,b\n" + "1,2\n" * LATE + "1,2.5\n"))
    assert gather(source).X[-1].tolist() == [1, 2.5]
    assert source.n_rows == LATE + 1


def test_numbers_that_turn_into_labels_late(write):
    source = as_source(write("a.csv", "a,b\n" + "1,2\n" * LATE + "abc,2\n"))
    assert source.schema.columns[0].levels == ("1", "abc")
    assert source.schema.columns[0].counts == (LATE, 1)
    assert gather(source).X[-1].tolist() == [1, 2]


def test_numbers_with_a_few_slips_are_told_before_learning(write):
    cells = ["1.5", "2.5", "?", *map(str, range(40))]
    source = as_source(write("a.csv", "a,y\n" + "".join(f"{c},{i % 2}\n" for i, c in enumerate(cells))), target="y")
    with pytest.raises(InputError, match=r"column 'a' holds numbers, but text in 1 of 43 rows \(first '\?' in row 3\)"):
        check_learnable(source)
    labels = ["1", "2", "many", "none"] * 20  # half of them are numbers: a column of labels
    source = as_source(write("b.csv", "a,y\n" + "".join(f"{c},{i % 3}\n" for i, c in enumerate(labels))), target="y")
    assert check_learnable(source) == "classification"


def test_a_column_that_begins_with_gaps(write):
    source = as_source(write("a.csv", "a,b,c\n" + ",2,\n" * LATE + "7,2,x\n"))
    assert source.schema.columns[0].kind is Kind.CONSTANT
    assert source.schema.columns[0].mean == 7
    assert source.schema.columns[2].levels == ("x",)
    assert gather(source, [0]).X[-1] == 7


def test_mixed_dates_are_labels(write):
    rows = "2024-01-31,2024-01-31T10:00:00Z\n31/01/2024,2024-02-01T00:00:00Z\n"
    path = write("a.csv", "day,when\n" + rows * 3)
    day, when = as_source(path).schema.columns
    assert (day.kind, when.kind) == (Kind.DISCRETE, Kind.DATE)


def test_many_distinct_strings(write):
    n = 100_000
    source = as_source(write("a.csv", "a,word,id\n" + "".join(f"{i % 7},w{i % 60_000},u{i}\n" for i in range(n))))
    assert source.schema.kinds == [Kind.DISCRETE, Kind.TEXT, Kind.IDENTIFIER]
    with pytest.raises(InputError, match="column 'word' holds text that cannot be coded as numbers: leave it out"):
        gather(source)
    assert gather(source, [0]).X.shape == (n, 1)


def test_folders(tmp_path, write):
    assert "holds no file" in refusal(tmp_path)
    write("a.csv", "a,b\n1,2\n")
    write("b.csv", "a,c\n1,2\n")
    assert "has other columns than" in refusal(tmp_path)
    pq.write_table(pa.table({"a": [1.0]}), tmp_path / "c.parquet")
    assert "tables of several kinds" in refusal(tmp_path)


def test_folder_whose_files_disagree_about_a_column(tmp_path):
    pq.write_table(pa.table({"a": [1.0]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"a": ["x"]}), tmp_path / "b.parquet")
    assert "column 'a' holds numbers in" in refusal(tmp_path)


def test_lengths_of_y_and_file_must_agree(write):
    assert "X has 3, y has 2" in refusal(write("a.csv", "a,b\n1,2\n3,4\n5,6\n"), [1, 2]).replace("at least ", "")
    assert "X has 3, y has 4" in refusal(write("a.csv", "a,b\n1,2\n3,4\n5,6\n"), [1, 2, 3, 4])


def test_nothing_beside_the_target(write):
    assert "0 feature(s) left" in refusal(write("a.csv", "y\n1\n2\n"), target="y")


def test_negative_weights_in_a_column(write):
    message = refusal(write("a.csv", "a,w\n1,2\n3,-4\n"), weight="w")
    assert "the weight column 'w' must be finite and ≥ 0, got -4 in row 1" in message


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes")
def test_a_pipe_is_refused_not_waited_for(tmp_path):
    pipe = tmp_path / "table.csv"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="is no regular file, and a table is read more than once"):
        as_source(pipe, target="y")
    with pytest.raises(InputError, match="is no regular file"):
        as_source(os.devnull, target="y")


def test_labels_of_a_long_file_are_no_slips(tmp_path):
    """The first chunk alone holds fewer labels than a tenth of the rows."""
    frame = pd.DataFrame({"y": np.tile(["a", "b"], 100_000), "x": 0.5})
    frame.to_parquet(tmp_path / "t.parquet")
    source = as_source(tmp_path / "t.parquet", target="y")
    source.block_bytes = 8 * 2 * 15_000
    assert source.schema.target.unparsed is None
    assert source.schema.target.levels == ("a", "b")
