"""The laws of a source."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed

from tamis.sources import Block, Source, gather
from tamis.sources.base import (
    discrete_columns,
    is_weighted,
    known_row_values,
    matrix_of,
    origin_of,
    original_of,
    row_values,
    target_column,
)


def check_source(source: Source) -> None:
    """Blocks follow each other, passes are equal, a projection agrees with the whole, and so do the schema, what the
    source declares to know without a pass, and its partitions, pickled and read in another process too.
    """
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
    _check_abilities(source, whole, readable)
    _check_partitions(source, whole, readable)


def _checked_pass(source: Source, columns: Sequence[int]) -> Block:
    start = source.first_row
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


def _check_abilities(source: Source, whole: Block, readable: Sequence[int]) -> None:
    X, target, origin = matrix_of(source), target_column(source), origin_of(source)
    if X is not None:
        assert len(readable) == X.shape[1] == source.n_features, "the matrix has all columns"
        assert np.array_equal(_dense(X), _dense(whole.X), equal_nan=True), "the matrix holds what blocks hold"
    discrete = discrete_columns(source)
    assert discrete is None or discrete.shape == (source.n_features,), "the discrete mask has one entry per column"
    no_columns = Block(whole.X[:, :0], whole.y, whole.weight, 0)
    _assert_same(no_columns, gather(source, []), "a pass over no columns still has every row")
    _assert_same(no_columns, Block(no_columns.X, *row_values(source), 0), "target and weights are those of the blocks")
    for known, values in zip(known_row_values(source), (whole.y, whole.weight), strict=True):
        assert known is None or (values is not None and np.array_equal(known, values)), "what is known of rows is true"
    assert is_weighted(source) == (whole.weight is not None), "a source is weighted where its blocks have weights"
    assert target == source.schema.target, "the column of the target is that of the schema"
    assert origin is None or len(origin) == source.n_features, "every column has an origin"
    original = original_of(source)
    assert original is None or original.shape == (len(whole), source.n_features), "what was given has these rows"


def _check_partitions(source: Source, whole: Block, readable: Sequence[int]) -> None:
    parts = source.partitions()
    start = source.first_row
    for part in parts:
        assert part.first_row == start, "partitions follow each other"
        assert part.schema == source.schema, "the schema of a partition is that of the whole"
        rows = _checked_pass(part, readable)
        assert part.n_rows == len(rows), "a partition knows its rows"
        assert rows.start == start, "blocks of a partition have the numbers that their rows have in the whole"
        _assert_same(_slice(whole, start - source.first_row, len(rows)), rows, "partitions together are the source")
        _assert_same(rows, _read(pickle.dumps(part), readable), "a pickled partition gives the same rows")
        start += len(rows)
    assert start - source.first_row == len(whole), "every row is in a partition"
    # two workers, for with one joblib stays in this process
    try:
        (elsewhere,) = Parallel(n_jobs=2)([delayed(_read)(pickle.dumps(parts[-1]), readable)])
    except (AttributeError, ImportError) as error:
        raise AssertionError(
            "partitions can be read in another process, which imports their class: put a class that is defined in a "
            f"script or a notebook into a module ({error})"
        ) from error
    _assert_same(rows, elsewhere, "a partition read in another process gives the same rows")


def _read(pickled: bytes, columns: Sequence[int]) -> Block:
    return gather(pickle.loads(pickled), columns)


def _slice(block: Block, start: int, n: int) -> Block:
    X, y, weight = (None if v is None else v[start : start + n] for v in block[:3])
    return Block(X, y, weight, block.start + start)


def _assert_same(one: Block, other: Block, law: str) -> None:
    assert np.array_equal(_dense(one.X), _dense(other.X), equal_nan=True), law
    for a, b in ((one.y, other.y), (one.weight, other.weight)):
        assert (a is None) == (b is None), law
        assert a is None or b is None or np.array_equal(a, b, equal_nan=True), law


def _dense(X: Any) -> np.ndarray:
    return X.toarray() if sp.issparse(X) else X
