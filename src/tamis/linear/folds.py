"""Cross-validation: the splits, what is trained on each, and the error on what was held out.

On the statistics road every fold has a Gram matrix of its own from the pass that gives the total. Where the training
rows are all the others, each once, their matrix is the total without the fold's, so folds cost no further pass and no
further products; only where the fold holds nearly all of a column's spread are the other rows summed by themselves. On
rows, a fold is the same operator with each row weighted by how often it is trained on, so nothing is copied.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any, Protocol

import numpy as np
from sklearn.model_selection import check_cv

from tamis._core.errors import InputError
from tamis._core.progress import Steps
from tamis._core.splits import Split, checked_splits
from tamis._core.threads import blas_threads, free_thread, thread_count
from tamis._kernels.interruption import Team
from tamis.linear.door import Rows
from tamis.linear.operator_road import RowsStanding
from tamis.linear.penalising import adapt
from tamis.linear.plan import Plan
from tamis.linear.standing import Several, Standing, unfinished
from tamis.linear.statistics_road import GramStanding, stand
from tamis.penalties import Penalty
from tamis.solvers.paths import SolvedPath
from tamis.stats import collect
from tamis.stats.gram import Gram, GramOfSets, check_room, checked


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


def split_rows(rows: Rows, cv: Any, groups: Any) -> list[Split]:
    """(train, test) row numbers of every split, by scikit-learn's splitters; folds of classes are stratified."""
    n, classifier = rows.n, rows.classes is not None
    y = rows.codes if classifier else rows.y if rows.in_memory else None
    try:
        splitter = check_cv(5 if cv is None else cv, y, classifier=classifier)
        splits = list(splitter.split(np.zeros((n, 1)), y, groups))
    except (TypeError, ValueError) as error:
        raise InputError(f"cv={cv!r} cannot split n_samples={n} rows: {error}", argument="cv") from None
    return checked_splits(splits, n)


@dataclass(frozen=True)
class GramFold:
    """The statistics of the rows held out, and a way to those trained on."""

    test: np.ndarray
    held_out: Gram
    trained_on: Callable[[], Gram]

    def training(self) -> Gram:
        """The statistics of the training rows."""
        gram = self.trained_on()
        for part, what in ((gram, "training"), (self.held_out, "held-out")):
            _require_weight(part.weight, what)
        return gram

    def standing(self, plan: Plan) -> GramStanding:
        return stand(self.training(), plan)

    def errors(self, standing: GramStanding, path: SolvedPath) -> np.ndarray:
        """mean (y − Xw − b)² = yy − 2 qᵀw + wᵀGw + (difference of the means)², about the held-out rows' own means."""
        used = np.flatnonzero((path.coefs != 0).any(axis=0))
        w = path.coefs[:, used]
        G, q, yy = self.held_out.normalised(used)
        spread = yy - 2 * w @ q + np.einsum("ij,ij->i", w @ G, w)
        if standing.plan.fit_intercept:
            shift = self.held_out.mean_minus(standing.gram)
            bias = shift[-1] - w @ shift[used]
        else:
            bias = self.held_out.y_mean - w @ self.held_out.mean[used]
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
        _require_weight(weight.sum(), "training")
        return self.whole.reweighted(weight, plan)

    def errors(self, standing: Any, path: SolvedPath) -> np.ndarray:
        weight = None if self.whole.weight is None else self.whole.weight[self.test]
        _require_weight(len(self.test) if weight is None else weight.sum(), "held-out")
        losses: np.ndarray = standing.losses(path, self.test, weight)  # about the points that the fit was about
        return losses


def _require_weight(weight: float, what: str) -> None:
    if not weight > 0:
        raise InputError(f"a fold has no {what} rows with positive sample_weight: use fewer folds or shuffle the rows")


def gram_folds(rows: Rows, splits: Sequence[Split], *, n_jobs: int | None, steps: Steps) -> tuple[Gram, list[GramFold]]:
    """The total and every fold, in one pass."""
    n = rows.n
    tests = [test for _, test in splits]
    complement = [_each_once(np.concatenate(split), n) for split in splits]
    others = [train for (train, _), whole in zip(splits, complement, strict=True) if not whole]
    tiled = _each_once(np.concatenate(tests), n)
    sets = tests + others + ([] if tiled else [np.arange(n)])
    check_room(rows.p, copies=len(sets) + 4)
    (collected,) = collect(rows.source, GramOfSets(sets, n_jobs=n_jobs), n_jobs=n_jobs, steps=steps)
    grams = collected.grams
    parts = grams[: len(tests)]
    total = _merged(parts) if tiled else grams[-1]
    checked(total, rows.source)
    summed = iter(grams[len(tests) :])

    def trained_on(k: int) -> Gram:
        """The total without fold k, or where that loses digits the sum of the other rows."""
        rest = total.without(parts[k])
        if not rest.weight > 0 or _keeps_digits(rest, total):
            return rest
        if tiled:
            return _merged([part for i, part in enumerate(parts) if i != k])
        return collect(rows.source, GramOfSets([splits[k][0]], n_jobs=n_jobs), n_jobs=n_jobs)[0].grams[0]

    ways = [partial(trained_on, k) if whole else partial(Gram.copy, next(summed)) for k, whole in enumerate(complement)]
    return total, [GramFold(test, gram, way) for test, gram, way in zip(tests, parts, ways, strict=True)]


def _merged(grams: Sequence[Gram]) -> Gram:
    return reduce(Gram.merge, grams[1:], grams[0].copy())


def _each_once(chosen: np.ndarray, n: int) -> bool:
    """Whether every one of n rows is chosen, and chosen once."""
    return len(chosen) == n and bool((np.bincount(chosen, minlength=n) == 1).all())


DIGITS = 1e-4  # of a column's spread in all rows: less than that in some of them is mostly the rounding of the total


def _keeps_digits(rest: Gram, total: Gram) -> bool:
    return bool((rest.scatter.diagonal() >= DIGITS * total.scatter.diagonal()).all())


def held_out(
    folds: Sequence[Fold],
    plan: Plan,
    penalties: Sequence[Penalty],
    alphas: Sequence[np.ndarray],
    measure: Measure,
    steps: Steps,
) -> tuple[np.ndarray, int]:
    """What ``measure`` says of every penalty, α and fold: (n_penalties, n_alphas, n_folds); and of how many of them
    the fit did not converge. Folds run in parallel."""

    def of(fold: Fold) -> tuple[np.ndarray, int]:
        standing = adapt(fold.standing(plan), plan)  # from the training rows alone
        each = zip(penalties, alphas, strict=True)
        standings = [(standing.with_penalty(q) if len(penalties) > 1 else standing, a) for q, a in each]
        measured, left = zip(*(_measured(fold, s, s.path(a), measure) for s, a in standings), strict=True)
        return np.stack(measured), sum(left)

    n_threads = min(len(folds), thread_count(plan.n_jobs))
    with Team(n_threads, free_thread) as team, blas_threads(1):
        errors, left = zip(*steps(team.map(of, folds), "folds", len(folds)), strict=True)
    return np.stack(errors, axis=-1), sum(left)


def _measured(fold: Fold, standing: Standing, path: SolvedPath, measure: Measure) -> tuple[np.ndarray, int]:
    return measure(fold, standing, path), unfinished(standing, path)
