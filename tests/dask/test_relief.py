"""Relief on Dask's workers: blocks of queries against the table, which every worker has; relevances as in memory."""

import os
import signal

import dask.array as da
import numpy as np
import pytest

import tamis
from tamis.selection.relief import weight_sums

CLOSE = {"rtol": 1e-9, "atol": 1e-12}


def rows(n=240, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    X[:, 4] = rng.integers(0, 3, n)
    X[rng.random(n) < 0.1, 5] = np.nan
    return X, X[:, 0] + 0.5 * X[:, 1] ** 2


MAKERS = {
    "Relief": lambda: tamis.Relief(n_features=2),
    "ReliefF": lambda: tamis.ReliefF(n_features=2, n_neighbors=7),
    "ReliefF of some rows": lambda: tamis.ReliefF(n_features=2, n_samples=100, random_state=0),
    "ReliefF with p-values": lambda: tamis.ReliefF(n_features=2, n_permutations=3, random_state=0),
    "MultiSURF": lambda: tamis.MultiSURF(n_features=2),
    "RReliefF": lambda: tamis.RReliefF(n_features=2),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", MAKERS)
def test_relevances_are_those_of_the_rows_in_memory(client, monkeypatch, name, weighted):
    X, y = rows()
    y = y if name == "RReliefF" else (y > np.median(y)).astype(int)
    weight = np.random.default_rng(1).integers(0, 3, len(X)).astype(float) if weighted else None
    counted = []
    blocks = weight_sums.query_blocks
    monkeypatch.setattr(weight_sums, "query_blocks", lambda *a: counted.append(blocks(*a)) or counted[-1])
    here = MAKERS[name]().fit(X, y, sample_weight=weight)
    assert not counted
    there = MAKERS[name]().fit(da.from_array(X, chunks=(70, 6)), y, sample_weight=weight)
    assert len(counted[0]) > 1
    np.testing.assert_allclose(there.relevance_, here.relevance_, **CLOSE)
    np.testing.assert_allclose(there.standard_errors_, here.standard_errors_, **CLOSE)
    np.testing.assert_array_equal(there.get_support(), here.get_support())
    if name.endswith("p-values"):
        np.testing.assert_array_equal(there.pvalues_, here.pvalues_)


def killed(_, item):
    """Takes the first worker down that has this task, and answers on the next."""
    marker, value = item
    if value == 2:
        try:
            os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return value
        os.kill(os.getpid(), signal.SIGKILL)
    return value


def test_a_worker_killed_at_a_shared_value_costs_time_only(client, tmp_path):
    from tamis.sources.dask_workers import DaskWorkers

    shared = DaskWorkers().share(np.arange(5))
    assert shared.map(killed, [(str(tmp_path / "marker"), k) for k in range(6)]) == list(range(6))
    assert (tmp_path / "marker").exists()
