"""The contract of a search: a generator of batches of subsets.

``run`` yields lists of subsets, is sent their scores, and returns the best subset. A plain list of tuples will do;
a search that compares one parent with one column more or less yields ``Additions`` or ``Removals``, which
evaluations score from the last round's work, and says with ``keep`` which of them it goes on with and why.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
from sklearn.base import BaseEstimator

from tamis.selection.description import SearchDescription, describe_anew, in_words

Index = tuple[int, ...]  # columns of a subset, in the order in which they came

# Scores that differ by no more than this share of them (or of 1) are equal: they are sums of up to millions of
# float64 terms, and the same subset reached along two ways, or with its values renamed, differs in the last digits
# only.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Stop:
    """How many columns to end with: exactly ``n_features``; or from ``least`` to ``most``, the best of these sizes;
    or, where ``most`` is None, what the search's own rule finds.
    """

    n_features: int | None = None
    least: int = 1
    most: int | None = None

    @property
    def ranged(self) -> bool:
        """Whether the best size within bounds is asked for: the search goes through all of them, to the last."""
        return self.n_features is None and self.most is not None

    def bounds(self, p: int) -> tuple[int, int]:
        """Fewest and most columns of p."""
        if self.n_features is not None:
            return self.n_features, self.n_features
        return min(self.least, p), p if self.most is None else min(self.most, p)


class SubsetBatch(Sequence):
    """The subsets of one round; when they are scored, the search notes which it keeps and why."""

    parent: Index | None = None

    def __init__(self) -> None:
        self.reasons: dict[int, str] = {}
        self.kept: set[int] = set()

    def keep(self, position: int, reason: str) -> None:
        """The subset at this position is one to go on with."""
        self.kept.add(position)
        self.reasons[position] = reason

    def leave(self, position: int, reason: str) -> None:
        """Why a subset that might have been expected to be kept is not."""
        self.reasons[position] = reason

    def change(self, position: int) -> tuple[Index, Index]:
        """(columns added, columns removed) against the parent."""
        subset, parent = self[position], self.parent or ()
        return tuple(j for j in subset if j not in parent), tuple(j for j in parent if j not in subset)

    @overload
    def __getitem__(self, position: int) -> Index: ...
    @overload
    def __getitem__(self, position: slice) -> list[Index]: ...
    def __getitem__(self, position: Any) -> Any:
        if isinstance(position, slice):
            return [self._subset(i) for i in range(len(self))[position]]
        return self._subset(range(len(self))[position])

    def _subset(self, position: int) -> Index:
        raise NotImplementedError


class Subsets(SubsetBatch):
    """Any subsets, one by one."""

    def __init__(self, subsets: Sequence[Index]) -> None:
        super().__init__()
        self.subsets = [tuple(int(j) for j in subset) for subset in subsets]

    def __len__(self) -> int:
        return len(self.subsets)

    def _subset(self, position: int) -> Index:
        return self.subsets[position]


class RandomSubset(SubsetBatch):
    """One subset of a random sequence that goes on the same whatever it scores; ``ahead`` yields those after it.

    Workers that are free begin with those; the search may end before it comes to them. Kept as bits, for there may be
    many draws of many columns.
    """

    def __init__(self, bits: bytes, p: int, ahead: Iterable[Index] = ()) -> None:
        super().__init__()
        self.bits, self.p = bits, p
        self.ahead = ahead

    def __len__(self) -> int:
        return 1

    def _subset(self, position: int) -> Index:
        return unpack_subset(self.bits, self.p)


def unpack_subset(bits: bytes, p: int) -> Index:
    """The columns whose bit is set, in order."""
    return tuple(np.flatnonzero(np.unpackbits(np.frombuffer(bits, np.uint8), count=p)).tolist())


class SubsetWithWeights(Subsets):
    """One subset, to be scored and its columns weighed by the model behind the evaluation.

    ``weights``, in the order of the subset, are there when it is scored; None where that failed.
    """

    weights: np.ndarray | None = None


class ColumnChanges(SubsetBatch):
    """One parent, and the candidates that may each be added or removed."""

    parent: Index

    def __init__(self, parent: Index, candidates: Sequence[int] | np.ndarray) -> None:
        super().__init__()
        self.parent = parent
        self.candidates = np.asarray(candidates, dtype=np.intp)

    def __len__(self) -> int:
        return len(self.candidates)


class Additions(ColumnChanges):
    """The parent with one candidate more."""

    def _subset(self, position: int) -> Index:
        return (*self.parent, int(self.candidates[position]))

    def change(self, position: int) -> tuple[Index, Index]:
        return (int(self.candidates[position]),), ()


class AdditionsWithPValues(Additions):
    """The parent with one candidate more, each to be compared with what chance gives it.

    ``pvalues``, in the order of the candidates, are there when it is scored; ``seed`` is for the shuffles.
    """

    pvalues: np.ndarray | None = None

    def __init__(self, parent: Index, candidates: Sequence[int] | np.ndarray, seed: int) -> None:
        super().__init__(parent, candidates)
        self.seed = seed


class Removals(ColumnChanges):
    """The parent with one candidate less."""

    def _subset(self, position: int) -> Index:
        removed = int(self.candidates[position])
        return tuple(j for j in self.parent if j != removed)

    def change(self, position: int) -> tuple[Index, Index]:
        return (), (int(self.candidates[position]),)


Run = Generator[Sequence[Index], np.ndarray, Index]


def columns_outside(p: int, subset: Index) -> np.ndarray:
    """The columns of range(p) that are not in the subset, in order."""
    free = np.ones(p, dtype=bool)
    free[list(subset)] = False
    return np.flatnonzero(free)


class Search(BaseEstimator):
    """How subsets are proposed. Higher scores are better.

    ``adds_only``: it proposes only single columns, and what it has taken so far with one more at the end, so that an
    evaluation may score each column given those before it.
    """

    adds_only = False
    tests_columns = False  # whether it ends by p-values, be it with no column at all

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        describe_anew(cls, Search.describe, ("run",))

    def describe(self) -> SearchDescription:
        """The search in words, for reports; override it to say more than the name of the class."""
        kind = type(self).__name__
        return SearchDescription(in_words(kind), f"{kind} proposes the subsets.", "It ended by itself.", ordered=False)

    def objection(self, evaluation: Any) -> str:
        """Why it cannot work with an evaluation; "" where it can."""
        if evaluation.incremental and not self.adds_only:
            return (
                f"{type(evaluation).__name__} scores each column given those chosen before it, which "
                f"{type(self).__name__} does not keep in order: use Forward or Ranking, or an evaluation of whole "
                "subsets (JointInformation, CFS, MRMRSet)"
            )
        return ""

    def best(self, low: int, high: int) -> Best:
        """How it tells the better of two subsets."""
        return Best(low, high)

    def run(self, p: int, stop: Stop, rng: np.random.Generator) -> Run:
        """Yield lists of subsets of range(p), be sent their scores, return the best."""
        raise NotImplementedError(f"{type(self).__name__} does not say how it runs")


def score_of_empty(low: int) -> Generator[Sequence[Index], np.ndarray, float]:
    """What a search that may end with no column of its own has to beat; −∞ where it must choose some."""
    return float((yield Subsets([()]))[0]) if low == 0 else -np.inf


@dataclass
class Best:
    """The best subset of a size within bounds: the higher score, among equals the smaller, then the lower columns, or
    where ``first`` is set the one that came first.
    """

    low: int
    high: int
    subset: Index | None = None
    score: float = -np.inf
    first: bool = False

    def offer(self, subset: Index, score: float, tol: float = 0.0) -> bool:
        """Whether it is better than what there was by more than tol; it is taken also where it wins a tie."""
        if not self.low <= len(subset) <= self.high or np.isnan(score):
            return False
        better = self.subset is None or score > self.score + tol + tie_tolerance(self.score)
        tied = not better and self.subset is not None and score >= self.score - tie_tolerance(self.score)
        if better or (tied and self._rank(subset) < self._rank(self.subset or ())):
            self.subset, self.score = subset, max(score, self.score) if tied else score
        return better

    def _rank(self, subset: Index) -> tuple[int, Index]:
        return len(subset), () if self.first else tuple(sorted(subset))


@dataclass
class BestBySize:
    """The best subset of each size that was seen, ties going to the lowest columns, and which size to take."""

    low: int
    high: int
    seen: dict[int, tuple[float, Index, SubsetBatch | None, int]] = field(default_factory=dict)

    def add(self, subset: Index, score: float, batch: SubsetBatch | None = None, position: int = 0) -> None:
        """A subset with its score, and its place in a batch."""
        size = len(subset)
        if size in self.seen:
            best = self.seen[size][0]
            tied = abs(score - best) <= tie_tolerance(best) if np.isfinite(best) else score == best
            if score < best or (tied and sorted(self.seen[size][1]) <= sorted(subset)):
                return
        self.seen[size] = score, subset, batch, position

    def score(self, size: int) -> float:
        """Of the best of a size; −∞ where none was seen."""
        return self.seen[size][0] if size in self.seen else -np.inf

    @property
    def top(self) -> float:
        """The best score of all sizes asked for."""
        return max((self.seen[size][0] for size in self._sizes), default=-np.inf)

    def growing(self, tol: float) -> Index:
        """From the fewest columns on: a larger subset takes the place of a smaller where it scores more than tol
        higher."""
        sizes = iter(self._sizes)
        chosen = next(sizes)
        for size in sizes:
            best = self.score(chosen)
            if self.score(size) > best + tol + tie_tolerance(best):
                chosen = size
        return self._take(chosen)

    def shrinking(self, tol: float) -> Index:
        """From the most columns on: a smaller subset takes the place of a larger where its score is that of the best
        so far plus tol, or higher; of a negative tol that is a loss that is allowed."""
        top, chosen = -np.inf, self.high
        for size in reversed(self._sizes):
            score = self.score(size)
            if score >= top + tol - tie_tolerance(top):
                chosen = size
            top = max(top, score)
        return self._take(chosen)

    @property
    def _sizes(self) -> list[int]:
        return sorted(size for size in self.seen if self.low <= size <= self.high)

    def _take(self, size: int) -> Index:
        _, subset, batch, position = self.seen[size]
        if batch is not None and self.low < self.high:
            reason = batch.reasons.get(position, "")
            batch.keep(position, f"{reason}; the best of the sizes asked for".removeprefix("; "))
        return subset


def tie_tolerance(score: float) -> float:
    """By how much equal scores may differ in rounding."""
    if np.isinf(score):
        return 0.0
    return ROUNDING * max(1.0, abs(score))


def merge_ties(scores: np.ndarray) -> np.ndarray:
    """Scores that differ by rounding only made equal: each takes the highest of the run it belongs to.

    −∞, the score of what could not be evaluated, is a run of its own.
    """
    finite = np.isfinite(scores)
    merged = scores.copy()
    if finite.any():
        values = scores[finite]
        order = np.argsort(-values, kind="stable")
        ranked = values[order]
        new_run = np.r_[True, ranked[:-1] - ranked[1:] > tie_tolerance(float(np.max(np.abs(values))))]
        equal = np.empty_like(values)
        equal[order] = ranked[new_run][np.cumsum(new_run) - 1]
        merged[finite] = equal
    return merged


def best_of(batch: ColumnChanges, scores: np.ndarray) -> tuple[int, str]:
    """Position of the best score, ties going to the lowest column, and the reason in words."""
    top = float(np.max(scores))
    tied = np.flatnonzero(scores >= top - tie_tolerance(top))
    first = min(tied, key=lambda i: batch.candidates[i])
    if len(tied) == 1:
        return int(first), "best of the round"
    return int(first), f"tie of {len(tied)}: the lowest column"
