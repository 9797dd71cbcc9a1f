"""Scores of methods against the number of columns, on rows that chose nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.errors import InputError
from tamis.plots.axes import FONT_SIZE, PALETTE, chosen_axes


def comparison(result: Any, ax: Any = None) -> Any:
    """Draw the nested score of every method against the number of columns, with one standard error to each side.

    Lines across show the score without columns and with all of them; a ring marks the recommended configuration, and
    the title says its score, corrected for having been chosen.

    Parameters
    ----------
    result : Comparison
        What ``compare_selectors`` returns.
    ax : matplotlib axes
        Where to draw; None: a new figure.

    Returns
    -------
    ax : matplotlib axes
    """
    if not hasattr(result, "curve") or not hasattr(result, "recommended_"):
        raise InputError(f"comparison draws what compare_selectors returns, got {type(result).__name__}")
    ax = chosen_axes(ax, (7.5, 4.4))
    for colour, (name, words) in zip(_colours(), result.methods_.items(), strict=False):
        curve = result.curve(name)
        ax.fill_between(
            curve.sizes, curve.scores - curve.errors, curve.scores + curve.errors, color=colour, alpha=0.12, linewidth=0
        )
        ax.plot(curve.sizes, curve.scores, color=colour, linewidth=1.6, marker=".", markersize=4, label=words)
    for which, style in (("none", ":"), ("all", "--")):
        score, _ = result.baseline(which)
        if np.isfinite(score):
            label = "no column" if which == "none" else "all columns"
            ax.axhline(score, color="0.35", linestyle=style, linewidth=1, label=label)
    _mark(ax, result)
    ax.set_xscale("symlog", linthresh=20)
    _ticks(ax, result)
    ax.set_xlabel("number of columns")
    ax.set_ylabel(f"{result.scoring_} on rows left out")
    ax.legend(fontsize=FONT_SIZE, frameon=False, loc="best")
    return ax


def _colours() -> Any:
    while True:
        yield from PALETTE


def _mark(ax: Any, result: Any) -> None:
    """A ring at the recommended configuration; its corrected score in the title."""
    r, table = result.recommended_, result.table_
    at = [i for i, chosen in enumerate(table["chosen"]) if chosen]
    if at:
        ax.plot(
            table["size"][at[0]], table["score"][at[0]], "o", markersize=12, markerfacecolor="none",
            markeredgecolor="0.15", markeredgewidth=1.6, label="recommended",
        )  # fmt: skip
    low, high = r.interval
    verdict = "" if r.better_than_none else ", no better than no column"
    count = f"{r.size} column{'s' if r.size != 1 else ''}"
    ax.set_title(
        f"{count}: {result.scoring_} {r.score:.3f} [{low:.3f}, {high:.3f}]{verdict}", fontsize=FONT_SIZE + 1, loc="left"
    )


def _ticks(ax: Any, result: Any) -> None:
    most = max(result.table_["size"])
    ticks = [k for k in (0, 5, 10, 15, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000) if k <= most]
    if most > 1.2 * max(ticks):
        ticks.append(most)
    ax.set_xticks(ticks, labels=[f"{k:,}" for k in ticks])
    ax.set_xticks([], minor=True)
    ax.set_xlim(-0.3, most * 1.05)
