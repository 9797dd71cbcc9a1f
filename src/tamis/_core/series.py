"""What is drawn, as arrays: a path of coefficients, the errors along it, the history of a search.

The plots draw them with matplotlib, the report as charts of a page; answers read their numbers off them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis._core.checks import shorten
from tamis._core.errors import InputError


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
        return len(self.alphas) - 1 if self.chosen is None else self.position(self.chosen)

    @property
    def ratios(self) -> np.ndarray:
        """α/α_max of each point."""
        return self.alphas / self.alphas[0]

    @property
    def per_sd(self) -> np.ndarray:
        """Coefficients per standard deviation of their column, as far as that is known."""
        return self.coefs if self.scale is None else self.coefs * self.scale

    def position(self, alpha: float) -> int:
        """Where on the path an α is."""
        return int(np.argmin(np.abs(self.alphas - alpha)))


def strongest(coefs: np.ndarray, at: int) -> list[int]:
    """Columns by their size at a point of the path (n_alphas, p), then by their largest size anywhere."""
    order = np.lexsort((-np.abs(coefs).max(axis=0), -np.abs(coefs[at])))
    return [int(j) for j in order]


@dataclass(frozen=True)
class ErrorCurve:
    """Mean over the folds at each α, and its standard error; as the scorer gives it, or errors where there is none."""

    alphas: np.ndarray
    mean: np.ndarray
    spread: np.ndarray


def error_curve(model: Any) -> ErrorCurve:
    """Of a fitted estimator that cross-validates; α = 0 has no place on a logarithmic axis."""
    require(model, "scores_path_", "cross-validated errors to draw", "an estimator that ends in CV")
    alphas, scores = alphas_of(model), scores_of(model)
    seen = alphas > 0
    values = scores[seen] if model.scoring is not None else -scores[seen]
    mean, folds = values.mean(axis=1), values.shape[1]
    spread = values.std(axis=1, ddof=1) / np.sqrt(folds) if folds > 1 else np.zeros_like(mean)
    return ErrorCurve(alphas[seen], mean, spread)


@dataclass(frozen=True)
class SearchPoints:
    """Size and score of every evaluated subset (NaN where it failed), those kept, and the best kept of each size."""

    size: np.ndarray
    score: np.ndarray
    kept: np.ndarray
    best: np.ndarray  # rows of the history, by size

    def sample(self, most: int) -> np.ndarray:
        """Rows that have a score, by size and score; of more than so many, some of every size from worst to best."""
        seen = np.flatnonzero(np.isfinite(self.score))
        order = seen[np.lexsort((self.score[seen], self.size[seen]))]
        if len(order) <= most:
            return order
        return order[np.linspace(0, len(order) - 1, most).round().astype(int)]


def search_points(history: Any, size: np.ndarray | None = None) -> SearchPoints:
    """Of the history of a search; ``size`` where subsets are counted in other units than the search moves."""
    sizes = history["size"] if size is None else size
    return SearchPoints(sizes, history["score"], history["kept"], np.asarray(history.outline()))


def coefficient_path(result: Any, names: Any = None, output: Any = None) -> CoefficientPath:
    """The path of a Path or of a fitted model that keeps one; α = 0 has no place on a logarithmic axis."""
    if hasattr(result, "coefs") and hasattr(result, "alphas"):
        alphas, coefs = np.asarray(result.alphas), np.asarray(result.coefs)
    else:
        require(result, "coef_path_", "path to draw", "SparseRegressorCV, LassoCV or sparse_path")
        alphas, coefs = alphas_of(result), np.asarray(result.coef_path_)
    coefs = coefs if coefs.ndim == 2 else coefs[:, _output(result, output, coefs.shape[1])]
    seen = alphas > 0
    return CoefficientPath(
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
    of_result = getattr(result, "feature_names_in_", getattr(result, "names", [f"x{j}" for j in range(p)]))
    given = of_result if names is None else names
    words = [str(name) for name in given]
    if len(words) != p:
        raise InputError(f"names must hold one name for each of the {p} columns, got {len(words)}")
    return words


def _output(result: Any, output: Any, K: int) -> int:
    """Position of the target or class to draw."""
    labels = np.asarray(getattr(result, "classes_", range(K))).tolist()
    if output in labels:
        return labels.index(output)
    given = "" if output is None else f", got {output!r}"
    raise InputError(f"the path has {K} outputs: say which to draw with output={shorten(labels)}{given}")
