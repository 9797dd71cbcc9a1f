"""The path of the coefficients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import isotonic_regression

from tamis._core.checks import check_count, shorten
from tamis._core.errors import InputError
from tamis.plots.axes import chosen_axes, column_labels, log_alphas, require_attribute

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#5d3a9b", "#222222")  # Okabe and Ito's
LATE, UNNAMED = "0.85", "0.6"  # columns that enter after the chosen α; columns in the model without a name
SIZE = 9  # points: of the names


@dataclass(frozen=True)
class CoefficientPath:
    """Coefficients (n_alphas, p) of one output along descending alphas, and what is known about them."""

    alphas: np.ndarray
    coefs: np.ndarray
    names: list[str]
    scale: np.ndarray | None
    chosen: float | None
    rule: str | None

    @property
    def at(self) -> int:
        """Position of the α chosen; of the last where none was."""
        return len(self.alphas) - 1 if self.chosen is None else int(np.argmin(np.abs(self.alphas - self.chosen)))


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
    found = _coefficient_path(result, names, output)
    check_count("n_names", n_names, at_least=0)
    use_scale = found.scale is not None if scaled is None else scaled
    coefs = found.coefs * found.scale if use_scale and found.scale is not None else found.coefs
    ax = chosen_axes(ax, (7.0, 4.2))
    named = _largest(coefs[found.at], n_names)
    _draw(ax, found, coefs, named)
    log_alphas(ax, found.alphas)
    ax.set_ylabel("coefficient × standard deviation of its column" if use_scale else "coefficient")
    _mark(ax, found)
    _name(ax, found, coefs, named)
    return ax


def _coefficient_path(result: Any, names: Any = None, output: Any = None) -> CoefficientPath:
    """The path of a Path or of a fitted model that keeps one; α = 0 has no place on a logarithmic axis."""
    if hasattr(result, "coefs") and hasattr(result, "alphas"):
        alphas, coefs = np.asarray(result.alphas), np.asarray(result.coefs)
    else:
        require_attribute(result, "coef_path_", "path to draw", "SparseRegressorCV, LassoCV or sparse_path")
        alphas, coefs = alphas_of(result), np.asarray(result.coef_path_)
    coefs = coefs if coefs.ndim == 2 else coefs[:, _output(result, output, coefs.shape[1])]
    seen = alphas > 0
    return CoefficientPath(
        alphas[seen],
        coefs[seen],
        column_labels(result, names, coefs.shape[1]),
        getattr(result, "scale_", None),
        getattr(result, "alpha_", None),
        getattr(result, "rule", None),
    )


def alphas_of(model: Any) -> np.ndarray:
    """(n_alphas,): where several l1_ratios were tried, those of the one chosen."""
    alphas = np.asarray(model.alphas_)
    return alphas if alphas.ndim == 1 else alphas[l1_ratio_position(model)]


def l1_ratio_position(model: Any) -> int:
    """Which of the l1_ratios that were tried was chosen."""
    return np.atleast_1d(model.l1_ratio).tolist().index(model.l1_ratio_)


def _output(result: Any, output: Any, K: int) -> int:
    """Position of the target or class to draw."""
    labels = np.asarray(getattr(result, "classes_", range(K))).tolist()
    if output in labels:
        return labels.index(output)
    given = "" if output is None else f", got {output!r}"
    raise InputError(f"the path has {K} outputs: say which to draw with output={shorten(labels)}{given}")


def _largest(at: np.ndarray, most: int) -> list[int]:
    order = np.argsort(-np.abs(at), kind="stable")[:most]
    return [int(j) for j in order if at[j] != 0]


def _draw(ax: Any, found: CoefficientPath, coefs: np.ndarray, named: list[int]) -> None:
    place = {j: k for k, j in enumerate(named)}
    ax.axhline(0.0, color="0.3", linewidth=0.8)
    for j in range(coefs.shape[1]):
        k = place.get(j)
        used = coefs[found.at, j] != 0
        colour = UNNAMED if used else LATE
        ax.plot(
            found.alphas,
            coefs[:, j],
            color=colour if k is None else COLOURS[k % len(COLOURS)],
            linewidth=1.0 if k is None else 1.7,
            linestyle="-" if k is None or k < len(COLOURS) else "--",
            zorder=(2 if used else 1) if k is None else 3,
            label=f"_{found.names[j]}" if k is None else found.names[j],
        )


def _mark(ax: Any, found: CoefficientPath) -> None:
    if found.chosen is None or found.chosen <= 0:
        return
    ax.axvline(found.chosen, color="0.3", linestyle="--", linewidth=1)
    words = f"chosen by {found.rule!r}: α = {found.chosen:.3g}" if found.rule else f"α = {found.chosen:.3g}"
    ax.annotate(
        words, (found.chosen, 1.0), xycoords=ax.get_xaxis_transform(), xytext=(0, 4), textcoords="offset points",
        ha="center", va="bottom", fontsize=SIZE, color="0.3",
    )  # fmt: skip


def _name(ax: Any, found: CoefficientPath, coefs: np.ndarray, named: list[int]) -> None:
    """Names to the right of the axes, as near to the ends of their lines as they can be without touching."""
    low, high = ax.get_ylim()
    ax.set_ylim(low, high)
    gap = 1.25 * SIZE / (ax.figure.get_size_inches()[1] * 72 * ax.get_position().height)
    order = sorted(named, key=lambda j: coefs[-1, j])
    ends = np.array([(coefs[-1, j] - low) / (high - low) for j in order])
    for j, height in zip(order, apart(ends, gap), strict=True):
        colour = COLOURS[named.index(j) % len(COLOURS)]
        ax.annotate(
            found.names[j], (found.alphas[-1], coefs[-1, j]), xytext=(1.03, height), textcoords="axes fraction",
            va="center", fontsize=SIZE, color=colour, annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.7, "shrinkA": 1, "shrinkB": 0},
        )  # fmt: skip


def apart(ends: np.ndarray, gap: float) -> np.ndarray:
    """The heights nearest to increasing ``ends`` (least squares) that are ``gap`` or more from one another."""
    steps = gap * np.arange(len(ends))
    return isotonic_regression(ends - steps).x + steps if len(ends) else ends
