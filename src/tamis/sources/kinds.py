"""``discrete``: which columns the user calls discrete, whatever their values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tamis._core.column_positions import column_positions
from tamis._core.errors import InputError
from tamis.sources.base import Column, Kind


class Discrete:
    """``"auto"`` (values decide), ``"all"``, ``"none"``, a boolean mask over the features, positions, or names."""

    def __init__(self, given: Any, names: Sequence[Any]) -> None:
        self.mask = None if isinstance(given, str) and given == "auto" else _mask(given, list(names))

    def applied(self, columns: Sequence[Column]) -> tuple[Column, ...]:
        """The columns with their kinds as declared. Labels stay discrete, a constant stays constant."""
        if self.mask is None:
            return tuple(columns)
        return tuple(_declared(c, bool(m)) for c, m in zip(columns, self.mask, strict=True))


def as_discrete(given: Any, names: Sequence[Any]) -> Discrete:
    """What the user gave, for columns of these names."""
    return given if isinstance(given, Discrete) else Discrete(given, names)


def _declared(column: Column, discrete: bool) -> Column:
    if column.kind is Kind.CONSTANT or column.levels is not None or not column.readable:
        return column
    if not discrete:
        return replace(column, kind=Kind.CONTINUOUS)
    return column if column.kind is Kind.BOOLEAN else replace(column, kind=Kind.DISCRETE)


def _mask(given: Any, names: list[Any]) -> np.ndarray:
    if isinstance(given, str) and given in ("all", "none"):
        return np.full(len(names), given == "all")
    if isinstance(given, str) and given not in names:
        raise InputError(f"discrete must be 'auto', 'all', 'none', a mask, positions or names; got {given!r}")
    if given is None:
        raise InputError("discrete must be 'auto', 'all', 'none', a mask, positions or names; got None")
    mask = np.zeros(len(names), dtype=bool)
    mask[column_positions("discrete", given, len(names), names)] = True
    return mask
