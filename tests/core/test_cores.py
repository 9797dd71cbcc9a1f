"""Threads that another library bound to one core do not keep ours there; limits that somebody set are kept."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2, reason="needs two cores, and Linux"
)

# scikit-learn brings the same OpenMP library as those that set this when they are imported.
BOUND = "import os; os.environ['OMP_PROC_BIND'] = 'TRUE'\n"
HEAD = """
import json, os, sys, threading
import numpy as np
import sklearn.cluster
here = sorted(os.sched_getaffinity(0))
start = set(os.listdir("/proc/self/task"))
from tamis._core.threads import free_thread, thread_count
"""
TELL = """
from tamis._kernels import kernels
n = thread_count()
kernels.squares(np.zeros(64), max(2, n), 10_000)
pool = [sorted(os.sched_getaffinity(int(t))) for t in set(os.listdir("/proc/self/task")) - start]
ours = []
thread = threading.Thread(target=lambda: (free_thread(), ours.extend(os.sched_getaffinity(0))))
thread.start(); thread.join()
print(json.dumps({"here": here, "threads": n, "all": thread_count(-1), "pool": pool, "ours": sorted(ours),
                  "after": sorted(os.sched_getaffinity(0))}))
"""


def report_of_child(code: str, cores: set[int] | None = None) -> dict:
    """What a new process says; on these cores only, as by taskset."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "TAMIS_", "GOMP_"))}
    limit = None if cores is None else lambda: os.sched_setaffinity(0, cores)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, env=environment, preexec_fn=limit, timeout=120, check=True
    )
    return json.loads(done.stdout)


def test_bound_thread_does_not_bind_the_pool():
    cores = sorted(os.sched_getaffinity(0))
    found = report_of_child(BOUND + HEAD + TELL)
    if len(found["here"]) == len(cores):
        pytest.skip("the OpenMP library here binds nothing")
    assert found["threads"] == found["all"] == len(cores)
    assert found["pool"] == [cores] * (len(cores) - 1)
    assert found["ours"] == cores
    assert found["after"] == found["here"]  # the thread of the caller stays where it was put


def test_pool_that_was_started_by_a_bound_thread_is_freed():
    cores = sorted(os.sched_getaffinity(0))
    early = "from tamis._kernels import kernels\nkernels.squares(np.zeros(64), 2, 1000)\n"
    assert report_of_child(BOUND + HEAD + early + TELL)["pool"] == [cores] * (len(cores) - 1)


@pytest.mark.parametrize("binding", ["", BOUND])
def test_cores_given_from_outside_are_kept(binding):
    core = min(os.sched_getaffinity(0))
    found = report_of_child(binding + HEAD + TELL, {core})
    assert found["threads"] == found["all"] == 1
    assert found["pool"] == [[core]]
    assert found["ours"] == [core]


@pytest.mark.parametrize("binding", ["", BOUND])
def test_core_chosen_in_the_process_is_kept(binding):
    """OpenMP binds to the first place: whoever is on another one was put there by somebody."""
    last = max(os.sched_getaffinity(0))
    found = report_of_child(f"{binding}{HEAD}os.sched_setaffinity(0, [{last}])\n{TELL}")
    assert found["threads"] == 1
    assert found["pool"] == [[last]]
