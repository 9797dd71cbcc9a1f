"""When an iteration ends: it has converged, the time is up, somebody pressed Ctrl-C, or it made all steps it may."""

from __future__ import annotations

import contextlib
import math
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Self

from tamis._core.checks import check_number
from tamis._core.evidence import Status
from tamis._kernels.interruption import check_interrupted


@dataclass(frozen=True)
class IterationLimits:
    """``tol`` is relative; ``deadline`` is a time of the monotonic clock, None: there is none.

    Limits that `dataclasses.replace` makes of others are interrupted together with them.
    """

    tol: float = 1e-7
    max_iter: int = 1000
    deadline: float | None = None
    interrupted: threading.Event = field(default_factory=threading.Event, repr=False, compare=False)

    @classmethod
    def from_now(cls, tol: float, max_iter: int, time_limit: float | None) -> Self:
        """With a deadline so many seconds from now."""
        return cls(tol, max_iter, None if time_limit is None else time.monotonic() + time_limit)

    @classmethod
    def of_time(cls, time_limit: Any) -> Self:
        """A deadline only, so many seconds from now; an InputError where that is not a positive number."""
        limit = None if time_limit is None else check_number("time_limit", time_limit, above=0.0)
        return cls.from_now(0.0, 0, limit)

    @property
    def seconds_left(self) -> float:
        """Infinite where there is no deadline."""
        return math.inf if self.deadline is None else self.deadline - time.monotonic()

    def over(self) -> bool:
        """``late``, for loops that are given a function to ask."""
        return self.late

    @contextlib.contextmanager
    def until_interrupted(self) -> Iterator[None]:
        """A first Ctrl-C inside ends iterations after their step, with what they have; a second one is an exception.

        Iterations around these, which began to listen before, end with them. Threads but the main one never hear of
        Ctrl-C.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.getsignal(signal.SIGINT)

        def hear(signum: int, frame: Any) -> None:
            self.interrupted.set()
            signal.signal(signal.SIGINT, before)
            if callable(before) and getattr(before, "ends_iterations", False):
                before(signum, frame)

        hear.ends_iterations = True  # type: ignore[attr-defined]
        if not callable(before):  # ignored, or somebody else's
            yield
            return
        signal.signal(signal.SIGINT, hear)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    @property
    def late(self) -> bool:
        """Whether no more steps are wanted: the time is up, or somebody pressed Ctrl-C."""
        check_interrupted()
        return self.interrupted.is_set() or (self.deadline is not None and time.monotonic() > self.deadline)

    def status(self, converged: bool) -> Status:
        """After a step: MAX_ITER where the next one is still to be made, if there is one."""
        if converged:
            return Status.CONVERGED
        return self.reason if self.late else Status.MAX_ITER

    @property
    def reason(self) -> Status:
        """Why it is ``late``."""
        return Status.INTERRUPTED if self.interrupted.is_set() else Status.TIME_LIMIT
