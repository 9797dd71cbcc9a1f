"""When an iteration ends: it has converged, the time is up, or it has made as many steps as it may."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Self

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

    @property
    def late(self) -> bool:
        check_interrupted()
        return self.deadline is not None and time.monotonic() > self.deadline

    def status(self, converged: bool) -> Status:
        """After a step: MAX_ITER where the next one is still to be made, if there is one."""
        if converged:
            return Status.CONVERGED
        return Status.TIME_LIMIT if self.late else Status.MAX_ITER
