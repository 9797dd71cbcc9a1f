"""The cross-validation curve."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.plots.axes import chosen_axes, log_alphas
from tamis.plots.traced import alphas_of, require, scores_of

COUNTS = 8  # numbers of columns written above the curve
SIZE = 9
COLOUR = "#0072b2"


def cv_curve(model: Any, ax: Any = None) -> Any:
    """Draw the mean error on held-out rows against α with one standard error to each side.

    The α of the least error and the largest within one standard error of it are marked; above stands how many columns
    the model has. With ``scoring``, the score is drawn as the scorer gives it.

    Parameters
    ----------
    model : fitted LassoCV, ElasticNetCV, SparseRegressorCV or SparseClassifierCV
        With rule "min" or "1se": the information criteria need no folds, so there is no curve.
    ax : matplotlib axes
        Where to draw; None: a new figure.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from tamis import LassoCV
    >>> from tamis.plots import cv_curve
    >>> model = LassoCV().fit(*load_diabetes(return_X_y=True))
    >>> cv_curve(model).get_ylabel()
    'mean squared error on held-out rows'
    """
    require(model, "scores_path_", "cross-validated errors to draw", "a CV estimator with rule 'min' or '1se'")
    alphas, scores = alphas_of(model), scores_of(model)
    seen = alphas > 0
    alphas, scores = alphas[seen], scores[seen]
    values = scores if model.scoring is not None else -scores
    mean, folds = values.mean(axis=1), values.shape[1]
    spread = values.std(axis=1, ddof=1) / np.sqrt(folds) if folds > 1 else np.zeros_like(mean)
    ax = chosen_axes(ax, (7.0, 4.2))
    ax.fill_between(alphas, mean - spread, mean + spread, color=COLOUR, alpha=0.18, linewidth=0)
    ax.plot(alphas, mean, color=COLOUR, linewidth=1.7)
    log_alphas(ax, alphas)
    ax.set_ylabel(f"{_measure(model)} on held-out rows")
    _mark(ax, model, alphas, mean)
    _count(ax, model, alphas, seen)
    return ax


def _measure(model: Any) -> str:
    if model.scoring is not None:
        return str(model.scoring if isinstance(model.scoring, str) else getattr(model.scoring, "__name__", "score"))
    return "log loss" if hasattr(model, "classes_") else "mean squared error"


def _mark(ax: Any, model: Any, alphas: np.ndarray, mean: np.ndarray) -> None:
    """The line of the least error is dotted, that of the largest α within one standard error dashed."""
    best = "least error" if model.scoring is None else "best score"
    least, within = model.alpha_min_, model.alpha_1se_
    marks = [(least, best, ":"), (within, "within one\nstandard error", "--")]
    if least == within:
        marks = [(least, f"{best}, and within\none standard error", ":")]
    seen = [mark for mark in marks if mark[0] > 0]
    room = len(seen) < 2 or _apart(alphas, within, least)
    for height, (alpha, words, style) in zip((0.98, 0.98 if room else 0.9), seen, strict=False):
        ax.axvline(alpha, color="0.3", linestyle=style, linewidth=1)
        ax.plot(alpha, mean[int(np.argmin(np.abs(alphas - alpha)))], "o", color=COLOUR, markersize=5)
        left = _place(alphas, alpha) > (0.25 if style == "--" else 0.75)  # of the line, where there is room
        ax.annotate(
            words, (alpha, height), xycoords=ax.get_xaxis_transform(), xytext=(-4 if left else 4, 0),
            textcoords="offset points", ha="right" if left else "left", va="top", fontsize=SIZE, color="0.3",
        )  # fmt: skip


def _place(alphas: np.ndarray, alpha: float) -> float:
    """How far from left to right an α stands, 0 to 1."""
    return float(np.log(alphas[0] / alpha) / np.log(alphas[0] / alphas[-1])) if len(alphas) > 1 else 0.0


def _apart(alphas: np.ndarray, within: float, least: float) -> bool:
    """Whether there is room for the words of both marks side by side."""
    left, right = _place(alphas, within), _place(alphas, least)
    return right - left > 0.5 or (left > 0.25 and right < 0.75)


def _count(ax: Any, model: Any, alphas: np.ndarray, seen: np.ndarray) -> None:
    coefs = np.asarray(model.coef_path_)[seen]
    counts = (coefs != 0).reshape(len(alphas), -1, coefs.shape[-1]).any(axis=1).sum(axis=1)
    at = np.unique(np.linspace(0, len(alphas) - 1, COUNTS).round().astype(int))
    top = ax.secondary_xaxis("top")
    top.set_xticks(alphas[at], labels=[str(c) for c in counts[at]], fontsize=SIZE)
    top.set_xticks([], minor=True)
    top.tick_params(length=2)
    top.spines["top"].set_visible(False)
    top.set_xlabel("columns in the model", fontsize=SIZE)
