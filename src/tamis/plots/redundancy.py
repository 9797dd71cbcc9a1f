"""Which columns follow from which."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.checks import check_count
from tamis._core.errors import InputError
from tamis._core.optional import need
from tamis.plots.axes import FONT_SIZE, chosen_axes, short, write_beside
from tamis.selection.redundancy import Redundancy

COLOURS = {"drop": "#d55e00", "helpful": "#009e73", "keep": "0.4"}
VERDICTS = {
    "drop": "can go",
    "helpful": "stays: it helps the learner",
    "keep": "stays: others go for it, or it was asked for",
}
WIDEST = 46  # letters of a formula
DOT = 120  # points² of the largest weight


def redundancy(result: Any, ax: Any = None, *, n_rows: int = 30) -> Any:
    """Draw who follows from whom: one line for each column that follows from others, a dot for each of its sources.

    The larger a dot, the more hangs on that source; an empty dot comes in with a minus, or divides. Colours are the
    verdicts. To the right stand how much of the column is explained on rows left out, what the learner's score changed
    by without the column, where that was tried, and the relation.

    Parameters
    ----------
    result : Redundancy
        From ``find_redundant``.
    ax : matplotlib axes
        Where to draw; None: a new figure.
    n_rows : int
        At most so many columns, those to be dropped first.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> import numpy as np
    >>> from tamis import find_redundant
    >>> from tamis.plots import redundancy
    >>> X = np.random.default_rng(0).normal(size=(100, 4))
    >>> X[:, 3] = X[:, 0] - 2 * X[:, 1]
    >>> ax = redundancy(find_redundant(X))
    >>> [tick.get_text() for tick in ax.get_yticklabels()]
    ['0', '1', '3']
    """
    if not isinstance(result, Redundancy):
        raise InputError(f"{type(result).__name__} has no redundancy to draw: use the result of find_redundant")
    shown = _shown(result, check_count("n_rows", n_rows))
    used = {source for name in shown for source in result.relations[name].sources}
    sources = [name for name in result.names if name in used]
    ax = chosen_axes(ax, (7.6 + 0.34 * len(sources), 2.0 + 0.28 * len(shown)))
    if not shown:
        ax.text(0.5, 0.5, "no column follows from others", ha="center", va="center", transform=ax.transAxes)
        ax.set_axis_off()
        return ax
    for row, name in enumerate(shown):
        _line(ax, row, result.relations[name], sources, COLOURS[result.verdicts[name]])
    _name(ax, shown, sources, [COLOURS[result.verdicts[name]] for name in shown])
    _write_relations(ax, result, shown)
    _legend(ax, result, shown)
    return ax


def _shown(result: Redundancy, most: int) -> list[Any]:
    """Rows from top to bottom: by verdict, then as the columns are."""
    order = list(COLOURS)
    return sorted(result.relations, key=lambda name: order.index(result.verdicts[name]))[:most]


def _line(ax: Any, row: int, relation: Any, sources: list[Any], colour: str) -> None:
    at = np.array([sources.index(source) for source in relation.sources])
    if not len(at):
        return
    signs = relation.coefficients or (1.0,) * len(at)
    ax.plot([at.min(), at.max()], [row, row], color=colour, linewidth=1, zorder=1)
    face = [colour if sign > 0 else "white" for sign in signs]
    area = [DOT * max(weight, 0.12) for weight in relation.weights]
    ax.scatter(at, [row] * len(at), s=area, facecolors=face, edgecolors=colour, linewidths=1.4, zorder=2)


def _name(ax: Any, shown: list[Any], sources: list[Any], colours: list[str]) -> None:
    ax.set_yticks(range(len(shown)), labels=[short(name) for name in shown], fontsize=FONT_SIZE)
    ax.set_ylim(len(shown) - 0.4, -0.6)
    ax.set_xlim(-0.6, max(1, len(sources)) - 0.4)
    ax.set_xticks(range(len(sources)), labels=[short(name) for name in sources], fontsize=FONT_SIZE)
    ax.xaxis.tick_top()
    ax.tick_params(axis="x", rotation=45, length=2)
    for label, colour in zip(ax.get_yticklabels(), colours, strict=True):
        label.set_color(colour)
    for label in ax.get_xticklabels():
        label.set(ha="left", rotation_mode="anchor")
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", color="0.92", linewidth=0.8, zorder=0)
    ax.set_axisbelow(True)
    ax.spines[["left", "bottom"]].set_visible(False)
    ax.spines["top"].set_visible(False)


def _write_relations(ax: Any, result: Redundancy, shown: list[Any]) -> None:
    """Three columns to the right: explained, score, relation."""
    tried = any(name in result.losses for name in shown)
    heads = ["explained", *(["score changes by"] if tried else []), "as"]
    starts = [12.0, *([78.0] if tried else []), 176.0 if tried else 78.0]
    for start, head in zip(starts, heads, strict=True):
        write_beside(ax, start, -0.75, head, "0.45")
    for row, name in enumerate(shown):
        relation, loss = result.relations[name], result.losses.get(name)
        change = "" if loss is None else f"{-loss.mean:+.3f} ± {loss.error:.3f}".replace("-", "−")
        how = "exactly" if relation.exact else f"{100 * relation.explained:.1f} %"
        words = [how, *([change] if tried else []), short(relation.formula, WIDEST)]
        for start, word in zip(starts, words, strict=True):
            write_beside(ax, start, row, word, "black")


def _legend(ax: Any, result: Redundancy, shown: list[Any]) -> None:
    lines = need("matplotlib.lines", extra="plots", purpose="drawing")
    dot = {"marker": "o", "linestyle": "", "markersize": 7}
    seen = {result.verdicts[name] for name in shown}
    handles = [lines.Line2D([], [], color=COLOURS[v], label=VERDICTS[v], **dot) for v in COLOURS if v in seen]
    if any(c < 0 for name in shown for c in result.relations[name].coefficients):
        empty = {"markerfacecolor": "white", "label": "comes in with a minus, or divides"}
        handles.append(lines.Line2D([], [], color="0.3", **dot, **empty))
    left_out = len(result.relations) - len(shown)
    ax.legend(
        handles=handles, title=f"{left_out} more are not shown" if left_out else None, loc="upper left",
        bbox_to_anchor=(0, -0.02), frameon=False, fontsize=FONT_SIZE, title_fontsize=FONT_SIZE, alignment="left",
        borderaxespad=0.2, handletextpad=0.2,
    )  # fmt: skip
