"""Fits in forked and spawned processes, in many threads at once, and in the workers of joblib."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import joblib
import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV

from tamis import PCA, Lasso, ReliefF
from tamis._core.threads import thread_count


def answers(seed):
    """Of kernels with threads of their own, of BLAS, and of a pass over rows."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(400, 30))
    relief = ReliefF(n_features=3).fit(X, X[:, 0] > 0)
    return [
        Lasso(alpha=0.01).fit(X, X[:, 0] - X[:, 1]).coef_.tolist(),
        np.abs(PCA(2).fit(X).components_).tolist(),
        relief.get_support().tolist(),
    ]


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("way", sorted({"fork", "spawn"} & set(multiprocessing.get_all_start_methods())))
def test_other_processes_give_the_same(way):
    here = [answers(0), answers(1)]  # the pools of threads of this process have been used
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(way)) as pool:
        there = list(pool.map(answers, [0, 1]))
    assert there[0][2] == here[0][2]
    for mine, other in zip(here, there, strict=True):
        np.testing.assert_allclose(other[0], mine[0], atol=1e-12)
        np.testing.assert_allclose(other[1], mine[1], atol=1e-9)


def test_many_threads_at_once_give_the_same():
    here = answers(0)
    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(answers, [0] * 16):
            np.testing.assert_allclose(found[0], here[0], atol=1e-12)
            np.testing.assert_allclose(found[1], here[1], atol=1e-9)
            assert found[2] == here[2]


def test_workers_of_joblib_take_one_thread_each():
    counts = joblib.Parallel(2)(joblib.delayed(thread_count)() for _ in range(4))
    assert counts == [1, 1, 1, 1]
    X = np.random.default_rng(0).normal(size=(60, 5))
    search = GridSearchCV(Lasso(), {"alpha": [0.01, 0.1]}, cv=2, n_jobs=2).fit(X, X[:, 0])
    assert search.best_params_ == {"alpha": 0.01}
