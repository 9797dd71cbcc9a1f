"""What a result carries: what is proved (Certificate) and what is measured (Diagnostics) are two types."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np


class Status(enum.StrEnum):
    """How a computation ended."""

    CONVERGED = "converged"
    STALLED = "stalled"  # no further progress, and what was asked is not reached
    MAX_ITER = "max_iter"
    TIME_LIMIT = "time_limit"
    INTERRUPTED = "interrupted"


class Certificate:
    """A proof that comes with a result: its numbers, and ``verify`` to recompute them from the data in plain NumPy.

    A subclass exists for each thing that can be proved. ``verify`` shares no code with the solver.
    """

    def verify(self, X: Any, y: Any) -> Certificate:
        raise NotImplementedError(f"{type(self).__name__} does not say how it is verified")


class ObjectiveGap(Certificate):
    """The objective that was reached, ``primal``, and a bound below that no point can pass, ``dual``."""

    primal: float
    dual: float

    @property
    def gap(self) -> float:
        return float(np.maximum(0.0, self.primal - self.dual))  # NaN, unlike with max, proves nothing

    @property
    def relative_gap(self) -> float:
        """The gap as a share of the objective."""
        return self.gap / self.primal if self.primal > 0 else 0.0


@dataclass(frozen=True)
class Diagnostics:
    """What was measured, never proved: named numbers and the trace of the run."""

    measured: dict[str, float] = field(default_factory=dict)
    trace: np.ndarray | None = None

    def __getitem__(self, name: str) -> float:
        return self.measured[name]


@runtime_checkable
class Result(Protocol):
    """What every solver's answer has beside the point itself: how it ended, and the evidence."""

    @property
    def status(self) -> Status: ...

    @property
    def n_iter(self) -> int: ...

    @property
    def certificate(self) -> Certificate | None:
        """None where nothing is proved."""
        ...

    @property
    def diagnostics(self) -> Diagnostics: ...


@dataclass(frozen=True)
class Solution:
    """What a solver returns: the point, how it ended, and the evidence."""

    w: np.ndarray
    status: Status
    n_iter: int
    certificate: Certificate | None = None
    diagnostics: Diagnostics = field(default_factory=Diagnostics)
    intercept: Any = 0.0
