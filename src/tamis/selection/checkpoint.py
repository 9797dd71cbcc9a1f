"""A file that remembers what was evaluated, so that a search that was killed goes on where it was.

It is an SQLite file with a mark of our own in its header. It is born whole: made beside its place and moved there, so
that a full disk or a kill leaves either no file or a complete one. Every row carries a checksum.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import shutil
import sqlite3
import stat
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from tamis._core.errors import InputError
from tamis.selection.evaluation import SubsetScore
from tamis.selection.search.base import Index

MARK = 0x54414D49  # "TAMI", the application_id in the header of the file
FORMAT = 3  # its user_version
COMMIT_SECONDS = 0.1
LOCKED_SECONDS = 1.0  # a run that was killed may need a moment until its lock is gone
HEADER = b"SQLite format 3\0"
DISK = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
TAKEN = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
CLOSED = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH)

_TABLES = """
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL, checksum TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE answers (
  columns TEXT PRIMARY KEY, score REAL, seconds REAL NOT NULL, spread REAL, failure TEXT NOT NULL,
  weights TEXT, folds TEXT NOT NULL, checksum TEXT NOT NULL
) WITHOUT ROWID;
"""


class Checkpoint:
    """Answers in an SQLite file. A file of other data or other arguments is refused, and so is any other file.

    The file is safe at any moment: what was committed, at least every 100 ms, is there after a kill. A search that
    is run again with the same arguments asks the same questions, and gets the recorded answers to those it asked.
    While a search runs, no other process can use its file.
    """

    def __init__(self, path: Any, arguments: dict[str, str], seed: int) -> None:
        place = _as_place(path)
        self.path, self.shown = place
        self.n_recalled = 0  # questions answered by what an earlier run wrote
        self._known: dict[bytes, SubsetScore] = {}
        self._last = time.monotonic()
        if not _is_ours(place):
            _make(place, {**arguments, "seed": str(seed)})
        self._db: Any = None
        try:
            self._db = _connect(self.path)
            self._db.execute("PRAGMA locking_mode=EXCLUSIVE")
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.execute("BEGIN IMMEDIATE")
            self.seed = self._agree(arguments)
            self._load()
        except BaseException as error:
            if self._db is not None:
                self._db.close()
            if isinstance(error, (sqlite3.Error, UnicodeError, OverflowError)):
                raise _unusable(self.shown, error) from error
            raise
        self._before = frozenset(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def __contains__(self, columns: Index) -> bool:
        return _brief(_key(columns)) in self._known

    def recall(self, columns: Index) -> SubsetScore | None:
        key = _brief(_key(columns))
        self.n_recalled += key in self._before
        return self._known.get(key)

    def remember(self, answers: Iterable[tuple[Index, SubsetScore]]) -> None:
        rows = []
        for columns, answer in answers:
            key = _key(columns)
            self._known[_brief(key)] = answer
            rows.append(_row(key, answer))
        try:
            self._db.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
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
            self._db.close()

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
        if "seed" not in about:
            raise _damaged(self.shown, "it does not say of which run it is")
        other = [key for key in arguments if about.get(key) != arguments[key]]
        if other:
            raise InputError(
                f"checkpoint {self.shown!r} was written by a run with other {' and '.join(sorted(other))}: give "
                "the same again, or the path of a new file"
            )
        return int(about["seed"])

    def _load(self) -> None:
        for columns, *cells, checksum in self._db.execute("SELECT * FROM answers"):
            if _checksum(columns, *cells) != checksum:
                raise _damaged(self.shown, "a row has changed since it was written")
            score, seconds, spread, failure, weights, folds = cells
            told = None if weights is None else tuple(json.loads(weights))
            self._known[_brief(columns)] = SubsetScore(
                _number(score), seconds, _number(spread), failure, told, tuple(json.loads(folds))
            )


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


def _is_ours(place: Place) -> bool:
    """Whether there is such a file; one that is not a checkpoint is refused, and not touched."""
    try:
        with open(place.path, "rb") as file:
            header = file.read(100)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise InputError(f"checkpoint={place.shown!r} cannot be read ({error.strerror}): give another path") from None
    if not header:
        return False  # empty: a file that was only reserved
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
    return True


def _make(place: Place, about: dict[str, str]) -> None:
    """A file without answers, made beside its place and moved there when it is complete."""
    made = ""
    folder, name = os.path.split(place.path)
    try:
        handle, made = tempfile.mkstemp(prefix=f".{name}.", suffix=".new", dir=folder)
        os.close(handle)
        _write_new(made, about)
        _move(made, place.path)
    except sqlite3.Error as error:
        raise _unusable(place.shown, error) from error
    except OSError as error:
        raise InputError(
            f"checkpoint={place.shown!r} cannot be written ({error.strerror}): give another path"
        ) from None
    finally:
        for left in (made, f"{made}-journal"):
            with contextlib.suppress(OSError):
                os.unlink(left)


def _write_new(path: str, about: dict[str, str]) -> None:
    with contextlib.closing(_connect(path)) as db:
        db.execute(f"PRAGMA application_id={MARK}")
        db.execute(f"PRAGMA user_version={FORMAT}")
        db.executescript(f"BEGIN; {_TABLES}")
        rows = [(key, value, _checksum(key, value)) for key, value in about.items()]
        db.executemany("INSERT INTO about VALUES (?, ?, ?)", rows)
        db.execute("COMMIT")


def _move(made: str, path: str) -> None:
    """To its place, where there must be no file, or an empty one, whose permissions it gets."""
    if os.path.exists(path):
        shutil.copymode(path, made)
        os.replace(made, path)
        return
    mask = os.umask(0)
    os.umask(mask)
    os.chmod(made, 0o666 & ~mask)
    try:
        os.link(made, path)  # fails where another process was sooner; its file is then used
    except FileExistsError:
        pass
    except OSError:  # a file system without links
        os.replace(made, path)


def _connect(path: str) -> sqlite3.Connection:
    where = f"{Path(path).as_uri()}?mode=rw"
    return sqlite3.connect(where, uri=True, isolation_level=None, check_same_thread=False, timeout=LOCKED_SECONDS)


def _unusable(path: str, error: Exception) -> InputError:
    """Why SQLite could not use the file, and what to do."""
    code = _code(error)
    if code in TAKEN:
        return InputError(f"checkpoint={path!r} is in use by another process: wait for it, or give another path")
    if code in DISK:
        return InputError(f"checkpoint={path!r} cannot be written ({error}): make room, or give another path")
    if code in CLOSED:
        return InputError(f"checkpoint={path!r} cannot be written ({error}): give a path that can be")
    return _damaged(path, str(error))


def _damaged(path: str, why: str) -> InputError:
    return InputError(f"checkpoint={path!r} is damaged ({why}): give the path of a new file")


def _code(error: Exception) -> int:
    """SQLite's primary error code."""
    return int(getattr(error, "sqlite_errorcode", -1)) & 0xFF


# ---- rows ------------------------------------------------------------------------------------------------------------


def _row(key: str, answer: SubsetScore) -> tuple[Any, ...]:
    score, spread = (None if math.isnan(x) else float(x) for x in (answer.score, answer.spread))
    weights = None if answer.weights is None else json.dumps(answer.weights)
    cells = (score, float(answer.seconds), spread, answer.failure, weights, json.dumps(answer.folds))
    return key, *cells, _checksum(key, *cells)


def _checksum(*cells: Any) -> str:
    return hashlib.blake2b(json.dumps(cells, default=repr).encode(), digest_size=8).hexdigest()


def _number(stored: float | None) -> float:
    return math.nan if stored is None else stored


def _key(columns: Index) -> str:
    return ",".join(str(j) for j in sorted(columns))


def _brief(key: str) -> bytes:
    """For memory, where there may be many subsets of many columns."""
    return hashlib.blake2b(key.encode(), digest_size=16).digest()
