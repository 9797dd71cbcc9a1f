"""How a table was encoded, so that new rows can be encoded the same way."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tamis._core.checks import shorten
from tamis._core.errors import InputError
from tamis.sources.base import Block, Column, RowValues, Schema, Source
from tamis.sources.dialect import separator_hint
from tamis.sources.encode import Encoded
from tamis.sources.profile import NumberProfile
from tamis.sources.views import View


@dataclass(frozen=True)
class Entry:
    """An input column: its levels, one output column each; or of numbers or dates (None), and what fills its gaps."""

    name: str
    levels: tuple[Any, ...] | None
    fill: float
    date: bool

    @property
    def names(self) -> list[str]:
        return [self.name] if self.levels is None else [f"{self.name}={level}" for level in self.levels]


class Codebook:
    """The input columns of an Encoded table, in order. ``plain`` and ``Codebook(plain)`` go to and from plain data."""

    def __init__(self, plain: Sequence[dict[str, Any]]) -> None:
        self.entries = [
            Entry(e["name"], None if e["levels"] is None else tuple(e["levels"]), e["fill"], e["date"]) for e in plain
        ]

    @classmethod
    def of(cls, encoded: Encoded) -> Codebook:
        columns = {c.name: c for c in encoded.source.schema.columns}
        used = (columns[name] for name in dict.fromkeys(encoded.origin))
        entries = (Entry(c.name, c.levels, c.mean or 0.0, c.stored_as_date) for c in used)
        return cls([asdict(entry) for entry in entries])

    @property
    def plain(self) -> list[dict[str, Any]]:
        entries = ((e, None if e.levels is None else list(e.levels)) for e in self.entries)
        return [{"name": e.name, "levels": levels, "fill": e.fill, "date": e.date} for e, levels in entries]

    def apply(self, source: Source, needed: Collection[str] | None = None) -> Recoded:
        """The rows of another table, whose columns may be more and in any order; ``needed`` are the input columns that
        matter (None: all), the others are not looked at and become constants."""
        lacking = [e.name for e in self.entries if e.name not in source.names and (needed is None or e.name in needed)]
        if lacking:
            columns = f"column{'s' * (len(lacking) > 1)} {shorten(lacking)}"
            why = "was fitted on" if needed is None else "uses"
            raise InputError(f"the table lacks the {columns} that the model {why}{separator_hint(source.names)}")
        return Recoded(source, self.entries, needed)


class Recoded(View):
    """A source of the numeric columns of a codebook.

    Missing numbers become the mean the codebook kept; missing labels, and labels it does not know, have 0 in every
    indicator. ``notes`` reports them. Entries that are not ``needed`` (None: all are) are missing in every row. The
    schema of the source is needed, which costs a pass over files.
    """

    def __init__(self, source: Source, entries: Sequence[Entry], needed: Collection[str] | None = None) -> None:
        super().__init__(source)
        self.entries = list(entries)
        self.names = [name for entry in entries for name in entry.names]
        self.notes: list[str] = []
        self._read = [e for e in entries if needed is None or e.name in needed]
        columns = {e.name: source.schema.columns[source.names.index(e.name)] for e in self._read}
        if not source.n_rows:
            raise InputError("the table has no rows to predict")
        self._known = {e.name: self._positions(e, columns[e.name]) for e in self._read}

    @property
    def labels(self) -> list[str]:
        return []

    @property
    def origin(self) -> list[str]:
        return [entry.name for entry in self.entries for _ in entry.names]

    @property
    def matrix(self) -> None:
        """Made block by block."""

    def original(self) -> None:
        """Columns are made here."""

    def target_column(self) -> None:
        """New rows have no target."""

    def row_values(self) -> RowValues:
        return None, super().row_values()[1]

    def _make_schema(self) -> Schema:
        profile = NumberProfile(len(self.names))
        for block in self.blocks():
            profile.add(block.X)
        return Schema(tuple(profile.column(j, name) for j, name in enumerate(self.names)))

    def blocks(self, columns: Sequence[int] | None = None) -> Iterator[Block]:
        inputs = [self.source.names.index(e.name) for e in self._read]
        place = {e.name: k for k, e in enumerate(self._read)}
        for block in self.source.blocks(inputs):
            missing = np.full(len(block), np.nan)
            parts = [self._coded(block.X[:, place[e.name]] if e.name in place else missing, e) for e in self.entries]
            X = np.column_stack(parts)
            yield Block(X if columns is None else X[:, list(columns)], None, block.weight, block.start)

    def _coded(self, x: np.ndarray, entry: Entry) -> np.ndarray:
        if entry.levels is None:
            return np.where(np.isnan(x), entry.fill, x)
        known = self._known.get(entry.name, {})
        values, where = np.unique(x, return_inverse=True)
        place = np.array([known.get(float(v), -1) for v in values])
        return (place[where, None] == np.arange(len(entry.levels))).astype(np.float64)

    def _positions(self, entry: Entry, column: Column) -> dict[float, int]:
        """For labels: what the blocks of the source hold → position among the levels of the entry."""
        if entry.levels is None:
            self._require_numbers(entry, column)
            if column.missing:
                self.notes.append(f"{entry.name!r} is missing in {_rows(column.missing)}: taken as {entry.fill:.4g}")
            return {}
        known = {str(level): k for k, level in enumerate(entry.levels)}
        words_of_values = self._words_of_values(entry, column)
        if column.missing:
            self.notes.append(f"{entry.name!r} is missing in {_rows(column.missing)}: 0 for each of its labels")
        unknown = [words for words in words_of_values.values() if words not in known]
        if unknown:
            self.notes.append(f"{entry.name!r} holds {shorten(unknown)}, unknown to the model: taken as missing")
        return {value: known[words] for value, words in words_of_values.items() if words in known}

    def _require_numbers(self, entry: Entry, column: Column) -> None:
        if column.missing == self.n_rows:
            return
        labels = column.levels is not None or not column.readable
        if labels or column.stored_as_date != entry.date:
            values = column.unparsed or "labels" if labels else "dates" if column.stored_as_date else "numbers"
            known = "dates" if entry.date else "numbers"
            raise InputError(f"column {column.name!r} holds {values}, but the model was fitted on {known} there")
        if column.infinite:
            raise InputError(f"column {column.name!r} is infinite in {_rows(column.infinite)}: correct or drop them")

    def _words_of_values(self, entry: Entry, column: Column) -> dict[float, str]:
        """The different values of a column as words; labels that all look like numbers are read as numbers."""
        if column.levels is not None:
            return {float(k): str(level) for k, level in enumerate(column.levels)}
        if not column.readable:
            raise InputError(
                f"column {entry.name!r} holds {column.kind}, but the model was fitted on a few labels there"
            )
        j = self.source.names.index(entry.name)
        values = {float(v) for block in self.source.blocks([j]) for v in np.unique(block.X) if not np.isnan(v)}
        return {v: str(int(v)) if v.is_integer() else str(v) for v in sorted(values)}


def _rows(count: int) -> str:
    return f"{count:,} row{'s' * (count != 1)}"
