"""A worker that is killed costs time only; a scheduler that is lost is an error that says so."""

import os
import signal
import threading
import time

import dask.array as da
import numpy as np
import pytest

import tamis
from tamis._core.errors import InputError

pytestmark = pytest.mark.deep  # clusters of their own


@pytest.fixture
def cluster():
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", memory_limit=0) as cluster,
        Client(cluster) as client,
    ):
        yield cluster, client


def slowly(block):
    time.sleep(0.3)
    return block


def killed_soon(cluster, seconds):
    """Kill one worker, as the system does when memory ends."""
    worker = next(iter(cluster.workers.values()))
    timer = threading.Timer(seconds, lambda: os.kill(worker.pid, signal.SIGKILL))
    timer.start()
    return timer


@pytest.mark.parametrize("after", [0.5, 2.0, 4.0])
@pytest.mark.parametrize("kind", ["gram", "streamed", "counts"])
def test_a_worker_killed_leaves_the_answer_as_it_is(cluster, kind, after):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3_000, 8))
    y = X[:, 0] - X[:, 3] + rng.normal(size=3_000)
    labels = (y > 0).astype(np.int64)
    make, target = {
        "gram": (lambda: tamis.LassoCV(), y),
        "streamed": (lambda: tamis.SparseLogisticRegression(alpha=0.05), labels),
        "counts": (lambda: tamis.SubsetSelector(evaluation="information_gain", n_features=3), labels),
    }[kind]
    here = make().fit(X, target)
    cluster[1].run(__import__, "tamis.linear")
    DX = da.from_array(X, chunks=(200, 8)).map_blocks(slowly, dtype=float)
    timer = killed_soon(cluster[0], after)
    there = make().fit(DX, da.from_array(target, chunks=3_000))
    timer.join()
    if kind == "counts":
        assert list(there.get_support()) == list(here.get_support())
    else:
        np.testing.assert_allclose(there.coef_, here.coef_, rtol=1e-9, atol=1e-9)


def marking(block, marker):
    """A slow block that says that work has begun."""
    if block.size:  # Dask asks for the type of the result by an empty one
        marker.touch()
    return slowly(block)


def close_once_begun(cluster, marker):
    while not marker.exists():
        time.sleep(0.05)
    cluster.close()


def test_a_lost_scheduler_is_an_error_that_says_so(tmp_path):
    from distributed import Client, LocalCluster

    cluster = LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0", memory_limit=0)
    client = Client(cluster, timeout=5)
    try:
        X = da.ones((2_000, 3), chunks=(100, 3)).map_blocks(marking, tmp_path / "begun", dtype=float)
        timer = threading.Thread(target=close_once_begun, args=(cluster, tmp_path / "begun"), daemon=True)
        timer.start()
        with pytest.raises(InputError, match="Dask scheduler was lost"):
            tamis.PCA(1).fit(X)
        timer.join()
    finally:
        client.close(timeout=1)
        cluster.close()
