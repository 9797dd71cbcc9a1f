"""Arrow columns as parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.optional import need
from tamis.sources.parts import DAY, Coded, Family, Part

TICKS = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}  # per second


def pyarrow(module: str = "pyarrow") -> Any:
    """pyarrow or one of its modules, imported when a file is opened."""
    return need(module, extra="files", purpose="reading CSV and Parquet files")


def family_of(kind: Any) -> Family:
    """The family of an Arrow type."""
    types = pyarrow("pyarrow.types")
    if types.is_float32(kind) or types.is_float16(kind):
        return Family.SINGLE
    if any(is_kind(kind) for is_kind in (types.is_floating, types.is_integer, types.is_boolean, types.is_decimal)):
        return Family.NUMBER
    if types.is_duration(kind) or types.is_null(kind):
        return Family.NUMBER
    if types.is_date(kind) or types.is_timestamp(kind):
        return Family.DATE
    if types.is_dictionary(kind):
        return Family.LABEL if family_of(kind.value_type) is not Family.OTHER else Family.OTHER
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return Family.LABEL
    return Family.OTHER


def part_of_arrow(column: Any, family: Family) -> Part:
    """A column of a record batch as a part. Floats without gaps are views."""
    if family is Family.OTHER:
        return Coded(np.where(column.is_null().to_numpy(zero_copy_only=False), -1, 0), [str(column.type)])
    if family is Family.LABEL:
        return _labels(column)
    return _numbers(column, np.float32 if family is Family.SINGLE else np.float64)


def _labels(column: Any) -> Coded:
    pa = pyarrow()
    coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    if coded.dictionary.null_count:  # a label that is itself missing
        coded = coded.dictionary_decode().dictionary_encode()
    codes = coded.indices.cast(pa.int32()).fill_null(-1)
    return Coded(codes.to_numpy(zero_copy_only=False), coded.dictionary.to_pylist())


def _numbers(column: Any, dtype: type) -> np.ndarray:
    pa = pyarrow()
    types, kind = pa.types, column.type
    if types.is_null(kind):
        return np.full(len(column), np.nan)
    if types.is_date(kind):
        column, kind = column.cast(pa.timestamp("ms")), pa.timestamp("ms")
    if types.is_timestamp(kind) or types.is_duration(kind):
        return _floats(column.view(pa.int64()), np.float64) / (TICKS[kind.unit] * DAY)
    return _floats(column, dtype)


def _floats(column: Any, dtype: type) -> np.ndarray:
    pa = pyarrow()
    float_type = pa.float32() if dtype is np.float32 else pa.float64()
    if column.type != float_type:
        column = column.cast(float_type, safe=False)  # whole numbers above 2⁵³ are rounded, as everywhere in NumPy
    return column.to_numpy(zero_copy_only=False)
