"""Atoms as small images side by side."""

from __future__ import annotations

from math import isqrt
from typing import Any

import numpy as np

from tamis._core.errors import InputError

GAP = 0.5  # grey between the tiles


def tile_shape(p: int, shape: Any = None) -> tuple[int, int, int]:
    """(height, width, channels) of an atom of p numbers: as given, or square, grey or of three colours; else a row."""
    if shape is not None:
        sides = (*tuple(shape), 1)[:3] if len(tuple(shape)) == 2 else tuple(shape)
        if len(sides) != 3 or int(np.prod(sides)) != p:
            raise InputError(f"shape {tuple(shape)} does not hold the {p} numbers of an atom", argument="shape")
        return (int(sides[0]), int(sides[1]), int(sides[2]))
    for channels in (1, 3):
        side = isqrt(p // channels)
        if channels * side * side == p:
            return side, side, channels
    return 1, p, 1


def atoms_image(D: np.ndarray, shape: Any = None, zoom: int = 1) -> np.ndarray:
    """The atoms in rows of about equal number, each scaled to its own range with zero in the middle: (H, W) or
    (H, W, 3) between 0 and 1.
    """
    height, width, channels = tile_shape(D.shape[1], shape)
    columns = max(1, int(np.ceil(np.sqrt(len(D) * height / width))))
    rows = -(-len(D) // columns)
    out = np.full((rows * (height + 1) + 1, columns * (width + 1) + 1, channels), GAP)
    for i, d in enumerate(D):
        top, left = 1 + i // columns * (height + 1), 1 + i % columns * (width + 1)
        size = float(np.abs(d).max()) or 1.0
        out[top : top + height, left : left + width] = (0.5 + 0.5 * d / size).reshape(height, width, channels)
    out = np.kron(out, np.ones((zoom, zoom, 1)))
    return out[..., 0] if channels == 1 else out
