"""Observed entries of a matrix: from what the user gave to a csr_array, with the names of rows and columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array, issparse

from tamis._core.checks import check_choice, check_real, shorten
from tamis._core.errors import InputError
from tamis._core.warn import warn
from tamis.base.new_rows import require_no_infinity
from tamis.base.training_data import is_file
from tamis.lowrank.matrix_input import require_squares
from tamis.solvers.nuclear_completion import narrow
from tamis.sources.dask_tables import is_dask_frame
from tamis.sources.excel import ENDINGS, excel_cells, split_sheet

DUPLICATES = ("error", "mean", "last")
FAR = 1e4  # of the mean beside the spread: tolerances are relative to the whole matrix
ROUNDED = 1e-14  # of the spread beside the mean: values that are equal but for rounding


@dataclass
class Observed:
    """X in CSR, an entry for each that was observed, be it 0; names are None where rows and columns are numbers."""

    X: csr_array
    row_names: np.ndarray | None = None
    column_names: np.ndarray | None = None


def from_triplets(rows: Any, columns: Any, values: Any, duplicates: str) -> Observed:
    """(rows, columns, values): whole numbers from 0, or names."""
    values = values_of(values)
    i, row_names = _positions(rows, "rows", len(values))
    j, column_names = _positions(columns, "columns", len(values))
    return _observed(i, row_names, j, column_names, values, duplicates)


def _observed(
    i: np.ndarray, row_names: Any, j: np.ndarray, column_names: Any, values: np.ndarray, duplicates: str
) -> Observed:
    values = values_of(values)
    keep = ~np.isnan(values)
    if not keep.all():
        i, j, values = i[keep], j[keep], values[keep]
    m = len(row_names) if row_names is not None else int(i.max(initial=-1)) + 1
    n = len(column_names) if column_names is not None else int(j.max(initial=-1)) + 1
    return Observed(joined(i, j, values, (m, n), duplicates), row_names, column_names)


def from_sparse(X: Any, duplicates: str) -> Observed:
    """Stored entries are observed, explicit zeros among them."""
    X = X.tocoo()
    if min(X.shape) == 0 or len(X.shape) != 2:
        raise InputError(f"X must have rows and columns, got shape {tuple(X.shape)}", argument="X")
    values = values_of(X.data)
    keep = ~np.isnan(values)
    return Observed(joined(X.coords[0][keep], X.coords[1][keep], values[keep], X.shape, duplicates))


def from_array(X: np.ndarray) -> Observed:
    """NaN is not observed."""
    finite = np.isfinite(X)
    indptr = np.append(0, np.cumsum(finite.sum(axis=1)))
    return Observed(narrow(csr_array((X[finite], np.nonzero(finite)[1], indptr), shape=X.shape)))


def from_long_table(X: Any, columns: Any, duplicates: str) -> Observed:
    """A frame or a file with a row for each observed entry: its row's name, its column's name, its value.

    Of a Dask frame these three columns are gathered, which is what a fit holds anyway.
    """
    table = long_table(X, three_names(columns))
    if len(table) == 0:
        raise InputError("the table has no row: there is nothing to complete from", argument="X")
    rows, cols, values = long_columns(table, three_names(columns))
    return _observed(*coded(rows), *coded(cols), values, duplicates)


def long_columns(table: Any, names: Sequence[str | None]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The columns of a long table in memory; without names its first three."""
    import narwhals.stable.v2 as nw

    table = nw.from_native(table, eager_only=True)
    rows, columns, values = (table_column(table, name, k) for k, name in enumerate(names))
    if values.dtype.kind not in "fiub":
        raise InputError(
            f"column {names[2] or table.columns[2]!r} must hold numbers, the values; it holds {shorten(values[:1])}",
            argument="columns",
        )
    return rows, columns, values


def long_table(X: Any, names: Sequence[str | None]) -> Any:
    """A frame in memory of a frame, a Dask frame or a file, read once."""
    import narwhals.stable.v2 as nw

    if is_file(X):
        X = read_file(X)
    elif is_dask_frame(X):
        kept = [name for name in X.columns if name in names] if None not in names else list(X.columns[:3])
        X = X[kept].compute()
    try:
        return nw.from_native(X, eager_only=True)
    except TypeError:
        raise InputError(
            f"a long table is a frame or a file, got {type(X).__name__}: for (rows, columns, values) or an array "
            "leave columns out",
            argument="X",
        ) from None


def three_names(columns: Any) -> Sequence[str | None]:
    if columns is None:
        return (None, None, None)
    names = [columns] if isinstance(columns, str) else list(columns)
    if len(names) != 3 or not all(isinstance(name, str) for name in names):
        raise InputError(
            "columns must be three names, of rows, columns and values, such as ('user', 'item', 'rating'); got "
            f"{columns!r}",
            argument="columns",
        )
    if len(set(names)) < 3:
        raise InputError(
            f"columns must be three different names, of rows, columns and values; got {columns!r}", argument="columns"
        )
    return names


def table_column(frame: Any, name: str | None, k: int) -> np.ndarray:
    """One column of the long table, the first, second or third where it is not named."""
    if name is None:
        if len(frame.columns) < 3:
            raise InputError(
                f"a long table has a column for rows, one for columns and one for values; this has "
                f"{len(frame.columns)}",
                argument="X",
            )
        name = frame.columns[k]
    if name not in frame.columns:
        raise InputError(f"the table has no column {name!r}: it has {shorten(frame.columns)}", argument="columns")
    series = frame[name]
    if series.null_count() and k < 2:
        raise InputError(
            f"column {name!r} has {series.null_count():,} missing names: drop these rows", argument="columns"
        )
    return series.to_numpy()


def read_file(path: Any) -> Any:
    """A CSV, Parquet or Excel file as an Arrow table: three columns of it are all in memory anyway."""
    from tamis._core.optional import need

    name, (file, sheet) = str(path), split_sheet(Path(path))
    try:
        if file.suffix.lower() in ENDINGS:
            names, cells = excel_cells([file], sheet)
            arrow = need("pyarrow", extra="files", purpose="reading Excel")
            return arrow.table({name: cells[:, j].tolist() for j, name in enumerate(names)})
        if name.endswith((".parquet", ".pq")):
            return need("pyarrow.parquet", extra="files", purpose="reading Parquet").read_table(path)
        csv = need("pyarrow.csv", extra="files", purpose="reading CSV")
        return csv.read_csv(path, convert_options=csv.ConvertOptions(strings_can_be_null=True))
    except FileNotFoundError:
        raise InputError(f"there is no file {name!r}", argument="X") from None
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {name!r}: {error}", argument="X") from None


def values_of(values: Any) -> np.ndarray:
    values = np.asarray(values)
    if values.ndim != 1:
        raise InputError(f"values must have one axis, got shape {values.shape}", argument="X")
    check_real("values", values.dtype)
    values = values if values.dtype in (np.float32, np.float64) else values.astype(np.float64)
    require_no_infinity(values)
    require_squares(values)
    return values


def _positions(given: Any, what: str, n: int) -> tuple[np.ndarray, np.ndarray | None]:
    """Positions from 0, and the names in their order of appearance where they are no whole numbers from 0."""
    given = np.asarray(given)
    if given.shape != (n,):
        raise InputError(
            f"{what} must hold one entry for each of the {n:,} values, got shape {given.shape}", argument="X"
        )
    if given.dtype.kind in "iu":
        if given.min(initial=0) < 0:
            raise InputError(f"{what} must be numbers from 0, or names; got {int(given.min())}", argument="X")
        if n == 0 or given.max() <= max(100, 20 * n):
            return given.astype(np.int64), None
    lacking = sum(name is None or name != name for name in given.tolist()) if given.dtype.kind in "fO" else 0
    if lacking:
        raise InputError(f"{what} has {lacking:,} missing names: leave these entries out", argument="X")
    return coded(given)


def coded(given: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions from 0, and the names in their order of appearance."""
    try:
        names, first, codes = np.unique(given, return_index=True, return_inverse=True)
    except TypeError:  # names of several kinds have no order
        place: dict[Any, int] = {}
        codes = np.array([place.setdefault(name, len(place)) for name in given.tolist()], np.int64)
        names = np.empty(len(place), object)
        names[:] = list(place)
        return codes, names
    order = np.argsort(first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[codes].astype(np.int64), names[order]


def joined(i: np.ndarray, j: np.ndarray, values: np.ndarray, shape: Any, duplicates: str) -> csr_array:
    check_choice("duplicates", duplicates, DUPLICATES)
    X = coo_array((values, (i, j)), shape=shape).tocsr()  # sums what is given more than once
    if X.nnz == len(values):
        return narrow(X)
    if duplicates == "error":
        raise InputError(
            f"{len(values) - X.nnz:,} entries are given more than once: duplicates='mean' takes their mean, 'last' the "
            "last of them",
            argument="duplicates",
        )
    if duplicates == "mean":
        X.data /= coo_array((np.ones_like(values), (i, j)), shape=shape).tocsr().data
        return narrow(X)
    key = i.astype(np.int64) * shape[1] + j
    _, last = np.unique(key[::-1], return_index=True)
    keep = len(key) - 1 - last
    return narrow(coo_array((values[keep], (i[keep], j[keep])), shape=shape).tocsr())


def warn_of_offset(X: csr_array) -> None:
    """A UserWarning where a model that has no mean is to fit values whose spread is lost beside it."""
    some = X.data[:: max(1, X.nnz // 10**6)].astype(np.float64)
    mean, spread = float(some.mean()), float(some.std())
    if abs(mean) > FAR * spread > FAR * ROUNDED * abs(mean):
        warn(
            f"the mean of X is {abs(mean) / spread:.1e} times the spread of its values: factors without biases fit the "
            "mean, and what is left is lost; take the mean off X, or biases=True with 'als' or 'factored'",
            UserWarning,
        )


def is_triplets(X: Any) -> bool:
    return isinstance(X, tuple) and len(X) == 3 and all(np.ndim(part) == 1 for part in X)


def is_sparse(X: Any) -> bool:
    return bool(issparse(X))
