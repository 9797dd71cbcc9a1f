"""The laws of a source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis.sources import Block, Source, gather


def check_source(source: Source) -> None:
    """Blocks follow each other, passes are equal, a projection agrees with the whole, the schema with the values."""
    schema = source.schema
    assert schema.names == list(source.names), "schema and source name the same columns"
    assert len(set(source.names)) == source.n_features == len(schema), "names are distinct, one per feature"
    readable = [j for j, column in enumerate(schema.columns) if column.readable]
    whole = _checked_pass(source, readable)
    assert source.n_rows == len(whole), "n_rows is the number of rows of a pass"
    _assert_same(whole, gather(source, readable), "every pass gives the same rows")
    for chosen in (list(range(len(readable)))[::-1], list(range(0, len(readable), 2))):
        part = gather(source, [readable[k] for k in chosen])
        _assert_same(
            Block(whole.X[:, chosen], whole.y, whole.weight, 0),
            part,
            "a projection gives the chosen columns in their order",
        )
    _check_schema(source, whole, readable)


def _checked_pass(source: Source, columns: Sequence[int]) -> Block:
    start = 0
    for block in source.blocks(columns):
        assert block.start == start, "blocks start where the last one ended"
        assert len(block) > 0, "no block is empty"
        assert block.X.shape[1] == len(columns), "a block has the chosen columns"
        assert block.X.dtype in (np.float32, np.float64), "X is float32 or float64"
        for values in (block.y, block.weight):
            assert values is None or (values.shape == (len(block),) and values.dtype == np.float64), (
                "y and weight fit X"
            )
        start += len(block)
    return gather(source, columns)


def _check_schema(source: Source, whole: Block, readable: Sequence[int]) -> None:
    X = _dense(whole.X)
    for k, j in enumerate(readable):
        column = source.schema.columns[j]
        assert column.missing == np.isnan(X[:, k]).sum(), f"missing values of {column.name!r} are counted"
        if column.levels is not None:
            present = X[~np.isnan(X[:, k]), k]
            assert np.isin(present, np.arange(len(column.levels))).all(), (
                f"{column.name!r} holds positions of its levels"
            )
    assert (source.schema.target is None) == (whole.y is None), "the schema has a target where blocks have one"


def _assert_same(one: Block, other: Block, law: str) -> None:
    assert np.array_equal(_dense(one.X), _dense(other.X), equal_nan=True), law
    for a, b in ((one.y, other.y), (one.weight, other.weight)):
        assert (a is None) == (b is None), law
        assert a is None or b is None or np.array_equal(a, b, equal_nan=True), law


def _dense(X: Any) -> np.ndarray:
    return X.toarray() if sp.issparse(X) else X
