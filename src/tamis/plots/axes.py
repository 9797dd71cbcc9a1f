"""Axes that every plot shares."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.optional import need


def chosen_axes(ax: Any, size: tuple[float, float]) -> Any:
    """The axes given, or those of a new figure."""
    if ax is None:
        pyplot = need("matplotlib.pyplot", extra="plots", purpose="drawing")
        ax = pyplot.subplots(figsize=size, layout="constrained")[1]
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def log_alphas(ax: Any, alphas: np.ndarray) -> None:
    """α on a logarithmic axis, falling from left to right as columns enter."""
    ax.set_xscale("log")
    if len(alphas) > 1:
        ax.set_xlim(alphas.max(), alphas.min())
    ax.set_xlabel("α, weight of the penalty")
