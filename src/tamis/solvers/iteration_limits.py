"""When an iteration ends: it has converged, the time is up, or it has made as many steps as it may."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any, Self

from tamis._core.checks import check_number
from tamis._core.evidence import Status
from tamis._kernels.interruption import check_interrupted


@dataclass(frozen=True)
class IterationLimits:
    """``tol`` is relative; ``deadline`` is a time of the monotonic clock, None: there is none."""

    tol: float = 1e-7
    max_iter: int = 1000
    deadline: float | None = None

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

    @property
    def late(self) -> bool:
        check_interrupted()
        return self.deadline is not None and time.monotonic() > self.deadline

    def status(self, converged: bool) -> Status:
        """After a step: MAX_ITER where the next one is still to be made, if there is one."""
        if converged:
            return Status.CONVERGED
        return Status.TIME_LIMIT if self.late else Status.MAX_ITER
