"""Work on threads that a Ctrl-C ends within moments.

Python hands signals to the main thread alone. Where that one is interrupted while threads work for it, it sets a flag
that they watch: kernels wherever they look for signals, loops in Python by ``check_interrupted``.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from tamis._kernels import kernels

T = TypeVar("T")
R = TypeVar("R")

_current = threading.local()


def check_interrupted() -> None:
    """Raises KeyboardInterrupt on a thread whose work nobody waits for any more. The main thread hears of it itself."""
    flag = getattr(_current, "flag", None)
    if flag is not None and flag.is_set():
        raise KeyboardInterrupt


def until_interrupted(items: Iterable[T]) -> Iterator[T]:
    """The items, one after the other, with ``check_interrupted`` before each."""
    for item in items:
        check_interrupted()
        yield item


class InterruptibleThreads:
    """Threads for the body of a ``with`` block. Where that is left by an exception, a Ctrl-C above all, what they are
    at ends early; they have all ended when the block has. Each thread begins with ``begin``.
    """

    def __init__(self, n_threads: int, begin: Callable[[], None]) -> None:
        self._pool = ThreadPoolExecutor(n_threads, initializer=begin)
        self._flag = kernels.Cancel()

    def __enter__(self) -> InterruptibleThreads:
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is not None:
            self._flag.set()
        self._pool.shutdown(wait=True, cancel_futures=kind is not None)

    def submit(self, function: Callable[..., R], *args: Any) -> Any:
        """A future of function(*args)."""
        return self._pool.submit(self._run, function, *args)

    def map(self, function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        """function of every item, in their order, as they are done."""
        futures = [self.submit(function, item) for item in items]
        try:
            for future in futures:
                yield future.result()
        finally:
            for future in futures:
                future.cancel()

    def _run(self, function: Callable[..., R], *args: Any) -> R:
        before = getattr(_current, "flag", None)
        _current.flag = self._flag
        kernels.watch(self._flag)
        try:
            check_interrupted()
            return function(*args)
        finally:
            _current.flag = before
            kernels.watch(before)
