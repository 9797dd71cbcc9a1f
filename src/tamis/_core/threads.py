"""How many threads to use, on which cores, and BLAS held to its share."""

from __future__ import annotations

import ctypes
import functools
import multiprocessing
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from threadpoolctl import ThreadpoolController, threadpool_limits

from tamis._core.checks import check_count
from tamis._core.errors import InputError

_IMPORTED_IN = os.getpid()
MOST = 1024  # threads of one call: more than cores of any machine, and no system starts many more


def thread_count(n_jobs: int | None = None) -> int:
    """Threads for kernels and passes.

    ``n_jobs`` as in scikit-learn (−1: all cores, −2: all but one). None: TAMIS_NUM_THREADS, else OMP_NUM_THREADS, else
    the cores this process may use; one inside a joblib or Dask worker, which already has its share of the machine.
    A variable that asks for more than 1,024 gets so many.
    """
    if _task.running:
        return 1
    free_pool()
    if n_jobs is None:
        return _from_environment() or (1 if _in_worker() else len(_cores()))
    n = check_count("n_jobs", n_jobs, at_least=-(10**6))
    if n > MOST:
        raise InputError(f"n_jobs must be at most {MOST}, got {n_jobs!r}: give a number of cores, or -1 for all")
    if n == 0:
        raise InputError("n_jobs must not be 0: give a number of threads, -1 for all cores, or None", argument="n_jobs")
    return n if n > 0 else max(1, len(_cores()) + 1 + n)


@contextmanager
def one_thread() -> Iterator[None]:
    """Within this block the calling thread is a worker's: what it starts has one thread, whatever n_jobs says."""
    before, _task.running = _task.running, True
    try:
        yield
    finally:
        _task.running = before


class _Task(threading.local):
    running = False


_task = _Task()


def blas_threads(n: int) -> AbstractContextManager[Any]:
    """Within this block NumPy's and SciPy's BLAS use at most n threads."""
    controller = _controller()
    return controller.limit(limits=n, user_api="blas") if controller.lib_controllers else nullcontext()


def openmp_after_fork() -> AbstractContextManager[Any]:
    """Within this block, and in a forked process, scikit-learn's OpenMP has one thread: GNU's would wait forever for
    those that the fork left behind.
    """
    return nullcontext() if os.getpid() == _IMPORTED_IN else threadpool_limits(1, user_api="openmp")


def _from_environment() -> int | None:
    for variable in ("TAMIS_NUM_THREADS", "OMP_NUM_THREADS"):
        text = os.environ.get(variable, "").partition(",")[0].strip()
        if text:
            digits = text.lstrip("0")
            if not (text.isascii() and text.isdigit() and digits):
                raise InputError(f"{variable} must be a whole number ≥ 1, got {text!r}")
            return int(digits) if len(digits) <= len(str(MOST)) and int(digits) <= MOST else MOST
    return None


def _cores() -> frozenset[int]:
    """The cores this thread may use; those of the process where OpenMP has bound the thread to its place among them."""
    if not hasattr(os, "sched_getaffinity"):
        return frozenset(range(os.cpu_count() or 1))
    here = frozenset(os.sched_getaffinity(0))
    return _unbound(here) if len(here) < (os.cpu_count() or 1) and _binding() else here


def free_pool() -> None:
    """Let the kernels' threads use all cores of the process, though they are started by a thread that is bound."""
    kernels = sys.modules.get("tamis._kernels")  # not imported from here; where it is not loaded, there is no pool
    cores = _cores()
    if kernels is not None and hasattr(os, "sched_getaffinity") and cores != os.sched_getaffinity(0):
        kernels.kernels.set_pool_cores(sorted(cores))


def free_thread() -> None:
    """The same for the thread that calls this, which is one of ours."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, _cores())


def _binding() -> bool:
    """Whether OpenMP was asked to bind threads, by the user or by a library that sets this when it is imported."""
    settings = (os.environ.get("OMP_PROC_BIND", ""), os.environ.get("GOMP_CPU_AFFINITY", ""))
    return any(text.strip().lower() not in ("", "false", "0") for text in settings)


@functools.cache
def _unbound(here: frozenset[int]) -> frozenset[int]:
    """All of OpenMP's places where ``here`` is one of them, else ``here``.

    When an OpenMP library is loaded and threads are to be bound, it takes the cores it finds (a user's taskset and the
    limits of a container count), makes places of them, and binds the thread that loaded it to the first place. Threads
    started from there, OpenMP's or not, inherit that. Any other limit on a thread is somebody's wish.
    """
    for library in ThreadpoolController().select(user_api="openmp").lib_controllers:
        places = _places(library.dynlib)
        first = places[:1] if library.prefix == "libgomp" else places  # others bind to where the thread was running
        if here in first:
            here = max(here, frozenset().union(*places), key=len)
    return here


def _places(library: Any) -> list[frozenset[int]]:
    if not hasattr(library, "omp_get_place_proc_ids"):
        return []
    found = []
    for k in range(library.omp_get_num_places()):
        ids = (ctypes.c_int * library.omp_get_place_num_procs(k))()
        library.omp_get_place_proc_ids(k, ids)
        found.append(frozenset(ids))
    return found


def _in_worker() -> bool:
    # joblib's loky and multiprocessing workers and Dask's nannied workers are children of a multiprocessing parent.
    return (
        multiprocessing.parent_process() is not None or "LOKY_WORKER" in os.environ or "DASK_WORKER_NAME" in os.environ
    )


@functools.cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()
