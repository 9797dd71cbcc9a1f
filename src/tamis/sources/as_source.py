"""``as_source``: whatever holds a table becomes a Source here, and every complaint about it is made here."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis._core.checks import suggestion
from tamis._core.errors import InputError
from tamis._core.sparse_indices import with_valid_indices
from tamis.sources.arrays import ArraySource
from tamis.sources.base import Source
from tamis.sources.dask_tables import dask_table, is_dask
from tamis.sources.dask_workers import DaskWorkers
from tamis.sources.dialect import separator_hint
from tamis.sources.kinds import Discrete, as_discrete
from tamis.sources.stored_arrays import StoredSource, is_stored
from tamis.sources.table import Table, TableSource
from tamis.sources.target import Target, as_target, as_weight

KNOWN = (
    "an array, a SciPy sparse array, a pandas, polars or Arrow table, a Zarr array, a Dask array or frame, or the path "
    "of a CSV, Parquet or Excel file or folder"
)


def as_source(
    X: Any,
    y: Any = None,
    *,
    target: str | None = None,
    weight: str | None = None,
    sample_weight: Any = None,
    discrete: Any = "auto",
) -> Source:
    """Whatever holds a table as a source of row blocks.

    Parameters
    ----------
    X : array, SciPy sparse array, pandas, polars or Arrow table, Dask array or frame, path, or Source
        A path is a CSV (``.csv``, ``.tsv``, ``.txt``, ``.csv.gz``, ``.tsv.gz``), Parquet (``.parquet``, ``.pq``) or
        Excel (``.xlsx``, ``.xlsm``; ``book.xlsx#prices`` or ``book.xlsx#2`` for a sheet other than the first) file, or
        a folder of them. Float arrays are neither copied nor looked at; of a file only the beginning is.
        Folders may keep columns in their names (``year=2024``). Zarr arrays, and memory maps larger than the memory
        for rows (``tamis.set_config``), are read by rows in each pass.
        Of a Dask frame the rows are counted; y and weights are then Dask series or arrays of the same partitions,
        arrays here, or columns.
    y : array-like or str
        The target: one number or label per row, or the name of a column of X.
    target, weight : str
        Names of the columns of X that hold the target and the weights.
    sample_weight : array-like
        Weights ≥ 0, one per row.
    discrete : "auto", "all", "none", mask, positions or names
        Which features are discrete. "auto": booleans, labels, and whole numbers with at most 10 values.

    Examples
    --------
    >>> from tamis.sources import as_source
    >>> source = as_source([[1.5, "red"], [2.5, "blue"], [3.5, "red"]], y=["a", "b", "a"])
    >>> [str(kind) for kind in source.schema.kinds]
    ['continuous', 'discrete']
    >>> source.schema.columns[1].levels
    ('blue', 'red')
    >>> next(source.blocks()).X
    array([[1.5, 1. ],
           [2.5, 0. ],
           [3.5, 1. ]])
    """
    if is_source(X):
        if any(given is not None for given in (y, target, weight, sample_weight)):
            raise InputError(
                "X is a Source, which brings its own target and weights: leave y, target, weight and sample_weight out"
            )
        return X
    y, target = _one_target(y, target)
    if weight is not None and sample_weight is not None:
        raise InputError("weight and sample_weight are both given: give one")
    if isinstance(X, (str, os.PathLike)):
        from tamis.sources.files import file_table

        return _table_source(file_table(Path(X)), y, target, weight, sample_weight, discrete)
    if is_dask(X):
        return _dask_source(X, y, target, weight, sample_weight, discrete)
    _refuse_dask(y, sample_weight)
    stored = is_stored(X)
    frame = None if stored or isinstance(X, (np.ndarray, list, tuple)) or sp.issparse(X) else _frame(X)
    if frame is not None:
        return _frame_source(frame, y, target, weight, sample_weight, discrete)
    for name, given in (("target", target), ("weight", weight)):
        if given is not None:
            raise InputError(
                f"{name}={given!r} names a column, but X is an array without column names: give an array of {name}s"
            )
    if stored:
        n = int(X.shape[0])
        _check_not_empty(n, int(np.prod(X.shape[1:])))
        y = None if y is None else as_target(y, n)
        return StoredSource(X, y, None if sample_weight is None else as_weight(sample_weight, n), discrete)
    return _array_source(X, y, sample_weight, discrete)


def on_dask(X: Any, y: Any = None, **given: Any) -> Source:
    """A table whose partitions Dask's workers read: of a CSV or Parquet folder that all of them can see, each file or
    run of row groups. Takes what ``as_source`` takes; Dask arrays and frames are on Dask anyway.

    Examples
    --------
    >>> from tamis.sources import on_dask
    >>> model = tamis.LassoCV().fit(on_dask("folder", target="price"))  # doctest: +SKIP
    """
    source = as_source(X, y, **given)
    if not isinstance(source, TableSource) or source.in_memory:
        raise InputError(
            f"on_dask takes the path of CSV or Parquet files, or a Dask array or frame, got {type(X).__name__}: turn "
            "an array into one with dask.array.from_array",
            argument="X",
        )
    source.workers = DaskWorkers()
    return source


def is_source(X: Any) -> bool:
    return callable(getattr(X, "blocks", None)) and hasattr(X, "in_memory") and hasattr(X, "names")


def _one_target(y: Any, target: str | None) -> tuple[Any, str | None]:
    if isinstance(y, str):
        if target is not None and target != y:
            raise InputError(f"y={y!r} and target={target!r} name two targets: give one")
        return None, y
    if y is not None and target is not None:
        raise InputError(f"y and target={target!r} are both given: give one")
    if target is not None and not isinstance(target, str):
        raise InputError(f"target must be the name of a column, got {target!r}: give arrays as y")
    return y, target


def _dask_source(
    X: Any, y: Any, target: str | None, weight: str | None, sample_weight: Any, discrete: Any
) -> TableSource:
    given = {"y": y, "sample_weight": sample_weight}
    beside = {name: values for name, values in given.items() if is_dask(values)}
    table = dask_table(X, list(beside.items()))
    position = {name: len(table.names) - len(beside) + k for k, name in enumerate(beside)}
    t = position["y"] if "y" in position else None if target is None else column_of(table, target, "target")
    w = position.get("sample_weight")
    w = w if weight is None else column_of(table, weight, "weight")
    features = [i for i in range(len(table.names) - len(beside)) if i not in (t, w)]
    arrays = {name: None if name in beside else values for name, values in given.items()}
    source = _columns_source(table, features, t, w, arrays["y"], arrays["sample_weight"], discrete)
    source.workers = DaskWorkers()
    return source


def _refuse_dask(y: Any, sample_weight: Any) -> None:
    for name, values in (("y", y), ("sample_weight", sample_weight)):
        if is_dask(values):
            raise InputError(
                f"{name} is on Dask and X is not: give both as Dask arrays, or {name}.compute()", argument=name
            )


def _frame(X: Any) -> Any | None:
    from tamis.sources.frames import as_frame  # narwhals only when something may be a frame

    return as_frame(X)


def _frame_source(
    frame: Any, y: Any, target: str | None, weight: str | None, sample_weight: Any, discrete: Any
) -> ArraySource | TableSource:
    from tamis.sources.frames import frame_table, one_array

    table = frame_table(frame)
    _check_not_empty(table.n_rows or 0, len(table.names))
    discrete = _by_given_names(discrete, frame.columns, (target, weight))
    X = one_array(frame) if target is None and weight is None else None
    if X is not None:
        source = _array_source(X, y, sample_weight, discrete, table.names)
        source.frame = frame
        return source
    if target is not None:  # the column is here: complain about missing values now
        y = as_target(frame[:, column_of(table, target, "target")].to_native(), None, target)
    source = _table_source(table, y, target, weight, sample_weight, discrete)
    source.given = frame
    return source


def _by_given_names(discrete: Any, columns: Sequence[Any], taken: Sequence[str | None]) -> Any:
    """``discrete`` in columns as the frame calls them, whose names may be numbers; as it is where all are strings."""
    if all(isinstance(name, str) for name in columns):
        return discrete
    return Discrete(discrete, [name for name in columns if str(name) not in taken])


def _table_source(
    table: Table, y: Any, target: str | None, weight: str | None, sample_weight: Any, discrete: Any
) -> TableSource:
    t = None if target is None else column_of(table, target, "target")
    w = None if weight is None else column_of(table, weight, "weight")
    features = [i for i in range(len(table.names)) if i not in (t, w)]
    return _columns_source(table, features, t, w, y, sample_weight, discrete)


def _columns_source(
    table: Table, features: list[int], t: int | None, w: int | None, y: Any, sample_weight: Any, discrete: Any
) -> TableSource:
    if t is not None and t == w:
        target = table.names[t]
        raise InputError(f"target and weight are both {target!r}: they must be two columns")
    if not features:
        raise InputError(
            "there are 0 feature(s) left in the table beside target and weight: a minimum of 1 is required"
        )
    return TableSource(
        table,
        features,
        target=t if y is None else y if isinstance(y, Target) else as_target(y, table.n_rows),
        weight=w if sample_weight is None else as_weight(sample_weight, table.n_rows),
        discrete=discrete,
    )


def column_of(table: Table, name: str, what: str) -> int:
    """Position of a named column; an unknown name gets a suggestion."""
    if name in table.names:
        return table.names.index(name)
    hint = suggestion(name, table.names) or f"; its columns are {_enumerated(table.names)}{separator_hint(table.names)}"
    raise InputError(f"{what} {name!r} is not a column of the table{hint}", argument=what)


def _enumerated(names: Sequence[str], most: int = 8) -> str:
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(repr(n) for n in names[:most]) + rest


def _array_source(X: Any, y: Any, sample_weight: Any, discrete: Any, names: list[str] | None = None) -> Any:
    X = _matrix(X)
    n, p = X.shape
    _check_not_empty(n, p)
    target = None if y is None else as_target(y, n)
    weight = None if sample_weight is None else as_weight(sample_weight, n)
    if X.dtype.kind in "fiub":
        source = ArraySource(X, names, target, weight)
        if not isinstance(discrete, str) or discrete != "auto":
            source.discrete = as_discrete(discrete, source.names)
        return source
    from tamis.sources.frames import array_table

    names = [f"x{j}" for j in range(p)] if names is None else names
    made = TableSource(array_table(X, names), range(p), target=target, weight=weight, discrete=discrete)
    made.given = X
    return made


def _matrix(X: Any) -> Any:
    X = _without_duplicates(with_valid_indices(X)) if sp.issparse(X) else _dense(X)
    if X.dtype.kind == "c":
        raise InputError(
            f"Complex data not supported: X has dtype {X.dtype}, give real and imaginary part as two columns"
        )
    if X.ndim != 2:
        hint = "Reshape your data with X.reshape(-1, 1) for one feature or X.reshape(1, -1) for one row"
        raise InputError(f"Expected 2D array, got {X.ndim}D array instead: X has shape {X.shape}. {hint}")
    return X


def _without_duplicates(X: Any) -> Any:
    """Entries stored twice stand for their sum, which products see and squares and counts do not."""
    if X.format not in ("csr", "csc") or X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X


def _dense(X: Any) -> np.ndarray:
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        as_type, missing = (np.float64, np.nan) if X.dtype.kind in "fiub" else (object, None)
        return np.ma.filled(X.astype(as_type), missing)
    if isinstance(X, np.ndarray):
        return np.asarray(X)  # np.matrix and masked arrays have an arithmetic of their own
    try:
        array = np.asarray(X)
        # NumPy makes strings of a list such as [[1, "a"]]; every cell keeps its own type.
        array = np.array(X, dtype=object) if array.dtype.kind in "US" else array
    except (ValueError, TypeError):
        raise InputError(f"X cannot be read as a table with rows of one length: give {KNOWN}") from None
    if array.ndim == 0 and array.dtype == object:
        raise InputError(f"X is a {type(X).__name__}: give {KNOWN}")
    return array


def _check_not_empty(n: int, p: int) -> None:
    for count, what in ((n, "sample"), (p, "feature")):
        if count == 0:
            raise InputError(f"Found array with 0 {what}(s) (shape=({n}, {p})) while a minimum of 1 is required.")
