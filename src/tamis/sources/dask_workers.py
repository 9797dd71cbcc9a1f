"""Tasks on partitions, run by Dask: on the workers of the active client, or by Dask's scheduler of this process.

The tasks and the tree of their merges are one graph, of which only the root comes back. Dask places the tasks where the
rows are, runs those of a lost worker again, and keeps no result longer than the next merge needs it.
"""

from __future__ import annotations

import copy
import logging
import sys
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from tamis._core.errors import InputError
from tamis._core.optional import need
from tamis._core.progress import Steps, silent
from tamis._core.threads import blas_threads, one_thread
from tamis.sources.base import pending_of, with_rows
from tamis.sources.dask_progress import Finished, partitions_done

FAN_IN = 4  # results merged by one task
LOST = ("CommClosedError", "FutureCancelledError", "FuturesCancelledError")  # of distributed, without its scheduler
T = TypeVar("T")


class DaskWorkers:
    """``reduce`` runs a task on every partition; the active client is looked up each time."""

    def reduce(
        self,
        parts: Sequence[Any],
        task: Callable[[Any], Any],
        merge: Callable[[Any, Any], Any],
        steps: Steps | None = None,
    ) -> Any:
        delayed = dask().delayed
        run = uuid.uuid4().hex[:12]
        for_part = getattr(task, "for_part", lambda part: task)
        level: list[Any] = [
            delayed(OnPartition(for_part(part), with_rows(part, None), Finished(run, k)), pure=False)(
                *pending_of(part), dask_key_name=f"tamis-partition-{run}-{k}"
            )
            for k, part in enumerate(parts)
        ]
        depth = 0
        while len(level) > 1:
            groups = [level[k : k + FAN_IN] for k in range(0, len(level), FAN_IN)]
            level = [
                group[0]
                if len(group) == 1
                else delayed(Merging(merge), pure=False)(*group, dask_key_name=f"tamis-merge-{run}-{depth}-{k}")
                for k, group in enumerate(groups)
            ]
            depth += 1
        try:
            return _watched(level[0], run, len(parts), steps or silent)
        except InputError:
            raise
        except Exception as error:
            raise _explained(error, parts) from error

    def share(self, value: Any) -> SharedValue | None:
        client = active_client()
        return None if client is None else SharedValue(client, value)

    def describe(self) -> str:
        client = active_client()
        if client is None:
            return f"Dask's {_scheduler_name()} scheduler"
        threads = client.nthreads()
        workers = f"{len(threads)} worker{'s' * (len(threads) != 1)}"
        return f"Dask: {workers}, {sum(threads.values())} thread{'s' * (sum(threads.values()) != 1)}"

    def __getstate__(self) -> dict[str, Any]:
        return {}


class SharedValue:
    """A value on every worker. Where the last worker that held it is lost, it is sent once more."""

    def __init__(self, client: Any, value: Any) -> None:
        self.client, self.value = client, value
        self.future = self._sent()

    def _sent(self) -> Any:
        return self.client.scatter(self.value, broadcast=True, hash=False)

    @property
    def n_threads(self) -> int:
        return max(1, sum(self.client.nthreads().values()))

    def map(self, task: Callable[[Any, Any], Any], items: Sequence[Any]) -> list[Any]:
        try:
            return self._mapped(task, items)
        except InputError:
            raise
        except Exception as error:
            if type(error).__name__ not in ("CancelledError", "FutureCancelledError", "FuturesCancelledError"):
                raise _explained(error, ()) from error
        try:
            self.future = self._sent()
            return self._mapped(task, items)
        except Exception as error:
            raise _explained(error, ()) from error

    def _mapped(self, task: Callable[[Any, Any], Any], items: Sequence[Any]) -> list[Any]:
        futures = [self.client.submit(OnItem(task), self.future, item, pure=False) for item in items]
        try:
            found: list[Any] = self.client.gather(futures)
            return found
        except KeyboardInterrupt:
            self.client.cancel(futures)
            raise


class OnItem:
    """A task on a shared value and one item, with one thread."""

    def __init__(self, task: Callable[[Any, Any], Any]) -> None:
        self.task = task

    def __call__(self, value: Any, item: Any) -> Any:
        with one_thread():
            return self.task(value, item)


class OnPartition:
    """A task and the partition it is for; called with what Dask computed of the partition's rows.

    It has one thread: a worker runs as many tasks side by side as it has threads.
    """

    def __init__(self, task: Callable[[Any], Any], part: Any, finished: Finished) -> None:
        self.task = task
        self.part = part
        self.finished = finished

    def __call__(self, *values: Any) -> Any:
        with one_thread():
            found = self.task(with_rows(self.part, values))
        self.finished()
        return found


class OneThread:
    """A task on what Dask computed, with one thread."""

    def __init__(self, task: Callable[..., Any]) -> None:
        self.task = task

    def __call__(self, *values: Any) -> Any:
        with one_thread():
            return self.task(*values)


class Merging:
    """Merges results in their order. The first is copied: it may be needed once more if a worker is lost."""

    def __init__(self, merge: Callable[[Any, Any], Any]) -> None:
        self.merge = merge

    def __call__(self, first: Any, *others: Any) -> Any:
        with one_thread():
            merged = copy.deepcopy(first)
            for other in others:
                merged = self.merge(merged, other)
            return merged


def dask() -> Any:
    return need("dask", extra="dask", purpose="working on Dask")


def active_client() -> Any | None:
    """The client that Dask would use now; None where its own scheduler of this process would run."""
    chosen = dask().config.get("scheduler", None)  # a client writes itself in
    if "distributed" not in sys.modules or chosen not in (None, "dask.distributed", "distributed"):
        return None
    from distributed import default_client

    try:
        return default_client()
    except ValueError:
        return None


def computed(values: list[Any]) -> list[Any]:
    """What Dask computes of delayed values, brought here; what goes wrong is said as where partitions are merged."""
    try:
        found: list[Any] = compute(values)
        return found
    except InputError:
        raise
    except Exception as error:
        raise _explained(error, ()) from error


def kept_on_workers(values: list[Any]) -> list[Any]:
    """Delayed values that the workers of the active client hold from now on, as long as they are referred to."""
    client = active_client()
    assert client is not None
    return list(client.persist(values))


def compute(value: Any) -> Any:
    """What Dask computes of one or several delayed values, brought here."""
    client = active_client()
    with blas_threads(1):
        if client is None:
            return dask().compute(value)[0]
        futures = client.compute(value)
        try:
            return client.gather(futures)
        except KeyboardInterrupt:
            client.cancel(futures)
            raise


def _watched(root: Any, run: str, total: int, steps: Steps) -> Any:
    """The root, with a step for each partition that the scheduler says is done; without a client one for all."""
    client = active_client()
    if client is None:
        return next(iter(steps((compute(value) for value in (root,)), "reading on Dask", 1)))
    future = client.compute(root)
    try:
        for _ in steps(partitions_done(client, future, run, total), "reading on Dask", total):
            pass
        return future.result()
    except KeyboardInterrupt:
        future.cancel()
        raise


def _explained(error: Exception, parts: Sequence[Any]) -> Exception:
    """Which partition could not be computed; the error itself where all can."""
    kind = type(error).__name__
    if kind == "KilledWorker":
        return InputError(
            f"Dask gave up: a task took its worker down several times ({error}); give workers more memory, or make "
            "partitions smaller"
        )
    if kind in LOST or kind in ("CancelledError", "TimeoutError"):
        return _lost(kind)
    for k, part in enumerate(parts):
        try:
            compute(dask().delayed(_touch)(*pending_of(part)))
        except Exception as own:
            reason = f"{type(own).__name__}: {own}"
            return InputError(f"partition {k + 1} of {len(parts)} cannot be computed by Dask: {reason}", argument="X")
    return error


def _lost(kind: str) -> InputError:
    return InputError(
        f"the Dask scheduler was lost ({kind}): start it again and fit again; a search with checkpoint= goes on "
        "from where it was"
    )


def unless_lost(results: Iterable[T]) -> Iterator[T]:
    """What joblib's Dask backend brings, until the scheduler is lost, which is said."""
    try:
        yield from results
    except Exception as error:
        kind = type(error)
        if kind.__name__ in LOST and kind.__module__.partition(".")[0] == "distributed":
            raise _lost(kind.__name__) from error
        raise


def _touch(*values: Any) -> None:
    """Asks for values and leaves them where they are."""


def _scheduler_name() -> str:
    given = dask().config.get("scheduler", None)
    return given if isinstance(given, str) else "threaded" if given is None else "own"


@contextmanager
def local_cluster(n_workers: int) -> Iterator[Any]:
    """A client of processes of one thread each on this machine."""
    distributed = _distributed()
    settings = {"n_workers": n_workers, "threads_per_worker": 1, "processes": True, "dashboard_address": "127.0.0.1:0"}
    quiet = {"silence_logs": logging.ERROR, "memory_limit": 0}
    with distributed.LocalCluster(**settings, **quiet) as cluster, distributed.Client(cluster) as client:
        yield client


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """A client of the scheduler there."""
    try:
        client = _distributed().Client(address, timeout=10)
    except (OSError, TimeoutError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        raise InputError(f"there is no Dask scheduler at {address} ({reason})", argument="dask") from None
    with client:
        if not client.nthreads():
            raise InputError(f"the Dask scheduler at {address} has no workers: start some", argument="dask")
        yield client


def _distributed() -> Any:
    return need("distributed", extra="dask", purpose="working on Dask")
