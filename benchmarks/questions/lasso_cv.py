"""Who chooses alpha by cross-validation and refits first?

The lasso paths' data with five folds of neighbouring rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks import objective
from benchmarks.judging import duality
from benchmarks.judging.path import LIMIT, lower_bounds, suboptimality
from benchmarks.machine import Rates
from benchmarks.objective import Dataset, Table
from benchmarks.questions.gram import gram_bound
from benchmarks.questions.lasso import Regression, precise_path, regression

ERROR_LIMIT = 1e-4
SIZES = {(500, 10_000): 2.0, (20_000, 500): 3.0, (10_000, 1_000): 3.0}


class Answer(NamedTuple):
    """Mean squared error of each alpha on held-out rows, averaged over the folds, and the model chosen by it."""

    errors: np.ndarray
    alpha: float
    coef: np.ndarray
    intercept: float


@dataclass(frozen=True)
class Reference:
    errors: np.ndarray
    lower: np.ndarray


class Objective(objective.Objective):
    title = "Lasso by cross-validation"
    text = (
        "Five folds of neighbouring rows, the lasso path above on the rows outside each, the mean squared error of "
        "every alpha on the rows inside, and the coefficients of all rows at the alpha of least mean error. Judged: "
        "the largest relative difference of an error from that of precise paths (or how much the chosen alpha's is "
        "above the least), accepted up to 1e-4, and the suboptimality of the final coefficients, accepted up to "
        "1e-7. scikit-learn and celer: `LassoCV`; python-glmnet: `ElasticNet(n_splits=5)` given the folds as groups;"
        " glum: `GeneralizedLinearRegressorCV`; skein-glm: `ElasticNetPathCV`. adelie's `cv_grpnet` and skglm's "
        "`GeneralizedLinearEstimatorCV` draw folds of their own, so their paths are called in a loop over the folds."
        " The yardstick is what a patient user can write: the Gram of each fold, subtracted from the whole one, and "
        "scikit-learn's descent on the differences."
    )
    repeats = 5
    cap = 12.0
    columns = {"errors": "CV error, relative", "suboptimality": "suboptimality"}  # noqa: RUF012

    def reference(self, data: Folded) -> Reference:
        errors = [
            held_out_errors(data, out, *precise_path(data.X[rows], data.y[rows], data.alphas))
            for rows, out in data.splits()
        ]
        path = precise_path(data.X, data.y, data.alphas)
        return Reference(np.mean(errors, axis=0), lower_bounds(duality.Squares(), duality.L1(), data, path))

    def judge(self, data: Folded, reference: Reference, result: Answer) -> dict[str, float]:
        k = int(np.abs(data.alphas - result.alpha).argmin())
        if not np.isclose(data.alphas[k], result.alpha) or np.shape(result.errors) != reference.errors.shape:
            return dict.fromkeys(self.columns, float("inf"))
        right, least = reference.errors, reference.errors.min()
        errors = max(np.max(np.abs(result.errors - right) / right), (right[k] - least) / least)
        at = replace(data, alphas=data.alphas[k : k + 1])
        path = np.asarray(result.coef)[None], np.array([result.intercept])
        above = suboptimality(duality.Squares(), duality.L1(), at, reference.lower[k : k + 1], path)
        return {"errors": float(errors), "suboptimality": above}

    def accepts(self, judged: dict[str, float]) -> bool:
        return judged["errors"] <= ERROR_LIMIT and judged["suboptimality"] <= LIMIT

    def bounds(self, data: Folded, reference: Reference, table: Table, rates: Rates) -> list[str]:
        n, p = data.X.shape
        if n < p:
            return []
        return [gram_bound(data.X, table, rates)]

    def bars(self, table: Table) -> list[dict[str, Any]]:
        return [table.times_faster("times faster than the fastest competitor", table.limit)]


def held_out_errors(data: Folded, out: np.ndarray, coefs: np.ndarray, intercepts: np.ndarray) -> np.ndarray:
    R = data.y[out, None] - data.X[out] @ np.asarray(coefs).T - np.asarray(intercepts)
    return (R**2).mean(axis=0)


@dataclass
class Folded(Regression):
    """``fold`` (n,): the fold in which each row is held out."""

    fold: np.ndarray

    def splits(self) -> list[tuple[np.ndarray, np.ndarray]]:
        return [(np.flatnonzero(self.fold != k), np.flatnonzero(self.fold == k)) for k in range(self.fold.max() + 1)]

    def without(self, rows: np.ndarray) -> Regression:
        return Regression(self.X[rows], self.y[rows], self.alphas)


def datasets(quick: bool) -> list[Dataset]:
    sizes, k = ({(100, 20): 3.0}, 6) if quick else (SIZES, 100)
    return [
        Dataset(f"{n:,} × {p:,}, {k} alphas, ρ = {rho}", partial(folded, n, p, k, rho), limit=limit)
        for (n, p), limit in sizes.items()
        for rho in (0.5, 0.95)
    ]


def folded(n: int, p: int, n_alphas: int, rho: float) -> Folded:
    data = regression(n, p, n_alphas, rho)
    return Folded(data.X, data.y, data.alphas, np.arange(n) * 5 // n)
