"""Operators below, beside and across from each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from tamis._core.errors import InputError
from tamis.operators.algebra import add_up, as_part, joint_dtype
from tamis.operators.base import Linear


class VStack(Linear):
    """A₁ above A₂ above …: every part sees the whole vector."""

    takes_complex = True

    def __init__(self, parts: tuple[Any, ...]) -> None:
        self.parts = parts
        self.heights = [A.shape[0] for A in parts]
        self.shape = (sum(self.heights), parts[0].shape[1])
        self.dtype = joint_dtype(parts)

    @property
    def H(self) -> HStack:
        return HStack(tuple(A.H for A in self.parts))

    def forward(self, x: np.ndarray) -> np.ndarray:
        return np.concatenate([A @ x for A in self.parts])

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        return add_up([A.H @ part for A, part in zip(self.parts, _cut(r, self.heights), strict=True)])

    def columns(self, S: Any) -> Any:
        return _joined([A.columns(S) for A in self.parts], self.dtype)


class HStack(Linear):
    """A₁ beside A₂ beside …: every part sees its piece of the vector."""

    takes_complex = True

    def __init__(self, parts: tuple[Any, ...]) -> None:
        self.parts = parts
        self.widths = [A.shape[1] for A in parts]
        self.shape = (parts[0].shape[0], sum(self.widths))
        self.dtype = joint_dtype(parts)

    @property
    def H(self) -> VStack:
        return VStack(tuple(A.H for A in self.parts))

    def forward(self, x: np.ndarray) -> np.ndarray:
        return add_up([A @ part for A, part in zip(self.parts, _cut(x, self.widths), strict=True)])

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        return np.concatenate([A.H @ r for A in self.parts])

    def columns(self, S: Any) -> np.ndarray:
        out = np.zeros((self.shape[0], len(S)), self.dtype, order="F")
        for A, _, here, local in _shared_out(self.parts, self.widths, S):
            found = A.columns(local)
            out[:, here] = found.toarray() if sp.issparse(found) else found
        return out


class BlockDiagonal(Linear):
    """A₁, A₂, … along the diagonal: every part maps its piece of the vector to its piece of the result."""

    takes_complex = True

    def __init__(self, parts: tuple[Any, ...]) -> None:
        self.parts = parts
        self.heights, self.widths = [A.shape[0] for A in parts], [A.shape[1] for A in parts]
        self.shape = (sum(self.heights), sum(self.widths))
        self.dtype = joint_dtype(parts)

    @property
    def H(self) -> BlockDiagonal:
        return BlockDiagonal(tuple(A.H for A in self.parts))

    def forward(self, x: np.ndarray) -> np.ndarray:
        return np.concatenate([A @ part for A, part in zip(self.parts, _cut(x, self.widths), strict=True)])

    def adjoint(self, r: np.ndarray) -> np.ndarray:
        return np.concatenate([A.H @ part for A, part in zip(self.parts, _cut(r, self.heights), strict=True)])

    def columns(self, S: Any) -> np.ndarray:
        out = np.zeros((self.shape[0], len(S)), self.dtype, order="F")
        for A, k, here, local in _shared_out(self.parts, self.widths, S):
            top = sum(self.heights[:k])
            found = A.columns(local)
            out[top : top + A.shape[0], here] = found.toarray() if sp.issparse(found) else found
        return out


def vstack(operators: Iterable[Any]) -> VStack:
    """Operators of one width above each other.

    Examples
    --------
    >>> from tamis.operators import DCT, Identity, vstack
    >>> vstack([Identity(4), DCT(4)]).shape
    (8, 4)
    """
    parts = _parts("vstack", operators)
    if any(A.shape[1] != parts[0].shape[1] for A in parts):
        raise InputError(f"vstack needs operators of one width, got {[A.shape[1] for A in parts]} columns")
    return VStack(parts)


def hstack(operators: Iterable[Any]) -> HStack:
    """Operators of one height beside each other: the dictionary made of several.

    Examples
    --------
    >>> from tamis.operators import DCT, Identity, hstack
    >>> hstack([Identity(4), DCT(4).T]).shape
    (4, 8)
    """
    parts = _parts("hstack", operators)
    if any(A.shape[0] != parts[0].shape[0] for A in parts):
        raise InputError(f"hstack needs operators of one height, got {[A.shape[0] for A in parts]} rows")
    return HStack(parts)


def block_diag(operators: Iterable[Any]) -> BlockDiagonal:
    """Operators along the diagonal: one for each channel or patch.

    Examples
    --------
    >>> from tamis.operators import DCT, Hadamard, block_diag
    >>> block_diag([DCT(3), Hadamard(4)]).shape
    (7, 7)
    """
    return BlockDiagonal(_parts("block_diag", operators))


def _parts(name: str, operators: Iterable[Any]) -> tuple[Any, ...]:
    parts = tuple(as_part(A) for A in operators)
    if not parts:
        raise InputError(f"{name} needs at least one operator, got none")
    return parts


def _cut(x: np.ndarray, lengths: list[int]) -> list[np.ndarray]:
    return np.split(x, np.cumsum(lengths)[:-1])


def _shared_out(parts: tuple[Any, ...], widths: list[int], S: Any) -> Iterator[tuple[Any, int, np.ndarray, np.ndarray]]:
    """(part, its number, where in S its columns are, which they are of its own)."""
    S = np.asarray(S, dtype=np.intp)
    ends = np.cumsum(widths)
    home = np.searchsorted(ends, S, side="right")
    for k in np.unique(home):
        here = np.flatnonzero(home == k)
        yield parts[k], int(k), here, S[here] - (ends[k] - widths[k])


def _joined(found: list[Any], dtype: np.dtype) -> Any:
    if all(sp.issparse(X) for X in found):
        return sp.csc_array(sp.vstack(found, format="csc"))
    dense = [X.toarray() if sp.issparse(X) else X for X in found]
    return np.asfortranarray(np.concatenate(dense, dtype=dtype))
