"""CSV files, read in blocks of text.

The first line names the columns. The separator is a comma, semicolon or tab, found in that line; in files with
semicolons the decimal sign may be a comma. Empty fields, NA, NaN, null and their kin are missing.

The types of the columns are guessed from the first block. A pass that gets to the end proves them; where a value
does not fit (``abc`` after 100,000 numbers), the columns are read as strings to find out what they can be, and the pass
begins again. The pass for the schema is such a proof, so blocks read afterwards are read once.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tamis._core.checks import shorten
from tamis._core.errors import InputError
from tamis.sources.arrow import family_of, part_of_arrow, pyarrow
from tamis.sources.dialect import Dialect, complaint, dialect_of
from tamis.sources.frames import unique_names
from tamis.sources.parts import Part
from tamis.sources.table import Retyped

TEXT_BLOCK = 1 << 22  # bytes of text parsed at a time; a row must fit
MISSING = ["", "NA", "N/A", "#N/A", "#NA", "<NA>", "n/a", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "None", "NaT"]


class CSVTable:
    """One or more CSV files with the same columns, as one table."""

    in_memory = False
    by_columns = False  # a line is parsed whole

    def __init__(self, paths: Sequence[Path]) -> None:
        self.dialects = {path: dialect_of(path) for path in paths}
        self.paths = [path for path in paths if self.dialects[path].has_rows]
        if not self.paths:
            raise InputError(f"{paths[0]} has a header but no rows")
        first = self._first_schema()
        self.fields = list(first.names)  # as spelt in the file; a nameless column gets a name from its position
        self.names = unique_names([name or f"column_{j + 1}" for j, name in enumerate(self.fields)])
        self._check_names()
        self.types = [_type_to_read(field.type) for field in first]
        self.families = [family_of(kind) for kind in self.types]
        self.n_rows: int | None = None
        self._rows_in: dict[Path, int] = {}  # known after a pass
        self._proven: set[int] = set()
        self._retyped: set[int] = set()

    def confirm_types(self, columns: Sequence[int]) -> None:
        """Make sure that every value fits its column's type."""
        unproven = [j for j in dict.fromkeys(columns) if j not in self._proven]
        while unproven:
            try:
                for _ in self.chunks(unproven, TEXT_BLOCK):
                    pass
                return
            except Retyped:
                continue

    def partitions(self, columns: Sequence[int]) -> list[CSVTable]:
        """The files. The pass that confirms the types of the columns has counted their rows."""
        if len(self.paths) == 1:
            return [self]
        self.confirm_types(columns)
        return [self._only(path) for path in self.paths if self._rows_in[path]]

    def _only(self, path: Path) -> CSVTable:
        part = copy.copy(self)
        part.paths, part.n_rows = [path], self._rows_in[path]
        return part

    def chunks(self, columns: Sequence[int], n_bytes: int) -> Iterator[list[Part]]:
        for _, chunk in self.chunks_by_file(columns, n_bytes):
            yield chunk

    def chunks_by_file(self, columns: Sequence[int], n_bytes: int) -> Iterator[tuple[Path, list[Part]]]:
        families = self.families.copy()
        read = list(dict.fromkeys(columns))
        place = {i: k for k, i in enumerate(read)}
        rows = max(1, n_bytes // (8 * max(1, len(columns))))
        counted = dict.fromkeys(self.paths, 0)
        try:
            for path, batch in self._batches(read, [self.types[i] for i in read]):
                counted[path] += batch.num_rows
                for start in range(0, batch.num_rows, rows):
                    piece = batch.slice(start, rows)
                    yield path, [part_of_arrow(piece.column(place[i]), families[i]) for i in columns]
        except _TypeMismatch as misfit:
            raise self._corrected(read, misfit) from None
        self._proven.update(read)
        self._rows_in, self.n_rows = counted, sum(counted.values())

    def cells(self, columns: Sequence[int]) -> Iterator[tuple[Path, list[list[Any]]]]:
        """The columns of the next rows as they are written, None where they are missing."""
        for path, batch in self._batches(columns, [pyarrow().string()] * len(columns)):
            yield path, [batch.column(k).to_pylist() for k in range(len(columns))]

    def _corrected(self, columns: Sequence[int], misfit: _TypeMismatch) -> Exception:
        """Type the columns anew, once, and have the pass begin again; a misfit after that is the user's to know."""
        doubtful = [j for j in columns if j not in self._retyped]
        if not doubtful or self._proven.issuperset(columns):
            return misfit
        self._retype(doubtful)
        self._retyped.update(doubtful)
        return Retyped()

    def _retype(self, columns: Sequence[int]) -> None:
        """Read the columns as strings and keep the first type that every value can be."""
        pa = pyarrow()
        decimal = next(iter(self.dialects.values())).decimal
        possible = [_Candidates(decimal) for _ in columns]
        for _, batch in self._batches(columns, [pa.string()] * len(columns)):
            for candidates, column in zip(possible, batch.columns, strict=True):
                candidates.narrow_down(column)
        for j, candidates in zip(columns, possible, strict=True):
            self.types[j] = candidates.first
            self.families[j] = family_of(candidates.first)

    def _batches(self, columns: Sequence[int], types: Sequence[Any]) -> Iterator[tuple[Path, Any]]:
        fields = [self.fields[j] for j in columns]
        for path in self.paths:
            for batch in _read(path, self.dialects[path], fields, dict(zip(fields, types, strict=True))):
                yield path, batch

    def _first_schema(self) -> Any:
        with _open(self.paths[0], self.dialects[self.paths[0]]) as reader:
            return reader.schema

    def _check_names(self) -> None:
        if all(_is_number(name) for name in self.names):
            raise InputError(
                f"the first line of {self.paths[0]} holds numbers ({shorten(self.names, 3)}): add a line of names"
            )
        for path in self.paths[1:]:
            names = self.dialects[path].names
            if sorted(names) != sorted(self.fields):
                raise InputError(f"{path} has other columns than {self.paths[0]}: {shorten(names)}")


class _TypeMismatch(InputError):
    """A value does not fit the type of its column."""


class _Candidates:
    """What a column of strings can be: every type is tried on every piece until it fails once."""

    def __init__(self, decimal: str) -> None:
        pa = pyarrow()
        self.decimal = decimal
        self.types = [pa.float64(), pa.bool_(), pa.timestamp("us"), pa.timestamp("us", tz="UTC")]

    def narrow_down(self, column: Any) -> None:
        pc = pyarrow("pyarrow.compute")
        column = pc.utf8_trim_whitespace(column)
        if self.decimal != ".":
            column = pc.replace_substring(column, self.decimal, ".")
        self.types = [kind for kind in self.types if _fits(column, kind)]

    @property
    def first(self) -> Any:
        return self.types[0] if self.types else pyarrow().string()


def _fits(column: Any, kind: Any) -> bool:
    try:
        column.slice(0, 64).cast(kind)  # a cast that fails takes long, in proportion to what it was given
        column.cast(kind)
    except pyarrow().ArrowInvalid:
        return False
    return True


def _type_to_read(kind: Any) -> Any:
    """The type to read with, for the type guessed from the first block. Null (no value there) stays null."""
    pa = pyarrow()
    types = pa.types
    if types.is_integer(kind) or types.is_floating(kind):
        return pa.float64()  # whole numbers may turn into others further down
    if types.is_date(kind) or types.is_timestamp(kind):
        return pa.timestamp("us", tz=getattr(kind, "tz", None))
    return kind if types.is_boolean(kind) or types.is_null(kind) else pa.string()


def _is_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True


def _open(path: Path, dialect: Dialect, **convert: Any) -> Any:
    csv = pyarrow("pyarrow.csv")
    try:
        return csv.open_csv(
            path,
            read_options=csv.ReadOptions(block_size=TEXT_BLOCK),
            parse_options=csv.ParseOptions(delimiter=dialect.separator, newlines_in_values=True),
            convert_options=csv.ConvertOptions(
                null_values=MISSING, strings_can_be_null=True, decimal_point=dialect.decimal, **convert
            ),
        )
    except (pyarrow().ArrowInvalid, UnicodeDecodeError, OSError) as error:
        raise _explained(path, dialect, error) from None


def _read(path: Path, dialect: Dialect, fields: list[str], types: dict[str, Any]) -> Iterator[Any]:
    try:
        with _open(path, dialect, include_columns=fields, column_types=types) as reader:
            yield from reader
    except (pyarrow().ArrowInvalid, UnicodeDecodeError, OSError) as error:
        raise _explained(path, dialect, error) from None


def _explained(path: Path, dialect: Dialect, error: Exception) -> Exception:
    if "conversion error" in str(error) and "UTF8" not in str(error):
        return _TypeMismatch(f"{path} has changed, or holds a value that cannot be read: {error}")
    return complaint(path, dialect, error)
