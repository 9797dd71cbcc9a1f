"""Which partitions are done, as the scheduler hears it: tasks log an event each, to which this process listens."""

from __future__ import annotations

import queue
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

TOPIC = "tamis"
WAIT = 0.1  # seconds between looks at a computation that says nothing

_lock = threading.Lock()
_listeners: WeakKeyDictionary[Any, dict[str, queue.SimpleQueue[int]]] = WeakKeyDictionary()


class Finished:
    """What a task says at its end: the partition k of a run is done."""

    def __init__(self, run: str, k: int) -> None:
        self.run, self.k = run, k

    def __call__(self) -> None:
        """Where the task runs on no worker, nobody listens."""
        if "distributed" not in sys.modules:
            return
        from distributed import get_worker

        try:
            get_worker().log_event(TOPIC, {"run": self.run, "k": self.k})
        except ValueError:
            return


def partitions_done(client: Any, future: Any, run: str, total: int) -> Iterator[int]:
    """Numbers of partitions as they are done, each once, until the future is."""
    seen: set[int] = set()
    with _listening(client, run) as told:
        while not future.done():
            try:
                k = told.get(timeout=WAIT)
            except queue.Empty:
                continue
            if k not in seen:  # a lost worker's are computed again
                seen.add(k)
                yield k
    if future.status == "finished":
        yield from (k for k in range(total) if k not in seen)


@contextmanager
def _listening(client: Any, run: str) -> Iterator[queue.SimpleQueue[int]]:
    """One subscription for each client; several fits may run side by side."""
    told: queue.SimpleQueue[int] = queue.SimpleQueue()
    with _lock:
        if client not in _listeners:
            listeners = _listeners[client] = {}
            client.subscribe_topic(TOPIC, lambda event: _pass_on(listeners, event))
        _listeners[client][run] = told
    try:
        yield told
    finally:
        with _lock:
            _listeners[client].pop(run, None)


def _pass_on(listeners: dict[str, queue.SimpleQueue[int]], event: tuple[float, Any]) -> None:
    told = event[1]
    if isinstance(told, dict) and told.get("run") in listeners:
        listeners[told["run"]].put(told["k"])
