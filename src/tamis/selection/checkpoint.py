"""A file that remembers what was evaluated, so that a search that was killed goes on where it was."""

from __future__ import annotations

import hashlib
import json
import math
import os
import sqlite3
import time
from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis._core.errors import InputError
from tamis.selection.evaluation import Answer
from tamis.selection.search.base import Index
from tamis.sources import Source

FORMAT = "2"
COMMIT_SECONDS = 0.1

_TABLES = """
CREATE TABLE IF NOT EXISTS about (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS answers (
  columns TEXT PRIMARY KEY, score REAL, seconds REAL NOT NULL, spread REAL, failure TEXT NOT NULL,
  weights TEXT
);
"""


class Checkpoint:
    """Answers in an SQLite file. A file of other data or other arguments is refused.

    The file is safe at any moment: what was committed, at least every 100 ms, is there after a kill. A search that
    is run again with the same arguments asks the same questions, and gets the recorded answers to those it asked.
    """

    def __init__(self, path: Any, arguments: dict[str, str], seed: int) -> None:
        self.path = os.fspath(path)
        self.n_recalled = 0  # questions answered by what an earlier run wrote
        self._known: dict[bytes, Answer] = {}
        self._last = time.monotonic()
        self._db: Any = None
        try:
            self._db = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
            self._db.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;" + _TABLES)
            self.seed = self._agree(arguments, seed)
        except InputError:
            self._db.close()
            raise
        except sqlite3.DatabaseError as error:
            if self._db is not None:
                self._db.close()
            raise InputError(
                f"checkpoint={self.path!r} cannot be used ({error}): give the path of a new file, or of one that an "
                "earlier run wrote"
            ) from None
        for columns, score, seconds, spread, failure, weights in self._db.execute("SELECT * FROM answers"):
            told = None if weights is None else tuple(json.loads(weights))
            self._known[_brief(columns)] = Answer(_number(score), seconds, _number(spread), failure, told)
        self._before = frozenset(self._known)
        self._db.execute("BEGIN")

    def __len__(self) -> int:
        return len(self._known)

    def __contains__(self, columns: Index) -> bool:
        return _brief(_key(columns)) in self._known

    def recall(self, columns: Index) -> Answer | None:
        key = _brief(_key(columns))
        self.n_recalled += key in self._before
        return self._known.get(key)

    def remember(self, answers: Iterable[tuple[Index, Answer]]) -> None:
        rows = []
        for columns, answer in answers:
            key = _key(columns)
            self._known[_brief(key)] = answer
            score, spread = (None if math.isnan(x) else x for x in (answer.score, answer.spread))
            weights = None if answer.weights is None else json.dumps(answer.weights)
            rows.append((key, score, answer.seconds, spread, answer.failure, weights))
        try:
            self._db.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?)", rows)
            if time.monotonic() - self._last >= COMMIT_SECONDS:
                self._commit()
                self._db.execute("BEGIN")
        except sqlite3.OperationalError as error:
            raise self._full(error) from error

    def close(self) -> None:
        try:
            self._commit()
        except sqlite3.OperationalError as error:
            raise self._full(error) from error
        finally:
            self._db.close()

    def _full(self, error: Exception) -> OSError:
        return OSError(
            f"checkpoint {self.path!r} could not be written ({error}): make room and start again; what was recorded "
            "before is kept"
        )

    def _commit(self) -> None:
        if self._db.in_transaction:
            self._db.execute("COMMIT")
        self._last = time.monotonic()

    def _agree(self, arguments: dict[str, str], seed: int) -> int:
        """The seed of the run in the file; the file must be of the same data and arguments."""
        about = dict(self._db.execute("SELECT key, value FROM about"))
        wanted = {"format": FORMAT, **arguments}
        if about:
            other = [key for key in wanted if about.get(key) != wanted[key]]
            if other:
                raise InputError(
                    f"checkpoint {self.path!r} was written by a run with other {' and '.join(sorted(other))}: give "
                    "the same again, or the path of a new file"
                )
            return int(about["seed"])
        rows = [*wanted.items(), ("seed", str(seed))]
        with self._db:
            self._db.executemany("INSERT INTO about VALUES (?, ?)", rows)
        return seed


def fingerprint(source: Source) -> str:
    """Of the numbers, the target, the weights and the names of a table."""
    digest = hashlib.blake2b(digest_size=16)
    digest.update(json.dumps([str(name) for name in source.names]).encode())
    for block in source.blocks():
        X = block.X.tocsr() if sp.issparse(block.X) else block.X
        parts = (X.data, X.indices, X.indptr) if sp.issparse(X) else (X,)
        for part in (*parts, block.y, block.weight):
            if part is not None:
                digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()


def described(value: Any) -> str:
    """What an argument is, the same in every process: all parameters of an estimator, all numbers of an array."""
    if hasattr(value, "get_params"):
        value = {"": type(value).__qualname__, **value.get_params(deep=False)}
    if isinstance(value, dict):
        return f"{{{', '.join(f'{k!r}: {described(v)}' for k, v in value.items())}}}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(described(v) for v in value)}]"
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.shape} {hashlib.blake2b(value.tobytes(), digest_size=16).hexdigest()}"
    if isinstance(value, (np.random.Generator, np.random.RandomState)):
        return type(value).__name__  # its seed was drawn and is in the file
    if callable(value):
        return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', type(value).__qualname__)}"
    words = repr(value)
    return type(value).__qualname__ if f"at {hex(id(value))}" in words else words


def _number(stored: float | None) -> float:
    return math.nan if stored is None else stored


def _key(columns: Index) -> str:
    return ",".join(str(j) for j in sorted(columns))


def _brief(key: str) -> bytes:
    """For memory, where there may be many subsets of many columns."""
    return hashlib.blake2b(key.encode(), digest_size=16).digest()
