"""Pieces of work: each is done once, here or on other processes, and remembered in the checkpoint.

Every piece has a key that says what it is, so that a run which was killed asks for the same pieces again. A fit that
has begun is finished; time limit and Ctrl-C are heard between fits.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import threading
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from threadpoolctl import ThreadpoolController

from tamis._core.errors import InputError
from tamis._core.progress import Steps, silent
from tamis._core.random import as_rng
from tamis._core.threads import thread_count
from tamis.selection.checkpoint import ResultsCheckpoint
from tamis.selection.comparison.learners import Learner, predict
from tamis.selection.comparison.methods import Method
from tamis.selection.comparison.table import ComparisonTable
from tamis.sources.dask_workers import unless_lost

ALONE_SECONDS = 2.0  # n_jobs=None: so long one process works, before others are started
CHUNK = 8  # fits of one piece that is sent to a process


@dataclass(frozen=True)
class Outcome:
    """Of one piece: its arrays, the seconds of the fit itself, and why it failed."""

    arrays: tuple[np.ndarray, ...]
    seconds: float
    failure: str = ""

    def to_bytes(self) -> bytes:
        file = io.BytesIO()
        named = {f"a{k}": part for k, part in enumerate(self.arrays)}
        np.savez(file, seconds=np.array(self.seconds), failure=np.array(self.failure), **named)  # type: ignore[arg-type]
        return file.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> Outcome:
        archive = np.load(io.BytesIO(data), allow_pickle=False)
        arrays = tuple(archive[f"a{k}"] for k in range(len(archive.files) - 2))
        return cls(arrays, float(archive["seconds"]), str(archive["failure"]))


@dataclass(frozen=True)
class SequenceWork:
    """The sequence of a method on some rows."""

    key: str
    method: Method
    rows: np.ndarray
    random_state: int

    @property
    def keys(self) -> tuple[str, ...]:
        return (self.key,)

    def run(self, table: ComparisonTable, deadline: float) -> dict[str, Outcome]:
        if time.time() > deadline:
            return {}
        return {self.key: _outcome(lambda: self._arrays(table))}

    def _arrays(self, table: ComparisonTable) -> tuple[np.ndarray, ...]:
        rows = table.rows(self.rows)
        if rows.constant:  # nothing to choose by
            return np.arange(table.p), np.array(False)
        found = self.method.sequence(rows, as_seed(self.random_state))
        return np.array(found.order, dtype=np.intp), np.array(found.whole)


@dataclass(frozen=True)
class FitWork:
    """Fits of one learner on the training rows of one split: a subset of the columns by key."""

    learner: Learner
    train: np.ndarray
    test: np.ndarray
    subsets: dict[str, tuple[int, ...]]

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self.subsets)

    def without(self, done: Iterable[str]) -> FitWork:
        known = set(done)
        left = {key: subset for key, subset in self.subsets.items() if key not in known}
        return FitWork(self.learner, self.train, self.test, left)

    def _arrays(self, table: ComparisonTable, columns: tuple[int, ...]) -> tuple[np.ndarray, ...]:
        return predict(table, self.learner, self.train, self.test, columns).arrays

    def run(self, table: ComparisonTable, deadline: float) -> dict[str, Outcome]:
        out = {}
        for key, columns in self.subsets.items():
            if time.time() > deadline:
                break
            out[key] = _outcome(functools.partial(self._arrays, table, columns))
        return out


def as_seed(random_state: Any) -> int:
    """What a method is seeded with."""
    return int(as_rng(random_state).integers(2**31 - 1))


def _outcome(work: Any) -> Outcome:
    began = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            arrays, failure = work(), ""
    except Exception as error:  # recorded; the rest goes on
        arrays, failure = (), f"{type(error).__name__}: {error}"
    return Outcome(arrays, time.perf_counter() - began, failure)


def fit_key(tag: str, learner: Learner, columns: Sequence[int]) -> str:
    digest = hashlib.blake2b(np.sort(np.asarray(columns, dtype=np.int64)).tobytes(), digest_size=12).hexdigest()
    return f"fit {tag} {learner.name} {len(columns)} {digest}"


class OneThread:
    """Limits BLAS and OpenMP to one thread while anyone is inside.

    The threads of BLAS belong to the whole process: the first who enters limits them, the last who leaves restores
    them. Those of OpenMP belong to each caller.
    """

    def __init__(self) -> None:
        self._lock, self._inside = threading.Lock(), 0
        self._limit: Any = None

    @functools.cached_property
    def _blas(self) -> ThreadpoolController:
        return ThreadpoolController().select(user_api="blas")

    @functools.cached_property
    def _openmp(self) -> ThreadpoolController:
        return ThreadpoolController().select(user_api="openmp")

    @contextlib.contextmanager
    def limited(self) -> Iterator[None]:
        with self._lock:
            if self._inside == 0:
                self._limit = self._blas.limit(limits=1)
            self._inside += 1
        try:
            with self._openmp.limit(limits=1):
                yield
        finally:
            with self._lock:
                self._inside -= 1
                if self._inside == 0:
                    self._restore()

    def _restore(self) -> None:
        """From threadpoolctl 3.8 on a thread that set a limit owns it until it is cleared."""
        self._clear()
        self._limit.restore_original_limits()
        self._clear()

    def _clear(self) -> None:
        for library in self._blas.lib_controllers:
            if hasattr(library, "clear_controlling_thread"):
                library.clear_controlling_thread(force=True)


ONE_THREAD = OneThread()


def run_piece(piece: Any, table: ComparisonTable, deadline: float) -> dict[str, Outcome]:
    """On one thread: sums of BLAS and OpenMP then do not depend on how many there are."""
    with ONE_THREAD.limited():
        return dict(piece.run(table, deadline))


@dataclass
class Executor:
    """Does pieces of work until time is up. ``outcomes`` holds what is done, by key."""

    n_jobs: int | None = None
    began: float = field(default_factory=time.time)
    time_limit: float | None = None
    checkpoint: ResultsCheckpoint | None = None
    steps: Steps = silent
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    status: str = "finished"

    def deadline(self, share: float = 1.0) -> float:
        if self.status == "interrupted":
            return -np.inf
        return np.inf if self.time_limit is None else self.began + share * self.time_limit

    def goes_on(self, share: float = 1.0) -> bool:
        """Whether there is time; where there is none, that is said in ``status``."""
        late = time.time() > self.deadline(share)
        if late and self.status == "finished":
            self.status = "time_limit"
        return not late

    def do(self, pieces: Sequence[Any], table: ComparisonTable, stage: str, share: float = 1.0) -> None:
        """Do what is not done. ``share`` of the time limit is this stage's end."""
        left = [todo for piece in pieces if (todo := self._undone(piece)) is not None]
        deadline = self.deadline(share)
        try:
            for found in self.steps(self._results(left, table, deadline), stage, len(left)):
                self._keep(found)
        except KeyboardInterrupt:
            self.status = "interrupted"
        if self.status == "finished" and time.time() > deadline and not all(self.has(p) for p in left):
            self.status = "time_limit"

    def has(self, piece: Any) -> bool:
        return all(key in self.outcomes for key in piece.keys)

    def _undone(self, piece: Any) -> Any:
        for key in piece.keys:
            if key not in self.outcomes and self.checkpoint is not None:
                saved = self.checkpoint.read(key)
                if saved is not None:
                    self.outcomes[key] = Outcome.from_bytes(saved)
        if self.has(piece):
            return None
        return piece.without(self.outcomes) if isinstance(piece, FitWork) else piece

    def _keep(self, found: dict[str, Outcome]) -> None:
        for key, outcome in found.items():
            self.outcomes[key] = outcome
            if self.checkpoint is not None:
                self.checkpoint.write(key, outcome.to_bytes())

    def _results(self, pieces: list[Any], table: ComparisonTable, deadline: float) -> Iterator[dict[str, Outcome]]:
        workers = thread_count(None) if self.n_jobs is None else effective_n_jobs(self.n_jobs)
        alone = np.inf if workers == 1 else ALONE_SECONDS if self.n_jobs is None else 0.0
        began = time.perf_counter()
        at = 0
        while at < len(pieces) and time.perf_counter() - began < alone and time.time() <= deadline:
            yield run_piece(pieces[at], table, deadline)
            at += 1
        if at < len(pieces) and time.time() <= deadline:
            jobs = (delayed(run_piece)(p, table, deadline) for p in pieces[at:] if time.time() <= deadline)
            run = Parallel(n_jobs=workers, return_as="generator_unordered", pre_dispatch="2*n_jobs")
            yield from unless_lost(run(jobs))


def require_work(n_jobs: int | None) -> None:
    if n_jobs is not None:
        thread_count(n_jobs)


def seconds_of(outcomes: dict[str, Outcome]) -> float:
    """Of the fits of methods and learners themselves."""
    return sum(outcome.seconds for outcome in outcomes.values())


def first_failure(outcomes: dict[str, Outcome]) -> InputError:
    why = next((outcome.failure for outcome in outcomes.values() if outcome.failure), "no reason was given")
    return InputError(f"every method or every fit failed; the first: {why}")
