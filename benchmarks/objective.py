"""What a question consists of: datasets, a judge outside every competitor, bars to hold."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from benchmarks.competitor import OURS, RIVAL


@dataclass(frozen=True)
class Dataset:
    """Data made on demand; ``barred``: the bars apply to it. Data with a ``close`` method is closed after use."""

    name: str
    make: Callable[[], Any]
    barred: bool = True
    limit: float = 1.0  # how many times faster than the fastest competitor we must be on it


@dataclass
class Row:
    """What one competitor did on one dataset."""

    name: str
    role: str
    version: str = ""
    seconds: float | None = None  # the minimum over the repeats
    times: list[float] = field(default_factory=list)
    peak_mb: float | None = None
    tol: float | None = None
    judged: dict[str, float] = field(default_factory=dict)
    measured: dict[str, float] = field(default_factory=dict)  # the least over the repeats
    accepted: bool | None = None  # None: not judged
    least: float | None = None  # seconds that an accepted answer takes at least, where nobody waited for it
    note: str = ""


@dataclass
class Table:
    """Every competitor on one dataset."""

    dataset: str
    rows: list[Row]
    bounds: list[str] = field(default_factory=list)
    bars: list[dict[str, Any]] = field(default_factory=list)
    limit: float = 1.0

    def row(self, name: str) -> Row | None:
        return next((row for row in self.rows if row.name == name), None)

    def ours(self) -> Row | None:
        return next((row for row in self.rows if row.role == OURS), None)

    def fastest_rival(self) -> Row | None:
        """The fastest competitor whose answer the judge accepted."""
        rivals = [row for row in self.rows if row.role == RIVAL and row.accepted and row.seconds is not None]
        return min(rivals, key=lambda row: row.seconds or 0.0, default=None)

    def times_faster(self, what: str, limit: float, than: str = "") -> dict[str, Any]:
        """The bar of being so many times faster than the fastest competitor (whose name begins so), or than any can be
        who was given up on.
        """
        ours = self.ours()
        rivals = [row for row in self.rows if row.role == RIVAL and row.name.startswith(than)]
        known = [(row.seconds, False) for row in rivals if row.accepted and row.seconds is not None]
        known += [(row.least, True) for row in rivals if not row.accepted and row.least is not None]
        if ours is None or not ours.seconds or ours.accepted is False or not known:
            return bar(what, None, "≥", limit)
        seconds, at_least = min(known)
        return bar(what, seconds / ours.seconds, "≥", limit, at_least)

    def beside(self, seconds: float) -> str:
        """Our time beside what the machine allows, as the end of a sentence; empty where ours was not measured."""
        ours = self.ours()
        return f"; ours takes {ours.seconds / seconds:.2g} × as long" if ours and ours.seconds else ""

    def ratio(self, over: Row | None, under: Row | None) -> float | None:
        """Time of ``over`` divided by that of ``under``; None when either was not measured or was refused."""
        pair = (over, under)
        if any(row is None or row.seconds is None or row.accepted is False for row in pair):
            return None
        return over.seconds / under.seconds  # type: ignore[union-attr,operator]


class Objective:
    """The judge of one question."""

    title: str
    text: str
    repeats = 5  # 0: the first run is the one that is timed, where a run takes minutes and no bar is on its seconds
    cap = 60.0  # seconds: a run that takes longer is stopped and reported as such
    fresh_process = False  # every run in its own interpreter, timed and weighed inside it
    memory = "MB above before"  # heading of the memory column; "" leaves it out
    columns: dict[str, str] = {}  # noqa: RUF012  what the judge and the competitors measure: key → heading

    def reference(self, data: Any) -> Any:
        """What the judge compares with, computed once per dataset outside every timing."""
        return None

    def judge(self, data: Any, reference: Any, result: Any) -> dict[str, float]:
        raise NotImplementedError

    def accepts(self, judged: dict[str, float]) -> bool:
        raise NotImplementedError

    def bars(self, table: Table) -> list[dict[str, Any]]:
        return []

    def bounds(self, data: Any, reference: Any, table: Table, rates: Any) -> list[str]:
        """What the machine allows, beside what was reached."""
        return []


def bar(what: str, value: float | None, relation: str, limit: float, at_least: bool = False) -> dict[str, Any]:
    """One line of what must hold; an unmeasured value (None) or a NaN is not held.

    ``at_least``: the value is only a bound from below, which can show that the bar is held, not that it is missed.
    """
    holds = {"≤": operator.le, "≥": operator.ge}[relation]
    held = None if value is None else bool(holds(value, limit))
    if at_least and not held:
        value = held = None
    line = {"what": what, "value": value, "relation": relation, "limit": limit, "held": held}
    return {**line, "at_least": True} if at_least and held else line


def measured(row: Row | None, key: str) -> float | None:
    return None if row is None or row.accepted is False else row.measured.get(key)


def judged(row: Row | None, key: str) -> float | None:
    return None if row is None else row.judged.get(key)
