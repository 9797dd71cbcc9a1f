"""A source seen through a question: some of its columns, or one class of its target against the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tamis.sources import Block, Column, Kind, Schema, Source


class View:
    """Another source, passed through unchanged; what a subclass overrides is what differs."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.names = list(source.names)
        self.in_memory = source.in_memory

    @property
    def n_rows(self) -> int | None:
        return self.source.n_rows

    @n_rows.setter
    def n_rows(self, counted: int | None) -> None:
        self.source.n_rows = counted

    @property
    def n_features(self) -> int:
        return len(self.names)

    @property
    def schema(self) -> Schema:
        return self.source.schema

    @property
    def labels(self) -> list[str]:
        return self.source.labels

    def blocks(self, columns: Sequence[int] | None = None) -> Iterator[Block]:
        return self.source.blocks(columns)


class Columns(View):
    """The columns at ``positions``, in that order."""

    def __init__(self, source: Source, positions: Sequence[int]) -> None:
        super().__init__(source)
        self.positions = [int(j) for j in positions]
        self.names = [source.names[j] for j in self.positions]

    @property
    def schema(self) -> Schema:
        whole = self.source.schema
        return Schema(tuple(whole.columns[j] for j in self.positions), whole.target)

    @property
    def labels(self) -> list[str]:
        gone = set(self.source.names) - set(self.names)
        return [name for name in self.source.labels if name not in gone]

    def blocks(self, columns: Sequence[int] | None = None) -> Iterator[Block]:
        asked = self.positions if columns is None else [self.positions[j] for j in columns]
        return self.source.blocks(asked)


class Indicator(View):
    """The same rows with the target 1 where it equals ``value`` and 0 elsewhere."""

    def __init__(self, source: Source, value: float) -> None:
        super().__init__(source)
        self.value = value

    @property
    def schema(self) -> Schema:
        whole = self.source.schema
        name = whole.target.name if whole.target else "y"
        return Schema(whole.columns, Column(name, Kind.BOOLEAN, n_distinct=2))

    @property
    def labels(self) -> list[str]:
        features = set(self.names)
        return [name for name in self.source.labels if name in features]  # the target is a number now

    def blocks(self, columns: Sequence[int] | None = None) -> Iterator[Block]:
        for block in self.source.blocks(columns):
            assert block.y is not None
            yield Block(block.X, (block.y == self.value).astype(np.float64), block.weight, block.start)
