"""How many threads to use, and BLAS held to its share."""

from __future__ import annotations

import functools
import multiprocessing
import os
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from threadpoolctl import ThreadpoolController

from tamis._core.checks import check_count
from tamis._core.errors import InputError


def thread_count(n_jobs: int | None = None) -> int:
    """Threads for kernels and passes.

    ``n_jobs`` as in scikit-learn (−1: all cores, −2: all but one). None: TAMIS_NUM_THREADS, else OMP_NUM_THREADS, else
    the cores this process may use; one inside a joblib or Dask worker, which already has its share of the machine.
    """
    if n_jobs is None:
        return _from_environment() or (1 if _in_worker() else _cores())
    n = check_count("n_jobs", n_jobs, at_least=-(10**6))
    if n == 0:
        raise InputError("n_jobs must not be 0: give a number of threads, -1 for all cores, or None")
    return n if n > 0 else max(1, _cores() + 1 + n)


def blas_threads(n: int) -> AbstractContextManager[Any]:
    """Within this block NumPy's and SciPy's BLAS use at most n threads."""
    controller = _controller()
    return controller.limit(limits=n, user_api="blas") if controller.lib_controllers else nullcontext()


def _from_environment() -> int | None:
    for variable in ("TAMIS_NUM_THREADS", "OMP_NUM_THREADS"):
        text = os.environ.get(variable, "").partition(",")[0].strip()
        if text:
            if not text.isdigit() or int(text) < 1:
                raise InputError(f"{variable} must be a whole number ≥ 1, got {text!r}")
            return int(text)
    return None


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _in_worker() -> bool:
    # joblib's loky and multiprocessing workers and Dask's nannied workers are children of a multiprocessing parent.
    return (
        multiprocessing.parent_process() is not None or "LOKY_WORKER" in os.environ or "DASK_WORKER_NAME" in os.environ
    )


@functools.cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()
