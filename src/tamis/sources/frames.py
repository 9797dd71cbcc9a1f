"""Rows from data frames (pandas, polars, Arrow tables) through narwhals, and from arrays of objects.

Numbers are converted block by block, labels are coded once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from tamis._core.checks import shorten
from tamis._core.errors import InputError
from tamis.sources.parts import CellError, Coded, Family, Part, cut, part_of_objects
from tamis.sources.target import part_of_array, warn_column


class MemoryColumn(Protocol):
    family: Family

    def part(self, rows: slice) -> Part: ...


class MemoryTable:
    """Columns that are in memory."""

    in_memory = True
    by_columns = True

    def __init__(self, names: list[str], columns: Sequence[MemoryColumn], n_rows: int) -> None:
        self.names = names
        self.columns = columns
        self.families = [c.family for c in columns]
        self.n_rows: int | None = n_rows

    def confirm_types(self, columns: Sequence[int]) -> None:
        """Families are known."""

    def partitions(self, columns: Sequence[int]) -> list[MemoryTable]:
        del columns
        return [self]

    def chunks(self, columns: Sequence[int], n_bytes: int) -> Iterator[list[Part]]:
        n = self.n_rows or 0
        step = max(1, n_bytes // (8 * max(1, len(columns))))
        for start in range(0, n, step):
            rows = slice(start, min(n, start + step))
            yield [self.columns[i].part(rows) for i in columns]


class PartColumn:
    """A column that is a part already."""

    def __init__(self, part: Part, family: Family) -> None:
        self._part = part
        self.family = family

    def part(self, rows: slice) -> Part:
        return cut(self._part, rows)


class NumberColumn:
    """Numbers, booleans, dates and durations of a frame, converted block by block."""

    def __init__(self, series: Any, family: Family) -> None:
        self.series = series
        self.family = family

    def part(self, rows: slice) -> Part:
        return _numbers(self.series[rows], self.family)


class LabelColumn:
    """Strings and categories of a frame, coded at first sight."""

    family = Family.LABEL

    def __init__(self, series: Any, declared: bool) -> None:
        self.series = series
        self.declared = declared

    @cached_property
    def coded(self) -> Coded:
        part, _ = part_of_objects(self.series.to_list(), self.series.name)
        coded = part if isinstance(part, Coded) else coded_numbers(part)
        return _declared(coded, self.series) if self.declared else coded

    def part(self, rows: slice) -> Part:
        return cut(self.coded, rows)


def array_table(X: np.ndarray, names: list[str]) -> MemoryTable:
    """A 2-d array of objects, strings or dates as a table."""
    columns = [PartColumn(*part_of_array(X[:, j], name)) for j, name in enumerate(names)]
    return MemoryTable(names, columns, X.shape[0])


def frame_table(frame: Any) -> MemoryTable:
    """A narwhals frame as a table."""
    names = unique_names([str(name) for name in frame.columns])
    return MemoryTable(names, [_column(frame[:, i]) for i in range(len(names))], len(frame))


def one_array(frame: Any) -> Any:
    """The array under a pandas frame of numbers of one type, which costs nothing; None for other frames.

    Sparse columns whose fill value is 0 make a sparse array.
    """
    native = frame.to_native()
    if type(native).__module__.partition(".")[0] != "pandas":
        return None
    types = set(native.dtypes)
    if all(_is_sparse(t) and t.fill_value == 0 and t.subtype.kind in "fiub" for t in types):
        return native.sparse.to_coo().tocsr()
    if len(types) != 1 or not isinstance(only := types.pop(), np.dtype):
        return None
    return native.to_numpy(copy=False) if only.kind in "iu" or only in (np.float32, np.float64) else None


def as_frame(X: Any) -> Any | None:
    """X as an eager narwhals frame, or None when it is not a data frame."""
    import narwhals.stable.v2 as nw

    given = getattr(X, "column_names", None) or getattr(X, "columns", None)
    if given is not None and not callable(given) and hasattr(given, "__iter__"):
        unique_names(
            [str(name) for name in given]
        )  # before narwhals: it does not take frames with two columns of one name
    try:
        frame = nw.from_native(X)
    except TypeError:
        return None
    if isinstance(frame, nw.LazyFrame):
        raise InputError("X is a lazy frame: call .collect() first, or give the path of the file")
    return frame


def unique_names(names: list[str]) -> list[str]:
    """The names, all different."""
    seen: set[str] = set()
    twice = [name for name in names if name in seen or seen.add(name)]  # type: ignore[func-returns-value]
    if twice:
        raise InputError(
            f"the table has more than one column named {shorten(dict.fromkeys(twice))}: rename all but one"
        )
    return names


def series_part(values: Any, name: str) -> tuple[Part, Family] | None:
    """A series or a one-column frame of any library as one part, and its family; None when it is neither."""
    import narwhals.stable.v2 as nw

    try:
        series = nw.from_native(values, allow_series=True)
    except TypeError:
        return None
    if not isinstance(series, nw.Series):
        if series.shape[1] != 1:
            raise InputError(f"{name} must be one column, got a frame with columns {shorten(series.columns)}")
        warn_column(name)
        series = series[:, 0]
    column = _column(series)
    return column.part(slice(0, len(series))), column.family


def _column(series: Any) -> MemoryColumn:
    import narwhals.stable.v2 as nw

    dtype = series.dtype
    if dtype == nw.Float32:
        return NumberColumn(series, Family.SINGLE)
    if dtype.is_numeric() or dtype in (nw.Boolean, nw.Duration):
        return NumberColumn(series, Family.NUMBER)
    if dtype in (nw.Date, nw.Datetime):
        return NumberColumn(series, Family.DATE)
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        # Enumerations and ordered categories bring their order; that of other categories is how they appeared.
        return LabelColumn(series, declared=dtype == nw.Enum)
    if dtype == nw.Object:
        return _object_column(series)
    if _is_sparse(getattr(series.to_native(), "dtype", None)):
        return _column(nw.from_native(series.to_native().sparse.to_dense(), series_only=True))
    if dtype == nw.Unknown and series.null_count() == len(series):
        return PartColumn(np.full(len(series), np.nan), Family.NUMBER)
    return _unread(series)


def _is_sparse(dtype: Any) -> bool:
    """Whether it is the type of a pandas column that stores only what differs from its fill value."""
    return hasattr(dtype, "fill_value") and hasattr(dtype, "subtype")


def _object_column(series: Any) -> MemoryColumn:
    try:
        return PartColumn(*part_of_objects(series.to_list(), series.name))
    except CellError:  # lists, dictionaries, arrays: as unreadable here as in a file
        return _unread(series)


def _unread(series: Any) -> MemoryColumn:
    missing = np.where(series.is_null().to_numpy().astype(bool), -1, 0)
    return PartColumn(Coded(missing.astype(np.int32), [str(series.dtype)]), Family.OTHER)


def _numbers(series: Any, family: Family) -> np.ndarray:
    """The series as floats with NaN for missing values; days for dates and durations."""
    import narwhals.stable.v2 as nw

    dtype = series.dtype
    if dtype == nw.Date:
        series = series.cast(nw.Datetime("us"))
    elif dtype == nw.Datetime and dtype.time_zone is not None:
        series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    if series.dtype in (nw.Datetime, nw.Duration):
        return part_of_array(series.to_numpy(), series.name)[0]  # type: ignore[return-value]
    dtype_out = np.float32 if family is Family.SINGLE else np.float64
    if series.null_count():
        series = series.cast(nw.Float32 if family is Family.SINGLE else nw.Float64)
    return np.asarray(series.to_numpy(), dtype=dtype_out)


def _declared(coded: Coded, series: Any) -> Coded:
    order = [v.item() if isinstance(v, np.generic) else v for v in series.cat.get_categories().to_list()]
    position = {label: i for i, label in enumerate(order)}
    table = np.array([position[label] for label in coded.labels] + [-1], dtype=np.int32)
    return Coded(table[coded.codes], order, declared=True)


def coded_numbers(values: np.ndarray) -> Coded:
    """Categories that are numbers are labels all the same; so is a column of strings that are all missing."""
    present = ~np.isnan(values)
    labels, codes = np.unique(values[present], return_inverse=True)
    spread = np.full(len(values), -1, dtype=np.int32)
    spread[present] = codes
    return Coded(spread, [int(v) if float(v).is_integer() else float(v) for v in labels])
