"""Tables for sparse linear models: drawn numbers, stored in every way that a user may hand them over."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse as sp
from hypothesis import strategies as st

KINDS = ("float64", "float32", "whole", "boolean")
FAR = {"float64": (0.0, 1.0, 1e4, 1e8), "float32": (0.0, 1.0, 1e3), "whole": (0.0, 1e4, 1e8), "boolean": (0.0,)}


@st.composite
def numbers(draw: Callable[..., Any], most_rows: int = 40, most_columns: int = 8) -> np.ndarray:
    """X (n, p): columns on scales from 1e-12 to 1e6, with means up to 1e8 of their spread; copies, constants, zeros."""
    kind = draw(st.sampled_from(KINDS))
    n, p = draw(st.integers(3, most_rows)), draw(st.integers(1, most_columns))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    far = np.array([draw(st.sampled_from(FAR[kind])) for _ in range(p)])
    Z = rng.standard_normal((n, p)) * (rng.random((n, p)) < draw(st.sampled_from([0.2, 1.0])))
    if kind == "boolean":
        return Z > 0
    if kind == "whole":
        return (np.rint(3 * Z) + far).astype(draw(st.sampled_from([np.int64, np.int32])))
    scale = np.array([draw(st.sampled_from([1.0, 1.0, 1e-12, 1e-3, 1e6])) for _ in range(p)])
    if draw(st.booleans()) and p > 1:
        Z[:, -1] = Z[:, 0]
    if draw(st.integers(0, 4)) == 0:
        Z[:, rng.integers(p)] = draw(st.sampled_from([0.0, 1.0]))
    return (scale * (Z + far)).astype(kind)


def _strided(X: np.ndarray, folder: str) -> Any:
    wide = np.zeros((2 * X.shape[0], 3 * X.shape[1]), dtype=X.dtype)
    wide[::2, ::3] = X
    return wide[::2, ::3]


def _backwards(X: np.ndarray, folder: str) -> Any:
    return np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1]


def _read_only(X: np.ndarray, folder: str) -> Any:
    X = X.copy()
    X.setflags(write=False)
    return X


def _memmap(X: np.ndarray, folder: str) -> Any:
    if X.size == 0:
        return X  # nothing to map
    with tempfile.NamedTemporaryFile(dir=folder) as file:  # gone when closed, though the mapping stays
        file.write(X.tobytes())
        file.flush()
        return np.memmap(file.name, dtype=X.dtype, mode="r", shape=X.shape)


def _untidy(X: np.ndarray, by_columns: bool) -> Any:
    """Explicit zeros, every third entry in two halves, indices in falling order."""
    lines = X.T if by_columns else X
    data, indices, starts = [], [], [0]
    for line in lines:
        for j in range(len(line) - 1, -1, -1):
            if line[j] != 0 and j % 3 == 0 and X.dtype.kind == "f":
                data += [line[j] / 2, line[j] / 2]  # exact: powers of two, and far from the smallest number
                indices += [j, j]
            elif line[j] != 0 or j % 2 == 0:
                data.append(line[j])
                indices.append(j)
        starts.append(len(data))
    kind = sp.csc_array if by_columns else sp.csr_array
    return kind((np.array(data, dtype=X.dtype), np.array(indices), np.array(starts)), shape=X.shape)


NAMES = [f"x{j}" for j in range(64)]
STORAGE: dict[str, Callable[[np.ndarray, str], Any]] = {
    "C": lambda X, folder: np.ascontiguousarray(X),
    "F": lambda X, folder: np.asfortranarray(X),
    "strided": _strided,
    "backwards": _backwards,
    "read only": _read_only,
    "memmap": _memmap,
    "list": lambda X, folder: X.tolist(),
    "csr": lambda X, folder: sp.csr_array(X),
    "csc": lambda X, folder: sp.csc_array(X),
    "coo": lambda X, folder: sp.coo_array(X),
    "csr untidy": lambda X, folder: _untidy(X, by_columns=False),
    "csc untidy": lambda X, folder: _untidy(X, by_columns=True),
    "pandas": lambda X, folder: pd.DataFrame(X, columns=NAMES[: X.shape[1]]),
    "polars": lambda X, folder: pl.DataFrame(X, schema=NAMES[: X.shape[1]], orient="row"),
    "arrow": lambda X, folder: pa.table({NAMES[j]: np.ascontiguousarray(X[:, j]) for j in range(X.shape[1])}),
}


def stored(X: np.ndarray, way: str) -> Any:
    """X as it is handed over; the values are those of X whatever the way."""
    return STORAGE[way](X, os.environ.get("PYTEST_DEBUG_TEMPROOT", tempfile.gettempdir()))


def target(X: np.ndarray, rng: np.random.Generator, scale: float) -> np.ndarray:
    """y that depends on some of the columns, about its mean."""
    Z = X.astype(np.longdouble) - X.astype(np.longdouble).mean(axis=0)
    spread = np.sqrt((Z**2).mean(axis=0))
    Z = np.where(spread > 0, Z / np.where(spread > 0, spread, 1), 0)
    w = rng.standard_normal(X.shape[1]) * (rng.random(X.shape[1]) < 0.6)
    return (scale * (np.asarray(Z @ w, dtype=np.float64) + rng.standard_normal(len(X)))).astype(np.float64)


@st.composite
def weights(draw: Callable[..., Any], n: int) -> np.ndarray | None:
    """None, or weights ≥ 0 with zeros among them, and one row at least that counts."""
    if draw(st.booleans()):
        return None
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    s = rng.choice([0.0, 0.5, 1.0, 3.0], n) if draw(st.booleans()) else rng.uniform(0.1, 2.0, n)
    s[rng.integers(n)] = 1.0
    return s * draw(st.sampled_from([1.0, 1e-6, 1e6]))
