"""What a result carries: what is proved (Certificate) and what is measured (Diagnostics) are two types."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field, fields, is_dataclass
from numbers import Real
from typing import Any, Protocol, runtime_checkable

import numpy as np

from tamis._core.html_table import html_table


class Status(enum.StrEnum):
    """How a computation ended."""

    CONVERGED = "converged"
    STALLED = "stalled"  # no further progress, and what was asked is not reached
    MAX_ITER = "max_iter"
    TIME_LIMIT = "time_limit"
    INTERRUPTED = "interrupted"


class Certificate:
    """A proof that comes with a result: its numbers, and ``verify`` to recompute them from the data in plain NumPy.

    A subclass exists for each thing that can be proved. ``verify`` shares no code with the solver. Its ``repr`` has the
    numbers alone, not the points they are of: a dataclass is made with ``repr=False``.
    """

    def verify(self, X: Any, y: Any) -> Certificate:
        raise NotImplementedError(f"{type(self).__name__} does not say how it is verified")

    def numbers(self) -> dict[str, float]:
        """What it says in single numbers, by name."""
        names: list[str] = [each.name for each in fields(self)] if is_dataclass(self) else []
        values: dict[str, Any] = {name: getattr(self, name) for name in names}
        return {name: float(value) for name, value in values.items() if _is_number(value)}

    def __repr__(self) -> str:
        numbers = ", ".join(f"{name} {value:.4g}" for name, value in self.numbers().items())
        return f"{type(self).__name__}: {numbers}; verify recomputes it from the data"

    def _repr_html_(self) -> str:
        caption = f"{type(self).__name__}, which verify recomputes from the data"
        return html_table(caption, (), self.numbers().items())


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


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

    def numbers(self) -> dict[str, float]:
        return {"gap": self.gap} | super().numbers()


@dataclass(frozen=True, repr=False)
class Diagnostics:
    """What was measured, never proved: named numbers and the trace of the run."""

    measured: dict[str, float] = field(default_factory=dict)
    trace: np.ndarray | None = None

    def __getitem__(self, name: str) -> float:
        return self.measured[name]

    def __repr__(self) -> str:
        parts = [f"{name} {_shown(value)}" for name, value in self.measured.items()] + self._trace_words()
        return f"Diagnostics: {', '.join(parts) or 'nothing measured'}"

    def _repr_html_(self) -> str:
        rows = [(name, _shown(value)) for name, value in self.measured.items()]
        return html_table(", ".join(["Measured, not proved", *self._trace_words()]), (), rows)

    def _trace_words(self) -> list[str]:
        return [] if self.trace is None else [f"a trace of {len(self.trace):,} steps"]


def _shown(value: Any) -> str:
    if np.ndim(value):
        return f"of shape {np.shape(value)}"
    return f"{float(value):.4g}" if _is_number(value) else str(value)


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
