"""When a recovery has converged: asked of the code that is handed over, not of the loop that found it.

A loop ends with what it believes; `System.together` asks the rule of the method about the finished code, its residual
and its certificate, all computed from the data. Where "converged" does not hold, it becomes "stalled".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from tamis._core.checks import check_number
from tamis._core.evidence import Certificate

ROUNDING = 1e-12  # of ‖y‖: residuals that differ by less are the same
SLACK = 1e-6  # relative: a number that was compared with its limit rounds otherwise when it is computed anew


@dataclass(frozen=True)
class Finished:
    """One signal as it is handed over, and what its loop measured; ``numbers`` are those of its certificate."""

    y: np.ndarray
    s: np.ndarray
    residual_norm: float
    n_iter: int
    measured: dict[str, float]
    numbers: dict[str, float] = field(default_factory=dict)

    @cached_property
    def size(self) -> float:
        return float(np.linalg.norm(self.y))

    @property
    def as_measured(self) -> bool:
        """Whether the residual is the one that the loop saw."""
        seen = self.measured.get("residual_norm", 0.0)
        return abs(self.residual_norm - seen) <= SLACK * seen + ROUNDING * self.size

    @property
    def gap(self) -> float:
        return self.numbers.get("value", np.inf) - self.numbers.get("bound", -np.inf)


class ConvergenceRule(Protocol):
    """What "converged" means for a method."""

    def holds(self, end: Finished) -> bool: ...


@dataclass(frozen=True)
class SmallResidual:
    """‖y − A s‖ ≤ max(tol ‖y‖, noise), or what ``otherwise`` asks."""

    tol: float
    noise: float = 0.0
    otherwise: Callable[[Finished], bool] | None = None

    def goal(self, y: np.ndarray) -> float:
        """The residual norm that is small enough."""
        return max(self.tol * float(np.linalg.norm(y)), self.noise)

    def holds(self, end: Finished) -> bool:
        small = end.residual_norm <= max(self.tol * end.size, self.noise) * (1 + SLACK) + ROUNDING * end.size
        return small or (self.otherwise is not None and self.otherwise(end))


def small_residual(tol: Any, noise: Any) -> SmallResidual:
    """From what a user gave; None: no noise."""
    radius = 0.0 if noise is None else check_number("noise", noise, at_least=0.0)
    return SmallResidual(check_number("tol", tol, at_least=0.0), radius)


@dataclass(frozen=True)
class WithinRadius:
    """‖y − A s‖ ≤ (1 + tol) noise; ≤ tol ‖y‖ where there is no noise."""

    tol: float
    noise: float = 0.0

    def holds(self, end: Finished) -> bool:
        radius = (1 + self.tol) * self.noise if self.noise > 0 else self.tol * end.size
        return end.residual_norm <= radius * (1 + SLACK)


@dataclass(frozen=True)
class ProvedLeast:
    """`WithinRadius`, and no code within it has a value below that of s by more than tol, relative."""

    tol: float
    noise: float = 0.0

    def holds(self, end: Finished) -> bool:
        proved = end.gap <= self.tol * (1 + SLACK) * end.numbers.get("value", 0.0)
        return proved and WithinRadius(self.tol, self.noise).holds(end)


@dataclass(frozen=True)
class ProvedPenalised:
    """The duality gap of 1/(2m)‖y − A s‖² + α‖s‖₁ is at most tol times the objective at s = 0."""

    tol: float

    def holds(self, end: Finished) -> bool:
        return end.gap <= self.tol * (1 + SLACK) * end.size**2 / (2 * len(end.y))


@dataclass(frozen=True)
class ProvedSelector:
    """‖Aᵀ(y − A s)‖∞ ≤ mα (1 + tol), and the gap of ‖s‖₁ is at most tol, relative."""

    tol: float
    alpha: float

    def holds(self, end: Finished) -> bool:
        feasible = end.numbers["correlation"] <= self.alpha * (1 + self.tol) * (1 + SLACK)
        return feasible and end.gap <= self.tol * (1 + SLACK) * end.numbers["value"]


@dataclass(frozen=True)
class Stationary:
    """What the loop measured of the conditions of optimality is at most tol, and the residual within its radius."""

    tol: float
    noise: float | None = None

    def holds(self, end: Finished) -> bool:
        near = self.noise is None or end.residual_norm <= self.noise + self.tol * (1 + SLACK) * end.size
        return near and end.as_measured and end.measured.get("stationarity", 0.0) <= self.tol


def unmoved(before: np.ndarray, after: np.ndarray, tol: float) -> bool:
    """Whether a step from a code that is not 0 moved it by at most tol, relative."""
    size = float(np.linalg.norm(before))
    return size > 0 and float(np.linalg.norm(after - before)) <= tol * size


def numbers_of(certificate: Certificate | None, i: int) -> dict[str, float]:
    """What the certificate of all signals says of signal i."""
    names = ("value", "bound", "correlation")
    found: dict[str, Any] = {name: getattr(certificate, name, None) for name in names}
    return {name: float(np.atleast_1d(v)[i]) for name, v in found.items() if v is not None and np.size(v) > i}
