"""Any table as numbers without gaps, for models that need them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from tamis._core.checks import shorten
from tamis._core.errors import InputError
from tamis.sources.as_source import as_source
from tamis.sources.base import Block, Column, Kind, Schema
from tamis.sources.identifiers import related_to_target
from tamis.sources.views import View

REASONS = {
    Kind.CONSTANT: "constant",
    Kind.IDENTIFIER: "identifier: every row has its own value",
    Kind.TEXT: "text",
}


class Coding(NamedTuple):
    """An output column: input column j with its gaps filled (``level`` None), or the indicator of one of its levels."""

    j: int
    level: int | None
    fill: float


class Encoded(View):
    """A source of usable numeric columns made from any table: a source, or what ``as_source`` takes, with y.

    * A column of labels becomes one 0/1 column per level, named ``column=level``; a missing label has 0 in all of them.
    * Numbers and booleans stay, dates are days since 1970-01-01; with ``fill`` their missing values become the mean of
      the present ones.
    * Constant and text columns are left out, and so are identifiers; but not those made of numbers that the target
      depends on, or that are named in ``keep``.

    ``left_out`` maps the names of the columns left out to the reason, ``filled`` those with filled values to how many,
    ``notes`` says what to be careful about, and ``origin[k]`` is the name of the input column behind output column k.
    The schema of the source is needed, which costs a pass over files; so do identifiers.
    """

    def __init__(
        self,
        source: Any,
        columns: Sequence[int] | None = None,
        fill: bool = True,
        keep: Collection[str] = (),
        *,
        y: Any = None,
    ) -> None:
        source = as_source(source, y)
        super().__init__(source)
        self.left_out: dict[str, str] = {}
        self.filled: dict[str, int] = {}
        self.notes: list[str] = []
        self._codings: list[Coding] = []
        self.names = []
        self._chosen = [int(j) for j in (range(source.n_features) if columns is None else columns)]
        self._keep = frozenset(keep)
        for j in self._chosen:
            self._take(j, source.schema.columns[j], fill)
        if not self._codings:
            raise InputError(
                f"no column is left to learn from: {shorten(f'{k} ({v})' for k, v in self.left_out.items())}"
            )

    @cached_property
    def origin(self) -> list[str]:
        return [self.source.names[c.j] for c in self._codings]

    @property
    def matrix(self) -> Any:
        """The source's own where every column of it is taken as it is."""
        every = [c.j for c in self._codings] == list(range(self.source.n_features))
        return super().matrix if every and self._plain(self._codings) else None

    def original(self) -> None:
        """Columns are made here."""

    @cached_property
    def _used_identifiers(self) -> set[int]:
        """The columns of numbers that look like identifiers and are used all the same."""
        schema = self.source.schema.columns
        alike = [j for j in self._chosen if schema[j].kind is Kind.IDENTIFIER and schema[j].mean is not None]
        kept = [j for j in alike if schema[j].name in self._keep]
        related = related_to_target(self.source, [j for j in alike if j not in kept])
        self.notes += [
            f"{schema[j].name!r} is used, for the target depends on it, but it looks like an identifier: "
            "drop it if it only numbers the rows"
            for j in related
        ]
        return {*kept, *related}

    def _take(self, j: int, column: Column, fill: bool) -> None:
        reason = "missing in every row" if column.mean is None and column.n_distinct == 0 else REASONS.get(column.kind)
        if column.kind is Kind.IDENTIFIER and j in self._used_identifiers:
            reason = None
        if reason is not None:
            self.left_out[column.name] = reason
        elif column.levels is not None:
            self._codings += [Coding(j, k, 0.0) for k in range(len(column.levels))]
            self.names += [f"{column.name}={level}" for level in column.levels]
        else:
            self._codings.append(Coding(j, None, column.mean if fill and column.mean is not None else np.nan))
            self.names.append(column.name)
            if fill and column.missing:
                self.filled[column.name] = column.missing

    @property
    def labels(self) -> list[str]:
        target = self.source.schema.target
        return [target.name] if target is not None and target.levels is not None else []

    def _make_schema(self) -> Schema:
        columns = self.source.schema.columns
        coded = (self._column(name, columns[c.j], c) for name, c in zip(self.names, self._codings, strict=True))
        return Schema(tuple(coded), self.source.schema.target)

    def _column(self, name: str, column: Column, coding: Coding) -> Column:
        if coding.level is None:
            return replace(column, missing=0 if column.name in self.filled else column.missing)
        n, ones = self.n_rows or 0, (column.counts or ())[coding.level]
        kind = Kind.BOOLEAN if 0 < ones < n else Kind.CONSTANT
        return Column(name, kind, n_distinct=2, counts=(n - ones, ones), mean=ones / max(1, n), low=0.0, high=1.0)

    def blocks(self, columns: Sequence[int] | None = None) -> Iterator[Block]:
        codings = self._codings if columns is None else [self._codings[int(k)] for k in columns]
        inputs = list(dict.fromkeys(c.j for c in codings))
        position = {j: k for k, j in enumerate(inputs)}
        unchanged = self._plain(codings) and len(inputs) == len(codings)
        for block in self.source.blocks(inputs):
            if unchanged:
                yield block
            else:
                X = _encoded(block.X, [(position[c.j], c) for c in codings])
                yield Block(X, block.y, block.weight, block.start)

    def _plain(self, codings: Sequence[Coding]) -> bool:
        return all(c.level is None and self.source.names[c.j] not in self.filled for c in codings)


def _encoded(X: Any, codings: list[tuple[int, Coding]]) -> Any:
    if sp.issparse(X):
        return _filled_sparse(X[:, [k for k, _ in codings]], np.array([c.fill for _, c in codings]))
    out = np.empty((X.shape[0], len(codings)), dtype=X.dtype, order="F")
    for i, (k, coding) in enumerate(codings):
        x = X[:, k]
        out[:, i] = np.where(np.isnan(x), coding.fill, x) if coding.level is None else x == coding.level
    return out


def _filled_sparse(X: Any, fill: np.ndarray) -> Any:
    gaps = np.isnan(X.data)
    if gaps.any():
        X = X.copy()
        X.data[gaps] = fill[X.indices[gaps]]
    return X
