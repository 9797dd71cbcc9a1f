"""The history of a search."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

from tamis._core.errors import InputError
from tamis._core.optional import need
from tamis._core.series import require, search_points
from tamis.plots.axes import chosen_axes

COLOUR, CHOSEN, TRIED = "#009e73", "#d55e00", "0.6"
FONT_SIZE = 9
LONGEST = 20  # letters of a name
WIDEST = 28  # letters of a line beside the axis
MANY = 5_000  # dots: beyond, a vector drawing would be slow to open


def history(selector: Any, ax: Any = None) -> Any:
    """Draw what a search asked and what it kept: scores against the number of columns.

    Every evaluated subset is a faint dot, those kept are strong, and a line joins the best kept of each size, with one
    standard deviation to each side where it is known. Above stands the column that came (+) or went (−) with each
    step; the chosen subset has a ring. Subsets that failed are crosses at the bottom.

    Parameters
    ----------
    selector : fitted SubsetSelector or LasVegasWrapper
    ax : matplotlib axes
        Where to draw; None: a new figure.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from tamis import SubsetSelector
    >>> from tamis.plots import history
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> selector = SubsetSelector("floating", "linear_fit").fit(X, y)
    >>> history(selector).get_ylabel()
    'cross-validated R²'
    """
    require(selector, "history_", "history to draw", "SubsetSelector")
    past = selector.history_
    if not len(past):
        raise InputError("the history is empty: no subset was evaluated, so there is nothing to draw")
    points = search_points(past)
    size, score, kept, best = points.size, points.score, points.kept, points.best
    ax = chosen_axes(ax, (7.0, 4.2))
    ax.plot(size, score, "o", color=TRIED, markersize=3.5, alpha=0.35, markeredgewidth=0, rasterized=len(past) > MANY)
    ax.plot(size[kept], score[kept], "o", color=COLOUR, markersize=5, markeredgewidth=0)
    _line(ax, size[best], score[best], past["spread"][best])
    _sizes(ax, size)
    _mark(ax, int(selector.support_.sum()), float(selector.score_), score[best])
    _cross(ax, size[np.isnan(score)])
    steps = _single_steps(past, best)
    _name(ax, {int(size[row]): past.step(row) for row in best if row in steps})
    ax.set_ylabel(textwrap.fill(selector.parts()[1].describe().axis, WIDEST))
    return ax


def _single_steps(past: Any, best: np.ndarray) -> set[int]:
    """Rows made from the one kept before them, or from the one beside them on the line."""
    kept = np.flatnonzero(past["kept"])
    return {int(row) for rows in (kept, best) for row, step in zip(rows, past.follows(rows), strict=True) if step}


def _line(ax: Any, size: np.ndarray, score: np.ndarray, spread: np.ndarray) -> None:
    finite = np.isfinite(spread)
    if finite.any():
        bars = {"fmt": "none", "ecolor": COLOUR, "elinewidth": 1, "capsize": 3}
        ax.errorbar(size[finite], score[finite], yerr=spread[finite], **bars)
    ax.plot(size, score, color=COLOUR, linewidth=1.7)


def _sizes(ax: Any, size: np.ndarray) -> None:
    """Whole numbers of columns, with room at both ends."""
    ticker = need("matplotlib.ticker", extra="plots", purpose="drawing")
    ax.xaxis.set_major_locator(ticker.MaxNLocator(integer=True, min_n_ticks=1))
    room = max(0.5, 0.04 * float(np.ptp(size)))
    ax.set_xlim(size.min() - room, size.max() + room)
    ax.margins(y=0.12)
    ax.set_xlabel("columns in the subset")


def _mark(ax: Any, size: int, score: float, line: np.ndarray) -> None:
    """Words above the chosen subset; below where the line comes from above."""
    highest = score >= line.max() - 0.01 * np.ptp(line) - 1e-9 * abs(score)
    ax.plot(size, score, "o", markersize=11, markerfacecolor="none", markeredgecolor=CHOSEN, markeredgewidth=1.6)
    left = size > sum(ax.get_xlim()) / 2
    words = f"chosen: {size} column{'s' * (size != 1)}, {score:.3g}".replace("-", "−")
    ax.annotate(
        words, (size, score), xytext=(-4 if left else 4, 9 if highest else -9), textcoords="offset points",
        ha="right" if left else "left", va="bottom" if highest else "top", fontsize=FONT_SIZE, color=CHOSEN,
    )  # fmt: skip


def _cross(ax: Any, size: np.ndarray) -> None:
    if not len(size):
        return
    ax.plot(size, np.full(len(size), 0.02), "x", color="0.3", markersize=5, transform=ax.get_xaxis_transform())
    words = f"{len(size):,} failed"
    place = {"xycoords": ax.get_xaxis_transform(), "xytext": (6, 0), "textcoords": "offset points"}
    ax.annotate(words, (size.max(), 0.02), **place, va="center", fontsize=FONT_SIZE, color="0.3")


def _name(ax: Any, steps: dict[int, str]) -> None:
    """What came or went, above the axes, wherever there is room beside the last name."""
    low, high = ax.get_xlim()
    gap = 1.3 * FONT_SIZE * (high - low) / (ax.figure.get_size_inches()[0] * 72 * ax.get_position().width)
    named: dict[int, str] = {}
    for at, step in steps.items():
        if not named or at - max(named) >= gap:
            named[at] = step if len(step) <= LONGEST else f"{step[: LONGEST - 1]}…"
    if not named:
        return
    top = ax.secondary_xaxis("top")
    top.set_xticks(list(named), labels=list(named.values()), rotation=45, ha="left", rotation_mode="anchor")
    top.tick_params(length=2, labelsize=FONT_SIZE, labelcolor=COLOUR)
    top.spines["top"].set_visible(False)
