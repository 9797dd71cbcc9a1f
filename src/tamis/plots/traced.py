"""What the plots read from a result: a path of coefficients and the errors along it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis._core.checks import shorten
from tamis._core.errors import InputError


@dataclass(frozen=True)
class Traced:
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


def trace(result: Any, names: Any = None, output: Any = None) -> Traced:
    """The path of a Path or of a fitted model that keeps one; α = 0 has no place on a logarithmic axis."""
    if hasattr(result, "coefs") and hasattr(result, "alphas"):
        alphas, coefs = np.asarray(result.alphas), np.asarray(result.coefs)
    else:
        require(result, "coef_path_", "path to draw", "SparseRegressorCV, LassoCV or sparse_path")
        alphas, coefs = alphas_of(result), np.asarray(result.coef_path_)
    coefs = coefs if coefs.ndim == 2 else coefs[:, _output(result, output, coefs.shape[1])]
    seen = alphas > 0
    return Traced(
        alphas[seen],
        coefs[seen],
        names_of(result, names, coefs.shape[1]),
        getattr(result, "scale_", None),
        getattr(result, "alpha_", None),
        getattr(result, "rule", None),
    )


def alphas_of(model: Any) -> np.ndarray:
    """(n_alphas,): where several l1_ratios were tried, those of the one chosen."""
    alphas = np.asarray(model.alphas_)
    return alphas if alphas.ndim == 1 else alphas[_which(model)]


def scores_of(model: Any) -> np.ndarray:
    """(n_alphas, n_folds), likewise."""
    scores = np.asarray(model.scores_path_)
    return scores if scores.ndim == 2 else scores[_which(model)]


def criterion_of(model: Any) -> np.ndarray:
    """(n_alphas,) values of the information criterion, likewise."""
    values = np.asarray(model.criterion_path_)
    return values if values.ndim == 1 else values[_which(model)]


def require(result: Any, attribute: str, what: str, who: str) -> None:
    if not hasattr(result, attribute):
        fitted = "" if hasattr(result, "n_features_in_") else ", or fit it first"
        raise InputError(f"{type(result).__name__} has no {what}: use {who}{fitted}")


def _which(model: Any) -> int:
    return np.atleast_1d(model.l1_ratio).tolist().index(model.l1_ratio_)


def names_of(result: Any, names: Any, p: int) -> list[str]:
    """Those given, or those of the frame that the result is of, or x0, x1, …"""
    told = getattr(result, "feature_names_in_", getattr(result, "names", [f"x{j}" for j in range(p)]))
    known = told if names is None else names
    listed = [str(name) for name in known]
    if len(listed) != p:
        raise InputError(f"names must hold one name for each of the {p} columns, got {len(listed)}")
    return listed


def _output(result: Any, output: Any, K: int) -> int:
    """Position of the target or class to draw."""
    labels = np.asarray(getattr(result, "classes_", range(K))).tolist()
    if output in labels:
        return labels.index(output)
    given = "" if output is None else f", got {output!r}"
    raise InputError(f"the path has {K} outputs: say which to draw with output={shorten(labels)}{given}")
