"""Lines through the middle of the frequency plane, as a scanner that turns sees it."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.checks import check_count
from tamis._core.errors import InputError
from tamis.operators.grid import check_grid


def radial_lines(shape: Any, n_lines: int) -> np.ndarray:
    """Which entries of the spectrum of an image lie on ``n_lines`` lines through frequency 0, evenly turned.

    The mask is in the order of ``DFT(shape)``, frequency 0 at (0, 0), and takes each frequency with its mirror image:
    ``Mask(radial_lines(shape, 22)) @ DFT(shape)`` sees an image along 22 lines.

    Parameters
    ----------
    shape : tuple of two int
        Height and width.
    n_lines : int
        Lines; each passes the whole plane.

    Returns
    -------
    observed : array of bool, (h, w)

    Examples
    --------
    >>> from tamis.operators import radial_lines
    >>> radial_lines((4, 4), 2).astype(int)
    array([[1, 1, 1, 1],
           [1, 0, 0, 0],
           [1, 0, 0, 0],
           [1, 0, 0, 0]])
    """
    grid = check_grid("shape", shape)
    if len(grid) != 2:
        raise InputError(f"radial lines need images of shape (h, w), got shape {grid}", argument="shape")
    h, w = grid
    angles = np.pi * np.arange(check_count("n_lines", n_lines)) / n_lines
    down, across = h * np.sin(angles), w * np.cos(angles)
    longer = np.maximum(np.abs(down), np.abs(across))
    steps = np.arange(-(max(h, w) // 2), max(h, w) // 2 + 1)  # one sample apart on the axis that a line is nearer to
    i, j = _nearest(np.outer(down / longer, steps)), _nearest(np.outer(across / longer, steps))
    inside = (2 * np.abs(i) <= h) & (2 * np.abs(j) <= w)
    i, j = i[inside], j[inside]
    observed = np.zeros(grid, bool)
    observed[i % h, j % w] = True
    return observed


def _nearest(x: np.ndarray) -> np.ndarray:
    """Whole numbers, the same on both sides of zero, so that a frequency's mirror is on its line too."""
    rounded: np.ndarray = (np.sign(x) * np.floor(np.abs(x) + 0.5 - 1e-9)).astype(int)
    return rounded
