"""A matrix, its part of low rank, and its sparse part."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.checks import check_count
from tamis._core.errors import InputError
from tamis._core.optional import need
from tamis._core.series import require

TITLES = ("X", "low rank", "sparse")


def low_rank_plus_sparse(model: Any, row: int | None = None, shape: Any = None, ax: Any = None) -> Any:
    """Draw X = L + S side by side: the whole matrices, or one row of each as a picture.

    L and X have one scale of grey; S has its own, with white at zero.

    Parameters
    ----------
    model : fitted RobustPCA or GraphRobustPCA
    row : int
        The row to draw, as a picture of the given ``shape``; None: the whole matrices.
    shape : pair of ints
        Height and width of a row's picture.
    ax : three matplotlib axes
        Where to draw; None: a new figure.

    Returns
    -------
    axes : array of three matplotlib axes

    Examples
    --------
    >>> import numpy as np
    >>> from tamis import RobustPCA
    >>> from tamis.plots import low_rank_plus_sparse
    >>> X = np.outer(np.arange(1.0, 9.0), np.ones(6))
    >>> X[2, 3] = 50.0
    >>> axes = low_rank_plus_sparse(RobustPCA().fit(X))
    >>> [a.get_title() for a in axes]
    ['X', 'low rank', 'sparse']
    """
    require(model, "sparse_", "split to draw", "RobustPCA or GraphRobustPCA")
    L, S = _drawn(model.low_rank_, row, shape), _drawn(model.sparse_, row, shape)
    if ax is None:
        pyplot = need("matplotlib.pyplot", extra="plots", purpose="drawing")
        ax = pyplot.subplots(1, 3, figsize=(9.0, 3.4), layout="constrained")[1]
    axes = np.ravel(np.asarray(ax, dtype=object))
    if len(axes) != 3:
        raise InputError(f"ax must hold three axes, got {len(axes)}", argument="ax")
    low, high = float(min((L + S).min(), L.min())), float(max((L + S).max(), L.max()))
    size = float(np.abs(S).max()) or 1.0
    looks = ({"cmap": "gray", "vmin": low, "vmax": high},) * 2 + ({"cmap": "RdBu_r", "vmin": -size, "vmax": size},)
    for one, title, picture, look in zip(axes, TITLES, (L + S, L, S), looks, strict=True):
        one.imshow(picture, aspect="auto" if row is None else "equal", interpolation="nearest", **look)
        one.set_title(title)
        one.set_xticks([])
        one.set_yticks([])
    return axes


def _drawn(A: np.ndarray, row: int | None, shape: Any) -> np.ndarray:
    if row is None:
        return A
    row = check_count("row", row, at_least=0, at_most=len(A) - 1)
    if shape is None or int(np.prod(shape)) != A.shape[1]:
        raise InputError(
            f"shape must be the (height, width) of a picture of {A.shape[1]} numbers, got {shape!r}", argument="shape"
        )
    return A[row].reshape(shape)
