"""Cross-validation from statistics: one Gram matrix per fold, in the pass that gives the total.

The training rows' matrix is the total without the fold's, so folds cost no further pass and no further products.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv

from tamis._core.errors import InputError
from tamis._core.progress import Steps
from tamis._core.threads import thread_count
from tamis.linear.statistics_road import check_room, checked, stand
from tamis.solvers.gram_descent import GramDescent
from tamis.sources import Source
from tamis.stats import collect
from tamis.stats.gram import Gram, GramOfSets


@dataclass(frozen=True)
class Fold:
    """The statistics of the rows held out, and a way to those trained on: computed when needed, for they are large."""

    test: Gram
    train: Callable[[], Gram]


def split_rows(source: Source, cv: Any, groups: Any = None) -> list[tuple[np.ndarray, np.ndarray]]:
    """(train, test) row numbers of every split, by scikit-learn's splitters."""
    n = source.n_rows if source.n_rows is not None else sum(len(b) for b in source.blocks(columns=[]))
    y = getattr(source, "y", None)
    splitter = check_cv(5 if cv is None else cv, y, classifier=False)
    try:
        splits = list(splitter.split(np.zeros((n, 1)), y, groups))
    except ValueError as error:
        raise InputError(f"cv={cv!r} cannot split n_samples={n} rows: {error}") from None
    return [(np.sort(train), np.sort(test)) for train, test in splits]


def collect_folds(
    source: Source, splits: Sequence[tuple[np.ndarray, np.ndarray]], *, n_jobs: int | None, steps: Steps
) -> tuple[Gram, list[Fold]]:
    """The total and every fold, in one pass."""
    n = source.n_rows or 0
    tests = [test for _, test in splits]
    complement = [len(train) + len(test) == n and not np.isin(test, train).any() for train, test in splits]
    others = [train for (train, _), whole in zip(splits, complement, strict=True) if not whole]
    tiled = np.array_equal(np.sort(np.concatenate(tests)), np.arange(n))
    sets = tests + others + ([] if tiled else [np.arange(n)])
    check_room(source.n_features, copies=len(sets) + 4)
    (collected,) = collect(source, GramOfSets(sets, n_jobs=n_jobs), n_jobs=n_jobs, steps=steps)
    grams = collected.grams
    total = reduce(Gram.merge, grams[1 : len(tests)], grams[0].copy()) if tiled else grams[-1]
    checked(total, source)
    rest = iter(grams[len(tests) :])
    folds = [
        Fold(test, partial(total.without, test) if whole else partial(Gram.copy, next(rest)))
        for test, whole in zip(grams, complement, strict=False)
    ]
    return total, folds


def fold_errors(
    folds: Sequence[Fold],
    alphas: np.ndarray,
    solver: GramDescent,
    options: dict[str, bool],
    n_jobs: int | None,
    steps: Steps,
) -> np.ndarray:
    """Mean squared error of every α (rows) on every fold (columns)."""
    with ThreadPoolExecutor(thread_count(n_jobs)) as pool:
        errors = pool.map(lambda fold: _errors(fold, alphas, solver, options), folds)
        return np.column_stack(list(steps(errors, "folds", len(folds))))


def _errors(fold: Fold, alphas: np.ndarray, solver: GramDescent, options: dict[str, bool]) -> np.ndarray:
    """mean (y − Xw − b)² = yy − 2 qᵀw + wᵀGw + (difference of the means)², all about the held-out rows' own means."""
    train = fold.train()
    for rows, what in ((train, "training"), (fold.test, "held-out")):
        if not rows.weight > 0:
            raise InputError(
                f"a fold has no {what} rows with positive sample_weight: use fewer folds or shuffle the rows"
            )
    standing = stand(train, **options)
    w = standing.coefs(solver.path(standing.problem, alphas).coefs)
    used = np.flatnonzero((w != 0).any(axis=0))
    w = w[:, used]
    G, q, yy = fold.test.normalised(used)
    spread = yy - 2 * w @ q + np.einsum("ij,ij->i", w @ G, w)
    if standing.fit_intercept:
        shift = fold.test.mean_minus(train)
        bias = shift[-1] - w @ shift[used]
    else:
        bias = fold.test.y_mean - w @ fold.test.mean[used]
    return np.maximum(spread, 0.0) + bias**2
