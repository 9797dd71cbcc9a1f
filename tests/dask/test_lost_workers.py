"""Workers that are killed in the middle of a task, and files that cannot be read: the same answer, or one line."""

import os
import signal
import threading

import dask.array as da
import joblib
import numpy as np
import pandas as pd
import pytest

import tamis
from losing_learner import Counted
from tamis._core.errors import InputError
from tamis.selection import CrossValidated
from tamis.sources import on_dask

MAKERS = {
    "gram": lambda: tamis.LassoCV(alphas=10, cv=3),
    "counts": lambda: tamis.SubsetSelector(evaluation="information_gain", n_features=3),
    "streamed classes": lambda: tamis.SparseLogisticRegression(alpha=0.05),
    "relief": lambda: tamis.ReliefF(n_features=3),
    "components": lambda: tamis.PCA(2),
    "dictionary": lambda: tamis.DictionaryLearner(3, coder="lasso", update="mod", max_iter=3, random_state=0),
}


def killing(marker, times=1):
    """Blocks as they are, but the third takes its worker down when it is computed for the second time."""

    def of(block, block_info=None):
        if block_info[0]["chunk-location"][0] == 2:
            for k in range(times + 1):
                try:
                    os.close(os.open(f"{marker}{k}", os.O_CREAT | os.O_EXCL))
                except FileExistsError:
                    continue
                if k:
                    os.kill(os.getpid(), signal.SIGKILL)
                break
        return block

    return of


SLOW = ("streamed classes", "relief", "components", "dictionary")


@pytest.mark.parametrize("kind", [pytest.param(k, marks=[pytest.mark.deep] * (k in SLOW)) for k in MAKERS])
def test_a_worker_killed_in_the_middle_costs_time_only(client, tmp_path, kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 5))
    y = X[:, 0] - X[:, 3] + rng.normal(size=600)
    y = y if kind == "gram" else (y > 0).astype(np.int64)
    # a first pass of one computation; of those with one pass the first is the one that is hit
    marker = str(tmp_path / "marker")
    if kind in ("gram", "components"):
        open(f"{marker}0", "w").close()
    rows = da.from_array(X, chunks=(100, 5)).map_blocks(killing(marker), dtype=float)
    target = () if kind in ("components", "dictionary") else (y,)
    there = MAKERS[kind]().fit(rows, *target)
    assert os.path.exists(f"{marker}1"), "no worker was killed"
    expected = MAKERS[kind]().fit(da.from_array(X, chunks=(100, 5)), *target)
    for name in ("coef_", "components_", "score_", "relevance_"):
        if hasattr(expected, name):
            np.testing.assert_allclose(getattr(there, name), getattr(expected, name), rtol=1e-9, atol=1e-9)
    if hasattr(expected, "get_support"):
        np.testing.assert_array_equal(there.get_support(), expected.get_support())


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning", "ignore::RuntimeWarning")
def test_a_search_goes_on_after_its_scheduler_was_lost(tmp_path):
    from distributed import Client, LocalCluster

    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 6))
    y = (X[:, 0] + X[:, 3] > 0).astype(int)

    def search(**more):
        return tamis.SubsetSelector(evaluation=CrossValidated(Counted(), cv=2), n_features=5, **more).fit(X, y)

    cluster = LocalCluster(n_workers=1, processes=False, dashboard_address="127.0.0.1:0", memory_limit=0)
    client = Client(cluster, timeout=2)
    loss = threading.Thread(target=lambda: (Counted.reached.wait(), cluster.close()))
    loss.start()
    try:
        with joblib.parallel_config("dask", client=client), pytest.raises(InputError, match="scheduler was lost"):
            search(checkpoint=tmp_path / "search.db")
    finally:
        Counted.slow = False
        Counted.reached.set()
        loss.join()
        client.close(timeout=1)
    resumed = search(checkpoint=tmp_path / "search.db")
    assert 6 <= resumed.n_recalled_ < 20
    expected = search()
    assert resumed.score_ == expected.score_
    np.testing.assert_array_equal(resumed.get_support(), expected.get_support())


def folder(path, n=4):
    for k in range(n):
        rng = np.random.default_rng(k)
        pd.DataFrame(rng.normal(size=(60, 3)), columns=list("abc")).to_parquet(path / f"{k}.parquet", index=False)
    return path


@pytest.mark.parametrize("method", ["files", "Dask"])
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("damage", ["cut short", "zeros inside", "gone", "other columns", "fewer rows", "labels"])
def test_one_bad_file_among_many_is_named(client, tmp_path, method, when, damage):
    bad = folder(tmp_path) / "2.parquet"
    content = bad.read_bytes()

    def harm():
        if damage == "cut short":
            bad.write_bytes(content[: len(content) // 2])
        elif damage == "zeros inside":
            bad.write_bytes(content[:4] + bytes(len(content) // 2) + content[4 + len(content) // 2 :])
        elif damage == "gone":
            bad.unlink()
        elif damage == "fewer rows":
            pd.read_parquet(bad).iloc[:31].to_parquet(bad, index=False)
        elif damage == "labels":
            pd.read_parquet(bad).astype({"b": str}).to_parquet(bad, index=False)
        else:
            pd.read_parquet(bad).rename(columns={"c": "d"}).to_parquet(bad, index=False)

    if when == "before" and damage in ("gone", "fewer rows"):
        pytest.skip("nothing is wrong with what is there")

    def fit():
        if when == "before":
            harm()
        source = on_dask(tmp_path) if method == "Dask" else tamis.sources.as_source(tmp_path)
        if when == "after":
            harm()
        tamis.PCA(1).fit(source)

    with pytest.raises(InputError) as found:
        fit()
    assert str(bad) in str(found.value)
    assert "\n" not in str(found.value)
