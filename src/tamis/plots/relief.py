"""What Relief and its family found."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.checks import check_count
from tamis._core.errors import InputError
from tamis._core.optional import need
from tamis._core.series import names_of
from tamis.plots.axes import FONT_SIZE, chosen_axes, short, write_beside
from tamis.selection.relief.estimators import ReliefBase

CHOSEN, OTHER, ERROR = "#0072b2", "0.75", "0.25"
DASHED = {"color": "0.3", "linestyle": "--", "linewidth": 1}
TICKS = 7
LEAST = 0.001  # a smaller p-value is written as less than this


def relief(selector: Any, ax: Any = None, *, n_features: int = 20, names: Any = None) -> Any:
    """Draw the relevance of the best columns with one standard error to each side.

    Those chosen come first, in colour, then the others, both by falling relevance, with a dashed line between them; a
    threshold is a dashed line across. To the right stand the p-values, where there are any.

    Parameters
    ----------
    selector : fitted Relief, ReliefF, RReliefF or MultiSURF
    ax : matplotlib axes
        Where to draw; None: a new figure.
    n_features : int
        At most so many columns; how many more there are is written above.
    names : list of str
        Of all columns; None: those of the frame or file the selector was fitted on.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from tamis import ReliefF
    >>> from tamis.plots import relief
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> ax = relief(ReliefF(n_features=2).fit(X, y))
    >>> [tick.get_text() for tick in ax.get_yticklabels()]
    ['petal width (cm)', 'petal length (cm)', 'sepal length (cm)', 'sepal width (cm)']
    """
    _require(selector)
    named = names_of(selector, names, selector.n_features_in_)
    order = np.lexsort((-selector.relevance_, ~selector.support_))
    shown = order[: check_count("n_features", n_features)]
    ax = chosen_axes(ax, (7.0, 1.5 + 0.24 * len(shown)))
    _bars(ax, selector, shown)
    _rows(ax, [named[j] for j in shown])
    _cut(ax, selector, shown)
    _write_pvalues(ax, selector, shown)
    rows = "1 row" if selector.n_samples_ == 1 else f"{selector.n_samples_:,} rows"
    ax.locator_params(axis="x", nbins=TICKS)
    ax.set_xlabel(f"relevance: mean over {rows} ± one standard error")
    return ax


def _require(selector: Any) -> None:
    if not isinstance(selector, ReliefBase):
        raise InputError(
            f"{type(selector).__name__} has no relevance to draw: use a fitted Relief, ReliefF, RReliefF or MultiSURF"
        )
    if not hasattr(selector, "relevance_"):
        raise InputError(f"this {type(selector).__name__} is not fitted: call fit, then draw")


def _bars(ax: Any, selector: Any, shown: np.ndarray) -> None:
    """An error that is not known, as of a single row, is not drawn."""
    value, error, rows = selector.relevance_[shown], selector.standard_errors_[shown], np.arange(len(shown))
    ax.barh(rows, value, height=0.7, color=[CHOSEN if selector.support_[j] else OTHER for j in shown])
    finite = np.isfinite(error)
    ax.errorbar(value[finite], rows[finite], xerr=error[finite], fmt="none", ecolor=ERROR, elinewidth=1, capsize=2)


def _rows(ax: Any, names: list[str]) -> None:
    ax.set_yticks(range(len(names)), labels=[short(name) for name in names], fontsize=FONT_SIZE)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)


def _cut(ax: Any, selector: Any, shown: np.ndarray) -> None:
    """Where the chosen ones end, how they were chosen, and how many there are on both sides."""
    chosen = selector.support_[shown]
    if chosen.any() and not chosen.all():
        ax.axhline(chosen.sum() - 0.5, **DASHED)
    tau = _tau(selector)
    if tau != 0:
        ax.axvline(0.0, color="0.3", linewidth=0.8)
    if tau is not None:
        ax.axvline(tau, **DASHED)
    lines, patches = (need(f"matplotlib.{part}", extra="plots", purpose="drawing") for part in ("lines", "patches"))
    kinds = ((CHOSEN, selector.support_, f"chosen {_way(selector)}"), (OTHER, ~selector.support_, _other(selector)))
    handles = [
        patches.Patch(color=colour, label=_count(there, shown, who))
        for colour, there, who in kinds
        if there.any() or colour == CHOSEN
    ]
    if tau is not None:
        handles.append(lines.Line2D([], [], **DASHED, label=f"τ = {tau:g}".replace("-", "−")))
    ax.legend(
        handles=handles, loc="lower left", bbox_to_anchor=(0, 1.0), frameon=False, fontsize=FONT_SIZE,
        borderaxespad=0.3, handlelength=1.4,
    )  # fmt: skip


def _count(there: np.ndarray, shown: np.ndarray, who: str) -> str:
    rest = int(there.sum() - there[shown].sum())
    number = f"{there.sum():,}" if there.any() else "none"
    return f"{number} {who}" + (f"; {rest:,} of them not shown" if rest else "")


def _way(selector: Any) -> str:
    if selector.fdr is not None:
        return f"by p-values at a false discovery rate of {selector.fdr:g}"
    if selector.n_features is not None:
        return "as the best ones" if selector.removal is None else "as the last ones left by removal"
    return "above τ"


def _other(selector: Any) -> str:
    return "not chosen" if selector.removal is None else "not chosen, as weighed before removal"


def _tau(selector: Any) -> float | None:
    """The threshold; None where columns were chosen in another way."""
    if selector.fdr is not None or selector.n_features is not None:
        return None
    return 0.0 if selector.threshold is None else float(selector.threshold)


def _write_pvalues(ax: Any, selector: Any, shown: np.ndarray) -> None:
    if not hasattr(selector, "pvalues_"):
        return
    write_beside(ax, 8.0, -0.95, "p-value", "0.45")
    for row, p in enumerate(selector.pvalues_[shown]):
        write_beside(ax, 8.0, row, f"< {LEAST:g}" if p < LEAST else f"{p:.3f}", "black")
