"""The statistics road: one pass leaves the Gram matrix, and everything else happens on it.

Memory does not depend on the number of rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tamis._core.errors import InputError
from tamis._core.memory import require_memory
from tamis._core.progress import Steps, silent
from tamis.penalties import L1
from tamis.solvers.certificates import DualityGap
from tamis.solvers.gram_problem import GramProblem
from tamis.sources import Source, require_complete
from tamis.stats import collect
from tamis.stats.gram import Gram


@dataclass(frozen=True)
class Standing:
    """A lasso problem on statistics, and the way back to the columns as they were given.

    The problem's columns are divided by ``scale`` (all ones without standardising), so its α |wⱼ| is α scaleⱼ |coefⱼ|.
    """

    gram: Gram
    problem: GramProblem
    scale: np.ndarray
    fit_intercept: bool

    def coefs(self, w: np.ndarray) -> np.ndarray:
        return w / self.scale

    def intercepts(self, coefs: np.ndarray) -> Any:
        if not self.fit_intercept:
            return np.zeros(coefs.shape[:-1])
        return self.gram.y_mean - coefs @ self.gram.mean

    def certificate(self, w: np.ndarray, alpha: float) -> DualityGap:
        """In terms of the columns as given, ready to be verified on the rows."""
        bound = self.problem.at(alpha).gap(w)
        coef = self.coefs(w)
        intercept = float(self.intercepts(coef))
        return replace(bound, w=coef, intercept=intercept, fit_intercept=self.fit_intercept, scale=self.scale)


def gram_of(source: Source, *, n_jobs: int | None = None, steps: Steps = silent) -> Gram:
    """One pass; complains about missing and infinite values by column."""
    check_room(source.n_features, copies=3)
    (gram,) = collect(source, Gram(n_jobs=n_jobs), n_jobs=n_jobs, steps=steps)
    return checked(gram, source)


def check_room(p: int, copies: int) -> None:
    require_memory(
        8.0 * p * p * copies,
        f"the Gram matrix of {p:,} columns, {copies} times,",
        "select columns first, for example with SubsetSelector(search='ranking')",
    )


def checked(gram: Gram, source: Source) -> Gram:
    """The statistic itself when it can be worked with."""
    if gram.n_rows == 0:
        raise InputError("the table has no rows (0 sample(s)): a minimum of 1 is required.")
    if not np.isfinite(gram.scatter.diagonal()).all():
        require_complete(source)
        raise InputError("X or y holds values so large that their squares are infinite: rescale these columns")
    if not gram.weight > 0:
        raise InputError("sample_weight is zero for every row: at least one must be positive")
    return gram


def stand(gram: Gram, *, fit_intercept: bool = True, standardize: bool = False) -> Standing:
    """The problem of a Gram matrix."""
    G, q, yy = gram.normalised()
    if not fit_intercept:
        mean = gram.mean
        G += np.multiply.outer(mean, mean)
        q = q + mean * gram.y_mean
        yy = yy + gram.y_mean**2
    constant = np.flatnonzero(G.diagonal() <= (8 * np.finfo(float).eps * gram.mean) ** 2)
    if len(constant):  # what rounding left of a constant column: it cannot enter
        G[constant] = G[:, constant] = 0.0
        q[constant] = 0.0
    scale = np.ones(len(q))
    if standardize:
        scale = np.sqrt(G.diagonal())
        scale[scale == 0] = 1.0
        G /= scale[:, None]
        G /= scale
        q = q / scale
    return Standing(gram, GramProblem(G, q, yy, gram.weight, L1(), 0.0), scale, fit_intercept)


def road(source: Source, gram: Gram) -> str:
    """Which road was taken and why, in a sentence."""
    p, size = gram.n_features, 8 * gram.scatter.size / 1e6
    where = "in memory" if source.in_memory else "streamed"
    return (
        f"statistics: one pass over {gram.n_rows:,} rows ({where}) leaves a {p:,} × {p:,} Gram matrix of {size:.3g} MB"
    )
