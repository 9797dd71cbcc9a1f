"""Partitions: the pieces of a source together are the source, wherever they are read."""

import pickle
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sources.tables import make_table
from tamis._core.errors import InputError
from tamis.sources import Columns, Encoded, Indicator, InMemory, SomeRows, as_source, gather, parquet
from tamis.sources.arrays import ArraySource
from tamis.sources.codebook import Codebook
from tamis.stats import collect
from tamis.stats.gram import Gram
from tamis.testing import check_source


@pytest.fixture(autouse=True)
def small_partitions(monkeypatch):
    monkeypatch.setattr(parquet, "PARTITION_BYTES", 1_000)


def one_file(frame, folder):
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), folder / "table.parquet", row_group_size=20)
    return folder / "table.parquet"


def parquet_files(frame, folder):
    for k, start in enumerate((0, 100, 110)):
        end = (100, 110, len(frame))[k]
        pq.write_table(
            pa.Table.from_pandas(frame.iloc[start:end], preserve_index=False),
            folder / f"part-{k}.parquet",
            row_group_size=30,
        )
    return folder


def csv_files(frame, folder):
    for k, rows in enumerate((slice(0, 90), slice(90, 91), slice(91, None))):
        frame.iloc[rows].to_csv(folder / f"part-{k}.csv", index=False)
    return folder


STORED = {"row groups": one_file, "files": parquet_files, "CSV files": csv_files}
VIEWS = {
    "itself": lambda source: source,
    "columns": lambda source: Columns(source, [5, 0, 2]),
    "indicator": lambda source: Indicator(source, 1.0),
    "encoded": Encoded,
    "one partition of rows": lambda source: SomeRows(source, [3, 4, 8]),
    "rows": lambda source: SomeRows(source, np.arange(5, 230, 7)),
    "recoded": lambda source: Codebook.of(Encoded(source)).apply(source),
    "columns of encoded rows": lambda source: Columns(Encoded(SomeRows(source, np.arange(5, 230, 7))), [2, 0]),
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("stored", STORED)
def test_partitions_of_every_view_together_are_the_view(stored, view, tmp_path):
    frame = make_table().drop(columns=["note", "code"])
    source = as_source(STORED[stored](frame, tmp_path), target="target", weight="count")
    source.block_bytes = 8 * 9 * 25  # several blocks in each
    assert len(source.partitions()) > 2
    view = VIEWS[view](source)
    check_source(view)


@pytest.mark.parametrize("stored", STORED)
def test_given_targets_and_weights_are_cut_with_the_rows(stored, tmp_path):
    frame, rng = make_table()[["size", "grade", "colour"]], np.random.default_rng(0)
    y, weight = rng.normal(size=len(frame)), rng.random(len(frame))
    source = as_source(STORED[stored](frame, tmp_path), y, sample_weight=weight)
    check_source(source)
    part = source.partitions()[1]
    rows = slice(part.first_row, part.first_row + part.n_rows)
    np.testing.assert_array_equal(gather(part).y, y[rows])
    np.testing.assert_array_equal(gather(part).weight, weight[rows])


def test_sources_in_memory_are_one_partition():
    frame = make_table()
    for given in (frame, frame[["size", "count"]].to_numpy(), frame.astype(object)):
        source = as_source(given)
        assert source.partitions() == [source]
    held = InMemory(as_source(frame, target="target", discrete="auto").partitions()[0])
    assert held.partitions() == [held]


def test_large_row_groups_are_parted_one_by_one_and_small_ones_together(tmp_path, monkeypatch):
    path = one_file(pd.DataFrame({"a": np.random.default_rng(0).random(240)}), tmp_path)
    for most, expected in ((1, 12), (1 << 20, 1)):
        monkeypatch.setattr(parquet, "PARTITION_BYTES", most)
        assert len(as_source(path).partitions()) == expected


def test_numbers_are_parted_without_a_pass(tmp_path):
    source = as_source(one_file(make_table()[["size", "grade", "count"]], tmp_path), target="count")
    parts = source.partitions()
    assert len(parts) > 2
    assert "schema" not in vars(source)


def test_empty_files_are_no_partitions(tmp_path):
    frame = make_table()[["size", "count"]]
    for k, rows in enumerate((slice(0, 0), slice(0, 100), slice(100, 100), slice(100, None))):
        frame.iloc[rows].to_parquet(tmp_path / f"part-{k}.parquet", index=False)
    check_source(as_source(tmp_path))


def test_a_pickled_partition_leaves_the_whole_behind(tmp_path):
    frame = make_table()[["size", "colour"]]
    source = as_source(one_file(frame, tmp_path), np.random.default_rng(0).normal(size=len(frame)))
    part = pickle.loads(pickle.dumps(source.partitions()[0]))
    assert part._whole is None
    assert len(part.target.values) == part.n_rows < len(frame)


def test_a_target_of_another_length_than_the_files_is_refused(tmp_path):
    source = as_source(csv_files(make_table()[["size", "count"]], tmp_path), np.zeros(239) + np.arange(239))
    with pytest.raises(InputError, match="X has 240, y has 239"):
        source.partitions()


@pytest.mark.parametrize("stored", STORED)
def test_a_statistic_does_not_depend_on_the_threads(stored, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(3000, 6)) * 10.0 ** np.arange(6), columns=list("abcdef"))
    source = as_source(STORED[stored](frame, tmp_path), target="f")
    source.block_bytes = 8 * 6 * 17
    grams = [collect(source, Gram(n_jobs=1), n_jobs=n)[0] for n in (1, 2, 3, 8)]
    assert len(source.partitions()) > 2
    for gram in grams[1:]:
        np.testing.assert_array_equal(gram.scatter, grams[0].scatter)
        np.testing.assert_array_equal(gram.mean, grams[0].mean)
    reference = Gram(n_jobs=1).of(gather(source))
    scale = np.sqrt(np.outer(reference.scatter.diagonal(), reference.scatter.diagonal()))
    # 3000 terms in any order: 3000 eps of the sum of their sizes
    np.testing.assert_allclose(grams[0].scatter / scale, reference.scatter / scale, rtol=0, atol=3000 * 2.3e-16)


def test_a_class_of_a_script_is_refused_with_the_reason(monkeypatch):
    """As in a notebook: its module is not one that another process can import."""
    kind = type("Scripted", (ArraySource,), {"__module__": "__main__"})
    monkeypatch.setattr(sys.modules["__main__"], "Scripted", kind, raising=False)
    source = as_source(np.arange(12.0).reshape(6, 2))
    source.__class__ = kind
    with pytest.raises(AssertionError, match="into a module"):
        check_source(source)
