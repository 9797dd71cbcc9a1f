"""Folders of files: columns in folders' names, and files that are damaged, gone or different."""

import numpy as np
import pandas as pd
import pytest

from tamis._core.errors import InputError
from tamis.sources import as_source, gather, parquet
from tamis.testing import check_source


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "x": rng.normal(size=90),
            "shade": rng.choice(["dark", "light"], 90),
            "year": np.repeat([2023, 2024, 2025], 30),
            "place": np.tile(np.repeat(["a b", "c"], 15), 3),
        }
    )


def write(frame, folder, ending):
    for (year, place), part in frame.groupby(["year", "place"]):
        inside = folder / f"year={year}" / f"place={place.replace(' ', '%20')}"
        inside.mkdir(parents=True)
        part = part[["x", "shade"]]
        if ending == "csv":
            part.to_csv(inside / "part.csv", index=False)
        else:
            part.to_parquet(inside / "part.parquet", index=False, row_group_size=7)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_keys_in_folder_names_are_columns(frame, tmp_path, monkeypatch, ending):
    monkeypatch.setattr(parquet, "PARTITION_BYTES", 1)
    write(frame, tmp_path, ending)
    source = as_source(tmp_path)
    assert source.names == ["x", "shade", "year", "place"]
    check_source(source)
    np.testing.assert_array_equal(gather(source).X, gather(as_source(frame)).X)
    np.testing.assert_array_equal(gather(source, [3, 2]).X, gather(as_source(frame), [3, 2]).X)
    assert source.schema.columns[3].levels == ("a b", "c")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_key_may_be_the_target(frame, tmp_path, ending):
    write(frame, tmp_path, ending)
    source = as_source(tmp_path, target="place")
    np.testing.assert_array_equal(gather(source).y, gather(as_source(frame, target="place")).y)


def test_missing_keys_are_missing_values(tmp_path):
    for key in ("year=1", "year=__HIVE_DEFAULT_PARTITION__"):
        (tmp_path / key).mkdir()
        pd.DataFrame({"x": [1.0, 2.0]}).to_csv(tmp_path / key / "t.csv", index=False)
    np.testing.assert_array_equal(gather(as_source(tmp_path)).X[:, 1], [1, 1, np.nan, np.nan])


def test_keys_must_be_the_same_everywhere(tmp_path):
    for key in ("year=1", "month=1"):
        (tmp_path / key).mkdir()
        pd.DataFrame({"x": [1.0]}).to_csv(tmp_path / key / "t.csv", index=False)
    with pytest.raises(InputError, match="other columns in its folders' names"):
        as_source(tmp_path)


def test_a_key_may_not_be_a_column_of_the_files_too(tmp_path):
    (tmp_path / "x=1").mkdir()
    pd.DataFrame({"x": [1.0]}).to_csv(tmp_path / "x=1" / "t.csv", index=False)
    with pytest.raises(InputError, match="both a column of the files"):
        as_source(tmp_path)


@pytest.fixture
def many(tmp_path):
    rng = np.random.default_rng(0)
    for k in range(6):
        pd.DataFrame(rng.normal(size=(500, 3)), columns=list("abc")).to_parquet(tmp_path / f"{k}.parquet", index=False)
    return tmp_path


def test_a_file_that_disappears_is_named(many):
    source = as_source(many)
    (many / "3.parquet").unlink()
    with pytest.raises(InputError, match=r"3\.parquet is gone"):
        gather(source)


def test_a_file_with_a_damaged_end_is_named(many):
    path = many / "4.parquet"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match=r"4\.parquet is not a Parquet file"):
        as_source(many)


def test_a_file_with_damaged_pages_is_named(many):
    path = many / "2.parquet"
    content = bytearray(path.read_bytes())
    content[4:6000] = b"\xff" * 5996
    path.write_bytes(bytes(content))
    source = as_source(many)
    with pytest.raises(InputError, match=r"2\.parquet is damaged"):
        gather(source)


def test_a_file_with_other_columns_is_named(many):
    pd.DataFrame({"a": [1.0], "b": [2.0], "z": [0.0]}).to_parquet(many / "5.parquet", index=False)
    with pytest.raises(InputError, match=r"5\.parquet has other columns than .*0\.parquet"):
        as_source(many)


def test_a_file_with_another_type_is_named(many):
    pd.DataFrame({"a": ["x"], "b": [2.0], "c": [0.0]}).to_parquet(many / "5.parquet", index=False)
    with pytest.raises(InputError, match=r"column 'a' holds numbers in .*0\.parquet, other things in .*5\.parquet"):
        as_source(many)
