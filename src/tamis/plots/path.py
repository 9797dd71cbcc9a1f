"""The path of the coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import isotonic_regression

from tamis._core.checks import check_count
from tamis._core.series import CoefficientPath, coefficient_path, strongest
from tamis.plots.axes import PALETTE, chosen_axes, log_alphas

LATE, UNNAMED = "0.85", "0.6"  # columns that enter after the chosen α; columns in the model without a name
FONT_SIZE = 9  # points: of the names


def path(
    result: Any, ax: Any = None, *, names: Any = None, n_names: int = 8, scaled: bool | None = None, output: Any = None
) -> Any:
    """Draw the coefficients against α: to the left every column is out, each line leaves zero where its column enters.

    Columns of the chosen model are coloured and named at the end of their lines; grey ones enter later.

    Parameters
    ----------
    result : Path, or a fitted model with ``coef_path_``
        From ``sparse_path``, LassoCV, ElasticNetCV, SparseRegressorCV, SparseClassifierCV.
    ax : matplotlib axes
        Where to draw; None: a new figure.
    names : list of str
        Of the columns; None: those of the frame the model was fitted on.
    n_names : int
        How many of the largest are named.
    scaled : bool
        Draw coefficients times the standard deviation of their column, so that sizes compare. None: where it is known.
    output : a class of ``classes_``, or the position of a target
        Which to draw where there are several.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from tamis import LassoCV
    >>> from tamis.plots import path
    >>> model = LassoCV().fit(*load_diabetes(return_X_y=True, as_frame=True))
    >>> ax = path(model)
    >>> len(ax.lines)
    12
    """
    drawn = coefficient_path(result, names, output)
    check_count("n_names", n_names, at_least=0)
    use_scale = drawn.scale is not None if scaled is None else scaled
    coefs = drawn.per_sd if use_scale else drawn.coefs
    ax = chosen_axes(ax, (7.0, 4.2))
    named = [j for j in strongest(coefs, drawn.at)[:n_names] if coefs[drawn.at, j] != 0]
    _draw(ax, drawn, coefs, named)
    log_alphas(ax, drawn.alphas)
    ax.set_ylabel("coefficient × standard deviation of its column" if use_scale else "coefficient")
    _mark(ax, drawn)
    _name(ax, drawn, coefs, named)
    return ax


def _draw(ax: Any, drawn: CoefficientPath, coefs: np.ndarray, named: list[int]) -> None:
    place = {j: k for k, j in enumerate(named)}
    ax.axhline(0.0, color="0.3", linewidth=0.8)
    for j in range(coefs.shape[1]):
        k = place.get(j)
        used = coefs[drawn.at, j] != 0
        colour = UNNAMED if used else LATE
        ax.plot(
            drawn.alphas,
            coefs[:, j],
            color=colour if k is None else PALETTE[k % len(PALETTE)],
            linewidth=1.0 if k is None else 1.7,
            linestyle="-" if k is None or k < len(PALETTE) else "--",
            zorder=(2 if used else 1) if k is None else 3,
            label=f"_{drawn.names[j]}" if k is None else drawn.names[j],
        )


def _mark(ax: Any, drawn: CoefficientPath) -> None:
    if drawn.chosen is None or drawn.chosen <= 0:
        return
    ax.axvline(drawn.chosen, color="0.3", linestyle="--", linewidth=1)
    words = f"chosen by {drawn.rule!r}: α = {drawn.chosen:.3g}" if drawn.rule else f"α = {drawn.chosen:.3g}"
    ax.annotate(
        words, (drawn.chosen, 1.0), xycoords=ax.get_xaxis_transform(), xytext=(0, 4), textcoords="offset points",
        ha="center", va="bottom", fontsize=FONT_SIZE, color="0.3",
    )  # fmt: skip


def _name(ax: Any, drawn: CoefficientPath, coefs: np.ndarray, named: list[int]) -> None:
    """Names to the right of the axes, as near to the ends of their lines as they can be without touching."""
    low, high = ax.get_ylim()
    ax.set_ylim(low, high)
    gap = 1.25 * FONT_SIZE / (ax.figure.get_size_inches()[1] * 72 * ax.get_position().height)
    order = sorted(named, key=lambda j: coefs[-1, j])
    ends = np.array([(coefs[-1, j] - low) / (high - low) for j in order])
    for j, height in zip(order, apart(ends, gap), strict=True):
        colour = PALETTE[named.index(j) % len(PALETTE)]
        ax.annotate(
            drawn.names[j], (drawn.alphas[-1], coefs[-1, j]), xytext=(1.03, height), textcoords="axes fraction",
            va="center", fontsize=FONT_SIZE, color=colour, annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.7, "shrinkA": 1, "shrinkB": 0},
        )  # fmt: skip


def apart(ends: np.ndarray, gap: float) -> np.ndarray:
    """The heights nearest to increasing ``ends`` (least squares) that are ``gap`` or more from one another."""
    steps = gap * np.arange(len(ends))
    return isotonic_regression(ends - steps).x + steps if len(ends) else ends
