"""Components drawn: how many there are, where the rows lie, what the loadings are."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.checks import check_choice
from tamis._core.errors import InputError
from tamis._core.optional import need
from tamis._core.series import names_of
from tamis.plots.axes import FONT_SIZE, PALETTE, chosen_axes, short

COLOUR, GREY = "#0072b2", "#9aa0a8"
MARKERS = "os^Dvp*"  # of classes: nobody must tell them by colour alone
BARS = 40  # directions of a scree, or a quarter more than are kept
MOST = 30  # columns named on an axis
ARROWS = 12  # columns drawn in a biplot


def scree(model: Any, ax: Any = None) -> Any:
    """Draw the shares of the variance that directions explain, one bar each, and their sum as a line; K is marked.

    Parameters
    ----------
    model : fitted PCA or SparsePCA
        Directions that a PCA has computed but not kept are grey. All of them are known where ``n_components`` is a
        share of the variance or a rule; for a number, at least those that were asked for.
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
    >>> scree(PCA(0.9, standardize=True).fit(load_wine().data)).get_title()
    'K = 8, 92 % of the variance'
    """
    kept = np.asarray(_fitted(model, "explained_variance_ratio_"))
    shares, k = kept, len(kept)
    if k and kept[0] > 0 and hasattr(model, "spectrum_"):
        shares = model.spectrum_[: max(k + k // 4, BARS)] * (kept[0] / model.spectrum_[0])
    ax = chosen_axes(ax, (6.4, 3.8))
    at = np.arange(1, len(shares) + 1)
    ax.bar(at, 100 * shares, color=[COLOUR if i < k else GREY for i in range(len(shares))], alpha=0.75, label="each")
    ax.plot(at, 100 * np.cumsum(shares), color="#d55e00", marker="o", markersize=4, label="together")
    if len(shares) > k:
        ax.axvline(k + 0.5, color="#444444", linewidth=1, linestyle="--", label=f"K = {k}")
    ax.set_xlabel("component")
    ax.set_ylabel("explained variance, %")
    ax.set_title(f"K = {k}, {100 * kept.sum():.3g} % of the variance", fontsize=FONT_SIZE + 2)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.legend(frameon=False, fontsize=FONT_SIZE)
    return ax


def scores(Z: Any, labels: Any = None, ax: Any = None, *, names: Any = None, dimensions: int = 2) -> Any:
    """Draw the rows by their scores on two components, or on three.

    Parameters
    ----------
    Z : array or frame (n, 2) or (n, 3), or wider
        Scores, as ``transform`` gives them; the first two or three are drawn.
    labels : n labels, by which rows are coloured
    ax : matplotlib axes; those of a 3-D projection show three components
    names : what the components are called (by default, the columns of a frame)
    dimensions : 2 or 3, of new axes

    Returns
    -------
    ax : matplotlib axes
    """
    check_choice("dimensions", dimensions, (2, 3))
    names = list(getattr(Z, "columns", ())) if names is None else list(names)
    Z = np.asarray(Z)
    if ax is None and dimensions == 3:
        pyplot = need("matplotlib.pyplot", extra="plots", purpose="drawing")
        ax = pyplot.figure(figsize=(5.6, 5.2), layout="constrained").add_subplot(projection="3d")
    n_drawn = 3 if getattr(ax, "name", "") == "3d" else 2
    if Z.ndim != 2 or Z.shape[1] < n_drawn:
        raise InputError(f"Z must hold scores of {n_drawn} components at least, got shape {Z.shape}", argument="Z")
    labels = None if labels is None else np.asarray(labels)
    if labels is not None and len(labels) != len(Z):
        raise InputError(f"labels must be one per row, {len(Z)}; got {len(labels)}", argument="labels")
    ax = ax if n_drawn == 3 else chosen_axes(ax, (5.6, 4.6))
    used = Z[:, :n_drawn]
    for k, label in enumerate([None] if labels is None else np.unique(labels)):
        rows = used if label is None else used[labels == label]
        look = {"color": PALETTE[k % len(PALETTE)], "marker": MARKERS[k % len(MARKERS)]}
        ax.scatter(*rows.T, s=14, alpha=0.7, linewidth=0, label=None if label is None else short(label), **look)
    names = [str(n) for n in names[:n_drawn]] or [f"component {k}" for k in range(n_drawn)]
    for axis, name in zip("xyz", names, strict=False):
        ax.set(**{f"{axis}label": name})
    if labels is not None:
        ax.legend(frameon=False, fontsize=FONT_SIZE, loc="upper left" if n_drawn == 3 else "best")
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
    columns = names_of(model, None, H.shape[1])
    order = np.sort(np.argsort(-np.abs(H).max(axis=0, initial=0.0), kind="stable")[:MOST])
    ax = chosen_axes(ax, (1.6 + 0.8 * len(H), 1.0 + 0.26 * len(order)))
    most = float(np.abs(H).max(initial=0.0)) or 1.0
    image = ax.imshow(H[:, order].T, cmap="RdBu_r", vmin=-most, vmax=most, aspect="auto")
    ax.set_yticks(np.arange(len(order)), [short(columns[j]) for j in order], fontsize=FONT_SIZE)
    ax.set_xticks(np.arange(len(H)), [str(n) for n in model.get_feature_names_out()], fontsize=FONT_SIZE, rotation=45)
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
    columns, length = names_of(model, None, H.shape[1]), np.hypot(*H[:2])
    for j in np.argsort(-length, kind="stable")[:ARROWS]:
        if length[j] > 0:
            tip = 0.9 * reach * H[:2, j]
            ax.annotate("", tip, (0, 0), arrowprops={"arrowstyle": "->", "color": "#444444", "alpha": 0.8})
            ax.annotate(
                short(columns[j]), 1.06 * tip, ha="center", va="center", fontsize=FONT_SIZE - 1, color="#222222"
            )
    return ax


def _fitted(model: Any, name: str) -> Any:
    if not hasattr(model, name):
        raise InputError(f"{type(model).__name__} has no {name}: give a fitted model of components", argument="model")
    return getattr(model, name)
