"""A cluster of two processes, started once for the whole folder."""

import os

import pytest

pytest.importorskip("distributed")


@pytest.fixture(scope="package")
def client():
    from distributed import Client, LocalCluster

    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0", memory_limit=0
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client
