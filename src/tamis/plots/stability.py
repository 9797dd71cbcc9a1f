"""How often each column is chosen when the rows change."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.errors import InputError
from tamis.plots.axes import FONT_SIZE, chosen_axes, short, write_beside

CHOSEN, OTHER = "#0072b2", "#b8bcc2"
MOST = 25  # columns that are drawn; all recommended ones in any case


def stability(result: Any, ax: Any = None) -> Any:
    """Draw how often half-samples of the rows choose each column, the recommended ones in colour.

    The most frequent 25 columns are drawn, and every recommended one; beside each stands in how many of the training
    folds it was chosen. The title says the stability index of Nogueira, Sechidis and Brown (2018).

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
    if not hasattr(result, "columns_") or not hasattr(result, "stability_"):
        raise InputError(f"stability draws what compare_selectors returns, got {type(result).__name__}")
    table = result.columns_
    frequency = np.asarray(table["frequency"], dtype=float)
    if not len(frequency) or not np.isfinite(frequency).any():
        raise InputError("stability has nothing to draw: no column was chosen, or there was no time for half-samples")
    shown = [i for i in range(len(frequency)) if table["recommended"][i] or (i < MOST and frequency[i] > 0)]
    ax = chosen_axes(ax, (7.0, max(2.0, 0.27 * len(shown) + 1.2)))
    rows = np.arange(len(shown))
    colours = [CHOSEN if table["recommended"][i] else OTHER for i in shown]
    ax.barh(rows, frequency[shown], color=colours, height=0.7)
    ax.set_yticks(rows, labels=[short(table["column"][i]) for i in shown], fontsize=FONT_SIZE)
    ax.invert_yaxis()
    ax.set_xlim(0, 1)
    for row, i in zip(rows, shown, strict=True):
        write_beside(ax, 6, float(row), str(table["folds"][i]), "0.35")
    index = result.stability_
    defined = np.isfinite(index.value)
    value = f"{index.value:.2f} [{index.low:.2f}, {index.high:.2f}]" if defined else "not defined"
    ax.set_title(f"stability {value}; beside: chosen in so many folds", fontsize=FONT_SIZE + 1, loc="left")
    ax.set_xlabel(f"share of {result.n_half_samples_} half-samples that choose it")
    return ax
