"""Components drawn: how many there are, where the rows lie, what the loadings are."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.errors import InputError
from tamis._core.optional import need
from tamis.plots.axes import SIZE, chosen_axes, short

COLOUR, GREY = "#0072b2", "#9aa0a8"
MOST = 30  # columns named on an axis
ARROWS = 12  # columns drawn in a biplot


def scree(model: Any, ax: Any = None) -> Any:
    """Draw the shares of the variance that components explain, one bar each, and their sum as a line.

    Parameters
    ----------
    model : fitted PCA or SparsePCA
        To see where to stop, fit with ``n_components=None`` and mark the number chosen by the title.
    ax : matplotlib axes
        Where to draw; None: a new figure.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from tamis import PCA
    >>> from tamis.plots import scree
    >>> scree(PCA(0.9, standardize=True).fit(load_wine().data)).get_xlabel()
    'component'
    """
    shares = _fitted(model, "explained_variance_ratio_")
    ax = chosen_axes(ax, (6.4, 3.8))
    at = np.arange(1, len(shares) + 1)
    ax.bar(at, 100 * shares, color=COLOUR, alpha=0.75, label="each")
    ax.plot(at, 100 * np.cumsum(shares), color="#d55e00", marker="o", markersize=4, label="together")
    ax.set_xlabel("component")
    ax.set_ylabel("explained variance, %")
    ax.set_title(f"K = {len(shares)}, {100 * shares.sum():.3g} % of the variance", fontsize=SIZE + 2)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.legend(frameon=False, fontsize=SIZE)
    return ax


def scores(Z: Any, labels: Any = None, ax: Any = None, *, names: Any = None) -> Any:
    """Draw the rows by their scores on two components, or on three with axes of a 3-D projection.

    Parameters
    ----------
    Z : array or frame (n, 2) or (n, 3), or wider
        Scores, as ``transform`` gives them; the first two are drawn, or three on 3-D axes.
    labels : n labels, by which rows are coloured
    ax : matplotlib axes; names : what the components are called (by default, the columns of a frame)

    Returns
    -------
    ax : matplotlib axes
    """
    names = list(getattr(Z, "columns", ())) if names is None else list(names)
    Z = np.asarray(Z)
    three = getattr(ax, "name", "") == "3d"
    if Z.ndim != 2 or Z.shape[1] < (3 if three else 2):
        raise InputError(f"Z must hold scores of {3 if three else 2} components at least, got shape {Z.shape}")
    labels = None if labels is None else np.asarray(labels)
    if labels is not None and len(labels) != len(Z):
        raise InputError(f"labels must be one per row, {len(Z)}; got {len(labels)}", argument="labels")
    ax = ax if three else chosen_axes(ax, (5.6, 4.6))
    used = Z[:, : 3 if three else 2]
    for label in [None] if labels is None else np.unique(labels):
        rows = used if label is None else used[labels == label]
        ax.scatter(*rows.T, s=14, alpha=0.7, linewidth=0, label=None if label is None else short(label))
    names = [str(n) for n in names[: used.shape[1]]] or [f"component {k}" for k in range(used.shape[1])]
    ax.set_xlabel(names[0])
    ax.set_ylabel(names[1])
    if three:
        ax.set_zlabel(names[2])
    if labels is not None:
        ax.legend(frameon=False, fontsize=SIZE)
    return ax


def loadings(model: Any, ax: Any = None) -> Any:
    """Draw the loadings as a grid of colours: columns of the table down, components across; white is zero.

    Parameters
    ----------
    model : fitted PCA, SparsePCA or NMF
        Of more than 30 columns, those with the largest loadings are drawn.
    ax : matplotlib axes

    Returns
    -------
    ax : matplotlib axes
    """
    H = np.asarray(_fitted(model, "components_"), dtype=float)
    columns = _names(model)
    order = np.sort(np.argsort(-np.abs(H).max(axis=0, initial=0.0), kind="stable")[:MOST])
    ax = chosen_axes(ax, (1.6 + 0.8 * len(H), 1.0 + 0.26 * len(order)))
    most = float(np.abs(H).max(initial=0.0)) or 1.0
    image = ax.imshow(H[:, order].T, cmap="RdBu_r", vmin=-most, vmax=most, aspect="auto")
    ax.set_yticks(np.arange(len(order)), [short(columns[j]) for j in order], fontsize=SIZE)
    ax.set_xticks(np.arange(len(H)), [str(n) for n in model.get_feature_names_out()], fontsize=SIZE, rotation=45)
    ax.figure.colorbar(image, ax=ax, label="loading")
    return ax


def biplot(model: Any, Z: Any, labels: Any = None, ax: Any = None) -> Any:
    """Draw the rows by their scores on two components, and the columns as arrows along their loadings.

    Arrows are as long as the loadings times one factor for all, so that the longest reaches the rows.

    Parameters
    ----------
    model : fitted PCA, SparsePCA or NMF; Z : its scores (n, k ≥ 2); labels : n labels, by which rows are coloured
    ax : matplotlib axes

    Returns
    -------
    ax : matplotlib axes
    """
    H = np.asarray(_fitted(model, "components_"), dtype=float)
    if len(H) < 2:
        raise InputError(f"a biplot needs two components, the model has {len(H)}")
    ax = scores(Z, labels, ax, names=model.get_feature_names_out())
    need("matplotlib.pyplot", extra="plots", purpose="drawing")
    reach = float(np.abs(np.asarray(Z)[:, :2]).max()) / (float(np.abs(H[:2]).max()) or 1.0)
    columns, length = _names(model), np.hypot(*H[:2])
    for j in np.argsort(-length, kind="stable")[:ARROWS]:
        if length[j] > 0:
            tip = 0.9 * reach * H[:2, j]
            ax.annotate("", tip, (0, 0), arrowprops={"arrowstyle": "->", "color": "#444444", "alpha": 0.8})
            ax.annotate(short(columns[j]), 1.06 * tip, ha="center", va="center", fontsize=SIZE - 1, color="#222222")
    return ax


def _fitted(model: Any, name: str) -> Any:
    if not hasattr(model, name):
        raise InputError(f"{type(model).__name__} has no {name}: give a fitted model of components", argument="model")
    return getattr(model, name)


def _names(model: Any) -> list[Any]:
    names = getattr(model, "feature_names_in_", None)
    return [f"x{j}" for j in range(model.n_features_in_)] if names is None else list(names)
