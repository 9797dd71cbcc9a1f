"""Dask arrays and frames as sources, on Dask's scheduler of this process: laws of a source, complaints, faults."""

from dataclasses import replace

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import dask
import tamis
from sources.tables import make_table
from tamis._core.errors import InputError
from tamis._core.threads import thread_count
from tamis.sources import Columns, Encoded, SomeRows, as_source, gather, on_dask, parquet
from tamis.sources.dask_workers import DaskWorkers
from tamis.stats import collect
from tamis.stats.gram import Gram, GramOfSets
from tamis.testing import check_source

VIEWS = {
    "itself": lambda source: source,
    "columns of encoded rows": lambda source: Columns(Encoded(SomeRows(source, np.arange(5, 230, 7))), [2, 0]),
}


@pytest.fixture(autouse=True)
def here():
    """Another test's client is not asked."""
    with dask.config.set(scheduler="threads"):
        yield


def assert_same_schema(one, other):
    """Means are sums in another order."""
    pairs = zip((*one.columns, one.target), (*other.columns, other.target), strict=True)
    for a, b in ((a, b) for a, b in pairs if a is not None):
        assert replace(a, mean=None) == replace(b, mean=None)
        assert a.mean is None or a.mean == pytest.approx(b.mean, rel=1e-12, abs=1e-14)


def table():
    return make_table().drop(columns=["note", "code"])


@pytest.mark.parametrize("view", VIEWS)
def test_frames_keep_the_laws_of_a_source(view):
    frame = table()
    source = as_source(dd.from_pandas(frame, npartitions=4), target="target", weight="count")
    assert len(source.partitions()) == 4
    check_source(VIEWS[view](source))


def test_frames_hold_what_pandas_holds():
    frame = table()
    here, there = as_source(frame, target="target"), as_source(dd.from_pandas(frame, npartitions=5), target="target")
    assert_same_schema(there.schema, here.schema)
    for one, other in zip(gather(here)[:2], gather(there)[:2], strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_schema_of_files_is_the_same_from_partitions(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "PARTITION_BYTES", 1_000)
    frame = make_table()
    for k in range(3):
        frame.iloc[80 * k : 80 * (k + 1)].to_parquet(tmp_path / f"{k}.parquet", row_group_size=30, index=False)
    assert_same_schema(on_dask(tmp_path, target="target").schema, as_source(tmp_path, target="target").schema)


@pytest.mark.parametrize("cuts", [(1,), (7, 8), (20, 100, 200), (239,)])
def test_keys_are_recognised_from_pieces(cuts):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "up": np.arange(240) * 3 + rng.integers(0, 2, 240),
            "mixed": rng.permutation(240) + 5,
            "sorted": np.sort(rng.integers(0, 10**6, 240)),
            "twice": np.r_[np.arange(239), 0],
        }
    )
    pieces = np.split(np.arange(240), cuts)
    there = dd.from_map(lambda k: frame.iloc[pieces[k]], range(len(pieces)), meta=frame.iloc[:0])
    assert_same_schema(as_source(there).schema, as_source(frame).schema)


def test_arrays_with_targets_and_weights_beside_them():
    rng = np.random.default_rng(0)
    X, y, weight = rng.normal(size=(100, 4)).astype(np.float32), rng.integers(0, 3, 100), rng.random(100)
    source = as_source(
        da.from_array(X, chunks=(30, 3)), da.from_array(y, chunks=40), sample_weight=da.from_array(weight, chunks=-1)
    )
    check_source(source)
    block = gather(source)
    assert block.X.dtype == np.float32
    np.testing.assert_array_equal(block.X, X)
    np.testing.assert_array_equal(block.y, y)
    np.testing.assert_array_equal(block.weight, weight)


def test_labels_beside_an_array():
    labels = np.array(["b", "a", "c"] * 20)
    source = as_source(da.zeros((60, 2), chunks=(25, 2)) + 1, da.from_array(labels, chunks=60))
    assert source.schema.target.levels == ("a", "b", "c")
    np.testing.assert_array_equal(gather(source).y, np.tile([1.0, 0.0, 2.0], 20))


def test_filtered_frames_have_empty_partitions_and_unknown_lengths():
    frame = pd.DataFrame({"x": np.arange(100.0), "y": np.arange(100.0) ** 2})
    part = dd.from_pandas(frame, npartitions=5)
    part = part[part["x"] >= 45]
    source = as_source(part, target="y")
    assert source.n_rows == 55
    check_source(source)
    rows = part.to_dask_array()
    assert as_source(rows).n_rows == 55


def test_any_tree_gives_the_statistics_of_a_pass():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 6)) + 1e5, rng.normal(size=400)
    sets = [np.arange(0, 400, 2), np.arange(30, 90)]
    whole = collect(as_source(X, y), Gram(), GramOfSets(sets))
    for rows in (400, 150, 37, 9):
        chunks = collect(as_source(da.from_array(X, chunks=(rows, 6)), y), Gram(), GramOfSets(sets))
        for one, other in ((whole[0], chunks[0]), *zip(whole[1].grams, chunks[1].grams, strict=True)):
            assert one.n_rows == other.n_rows
            np.testing.assert_allclose(other.scatter, one.scatter, rtol=1e-9, atol=1e-9)


def test_sets_of_rows_are_sent_in_pieces():
    sets = GramOfSets([np.arange(0, 1_000_000, 2)])
    inside = sets.for_rows(500, 600)
    assert inside.sets[0].tolist() == list(range(500, 600, 2))


def test_a_task_has_one_thread():
    source = as_source(da.ones((40, 2), chunks=(10, 2)))
    counted = DaskWorkers().reduce(source.partitions(), lambda part: [thread_count(8), thread_count()], list.__add__)
    assert counted == [1] * 8
    assert thread_count(8) == 8


def test_merging_leaves_its_parts_as_they_were():
    source = as_source(da.ones((40, 2), chunks=(10, 2)))
    seen = [[0], [0], [0], [0]]
    take = iter(seen)

    def grow(first, second):
        first.append(second[0])
        return first

    assert DaskWorkers().reduce(source.partitions(), lambda part: next(take), grow) == [0, 0, 0, 0]
    assert seen == [[0], [0], [0], [0]]


def test_where_work_is_done_is_said():
    model = tamis.Lasso().fit(da.random.default_rng(0).normal(size=(50, 3), chunks=(20, 3)), da.arange(50, chunks=50))
    assert "on Dask's threads scheduler" in model.strategy_
    with dask.config.set(scheduler="synchronous"):
        assert "synchronous" in DaskWorkers().describe()


def test_a_partition_that_raises_is_named():
    def broken(block, block_info=None):
        if block_info[0]["chunk-location"] == (2, 0):
            raise ZeroDivisionError("no such luck")
        return block

    X = da.ones((40, 3), chunks=(10, 3)).map_blocks(broken, dtype=float)
    with pytest.raises(InputError, match=r"partition 3 of 4 cannot be computed by Dask: ZeroDivisionError: no such"):
        tamis.PCA(1).fit(X)


def test_columns_that_differ_between_partitions_are_named():
    frames = [pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, 2.0]}), pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]})]
    X = dd.from_map(lambda k: frames[k], range(2), meta=frames[0].iloc[:0])
    with pytest.raises(InputError, match="column 'b' holds labels in partition 2 of 2"):
        tamis.PCA(1).fit(X)


def test_a_damaged_file_on_dask_is_named(tmp_path):
    for k in range(3):
        pd.DataFrame({"a": np.arange(50.0) ** k, "b": 1.0}).to_parquet(tmp_path / f"{k}.parquet", index=False)
    source = on_dask(tmp_path)
    (tmp_path / "1.parquet").unlink()
    with pytest.raises(InputError, match=r"1\.parquet is gone"):
        tamis.PCA(1).fit(source)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (da.ones((6, 2, 2)), None, "Expected 2D array"),
        (da.ones((0, 2)), None, r"0 sample\(s\)"),
        (da.from_array(np.array([["a", "b"]])), None, "dtype <U1"),
        (da.ones((6, 2)), da.ones(5), "X and y must have the same number of rows: X has 6, y has 5"),
        (np.ones((6, 2)), da.ones(6), "y is on Dask and X is not"),
        (da.ones((6, 2)), da.ones((6, 2)), "y should be a 1d array"),
    ],
)
def test_what_cannot_be_read_is_said(X, y, message):
    with pytest.raises(InputError, match=message):
        as_source(X, y)


def test_frames_and_series_are_partitioned_alike():
    frame = pd.DataFrame({"a": np.arange(20.0), "b": np.arange(20.0)})
    X, y = dd.from_pandas(frame[["a"]], npartitions=4), dd.from_pandas(frame["b"], npartitions=2)
    with pytest.raises(InputError, match="X has 4 partitions and y has 2"):
        as_source(X, y)
    with pytest.raises(InputError, match="on_dask takes the path"):
        on_dask(frame)


def test_parts_of_rows_on_dask(tmp_path):
    """The same rounds as from a file that is read again in each of them."""
    rng = np.random.default_rng(0)
    X = rng.random((600, 3)) @ rng.random((3, 8)) + 0.01 * rng.random((600, 8))
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(8)])
    frame.to_parquet(tmp_path / "t.parquet", index=False)
    there = tamis.NMF(3, max_iter=30).fit(dd.from_pandas(frame, npartitions=1))
    with tamis.config_context(memory_limit=10_000):
        here = tamis.NMF(3, max_iter=30).fit(tmp_path / "t.parquet")
    np.testing.assert_allclose(there.components_, here.components_, rtol=1e-6)
    several = tamis.NMF(3, max_iter=30).fit(dd.from_pandas(frame, npartitions=5))
    assert several.reconstruction_err_ < 0.05 * np.linalg.norm(X)
    with pytest.raises(InputError, match="NMF on Dask takes datafit='squared'"):
        tamis.NMF(3, datafit="kl").fit(dd.from_pandas(frame, npartitions=5))
    with pytest.raises(InputError, match="Negative values"):
        tamis.NMF(3).fit(dd.from_pandas(frame - 1, npartitions=5))


def test_dictionaries_from_statistics_on_dask():
    X = np.random.default_rng(0).normal(size=(300, 6))
    rows = da.from_array(X, chunks=(70, 6))
    model = tamis.DictionaryLearner(4, coder="lasso", update="mod", max_iter=5, random_state=0).fit(rows)
    assert model.components_.shape == (4, 6)
    trace = np.asarray(model.objective_trace_)
    assert trace[-1] <= trace[0]
    with pytest.raises(InputError, match="X is on Dask: give X as an array, or use OnlineDictionary"):
        tamis.KSVD(4, n_nonzero=2).fit(rows)


def test_rows_that_do_not_fit_here_are_not_brought_here():
    rng = np.random.default_rng(0)
    X = da.from_array(rng.normal(size=(300, 6)), chunks=(70, 6))
    with (
        tamis.config_context(memory_limit=10_000),
        pytest.raises(InputError, match=r"bringing 300 × 6 numbers here from Dask needs .*: .*MatrixCompletion|sample"),
    ):
        tamis.RobustPCA().fit(X)
    with tamis.config_context(memory_limit=10_000), pytest.raises(InputError, match=r"bringing .* here from Dask"):
        tamis.TreeSelector(DecisionTreeClassifier()).fit(X, np.arange(300) % 2)


def test_sparse_components_say_where_they_worked():
    X = da.from_array(np.random.default_rng(0).normal(size=(60, 4)), chunks=(20, 4))
    assert "on Dask's threads scheduler" in tamis.SparsePCA(1, alpha=0.1).fit(X).strategy_


WITH_CLASSES = {
    "ReliefF": lambda: tamis.ReliefF(n_features=2),
    "FCBF": tamis.FCBF,
    "CFS": lambda: tamis.SubsetSelector(evaluation="cfs", n_features=2),
    "embedded": tamis.EmbeddedSelector,
    "two classes, cross-validated": lambda: tamis.SparseClassifierCV(alphas=8, cv=3),
    "support vectors": lambda: tamis.SparseSVC(alpha=0.1),
}
WITH_NUMBERS = {
    "elastic net": lambda: tamis.ElasticNetCV(alphas=10),
    "groups": lambda: tamis.GroupLasso([[0, 1], [2, 3], [4, 5]], alpha=0.1),
    "best subset": lambda: tamis.BestSubset(2),
    "Huber": lambda: tamis.SparseRegressor("huber", alpha=0.05),
    "MCP": lambda: tamis.SparseRegressor(penalty="mcp", alpha=0.05),
    "RReliefF": lambda: tamis.RReliefF(n_features=2),
}


@pytest.mark.parametrize("name", [*WITH_CLASSES, *WITH_NUMBERS])
def test_other_estimators_give_the_same_answer(name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6))
    y = X[:, 0] - X[:, 3] + 0.3 * rng.normal(size=300)
    make, y = (WITH_CLASSES[name], (y > 0).astype(int)) if name in WITH_CLASSES else (WITH_NUMBERS[name], y)
    here = make().fit(X, y)
    there = make().fit(da.from_array(X, chunks=(80, 6)), da.from_array(y, chunks=300))
    if hasattr(here, "coef_"):
        np.testing.assert_allclose(there.coef_, here.coef_, rtol=1e-9, atol=1e-9)
    else:
        np.testing.assert_array_equal(there.get_support(), here.get_support())
