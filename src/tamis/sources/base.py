"""A source yields row blocks. These are the contracts; the other files of this folder say where the rows come from."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import scipy.sparse as sp

from tamis._core.checks import suggestion
from tamis._core.errors import InputError

Array = Any  # ndarray (C or F order, float32 or float64) or a SciPy sparse array


class Kind(enum.StrEnum):
    """What a column holds, as far as its values tell."""

    CONTINUOUS = "continuous"
    DISCRETE = "discrete"
    BOOLEAN = "boolean"
    CONSTANT = "constant"
    IDENTIFIER = "identifier"
    DATE = "date"
    TEXT = "text"


@dataclass(frozen=True)
class Column:
    """One column: its name, kind, how many rows miss it.

    ``levels`` are the labels of a column that is not made of numbers (strings, categories): blocks hold their positions
    0, 1, 2, … as floats. A numeric column has ``levels=None``. So has a column with too many distinct strings to list:
    it is TEXT or IDENTIFIER, ``readable`` is False, and no blocks can be had of it.

    ``n_distinct`` is None where it was not counted: numbers with fractions, or too many values. ``counts`` holds the
    rows per level, or per distinct number in increasing order. ``mean``, ``low``, ``high`` are of the finite numbers.
    ``strays`` tells of a column of labels that are numbers in all but a few rows. Dates are days since 1970-01-01:
    ``stored_as_date`` tells them from numbers, also where they are constant.
    """

    name: str
    kind: Kind
    missing: int = 0
    n_distinct: int | None = None
    levels: tuple[Any, ...] | None = None
    infinite: int = 0
    counts: tuple[int, ...] | None = None
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    readable: bool = True
    strays: str | None = None
    stored_as_date: bool = False


@dataclass(frozen=True)
class Schema:
    """The columns of a source, target apart."""

    columns: tuple[Column, ...]
    target: Column | None = None

    @property
    def names(self) -> list[str]:
        return [c.name for c in self.columns]

    @property
    def kinds(self) -> list[Kind]:
        return [c.kind for c in self.columns]

    @property
    def missing(self) -> np.ndarray:
        return np.array([c.missing for c in self.columns], dtype=np.int64)

    def __len__(self) -> int:
        return len(self.columns)

    def index(self, name: str) -> int:
        """Position of a column; an unknown name gets a suggestion."""
        try:
            return self.names.index(name)
        except ValueError:
            raise InputError(f"there is no column {name!r}{suggestion(name, self.names)}") from None


class Block(NamedTuple):
    """Consecutive rows of a source: row ``start`` of the table is row 0 of ``X``."""

    X: Array
    y: np.ndarray | None
    weight: np.ndarray | None
    start: int

    def __len__(self) -> int:
        return int(self.X.shape[0])


class Source(Protocol):
    """Rows to pass over, as often as needed.

    ``names`` and ``n_features`` are known at once; ``schema`` may cost one pass the first time it is asked for, and
    ``n_rows`` is None until a pass has counted. ``in_memory`` tells whether the rows are in memory anyway.
    """

    n_rows: int | None
    in_memory: bool

    @property
    def names(self) -> list[str]: ...

    @property
    def n_features(self) -> int: ...

    @property
    def labels(self) -> list[str]:
        """Names of the columns, target included, that hold labels where blocks hold their positions."""
        ...

    @property
    def schema(self) -> Schema: ...

    def blocks(self, columns: Sequence[int] | None = None) -> Iterator[Block]:
        """A new pass: row blocks bounded in bytes, ``X`` holding the asked columns (positions) in the asked order."""
        ...


@runtime_checkable
class HasWhole(Protocol):
    """A source that holds all its rows in one piece."""

    def whole(self, columns: Sequence[int] | None = None) -> Block: ...


@runtime_checkable
class HasOriginal(Protocol):
    """A source that can give back its features as the user gave them."""

    def original(self) -> Any | None:
        """A frame of the user's library, or an array of objects; None where there are only numbers, or a file."""
        ...


def gather(source: Source, columns: Sequence[int] | None = None) -> Block:
    """All rows of a source as one block; a view where the source itself has them in one."""
    if isinstance(source, HasWhole):
        return source.whole(columns)
    blocks = list(source.blocks(columns))
    if len(blocks) == 1:
        return blocks[0]
    parts = list(zip(*((b.X, b.y, b.weight) for b in blocks), strict=True))
    X = sp.vstack(parts[0], format="csr") if sp.issparse(parts[0][0]) else np.concatenate(parts[0])
    y, weight = (None if part[0] is None else np.concatenate(part) for part in parts[1:])
    return Block(X, y, weight, 0)
