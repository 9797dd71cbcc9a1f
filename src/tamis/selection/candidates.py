"""The candidates of a search: columns, or groups of them that come and go together, beside those always kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np

from tamis._core.checks import check_count
from tamis._core.column_positions import column_positions
from tamis._core.errors import InputError
from tamis.penalties.feature_groups import as_labels
from tamis.selection.search.base import Index, Stop


@dataclass(frozen=True)
class Candidates:
    """What a search may add or remove: the columns of each candidate, its label, and the columns in every subset."""

    members: tuple[Index, ...]
    labels: list[Any]
    kept: Index = ()
    n_kept: int = 0  # candidates among them

    def __len__(self) -> int:
        return len(self.members)

    @cached_property
    def single(self) -> bool:
        """Whether every candidate is one column."""
        return all(len(columns) == 1 for columns in self.members)

    @cached_property
    def first_columns(self) -> np.ndarray:
        """The first column of each candidate."""
        return np.array([columns[0] for columns in self.members], dtype=np.intp)

    def columns(self, subset: Index) -> Index:
        """Of a subset of candidates, with those that are always there."""
        return (*self.kept, *(j for candidate in subset for j in self.members[candidate]))

    def weights(self, subset: Index, weights: Sequence[float]) -> np.ndarray:
        """Of a subset of candidates, from those of its columns after the kept ones: of a group √Σ w²."""
        ends = np.cumsum([0, *(len(self.members[candidate]) for candidate in subset[:-1])])
        return np.sqrt(np.add.reduceat(np.square(weights[len(self.kept) :]), ends))

    def stop(self, n_features: Any) -> Stop:
        """How many candidates to choose beside the kept ones; ``n_features`` counts both."""
        least, most = _bounds(n_features, len(self) + self.n_kept)
        if most is not None and most < self.n_kept:
            raise InputError(
                f"n_features={n_features!r} is less than the {self.n_kept} that keep asks for: raise it",
                argument="n_features",
            )
        if least is not None and least == most:
            return Stop(least - self.n_kept)
        return Stop(
            None, max((1 if least is None else least) - self.n_kept, 0), None if most is None else most - self.n_kept
        )


def as_candidates(names: Sequence[Any], keep: Any, feature_groups: Any) -> Candidates:
    """The candidates of columns called ``names`` (their positions where they have none)."""
    p = len(names)
    given_names = None if list(names) == list(range(p)) else list(names)
    groups, group_labels = as_labels(feature_groups, p, given_names)
    members: list[list[int]] = [[] for _ in group_labels]
    for j, g in enumerate(groups.tolist()):
        members[g].append(j)
    fixed = {int(groups[j]) for j in column_positions("keep", keep, p, given_names)}
    free = [g for g in range(len(members)) if g not in fixed]
    labels = [names[members[g][0]] if len(members[g]) == 1 else group_labels[g] for g in free]
    kept = tuple(j for g in sorted(fixed) for j in members[g])
    return Candidates(tuple(tuple(members[g]) for g in free), labels, kept, len(fixed))


def _bounds(n_features: Any, n_candidates: int) -> tuple[int | None, int | None]:
    if n_features is None:
        return None, None
    if isinstance(n_features, (tuple, list)):
        if len(n_features) != 2:
            raise InputError(
                f"n_features must be a number or a pair (fewest, most), got {n_features!r}", argument="n_features"
            )
        least, most = (check_count("n_features", n) for n in n_features)
        if least > most:
            raise InputError(
                f"n_features={n_features!r} asks for at least {least} and at most {most}: swap them",
                argument="n_features",
            )
    else:
        least = most = check_count("n_features", n_features)
    if least > n_candidates:
        what = "columns" if isinstance(n_features, Integral) else "columns or groups"
        raise InputError(
            f"n_features must be at most the number of {what}, {n_candidates}; got {n_features!r}",
            argument="n_features",
        )
    return least, min(most, n_candidates)
