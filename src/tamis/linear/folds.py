"""Cross-validation: the splits, what is trained on each, and the error on what was held out.

On the statistics road every fold has a Gram matrix of its own from the pass that gives the total. Where the training
rows are all the others, each once, their matrix is the total without the fold's, so folds cost no further pass and no
further products; only where the fold holds nearly all of a column's spread are the other rows summed by themselves. On
rows, a fold is the same operator with each row weighted by how often it is trained on, so nothing is copied.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from tamis._core.progress import Steps
from tamis._core.threads import blas_threads, free_thread, thread_count
from tamis._kernels.interruption import Team
from tamis.linear.adaptive import adapt
from tamis.linear.fit_problem import Several, Standing
from tamis.linear.gram import GramStanding, stand
from tamis.linear.plan import Plan
from tamis.linear.rows_problem import RowsStanding
from tamis.penalties import Penalty
from tamis.solvers.paths import SolvedPath
from tamis.stats.fold_grams import FoldGram, require_weight


class Fold(Protocol):
    """One split."""

    @property
    def test(self) -> np.ndarray: ...

    def standing(self, plan: Plan) -> Standing:
        """The problem of the training rows: made when needed, for it may be large."""
        ...

    def errors(self, standing: Any, path: SolvedPath) -> np.ndarray:
        """The mean loss of every α of the path on the held-out rows."""
        ...


Measure = Callable[[Fold, Standing, SolvedPath], np.ndarray]


@dataclass(frozen=True)
class GramFold:
    """A split whose parts are Gram matrices."""

    grams: FoldGram

    @property
    def test(self) -> np.ndarray:
        return self.grams.test

    def standing(self, plan: Plan) -> GramStanding:
        return stand(self.grams.training(), plan)

    def errors(self, standing: GramStanding, path: SolvedPath) -> np.ndarray:
        """mean (y − Xw − b)² = yy − 2 qᵀw + wᵀGw + (difference of the means)², about the held-out rows' own means."""
        held_out = self.grams.held_out
        used = np.flatnonzero((path.coefs != 0).any(axis=0))
        w = path.coefs[:, used]
        G, q, yy = held_out.normalised(used)
        spread = yy - 2 * w @ q + np.einsum("ij,ij->i", w @ G, w)
        if standing.plan.fit_intercept:
            shift = held_out.mean_minus(standing.gram)
            bias = shift[-1] - w @ shift[used]
        else:
            bias = held_out.y_mean - w @ held_out.mean[used]
        return np.maximum(spread, 0.0) + bias**2


@dataclass(frozen=True)
class RowsFold:
    """A split of rows at hand: training is the whole problem, rows weighted by how often they are trained on."""

    train: np.ndarray
    test: np.ndarray
    whole: RowsStanding | Several

    def standing(self, plan: Plan) -> RowsStanding | Several:
        times = np.bincount(self.train, minlength=self.whole.n).astype(np.float64)
        weight = times if self.whole.weight is None else times * self.whole.weight
        require_weight(weight.sum(), "training")
        return self.whole.reweighted(weight, plan)

    def errors(self, standing: Any, path: SolvedPath) -> np.ndarray:
        weight = None if self.whole.weight is None else self.whole.weight[self.test]
        require_weight(len(self.test) if weight is None else weight.sum(), "held-out")
        losses: np.ndarray = standing.losses(path, self.test, weight)  # about the points that the fit was about
        return losses


def held_out(
    folds: Sequence[Fold],
    plan: Plan,
    penalties: Sequence[Penalty],
    alphas: Sequence[np.ndarray],
    measure: Measure,
    steps: Steps,
) -> np.ndarray:
    """What ``measure`` says of every penalty, α and fold: (n_penalties, n_alphas, n_folds). Folds run in parallel."""

    def of(fold: Fold) -> np.ndarray:
        standing = adapt(fold.standing(plan), plan)  # from the training rows alone
        each = zip(penalties, alphas, strict=True)
        standings = ((standing.with_penalty(q) if len(penalties) > 1 else standing, a) for q, a in each)
        return np.stack([measure(fold, s, s.path(a)) for s, a in standings])

    n_threads = min(len(folds), thread_count(plan.n_jobs))
    with Team(n_threads, free_thread) as team, blas_threads(1):
        return np.stack(list(steps(team.map(of, folds), "folds", len(folds))), axis=-1)
