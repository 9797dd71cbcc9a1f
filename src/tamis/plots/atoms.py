"""Atoms of a dictionary as images."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.atoms_image import atoms_image, tile_shape
from tamis._core.errors import InputError
from tamis.plots.axes import chosen_axes


def atoms(dictionary: Any, ax: Any = None, *, shape: Any = None, order: Any = None) -> Any:
    """Draw the atoms side by side, each scaled to its own range, zero in middle grey.

    Parameters
    ----------
    dictionary : fitted learner, or array (n_atoms, n_features)
    ax : matplotlib axes
        Where to draw; None: a new figure.
    shape : (height, width) or (height, width, channels)
        Of an atom; None: a square, grey or of three colours, where there is one, else a row of numbers.
    order : positions of atoms
        Which are drawn, and in which order; None: all, as they are.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> from tamis.dictionary import dct_atoms
    >>> from tamis.plots import atoms
    >>> atoms(dct_atoms(100, (8, 8))).get_title()
    '100 atoms of 8 × 8'
    """
    D = np.asarray(getattr(dictionary, "components_", dictionary), dtype=np.float64)
    if D.ndim != 2 or D.size == 0 or not np.isfinite(D).all():
        raise InputError(f"dictionary must hold atoms in rows, got shape {D.shape}", argument="dictionary")
    D = D if order is None else D[np.asarray(order)]
    height, width, channels = tile_shape(D.shape[1], shape)
    ax = chosen_axes(ax, (6.0, 6.0))
    ax.imshow(atoms_image(D, (height, width, channels)), cmap="gray", vmin=0, vmax=1, interpolation="nearest")
    ax.set_axis_off()
    ax.set_title(f"{len(D)} atoms of {height} × {width}" + (f" × {channels}" if channels > 1 else ""), fontsize=10)
    return ax
