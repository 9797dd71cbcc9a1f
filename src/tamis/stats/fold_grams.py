"""Gram matrices of the folds of a cross-validation, from the pass that gives the total.

Where the training rows are all the others, each once, their matrix is the total without the fold's, so folds cost no
further pass and no further products; only where the fold holds nearly all of a column's spread are the other rows
summed by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce

import numpy as np

from tamis._core.errors import InputError
from tamis._core.progress import Steps
from tamis.sources.base import Source
from tamis.stats.collect import collect
from tamis.stats.gram import Gram, GramOfSets, check_room, checked

DIGITS = 1e-4  # of a column's spread in all rows: less than that in some of them is mostly the rounding of the total


@dataclass(frozen=True)
class FoldGram:
    """The statistics of the rows held out, and a way to those trained on."""

    test: np.ndarray
    held_out: Gram
    trained_on: Callable[[], Gram]

    def training(self) -> Gram:
        """The statistics of the training rows: made when needed, for they may be large."""
        gram = self.trained_on()
        for part, what in ((gram, "training"), (self.held_out, "held-out")):
            require_weight(part.weight, what)
        return gram


def fold_grams(
    source: Source, splits: Sequence[tuple[np.ndarray, np.ndarray]], n: int, *, n_jobs: int | None, steps: Steps
) -> tuple[Gram, list[FoldGram]]:
    """The total of n rows and every fold, in one pass; splits are (train, test) row numbers."""
    tests = [test for _, test in splits]
    complement = [_each_once(np.concatenate(split), n) for split in splits]
    others = [train for (train, _), whole in zip(splits, complement, strict=True) if not whole]
    tiled = _each_once(np.concatenate(tests), n)
    sets = tests + others + ([] if tiled else [np.arange(n)])
    check_room(source.n_features, copies=len(sets) + 4)
    (collected,) = collect(source, GramOfSets(sets, n_jobs=n_jobs), n_jobs=n_jobs, steps=steps)
    grams = collected.grams
    parts = grams[: len(tests)]
    total = _merged(parts) if tiled else grams[-1]
    checked(total, source)
    summed = iter(grams[len(tests) :])

    def trained_on(k: int) -> Gram:
        """The total without fold k, or where that loses digits the sum of the other rows."""
        rest = total.without(parts[k])
        if not rest.weight > 0 or _keeps_digits(rest, total):
            return rest
        if tiled:
            return _merged([part for i, part in enumerate(parts) if i != k])
        return collect(source, GramOfSets([splits[k][0]], n_jobs=n_jobs), n_jobs=n_jobs)[0].grams[0]

    ways = [partial(trained_on, k) if whole else partial(Gram.copy, next(summed)) for k, whole in enumerate(complement)]
    return total, [FoldGram(test, gram, way) for test, gram, way in zip(tests, parts, ways, strict=True)]


def require_weight(weight: float, what: str) -> None:
    """Complain about a fold whose rows all weigh nothing; ``what`` says which rows."""
    if not weight > 0:
        raise InputError(f"a fold has no {what} rows with positive sample_weight: use fewer folds or shuffle the rows")


def _merged(grams: Sequence[Gram]) -> Gram:
    return reduce(Gram.merge, grams[1:], grams[0].copy())


def _each_once(chosen: np.ndarray, n: int) -> bool:
    """Whether every one of n rows is chosen, and chosen once."""
    return len(chosen) == n and bool((np.bincount(chosen, minlength=n) == 1).all())


def _keeps_digits(rest: Gram, total: Gram) -> bool:
    return bool((rest.scatter.diagonal() >= DIGITS * total.scatter.diagonal()).all())
