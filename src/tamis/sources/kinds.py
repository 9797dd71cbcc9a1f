"""``discrete``: which columns the user calls discrete, whatever their values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tamis._core.checks import suggestion
from tamis._core.errors import InputError
from tamis.sources.base import Column, Kind


class Discrete:
    """``"auto"`` (values decide), ``"all"``, ``"none"``, a boolean mask over the features, positions, or names."""

    def __init__(self, given: Any, names: Sequence[str]) -> None:
        self.mask = None if isinstance(given, str) and given == "auto" else _mask(given, list(names))

    def applied(self, columns: Sequence[Column]) -> tuple[Column, ...]:
        """The columns with their kinds as declared. Labels stay discrete, a constant stays constant."""
        if self.mask is None:
            return tuple(columns)
        return tuple(_declared(c, bool(m)) for c, m in zip(columns, self.mask, strict=True))


def _declared(column: Column, discrete: bool) -> Column:
    if column.kind is Kind.CONSTANT or column.levels is not None or not column.readable:
        return column
    if not discrete:
        return replace(column, kind=Kind.CONTINUOUS)
    return column if column.kind is Kind.BOOLEAN else replace(column, kind=Kind.DISCRETE)


def _mask(given: Any, names: list[str]) -> np.ndarray:
    if isinstance(given, str):
        if given not in ("all", "none"):
            raise InputError(f"discrete must be 'auto', 'all', 'none', a mask, positions or names; got {given!r}")
        return np.full(len(names), given == "all")
    chosen = np.asarray(given)
    mask = np.zeros(len(names), dtype=bool)
    if chosen.dtype == bool:
        if chosen.shape != mask.shape:
            raise InputError(
                f"discrete as a mask needs one entry per feature: {len(names)} features, got shape {chosen.shape}"
            )
        return chosen
    for item in chosen.ravel().tolist():
        mask[_position(item, names)] = True
    return mask


def _position(item: Any, names: list[str]) -> int:
    if isinstance(item, int) and -len(names) <= item < len(names):
        return item
    if isinstance(item, str) and item in names:
        return names.index(item)
    hint = suggestion(item, names) if isinstance(item, str) else f": there are {len(names)} features"
    raise InputError(f"discrete names {item!r}, which is not a feature{hint}")
