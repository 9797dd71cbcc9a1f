"""The curve by which α was chosen."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._core.series import alphas_of, criterion_of, error_curve
from tamis.linear.alpha_choice import CRITERIA
from tamis.plots.axes import chosen_axes, log_alphas

COUNTS = 8  # numbers of columns written above the curve
FONT_SIZE = 9
COLOUR = "#0072b2"


def cv_curve(model: Any, ax: Any = None) -> Any:
    """Draw the mean error on held-out rows against α with one standard error to each side.

    The α of the least error and the largest within one standard error of it are marked; above stands how many columns
    the model has. With ``scoring``, the score is drawn as the scorer gives it. An information criterion needs no folds:
    of a model chosen by one the criterion is drawn, and its least value marked.

    Parameters
    ----------
    model : fitted LassoCV, ElasticNetCV, SparseRegressorCV or SparseClassifierCV
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
    if hasattr(model, "criterion_path_") and model.rule in CRITERIA:
        return _criterion_curve(model, ax)
    curve = error_curve(model)
    alphas, mean, spread = curve.alphas, curve.mean, curve.spread
    ax = chosen_axes(ax, (7.0, 4.2))
    ax.fill_between(alphas, mean - spread, mean + spread, color=COLOUR, alpha=0.18, linewidth=0)
    _line(ax, model, alphas, mean, alphas_of(model) > 0, f"{_measure(model)} on held-out rows")
    best = "least error" if model.scoring is None else "best score"
    marks = [(model.alpha_min_, best, ":"), (model.alpha_1se_, "within one\nstandard error", "--")]
    if model.alpha_min_ == model.alpha_1se_:
        marks = [(model.alpha_min_, f"{best}, and within\none standard error", ":")]
    _mark(ax, marks, alphas, mean)
    return ax


def _criterion_curve(model: Any, ax: Any) -> Any:
    alphas, values = alphas_of(model), criterion_of(model)
    seen = alphas > 0
    ax = chosen_axes(ax, (7.0, 4.2))
    _line(ax, model, alphas[seen], values[seen], seen, model.rule.upper())
    _mark(ax, [(model.alpha_, f"least {model.rule.upper()}", ":")], alphas[seen], values[seen])
    return ax


def _line(ax: Any, model: Any, alphas: np.ndarray, values: np.ndarray, seen: np.ndarray, label: str) -> None:
    ax.plot(alphas, values, color=COLOUR, linewidth=1.7)
    log_alphas(ax, alphas)
    ax.set_ylabel(label)
    _count(ax, model, alphas, seen)


def _measure(model: Any) -> str:
    if model.scoring is not None:
        return str(model.scoring if isinstance(model.scoring, str) else getattr(model.scoring, "__name__", "score"))
    return "log loss" if hasattr(model, "classes_") else "mean squared error"


def _mark(ax: Any, marks: list[tuple[float, str, str]], alphas: np.ndarray, mean: np.ndarray) -> None:
    """Lines at (α, words, style): the least is dotted, the largest α within one standard error of it dashed."""
    seen = [mark for mark in marks if mark[0] > 0]
    room = len(seen) < 2 or _apart(alphas, seen[1][0], seen[0][0])
    for height, (alpha, words, style) in zip((0.98, 0.98 if room else 0.9), seen, strict=False):
        ax.axvline(alpha, color="0.3", linestyle=style, linewidth=1)
        ax.plot(alpha, mean[int(np.argmin(np.abs(alphas - alpha)))], "o", color=COLOUR, markersize=5)
        left = _place(alphas, alpha) > (0.25 if style == "--" else 0.75)  # of the line, where there is room
        ax.annotate(
            words, (alpha, height), xycoords=ax.get_xaxis_transform(), xytext=(-4 if left else 4, 0),
            textcoords="offset points", ha="right" if left else "left", va="top", fontsize=FONT_SIZE, color="0.3",
        )  # fmt: skip


def _place(alphas: np.ndarray, alpha: float) -> float:
    """How far from left to right an α stands, 0 to 1."""
    return float(np.log(alphas[0] / alpha) / np.log(alphas[0] / alphas[-1])) if len(alphas) > 1 else 0.0


def _apart(alphas: np.ndarray, one_se: float, least: float) -> bool:
    """Whether there is room for the words of both marks side by side."""
    left, right = _place(alphas, one_se), _place(alphas, least)
    return right - left > 0.5 or (left > 0.25 and right < 0.75)


def _count(ax: Any, model: Any, alphas: np.ndarray, seen: np.ndarray) -> None:
    coefs = np.asarray(model.coef_path_)[seen]
    counts = (coefs != 0).reshape(len(alphas), -1, coefs.shape[-1]).any(axis=1).sum(axis=1)
    at = np.unique(np.linspace(0, len(alphas) - 1, COUNTS).round().astype(int))
    top = ax.secondary_xaxis("top")
    top.set_xticks(alphas[at], labels=[str(c) for c in counts[at]], fontsize=FONT_SIZE)
    top.set_xticks([], minor=True)
    top.tick_params(length=2)
    top.spines["top"].set_visible(False)
    top.set_xlabel("columns in the model", fontsize=FONT_SIZE)
