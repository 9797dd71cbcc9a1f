"""Workers of joblib times our threads times those of BLAS are no more than the cores."""

import json
import os
import uuid

import numpy as np
from sklearn.model_selection import GridSearchCV
from threadpoolctl import threadpool_info

import tamis
from tamis._core.threads import thread_count


class Recording(tamis.Lasso):
    """Writes down how many threads a fit would use."""

    def __init__(self, alpha=1.0, folder=None):
        super().__init__(alpha=alpha)
        self.folder = folder

    def fit(self, X, y):
        blas = max([lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"], default=1)
        with open(f"{self.folder}/{uuid.uuid4()}.json", "w") as file:
            json.dump({"pid": os.getpid(), "ours": thread_count(), "blas": blas}, file)
        return super().fit(X, y)


def test_a_grid_search_in_processes_does_not_oversubscribe(tmp_path, monkeypatch):
    n_jobs = 2
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "TAMIS_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    grid = GridSearchCV(Recording(folder=str(tmp_path)), {"alpha": [0.1, 0.2, 0.3]}, cv=3, n_jobs=n_jobs, refit=False)
    grid.fit(X, X[:, 0])
    records = [json.loads(path.read_text()) for path in tmp_path.iterdir()]
    assert len(records) == 9
    assert os.getpid() not in {record["pid"] for record in records}
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert {record["ours"] for record in records} == {1}
    assert n_jobs * max(record["blas"] for record in records) <= max(cores, n_jobs)
