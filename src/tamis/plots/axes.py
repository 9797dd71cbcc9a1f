"""Axes that every plot shares."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.optional import need

# For kinds that stand side by side: after Okabe and Ito, told apart also by those who see few colours.
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#5d3a9b", "#222222")
FONT_SIZE = 9  # points: of names and remarks
LONGEST = 24  # letters of a name
SHORT = 30  # an axis whose ends differ by less than this factor has one or two powers of ten


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
    _label(ax, short=alphas.max() < SHORT * alphas.min())
    ax.set_xlabel("α, weight of the penalty")


def _label(ax: Any, short: bool) -> None:
    """0.1, 1, 10, …; on a short axis also 2 and 5 times as much."""
    ticker = need("matplotlib.ticker", extra="plots", purpose="drawing")
    ax.xaxis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0) if short else (1.0,)))
    ax.xaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    ax.xaxis.set_minor_formatter(ticker.NullFormatter())


def write_beside(ax: Any, start: float, row: float, words: str, colour: str) -> None:
    """In a row, so many points to the right of the axes."""
    place = {"xycoords": ax.get_yaxis_transform(), "textcoords": "offset points", "annotation_clip": False}
    ax.annotate(words, (1.0, row), xytext=(start, 0), **place, va="center", fontsize=FONT_SIZE, color=colour)


def short(name: Any, most: int = LONGEST) -> str:
    words = str(name)
    return words if len(words) <= most else f"{words[: most - 1]}…"
