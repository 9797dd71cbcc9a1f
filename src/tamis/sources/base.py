"""A source yields row blocks. These are the contracts; the other files of this folder say where the rows come from.

What a source can do beyond yielding blocks, it declares by having the members of an ability. Ask through the function,
which knows what to do where the ability is absent; a member may also be None where it depends on what is stored.

============  ============================  ==================================================  ====================
ability       members                       meaning                                             ask through
============  ============================  ==================================================  ====================
HasWhole      whole(columns)                all rows as one block                               gather
HasMatrix     matrix, discrete_mask         the array that the columns are, as it was given,    matrix_of
                                            never a copy; which columns the user called
                                            discrete (None: the values decide)                  discrete_columns
HasTarget     target_column()               the target's column without a pass over X           target_column
              row_values(), weighted        target and weights as far as memory holds them;     known_row_values,
                                            whether rows have weights                           row_values,
                                                                                                is_weighted
HasOrigin     origin                        the column of the table each column was made from   origin_of
HasOriginal   original()                    the features as the user gave them, labels as       original_of
                                            labels
ReadsColumns  by_columns                    few columns are read at about their share of the    reads_columns
                                            cost of all
Distributed   workers                       what computes on its partitions, elsewhere and      workers_of
                                            in parallel; None: this process
Pending       pending, with_rows(values)    a partition whose rows Dask computes where the      pending_of,
                                            task runs                                           with_rows
============  ============================  ==================================================  ====================

The matrix holds what products and blocks hold: of a sparse array, sums of the entries that were stored twice.
``tamis.testing.check_source`` compares what is declared with what a pass gives.
"""

from __future__ import annotations

import copy
import enum
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol, Self, runtime_checkable

import numpy as np
import scipy.sparse as sp

from tamis._core.checks import suggestion
from tamis._core.errors import InputError
from tamis._core.memory import require_memory

Array = Any  # ndarray (C or F order, float32 or float64) or a SciPy sparse array


class Kind(enum.StrEnum):
    """What a column holds, judged by its values."""

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
    ``unparsed`` describes the exceptions in a column of labels that are numbers in all but a few rows. Dates are days
    since 1970-01-01: ``stored_as_date`` tells them from numbers, also where they are constant.
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
    unparsed: str | None = None
    stored_as_date: bool = False
    holds: str | None = None  # the type of cells that are neither numbers nor labels: lists, structs, bytes


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

    @property
    def discrete(self) -> np.ndarray:
        """Which columns have few values that are compared for equality only: labels, booleans, small whole numbers."""
        kinds = (Kind.DISCRETE, Kind.BOOLEAN, Kind.CONSTANT)
        return np.array([c.kind in kinds or c.levels is not None for c in self.columns], dtype=bool)

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

    ``names`` and ``n_features`` are known at once; ``schema`` may cost one pass the first time it is read, and
    ``n_rows`` is None until a pass has counted. ``in_memory``: whether the rows are in memory anyway. ``first_row`` is
    0, but in a partition: there it is the number that its first row has in the whole table.
    """

    n_rows: int | None
    in_memory: bool

    @property
    def first_row(self) -> int: ...

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
        """A new pass: row blocks bounded in bytes, ``X`` holding ``columns`` (positions) in their order."""
        ...

    def partitions(self) -> Sequence[Source]:
        """Pieces that follow each other and may be read elsewhere and in parallel; one piece is the source itself.

        They can be pickled, and know their ``first_row`` and ``n_rows``. Their blocks start at ``first_row``, and
        their schema is that of the whole, so that labels have the same positions in all of them. Where rows must be
        counted or labels listed first (CSV, columns of labels), that costs the pass that ``blocks`` would make too.
        """
        ...


class Partitioned:
    """What a source and its partitions have in common: a schema of all rows, made when it is first read."""

    _whole: Partitioned | None = None  # what this is a partition of

    @cached_property
    def schema(self) -> Schema:
        return self._make_schema() if self._whole is None else self._whole.schema

    def _make_schema(self) -> Schema:
        raise NotImplementedError

    def _copy(self) -> Self:
        """To become a partition of this source."""
        part = copy.copy(self)
        part._whole = self if self._whole is None else self._whole
        return part

    def _for_another_process(self) -> Self:
        """A partition without the whole."""
        part = copy.copy(self)
        if part._whole is not None and "schema" in part._whole.__dict__:
            part.__dict__["schema"] = part._whole.schema
        part._whole = None if "schema" in part.__dict__ else _Elsewhere()
        return part

    def __getstate__(self) -> dict[str, Any]:
        """A partition leaves the whole behind where the schema is known already."""
        if self._whole is None or "schema" not in self._whole.__dict__:
            return self.__dict__
        return self.__dict__ | {"_whole": None, "schema": self._whole.schema}


class _Elsewhere(Partitioned):
    """The whole of a partition that was sent before the schema was known."""

    def _make_schema(self) -> Schema:
        raise RuntimeError("the schema must be known before partitions that need it are sent")


RowValues = tuple[np.ndarray | None, np.ndarray | None]  # target and weights of all rows


@runtime_checkable
class HasWhole(Protocol):
    """A source that gives all its rows in one piece."""

    def whole(self, columns: Sequence[int] | None = None) -> Block: ...


@runtime_checkable
class HasMatrix(Protocol):
    """A source whose columns may be an array in memory, dense or sparse."""

    @property
    def matrix(self) -> Array | None: ...

    @property
    def discrete_mask(self) -> np.ndarray | None: ...


@runtime_checkable
class HasTarget(Protocol):
    """A source that knows of its target and weights without a pass over X."""

    @property
    def weighted(self) -> bool: ...

    def target_column(self) -> Column | None:
        """None where only the schema can say."""
        ...

    def row_values(self) -> RowValues:
        """None for what there is not, and for what only a pass can read."""
        ...


@runtime_checkable
class HasOrigin(Protocol):
    """A source whose columns were made from those of a table."""

    @property
    def origin(self) -> list[str] | None: ...


@runtime_checkable
class HasOriginal(Protocol):
    """A source that can give back its features as the user gave them."""

    def original(self) -> Any | None:
        """A frame of the user's library, or an array of objects; None where there are only numbers, or a file."""
        ...


@runtime_checkable
class ReadsColumns(Protocol):
    """A source of which few columns may cost less than all."""

    @property
    def by_columns(self) -> bool: ...


class Workers(Protocol):
    """What computes on partitions: Dask."""

    def reduce(self, parts: Sequence[Any], task: Any, merge: Any, steps: Any = None) -> Any:
        """``task`` of every part, computed where the part's rows are, and merged in order, two and more at a time.

        Nothing comes back but the result. ``task`` and ``merge`` can be pickled; ``merge(a, b)`` may reuse a.
        """
        ...

    def share(self, value: Any) -> Shared | None:
        """A value sent to all workers once; None where this process is all there is."""
        ...

    def describe(self) -> str:
        """Where this is, for ``strategy_``."""
        ...


class Shared(Protocol):
    """A value that every worker has."""

    def map(self, task: Any, items: Sequence[Any]) -> list[Any]:
        """``task(value, item)`` of every item, computed on the workers; ``task`` can be pickled."""
        ...

    @property
    def n_threads(self) -> int:
        """How many tasks run side by side."""
        ...


@runtime_checkable
class Distributed(Protocol):
    """A source whose partitions are worked on elsewhere."""

    @property
    def workers(self) -> Workers | None: ...


@runtime_checkable
class Pending(Protocol):
    """A partition whose rows come to the task, wherever it runs."""

    @property
    def pending(self) -> tuple[Any, ...]:
        """What Dask has to compute for the rows; nothing where they are read from files."""
        ...

    def with_rows(self, values: tuple[Any, ...] | None) -> Any:
        """The same partition with what was computed; with None, one that can be sent there."""
        ...


def workers_of(source: Any) -> Workers | None:
    """What computes on the partitions of a source; None where this process does."""
    return source.workers if isinstance(source, Distributed) else None


def pending_of(part: Any) -> tuple[Any, ...]:
    return part.pending if isinstance(part, Pending) else ()


def with_rows(part: Any, values: tuple[Any, ...] | None) -> Any:
    return part.with_rows(values) if isinstance(part, Pending) else part


def where_computed(source: Any) -> str:
    """``"in memory"``, ``"streamed"``, or on which workers: for ``strategy_``."""
    workers = workers_of(source)
    if workers is not None:
        return f"on {workers.describe()}"
    return "in memory" if source.in_memory else "streamed"


def matrix_of(source: Source) -> Any:
    """The array that the columns are, as it was given, or None."""
    return source.matrix if isinstance(source, HasMatrix) else None


def discrete_columns(source: Source) -> np.ndarray | None:
    """Which columns are discrete; None for an array of numbers whose values are still to be looked at."""
    if isinstance(source, HasMatrix) and source.matrix is not None:
        return source.discrete_mask
    return source.schema.discrete


def target_column(source: Source) -> Column | None:
    """The column of the target, None without one; costs a pass only where the schema has to say."""
    known = source.target_column() if isinstance(source, HasTarget) else None
    return source.schema.target if known is None else known


def known_row_values(source: Source) -> RowValues:
    """The target and the weights of all rows as far as they are known without a pass."""
    return source.row_values() if isinstance(source, HasTarget) else (None, None)


def is_weighted(source: Source) -> bool:
    """Whether rows have weights."""
    return source.weighted if isinstance(source, HasTarget) else next(iter(source.blocks([]))).weight is not None


def row_values(source: Source) -> RowValues:
    """The target and the weights of all rows; what is not known is read in a pass over no other columns."""
    y, weight = known_row_values(source)
    if y is not None and (weight is not None or not is_weighted(source)):
        return y, weight
    block = gather(source, [])
    return block.y, block.weight


def origin_of(source: Source) -> list[str] | None:
    """The column each column was made from, None where they are the table's own."""
    return source.origin if isinstance(source, HasOrigin) else None


def original_of(source: Source) -> Any | None:
    """The features as a frame of the user's library or an array of objects; None where there are only numbers, or a
    file."""
    return source.original() if isinstance(source, HasOriginal) else None


def reads_columns(source: Source) -> bool:
    """Whether few columns are read at about their share of the cost of all."""
    return source.by_columns if isinstance(source, ReadsColumns) else False


def gather(source: Source, columns: Sequence[int] | None = None) -> Block:
    """All rows of a source as one block; a view where the source itself has them in one.

    From elsewhere come these rows and columns only.
    """
    workers = workers_of(source)
    if workers is not None:
        _require_room(source, source.n_features if columns is None else len(columns))
        return Block(*workers.reduce(source.partitions(), Gathering(columns), _joined))
    if isinstance(source, HasWhole):
        return source.whole(columns)
    blocks = source.blocks(columns)
    first = next(blocks, None)
    if first is None:
        raise InputError("the table has no rows (0 sample(s)): a minimum of 1 is required.")
    if source.n_rows is None or sp.issparse(first.X) or len(first) >= source.n_rows:
        return _stacked([first, *blocks])
    return _filled(source.n_rows, first, blocks)


def _require_room(source: Source, p: int) -> None:
    """What is not worked on elsewhere must fit here."""
    n = source.n_rows or 0
    require_memory(
        16.0 * n * max(1, p),
        f"bringing {n:,} × {p:,} numbers here from Dask",
        "this method works on rows in memory; give it fewer rows (frame.sample), or first select columns",
    )


def _filled(n: int, first: Block, others: Iterator[Block]) -> Block:
    """n rows in one block, written as they come: the blocks are not held beside it."""
    X: np.ndarray = np.empty(
        (n, first.X.shape[1]), dtype=first.X.dtype, order="F" if first.X.flags.f_contiguous else "C"
    )
    y, weight = (None if values is None else np.empty(n) for values in (first.y, first.weight))
    seen = 0
    for block in itertools.chain([first], others):
        rows = slice(seen, seen + len(block))
        seen = rows.stop
        if seen > n:
            break
        X[rows] = block.X
        for whole, part in ((y, block.y), (weight, block.weight)):
            if whole is not None:
                whole[rows] = part
    if seen != n:
        raise InputError(f"the table has changed while it was read: it had {n:,} rows", argument="X")
    return Block(X, y, weight, first.start)


def _joined(first: Any, second: Any) -> tuple[Any, ...]:
    """Two blocks of rows that follow each other as one; plain tuples, which Dask can measure."""
    return tuple(_stacked([Block(*first), Block(*second)]))


def one_after_the_other(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """A merge of what there is for each row."""
    return np.concatenate([first, second])


class Gathering:
    """The task of gathering some columns of a partition."""

    def __init__(self, columns: Sequence[int] | None) -> None:
        self.columns = None if columns is None else [int(j) for j in columns]

    def __call__(self, part: Source) -> tuple[Any, ...]:
        return tuple(gather(part, self.columns))


def _stacked(blocks: list[Block]) -> Block:
    if len(blocks) == 1:
        return blocks[0]
    parts = list(zip(*((b.X, b.y, b.weight) for b in blocks), strict=True))
    X = sp.vstack(parts[0], format="csr") if sp.issparse(parts[0][0]) else np.concatenate(parts[0])
    y, weight = (None if part[0] is None else np.concatenate(part) for part in parts[1:])
    return Block(X, y, weight, blocks[0].start)
