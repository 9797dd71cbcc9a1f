"""Dictionaries that nobody has to learn: cosines and Haar functions, as many as asked for."""

from __future__ import annotations

from math import ceil, isqrt
from typing import Any

import numpy as np

from tamis._core.checks import check_count
from tamis._core.errors import InputError
from tamis._core.vectors import unit_rows


def dct_atoms(n_atoms: int, shape: Any) -> np.ndarray:
    """Overcomplete cosine atoms (k, p) of unit length for signals of ``shape``: p samples, or patches (h, w) with
    p = h·w, for which they are products of cosines of rows and columns.

    With n_atoms = p they are the orthonormal cosine transform; with more, frequencies lie closer together. All but the
    constant one have mean zero.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.dictionary import dct_atoms
    >>> D = dct_atoms(64, (8, 8))
    >>> bool(np.allclose(D @ D.T, np.eye(64)))
    True
    """
    return _products(check_count("n_atoms", n_atoms), _shape(shape), _cosines)


def haar_atoms(n_atoms: int, shape: Any) -> np.ndarray:
    """Overcomplete Haar atoms (k, p): steps of every width that is a power of two, at every shift as far as asked for.

    Examples
    --------
    >>> from tamis.dictionary import haar_atoms
    >>> haar_atoms(4, 4).round(3)
    array([[ 0.5  ,  0.5  ,  0.5  ,  0.5  ],
           [ 0.5  ,  0.5  , -0.5  , -0.5  ],
           [ 0.707, -0.707,  0.   ,  0.   ],
           [ 0.   ,  0.   ,  0.707, -0.707]])
    """
    return _products(check_count("n_atoms", n_atoms), _shape(shape), _steps)


def patch_shape(p: int) -> tuple[int, ...]:
    """(s, s) where p = s² > 1, as the pixels of square patches; else (p,)."""
    side = isqrt(p)
    return (side, side) if side * side == p and side > 1 else (p,)


def _shape(shape: Any) -> tuple[int, ...]:
    lengths = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    if len(lengths) not in (1, 2):
        raise InputError(f"shape must be a length or (height, width), got {shape!r}", argument="shape")
    return tuple(check_count("shape", length) for length in lengths)


def _products(k: int, shape: tuple[int, ...], make: Any) -> np.ndarray:
    if len(shape) == 1:
        return make(k, shape[0])
    each = max(ceil(np.sqrt(k)), 1)
    while each * each < k:
        each += 1
    rows, columns = make(each, shape[0]), make(each, shape[1])
    order = np.argsort(np.add.outer(np.arange(each), np.arange(each)).ravel(), kind="stable")[:k]  # low frequencies
    return np.kron(rows, columns)[order]


def _cosines(k: int, n: int) -> np.ndarray:
    spacing = max(k, n)
    D = np.cos(np.pi * np.outer(np.arange(k), np.arange(n) + 0.5) / spacing)
    D[1:] -= D[1:].mean(axis=1, keepdims=True) if spacing > n else 0.0
    return unit_rows(D)[0]


def _steps(k: int, n: int) -> np.ndarray:
    widest = 2 ** int(np.ceil(np.log2(max(n, 2))))
    widths = [widest >> level for level in range(int(np.log2(widest)))]
    cuts = {w: [s for s in range(1 - w // 2, n) if 0 < s + w // 2 < n] for w in widths}  # a step up and down inside
    aligned = [(w, s) for w in widths for s in cuts[w] if s % w == 0]
    between = [(w, s) for w in widths for s in cuts[w] if s % w]
    atoms = [np.ones(n), *(_step(n, w, s) for w, s in aligned + between)]
    distinct = unit_rows(np.array(atoms))[0]
    if len(distinct) < k:
        raise InputError(
            f"there are {len(distinct)} different Haar atoms of {n} samples, n_atoms asks for {k} of them",
            argument="n_atoms",
        )
    return distinct[:k]


def _step(n: int, width: int, shift: int) -> np.ndarray:
    d = np.zeros(n)
    middle, end = shift + width // 2, min(n, shift + width)
    shift = max(0, shift)
    d[shift:middle] = 1.0 / (middle - shift)
    d[middle:end] = -1.0 / (end - middle)
    return d
