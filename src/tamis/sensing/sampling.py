"""Which rows of a transform are measured."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tamis._core.errors import InputError
from tamis.operators import radial_lines


def draw_positions(
    n: int,
    m: int,
    rng: np.random.Generator,
    *,
    weights: np.ndarray | None = None,
    always: int | None = None,
    mirror: np.ndarray | None = None,
) -> np.ndarray:
    """m of the positions 0 … n − 1, ascending, drawn without replacement with chances in proportion to ``weights``.

    ``always`` is among them; with ``mirror`` a position comes with the one it is paired with, and one fewer is drawn
    where a pair would be one too many.
    """
    keys = rng.standard_exponential(n)  # the smallest of Eᵢ / wᵢ is a draw with chances wᵢ / Σ w, and so on
    if weights is not None:
        keys = keys / weights
    if mirror is not None:
        keys = np.minimum(keys, keys[mirror])
    if always is not None:
        keys[always] = 0.0
    order = np.argsort(keys, kind="stable")
    return np.sort(order[:m] if mirror is None else _whole_pairs(order, m, mirror))


def _whole_pairs(order: np.ndarray, m: int, mirror: np.ndarray) -> np.ndarray:
    """The first m of an order in which pairs stand together, without a pair that is cut in two."""
    taken = order[:m]
    chosen = np.zeros(len(mirror), bool)
    chosen[taken] = True
    return taken[chosen[mirror[taken]]]


def frequency_weights(grid: tuple[int, ...], *, wraps: bool) -> np.ndarray:
    """1 / max(1, |k|)^d of every frequency k on a grid of d axes; ``wraps``: as the DFT has them, else as the DCT."""
    axes = [np.fft.fftfreq(length, 1.0 / length) if wraps else np.arange(length) / 2.0 for length in grid]
    squares: Any = sum(np.meshgrid(*[axis**2 for axis in axes], indexing="ij"))
    weights: np.ndarray = np.maximum(1.0, np.sqrt(squares)).ravel() ** -float(len(grid))
    return weights


def radial_positions(grid: tuple[int, ...], m: int, n_lines: int | None) -> np.ndarray:
    """The frequencies on ``n_lines`` lines, or on as many as have at most m frequencies together."""
    if len(grid) != 2:
        raise InputError(f"pattern='radial' is for images of shape (h, w), got shape {grid}", argument="pattern")
    if n_lines is None:
        n_lines = _most_lines(grid, m)
    return np.flatnonzero(radial_lines(grid, n_lines))


def _most_lines(grid: tuple[int, ...], m: int) -> int:
    few, many = 1, max(2, math.ceil(2 * np.pi * max(grid)))  # so many pass through every frequency
    if radial_lines(grid, few).sum() > m:
        raise InputError(f"one radial line has {grid[1]} frequencies, and {m} may be measured: give a higher rate",
                         argument="rate")  # fmt: skip
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (middle, many) if radial_lines(grid, middle).sum() <= m else (few, middle)
    return few
