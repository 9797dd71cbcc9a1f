"""A file that remembers what was evaluated, so that a search that was killed goes on where it was.

It is an SQLite file with a mark of our own in its header. It is filled in its place by one transaction, under SQLite's
lock: of two processes that start together one makes it and the other is refused, and a kill or a full disk leaves an
empty file, which the next run fills, or a complete one. Every row carries a checksum that is tied to its run.

The journal is a rollback journal: all that was committed is in the one file, also after a kill, and what then stands
beside it (``-journal``) is needed only where the kill came within a commit. SQLite removes the journals of a file that
is gone when the empty one is opened. A commit waits for the disk, 12 to 16 ms where we measured, a write-ahead log's
only 0.4; but the log would hold the last answers, and be lost where the file alone is moved.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import sqlite3
import stat
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from tamis._core.errors import InputError
from tamis.selection.evaluation import SubsetScore
from tamis.selection.search.base import Index

MARK = 0x54414D49  # "TAMI", the application_id in the header of the file
FORMAT = 5  # its user_version
COMMIT_SECONDS = 0.1
LOCKED_SECONDS = 1.0  # a run that was killed may need a moment until its lock is gone
HEADER = b"SQLite format 3\0"
DISK = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
TAKEN = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
CLOSED = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH)

_NEW = (
    f"PRAGMA application_id={MARK}",
    f"PRAGMA user_version={FORMAT}",
    "CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL, checksum TEXT NOT NULL) WITHOUT ROWID",
    """CREATE TABLE answers (
      columns TEXT PRIMARY KEY, score REAL, seconds REAL NOT NULL, spread REAL, failure TEXT NOT NULL,
      weights TEXT, folds TEXT NOT NULL, checksum TEXT NOT NULL
    ) WITHOUT ROWID""",
    "CREATE TABLE results (key TEXT PRIMARY KEY, value BLOB NOT NULL, checksum TEXT NOT NULL) WITHOUT ROWID",
)


class CheckpointFile:
    """An SQLite file of one run. A file of other data or other arguments is refused, and so is any other file.

    The file is safe at any moment: what was committed, at least every 100 ms, is there after a kill. While a run goes
    on, no other can use its file.
    """

    def __init__(self, path: Any, arguments: dict[str, str], seed: int) -> None:
        place = _as_place(path)
        self.path, self.shown = place
        self._db: Any = None
        created = False
        _take(place)
        try:
            _check_kind(place)
            created = _reserve(place)
            self._db = _locked(place)
            if not os.path.getsize(self.path):
                self._fill({**arguments, "seed": str(seed)})
            self.seed = self._agree(arguments)
            self._load()
        except BaseException as error:
            self._abandon(created)
            if isinstance(error, (sqlite3.Error, UnicodeError, OverflowError)):
                raise _unusable(self.shown, error) from error
            raise
        self._last = time.monotonic()

    def _fill(self, about: dict[str, str]) -> None:
        """Make an empty file one without answers, whole or not at all."""
        for ending in ("-wal", "-shm"):  # of an earlier file of this name; SQLite itself removes those it would read
            with contextlib.suppress(OSError):
                os.unlink(self.path + ending)
        for statement in _NEW:
            self._db.execute(statement)
        rows = [(key, value, _checksum(key, value)) for key, value in about.items()]
        self._db.executemany("INSERT INTO about VALUES (?, ?, ?)", rows)
        self._db.execute("COMMIT")
        self._db.execute("BEGIN IMMEDIATE")

    def _abandon(self, created: bool) -> None:
        """Leave the file as it was; one that was created and could not be filled goes."""
        with contextlib.suppress(sqlite3.Error, OSError):
            if self._db is not None and self._db.in_transaction:
                self._db.execute("ROLLBACK")
            if created and self._db is not None and not os.path.getsize(self.path):
                os.unlink(self.path)  # it is ours and still locked: who waits for it notices in _locked
        self._release()

    def _release(self) -> None:
        try:
            if self._db is not None:
                self._db.close()
        finally:
            _give_back(self.path)

    def _load(self) -> None:
        """Read what an earlier run wrote, where it is all wanted at once."""

    def _write(self, statement: str, rows: list[tuple[Any, ...]]) -> None:
        try:
            self._db.executemany(statement, rows)
            if time.monotonic() - self._last >= COMMIT_SECONDS:
                self._commit()
                self._db.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            raise self._unwritten(error) from error

    def close(self) -> None:
        try:
            self._commit()
        except sqlite3.Error as error:
            raise self._unwritten(error) from error
        finally:
            self._release()

    def _commit(self) -> None:
        if self._db.in_transaction:
            self._db.execute("COMMIT")
        self._last = time.monotonic()

    def _unwritten(self, error: sqlite3.Error) -> Exception:
        if _code(error) in DISK:
            return OSError(
                f"checkpoint {self.shown!r} could not be written ({error}): make room and start again; what was "
                "recorded before is kept"
            )
        return _unusable(self.shown, error)

    def _agree(self, arguments: dict[str, str]) -> int:
        """The seed of the run in the file; the file must be of the same data and arguments."""
        rows = self._db.execute("SELECT key, value, checksum FROM about").fetchall()
        if any(_checksum(key, value) != checksum for key, value, checksum in rows):
            raise _damaged(self.shown, "what it says about its run has changed")
        about = {key: value for key, value, _ in rows}
        self._run = _checksum(*sorted(about.items()))
        if "seed" not in about:
            raise _damaged(self.shown, "it does not say of which run it is")
        other = [key for key in arguments if about.get(key) != arguments[key]]
        if other:
            raise InputError(
                f"checkpoint {self.shown!r} was written by a run with other {' and '.join(sorted(other))}: give "
                "the same again, or the path of a new file"
            )
        return int(about["seed"])


class Checkpoint(CheckpointFile):
    """Scores of a search: one that is run again with the same arguments proposes the same subsets, and gets their
    recorded scores.
    """

    _scores: dict[bytes, SubsetScore]
    _before: frozenset[bytes]

    def __len__(self) -> int:
        return len(self._scores)

    def __contains__(self, columns: Index) -> bool:
        return _brief(_key(columns)) in self._scores

    def recall(self, columns: Index) -> SubsetScore | None:
        return self._scores.get(_brief(_key(columns)))

    def is_of_earlier_run(self, columns: Index) -> bool:
        return _brief(_key(columns)) in self._before

    def remember(self, scores: Iterable[tuple[Index, SubsetScore]]) -> None:
        rows = []
        for columns, score in scores:
            key = _key(columns)
            self._scores[_brief(key)] = score
            rows.append(_row(self._run, key, score))
        self._write("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def _load(self) -> None:
        self._scores = {}
        for columns, *cells, checksum in self._db.execute("SELECT * FROM answers"):
            if _checksum(self._run, columns, *cells) != checksum:
                raise _damaged(self.shown, "a row has changed since it was written, or is of another run")
            score, seconds, spread, failure, weights, folds = cells
            column_weights = None if weights is None else tuple(json.loads(weights))
            self._scores[_brief(columns)] = SubsetScore(
                _number(score), seconds, _number(spread), failure, column_weights, tuple(json.loads(folds))
            )
        self._before = frozenset(self._scores)


class ResultsCheckpoint(CheckpointFile):
    """Bytes by key: pieces of work that are done. ``n_recalled`` counts those that were read."""

    n_recalled = 0

    def read(self, key: str) -> bytes | None:
        row = self._db.execute("SELECT value, checksum FROM results WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        value, checksum = bytes(row[0]), row[1]
        if _digest(self._run, key, value) != checksum:
            raise _damaged(self.shown, "a row has changed since it was written, or is of another run")
        self.n_recalled += 1
        return value

    def write(self, key: str, value: bytes) -> None:
        row = (key, value, _digest(self._run, key, value))
        self._write("INSERT OR REPLACE INTO results VALUES (?, ?, ?)", [row])


def _digest(run: str, key: str, value: bytes) -> str:
    return hashlib.blake2b(f"{run} {len(key)} {key}".encode() + value, digest_size=8).hexdigest()


# ---- the file: whose it is, and how it is born -----------------------------------------------------------------------


class Place(NamedTuple):
    """Where the file is, links followed, and as the user said it."""

    path: str
    shown: str


def _as_place(path: Any) -> Place:
    """Complains about what can be no file."""
    if not isinstance(path, (str, os.PathLike)) or not os.fspath(path) or "\0" in os.fsdecode(path):
        raise InputError(f"checkpoint must be the path of a file, got {path!r}")
    where, shown = os.path.realpath(os.fsdecode(path)), os.fsdecode(path)
    if os.path.isdir(where):
        raise InputError(f"checkpoint={shown!r} is a directory: give the path of a file in it, such as run.sqlite")
    if os.path.exists(where) and not stat.S_ISREG(os.stat(where).st_mode):
        raise InputError(f"checkpoint={shown!r} is no regular file: give the path of a new file")
    if not os.path.isdir(os.path.dirname(where)):
        raise InputError(f"checkpoint={shown!r} is in a directory that does not exist: make it, or give another path")
    return Place(where, shown)


_taken: set[str] = set()
_taking = threading.Lock()


def _take(place: Place) -> None:
    """Refuse a file that this process uses. Its lock would not tell: it is the process's own, and merely to open and
    close the file once more would end it.
    """
    with _taking:
        if place.path in _taken:
            raise _in_use(place.shown)
        _taken.add(place.path)


def _give_back(path: str) -> None:
    with _taking:
        _taken.discard(path)


def _check_kind(place: Place) -> None:
    """A file that is neither empty nor a checkpoint is refused, and not touched."""
    try:
        with open(place.path, "rb") as file:
            header = file.read(100)
    except FileNotFoundError:
        return
    except OSError as error:
        raise InputError(f"checkpoint={place.shown!r} cannot be read ({error.strerror}): give another path") from None
    if not header:
        return  # a file that was only reserved
    if len(header) < 100 or not header.startswith(HEADER):
        raise InputError(
            f"checkpoint={place.shown!r} is no SQLite file: give the path of a new file, or of one that an earlier "
            "run wrote"
        )
    version, mark = (int.from_bytes(header[at : at + 4], "big") for at in (60, 68))
    if mark != MARK:
        raise InputError(
            f"checkpoint={place.shown!r} is an SQLite file, but none of Tamis's checkpoints: it was left as it is; "
            "give the path of a new file"
        )
    if version != FORMAT:
        age = "an older" if version < FORMAT else "a newer"
        raise InputError(
            f"checkpoint={place.shown!r} was written by {age} version of Tamis (format {version}, this one reads "
            f"{FORMAT}): give the path of a new file"
        )


def _reserve(place: Place) -> bool:
    """Whether there was no file: there is an empty one now."""
    try:
        os.close(os.open(place.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    except FileExistsError:
        return False
    except OSError as error:
        raise InputError(
            f"checkpoint={place.shown!r} cannot be written ({error.strerror}): give another path"
        ) from None
    return True


def _locked(place: Place) -> sqlite3.Connection:
    """The file, open, for nobody else until it is closed."""
    try:
        before = os.stat(place.path)
        db = _connect(place.path)
        try:
            db.execute("PRAGMA journal_mode=DELETE")
            db.execute("PRAGMA synchronous=NORMAL")
            db.execute("BEGIN EXCLUSIVE")
            # Only now: a connection in this mode keeps a reader's lock while it waits, and two would block each other.
            db.execute("PRAGMA locking_mode=EXCLUSIVE")
            if not os.path.samestat(before, os.stat(place.path)):
                raise FileNotFoundError
        except BaseException:
            db.close()
            raise
    except FileNotFoundError:  # another process gave up the file it had begun, or replaced it
        raise _in_use(place.shown) from None
    return db


def _connect(path: str) -> sqlite3.Connection:
    where = f"{Path(path).as_uri()}?mode=rw"
    return sqlite3.connect(where, uri=True, isolation_level=None, check_same_thread=False, timeout=LOCKED_SECONDS)


def _unusable(path: str, error: Exception) -> InputError:
    """Why SQLite could not use the file, and what to do."""
    code = _code(error)
    if code in TAKEN:
        return _in_use(path)
    if code in DISK:
        return InputError(f"checkpoint={path!r} cannot be written ({error}): make room, or give another path")
    if code in CLOSED:
        return InputError(f"checkpoint={path!r} cannot be written ({error}): give a path that can be")
    return _damaged(path, str(error))


def _in_use(path: str) -> InputError:
    return InputError(f"checkpoint={path!r} is in use by another run: wait for it, or give another path")


def _damaged(path: str, why: str) -> InputError:
    return InputError(f"checkpoint={path!r} is damaged ({why}): give the path of a new file")


def _code(error: Exception) -> int:
    """SQLite's primary error code."""
    return int(getattr(error, "sqlite_errorcode", -1)) & 0xFF


# ---- rows ------------------------------------------------------------------------------------------------------------


def _row(run: str, key: str, answer: SubsetScore) -> tuple[Any, ...]:
    score, spread = (None if math.isnan(x) else float(x) for x in (answer.score, answer.spread))
    weights = None if answer.weights is None else json.dumps(answer.weights)
    cells = (score, float(answer.seconds), spread, answer.failure, weights, json.dumps(answer.folds))
    return key, *cells, _checksum(run, key, *cells)


def _checksum(*cells: Any) -> str:
    return hashlib.blake2b(json.dumps(cells, default=repr).encode(), digest_size=8).hexdigest()


def _number(stored: float | None) -> float:
    return math.nan if stored is None else stored


def _key(columns: Index) -> str:
    return ",".join(str(j) for j in sorted(columns))


def _brief(key: str) -> bytes:
    """For memory, where there may be many subsets of many columns."""
    return hashlib.blake2b(key.encode(), digest_size=16).digest()
