"""Runs a question: tune each competitor until the judge accepts it, then time all of them in turn and keep the minimum.

The tuning runs are the warm-up: compilation, page faults and first calls happen there, uncounted; but where the
question asks for no repeats, their last is the time.
"""

from __future__ import annotations

import contextlib
import gc
import pickle
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks import libraries, machine, questions
from benchmarks.competitor import RIVAL, YARDSTICK, Competitor, first_line, peak_rss, reset_peak
from benchmarks.objective import Dataset, Objective, Row, Table

ROOT = Path(__file__).resolve().parent.parent
PAUSE = 0.3  # OpenBLAS workers of the previous competitor spin for a while before they sleep
PATIENCE = 30.0  # a run longer than this is not tightened further
FAR = 3.0  # who takes so many times another's accepted time at a tolerance too loose is not tightened further
CLOSE = 3.0  # who is within this factor of the fastest contends
BUDGET, LEAST = 10.0, 3  # contenders repeat until so many seconds are spent, but at least so often
SPARE = 3.0  # the others until so many seconds are spent
STARTING = 10.0  # seconds more for an interpreter of its own, which also reads the data

Say = Callable[[str], None]


def run_question(
    name: str, *, quick: bool = False, only: set[str] | None = None, say: Say = lambda text: None
) -> dict[str, Any]:
    """The record of one question: its text, the machine and one table per dataset."""
    objective, rungs = questions.objective(name), {}
    tables = [run_dataset(name, objective, data, quick, only, say, rungs) for data in questions.datasets(name, quick)]
    return {
        "question": name,
        "title": objective.title,
        "text": objective.text,
        "columns": objective.columns,
        "memory": objective.memory,
        "quick": quick,
        "machine": machine.describe(),
        "tables": [asdict(table) for table in tables],
    }


def run_dataset(
    name: str,
    objective: Objective,
    dataset: Dataset,
    quick: bool,
    only: set[str] | None,
    say: Say,
    rungs: dict[str, int] | None = None,
) -> Table:
    """``rungs``: where each competitor's tolerance was found on the last dataset; written to."""
    rungs = {} if rungs is None else rungs
    say(f"{name}: {dataset.name}")
    data = dataset.make()
    try:
        reference = objective.reference(data)
        entries = [
            Entry(_dressed(competitor, objective), objective, data, reference)
            for competitor in libraries.competitors(name)
            if competitor.fits(data) and (only is None or competitor.name in only or competitor.role == YARDSTICK)
        ]
        for entry in entries:
            rivals = (e.first for e in entries if e.row.accepted and e.row.role == RIVAL)
            entry.fastest = min(rivals, default=float("inf"))
            rungs[entry.row.name] = entry.tune(max(0, rungs.get(entry.row.name, 0) - 1))
            say(f"  {entry.row.name}: {entry.row.note or 'ready'}")
        say("  taking turns")
        interleave(entries, objective.repeats if not quick else 1 if objective.fresh_process else 2)
        table = Table(dataset.name, [entry.row for entry in entries], limit=dataset.limit)
        table.bounds = objective.bounds(data, reference, table, machine.rates(quick))
        table.bars = objective.bars(table) if dataset.barred else []
        return table
    finally:
        if hasattr(data, "close"):
            data.close()


def _dressed(competitor: Competitor, objective: Objective) -> Competitor:
    competitor.threads = machine.threads()
    apart = objective.fresh_process or competitor.apart
    return FreshProcess(competitor, whole=objective.fresh_process) if apart else competitor


@dataclass
class Entry:
    """A competitor on its way through one dataset."""

    competitor: Competitor
    objective: Objective
    data: Any
    reference: Any
    ready: bool = False
    first: float = float("inf")  # seconds of the last warm-up
    fastest: float = float("inf")  # warm-up of the competitors whose answers are accepted, before this one was tuned
    spent: float = 0.0  # on repeats, with what they need around them

    def __post_init__(self) -> None:
        c = self.competitor
        self.row = Row(c.name, c.role, machine.version(c.package), note=c.note)

    def tune(self, rung: int = 0) -> int:
        """The loosest tolerance the judge accepts, looked for from ``rung``; the tightest tried if there is none."""
        missing = self.competitor.available()
        if missing:
            self.row.note = missing
            return rung
        seconds, patience = self._try(rung), float("inf")  # a first run may take long for reasons that do not come back
        while seconds and self.row.accepted and rung > 0 and seconds < PATIENCE / 2:
            rung -= 1
            seconds = self._try(rung)
        while seconds and self.row.accepted is False and rung < len(self.competitor.tolerances) - 1:
            if seconds > min(patience, FAR * self.fastest):
                self.row.least = seconds
                break
            rung, patience = rung + 1, PATIENCE
            seconds = self._try(rung)
        if self.ready and self.row.accepted is False:
            slow = "" if self.row.least is None else f": not tightened, for it takes {self.row.least:.3g} s already"
            self.row.note = f"the judge refuses its answer{slow}"
        return rung

    def _try(self, rung: int) -> float | None:
        self.competitor.tol = self.row.tol = self.competitor.tolerances[rung]
        return self._guarded(self._warm_up)

    def repeat(self, fastest: float) -> None:
        """One timed run, judged afterwards: the worst judgement of all repeats counts."""
        times = self.row.times
        contends = not times or min(times) <= CLOSE * fastest
        wanted = self.spent < BUDGET or len(times) < LEAST if contends else self.spent < SPARE
        if self.ready and wanted:
            start = time.perf_counter()
            self._guarded(self._timed)
            self.spent += time.perf_counter() - start

    def _guarded(self, step: Callable[[], float]) -> float | None:
        machine.unbind()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # convergence is the judge's business
                return step()
        except TooSlow:
            self.ready, self.row.seconds, self.row.accepted = False, None, None
            self.row.judged, self.row.measured, self.row.peak_mb = {}, {}, None
            self.row.least = self.objective.cap
            self.row.note = f"over {self.objective.cap:.0f} s"
            return None
        except Exception as error:  # reported in the table, never dropped
            self.ready, self.row.seconds, self.row.accepted = False, None, False
            self.row.note = f"failed: {first_line(error)}"
            return None

    def _warm_up(self) -> float:
        self.competitor.prepare(self.data)
        gc.collect()
        weighable = reset_peak()
        before = peak_rss()
        seconds, peak = self._clocked()
        self.row.peak_mb = peak or (peak_rss() - before if weighable else None)
        self._judge(start_again=True)
        self.ready, self.first = True, seconds
        if not self.objective.repeats:
            self.row.times, self.row.seconds = [seconds], seconds
        return seconds

    def _timed(self) -> float:
        gc.collect()
        time.sleep(PAUSE)
        seconds, peak = self._clocked()
        self.row.times.append(seconds)
        self.row.seconds = min(self.row.times)
        if peak:
            self.row.peak_mb = max(self.row.peak_mb or 0.0, peak)
        for key, value in self.competitor.meters().items():
            self.row.measured[key] = min(value, self.row.measured.get(key, value))
        self._judge()
        return seconds

    def _clocked(self) -> tuple[float, float | None]:
        """Seconds by our clock and no peak, unless the competitor ran elsewhere and brought both back."""
        elsewhere = isinstance(self.competitor, FreshProcess)
        with stopped_after(self.objective.cap + (STARTING if elsewhere else 0)):
            start = time.perf_counter()
            self.competitor.run()
            seconds = time.perf_counter() - start
        return self.competitor.measurement() if elsewhere else (seconds, None)

    def _judge(self, start_again: bool = False) -> None:
        if self.competitor.role == YARDSTICK:
            return
        judged = self.objective.judge(self.data, self.reference, self.competitor.result())
        accepted = self.objective.accepts(judged)
        if start_again or self.row.accepted is None:
            self.row.judged, self.row.accepted = judged, accepted
        else:
            self.row.judged = {key: max(value, self.row.judged[key]) for key, value in judged.items()}
            self.row.accepted = self.row.accepted and accepted


def interleave(entries: list[Entry], repeats: int) -> None:
    """Ours, theirs, ours, …: a slow spell of the machine then falls on everybody."""
    for _ in range(repeats):
        fastest = _fastest(entries)
        for entry in entries:
            entry.repeat(fastest)


def _fastest(entries: list[Entry]) -> float:
    """Seconds of the fastest whose answer is accepted."""
    return min((e.row.seconds for e in entries if e.row.seconds and e.row.accepted), default=float("inf"))


class TooSlow(BaseException):
    """A run reached the question's cap; no Exception, which a cross-validation would take for a failed fit."""


@contextlib.contextmanager
def stopped_after(seconds: float) -> Iterator[None]:
    """Raises ``TooSlow`` in what runs longer, once it comes back to the interpreter, and again if it swallows that."""
    fired = []

    def stop(signum: int, frame: Any) -> None:
        fired.append(signum)
        raise TooSlow

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    except Exception:
        if not fired:  # else it is of what a competitor made of its being stopped
            raise
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    if fired:
        raise TooSlow


class FreshProcess(Competitor):
    """The same four verbs, each run in an interpreter of its own that brings back its time and its peak memory."""

    def __init__(self, inner: Competitor, whole: bool) -> None:
        """``whole``: the peak of the process counts, not what the run added to it."""
        self.inner, self.memory = inner, "peak" if whole else "above"
        self.name, self.package, self.role = inner.name, inner.package, inner.role
        self.tolerances, self.note = inner.tolerances, inner.note
        self.measured: dict[str, Any] = {}

    def available(self) -> str:
        return self.inner.available()

    def prepare(self, data: Any) -> None:
        self.data = getattr(data, "handle", data)

    def run(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            given, out = Path(folder, "given"), Path(folder, "out")
            given.write_bytes(pickle.dumps((self.data, self.inner.threads, self.tol)))
            kind = type(self.inner)
            what = [kind.__module__, kind.__name__, str(given), str(out)]
            command = [sys.executable, "-m", "benchmarks.child", *what]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            if done.returncode:
                raise RuntimeError((done.stderr.strip() or f"exit code {done.returncode}").splitlines()[-1])
            self.measured = pickle.loads(out.read_bytes())

    def measurement(self) -> tuple[float, float]:
        return self.measured["seconds"], self.measured[self.memory]

    def result(self) -> Any:
        return self.measured["result"]
