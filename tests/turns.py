"""Cross products in which every run does all pairs of values of two axes; make test-all does the whole product."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, product
from typing import Any

import pytest


def in_turns(*axes: Iterable[Any], where: Callable[..., bool] = lambda *case: True) -> list[Any]:
    """The product of the axes as parameters, but for cases that ``where`` leaves out; those of no new pair are deep."""
    values = [list(axis) for axis in axes]
    every = [case for case in product(*(range(len(axis)) for axis in values)) if where(*_at(values, case))]
    often = set(all_pairs(every))
    return [pytest.param(*_at(values, case), marks=[] if case in often else pytest.mark.deep) for case in every]


def _at(values: Sequence[list[Any]], case: tuple[int, ...]) -> list[Any]:
    return [axis[i] for axis, i in zip(values, case, strict=True)]


def all_pairs(every: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Few cases in which every pair of values of two axes occurs: again and again the case with most new pairs."""
    pairs = {case: {(a, b, case[a], case[b]) for a, b in combinations(range(len(case)), 2)} for case in every}
    missing: set[tuple[int, ...]] = set().union(*pairs.values())
    chosen = []
    while missing:
        best = max(every, key=lambda case: len(pairs[case] & missing))
        chosen.append(best)
        missing -= pairs[best]
    return chosen
