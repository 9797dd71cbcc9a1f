"""Scores made of what each column tells about the target and what each two columns have to do with each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from tamis._core.checks import check_choice
from tamis._core.memory import require_memory
from tamis._core.progress import Steps, silent
from tamis.selection.description import ScoreDescription
from tamis.selection.evaluation.association import (
    Correlations,
    JointInformations,
    MutualInformation,
    SymmetricUncertainties,
    correlation_ratio,
    f_statistic,
)
from tamis.selection.evaluation.counting import CountingEvaluation
from tamis.selection.search.base import Index
from tamis.sources.base import Source

FLOOR = 1e-3  # what a pair counts at least where it is divided by


class Association(Protocol):
    """``relevance`` (p,) of every column for the target; ``rows(ks)`` (len(ks), p) of each column with all others.

    ``ahead``: how many rows cost no more than one.
    """

    relevance: np.ndarray
    values: np.ndarray | None  # of the target, in the order of its classes
    ahead: int

    def rows(self, ks: Sequence[int]) -> np.ndarray: ...


@dataclass
class PairCache:
    """Rows of an association that were computed, and their sum (or another join) over the last subset."""

    association: Association
    join: np.ufunc = np.add
    floor: float = 0.0
    likely: np.ndarray = field(default_factory=lambda: np.zeros(0, int))  # needed next, perhaps; best first
    rows: dict[int, np.ndarray] = field(default_factory=dict)
    _fetched: dict[int, np.ndarray] = field(default_factory=dict)
    _subset: frozenset[int] = frozenset()
    _joined: np.ndarray | None = None

    @property
    def relevance(self) -> np.ndarray:
        return self.association.relevance

    def row(self, k: int) -> np.ndarray:
        """What column k has to do with every column; the join's neutral number with itself."""
        if k not in self.rows:
            if k not in self._fetched:
                self._fetch(k)
            self.rows[k] = self._fetched.pop(k)
        return self.rows[k]

    def _fetch(self, k: int) -> None:
        p = len(self.relevance)
        require_memory(8 * p, f"the pairs of {p:,} columns with a further one", "select columns by Ranking first")
        more = [int(j) for j in self.likely if j != k and j not in self.rows][: self.association.ahead - 1]
        rows = np.maximum(self.association.rows([k, *more]), self.floor)
        for j, row in zip([k, *more], rows, strict=True):
            row[j] = self._neutral
        self._fetched = dict(zip([k, *more], rows, strict=True))

    @property
    def _neutral(self) -> float:
        return 0.0 if self.join is np.add else np.inf

    def joined(self, subset: Index) -> np.ndarray:
        """(p,) the rows of the subset joined, from the last one where that is part of it."""
        members = frozenset(subset)
        if self._joined is None or not self._subset <= members:
            self._subset, self._joined = frozenset(), np.full(len(self.relevance), self._neutral)
        for k in subset:
            if k not in self._subset:
                self._joined = self.join(self._joined, self.row(k))
        self._subset = members
        return self._joined

    def pair_sum(self, subset: Index) -> float:
        """Σ over the pairs within the subset."""
        return float(self.joined(subset)[list(subset)].sum()) / 2


class PairScores(Protocol):
    """What a prepared evaluation of pairs scores with."""

    pairs: PairCache

    def score(self, subset: Index) -> float: ...
    def gains(self, subset: Index, candidates: np.ndarray) -> np.ndarray: ...
    def losses(self, subset: Index, candidates: np.ndarray) -> np.ndarray: ...


@dataclass
class SetScores:
    """merit(k, R, P) of a subset of k columns, R the sum of their relevance, P the sum over their pairs."""

    pairs: PairCache
    merit: Callable[[int, np.ndarray, np.ndarray], np.ndarray]

    def score(self, subset: Index) -> float:
        if not subset:
            return 0.0
        R, P = self.pairs.relevance[list(subset)].sum(), self.pairs.pair_sum(subset)
        return float(self.merit(len(subset), np.array(R), np.array(P)))

    def gains(self, subset: Index, candidates: np.ndarray) -> np.ndarray:
        relevance = self.pairs.relevance
        R = relevance[list(subset)].sum() + relevance[candidates]
        P = self.pairs.pair_sum(subset) + self.pairs.joined(subset)[candidates]
        return with_likely_next(self.pairs, self.merit(len(subset) + 1, R, P), candidates)

    def losses(self, subset: Index, candidates: np.ndarray) -> np.ndarray:
        if len(subset) == 1:
            return np.zeros(len(candidates))
        relevance = self.pairs.relevance
        R = relevance[list(subset)].sum() - relevance[candidates]
        P = self.pairs.pair_sum(subset) - self.pairs.joined(subset)[candidates]
        return self.merit(len(subset) - 1, R, np.maximum(P, 0.0))


@dataclass
class OrderedScores:
    """The sum over the columns, in their order, of step(k, relevance, joined rows of the k before it)."""

    pairs: PairCache
    step: Callable[[int, np.ndarray, np.ndarray], np.ndarray]
    _cache: dict[Index, float] = field(default_factory=lambda: {(): 0.0})

    def score(self, subset: Index) -> float:
        start = next(k for k in range(len(subset), -1, -1) if subset[:k] in self._cache)
        for k in range(start, len(subset)):
            step = self._steps(subset[:k], np.array([subset[k]]))[0]
            self._cache[subset[: k + 1]] = self._cache[subset[:k]] + float(step)
        return self._cache[subset]

    def gains(self, subset: Index, candidates: np.ndarray) -> np.ndarray:
        return with_likely_next(self.pairs, self.score(subset) + self._steps(subset, candidates), candidates)

    def losses(self, subset: Index, candidates: np.ndarray) -> np.ndarray:
        return np.array([self.score(tuple(k for k in subset if k != j)) for j in candidates])

    def _steps(self, before: Index, candidates: np.ndarray) -> np.ndarray:
        relevance = self.pairs.relevance[candidates]
        if not before:
            return relevance
        return self.step(len(before), relevance, self.pairs.joined(before)[candidates])


def with_likely_next(pairs: PairCache, scores: np.ndarray, candidates: np.ndarray) -> np.ndarray:
    """The scores; the rows of the best of them may be needed next."""
    n = pairs.association.ahead
    if n > 1:
        top = np.argpartition(-scores, min(n, len(scores) - 1))[:n]
        pairs.likely = candidates[top[np.argsort(-scores[top], kind="stable")]]
    return scores


class Pairwise(CountingEvaluation):
    """An evaluation that is prepared into scores of pairs."""

    def prepare(self, source: Source, *, n_jobs: int | None = None, steps: Steps = silent) -> PairScores:
        raise NotImplementedError(f"{type(self).__name__} does not say what it prepares")

    def classes(self, state: PairScores) -> np.ndarray | None:
        return state.pairs.association.values

    def score(self, state: PairScores, subset: Index) -> float:
        return state.score(tuple(subset))

    def gains(self, state: PairScores, subset: Index, candidates: Sequence[int]) -> np.ndarray:
        return state.gains(tuple(subset), np.asarray(candidates, dtype=np.intp))

    def losses(self, state: PairScores, subset: Index, candidates: Sequence[int]) -> np.ndarray:
        return state.losses(tuple(subset), np.asarray(candidates, dtype=np.intp))


class RelevanceRedundancy(Pairwise):
    """How relevant columns are, against how redundant."""

    def __init__(
        self,
        by: str = "information",
        scheme: str = "difference",
        *,
        n_bins: int = 10,
        task: str = "auto",
        bins: str = "auto",
    ) -> None:
        super().__init__(n_bins, task, bins)
        self.by = by
        self.scheme = scheme

    def _described(self, description: ScoreDescription) -> ScoreDescription:
        """The words about informations and their difference, as the arguments change them."""
        if self.scheme == "quotient":
            words = description.is_.replace(", minus the", ", over the").removesuffix("; it may be negative")
            description = replace(description, name=description.name.replace("−", "/"), is_=words, unit="")
        if self.by == "correlation":
            kind = type(self).__name__
            words = f"what {kind} makes of the F-statistics of its columns and of the correlations of their pairs"
            description = replace(description, is_=words, unit="", counts=False, numbers=True)
        return description

    def related(self, source: Source, n_jobs: int | None, steps: Steps) -> tuple[PairCache, np.ufunc]:
        """What columns have to do with the target and each other, and how the one counts against the other."""
        by = check_choice("by", self.by, ("information", "correlation"))
        quotient = check_choice("scheme", self.scheme, ("difference", "quotient")) == "quotient"
        association: Association
        if by == "information":
            association = MutualInformation(self.coded(source, n_jobs, steps), n_jobs)
        else:
            name = f"{type(self).__name__} by correlation"
            association = Correlations(source, f_statistic, self.task, name, n_jobs, steps)
        return PairCache(association, floor=FLOOR if quotient else 0.0), np.divide if quotient else np.subtract


class MRMR(RelevanceRedundancy):
    """Maximal relevance, minimal redundancy: from the most relevant column on, each round adds the column of the
    largest I(x; y) − mean of I(x; s) over the columns s chosen before it. The score is the sum of these numbers over
    the columns in their order.

    For forward searches and rankings only; ``MRMRSet`` scores subsets as a whole, for any search. Without
    ``n_features`` forward search with "difference" ends where the best column is more redundant than relevant; with
    "quotient" every relevant column adds something, so give ``n_features``.

    Parameters
    ----------
    by : "information" or "correlation"
        Relevance and redundancy are mutual informations I(x; y) and I(x; s) in bits; or the F-statistic (of the
        classes, or of the regression on x) and |Pearson's correlation|.
    scheme : "difference" or "quotient"
        Relevance minus redundancy (MID, FCD), or over it (MIQ, FCQ); where it is divided by, the redundancy of a pair
        is at least 0.001.
    n_bins, task, bins
        As in ``InformationGain``, for ``by="information"``; ``task`` for both.

    References: Peng, Long and Ding (2005); Ding and Peng (2005).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from tamis import SubsetSelector
    >>> from tamis.selection import MRMR
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> SubsetSelector("forward", MRMR("correlation", "quotient"), n_features=3).fit(X, y).selected_features_
    ['worst concave points', 'worst perimeter', 'mean concave points']
    """

    incremental = True

    def describe(self) -> ScoreDescription:
        return self._described(
            ScoreDescription(
                "relevance − redundancy",
                "the sum over its columns, in their order, of the bits that each tells about the target, minus the "
                "mean bits that it tells about those before it; it may be negative",
                "bits",
                counts=True,
            )
        )

    def prepare(self, source: Source, *, n_jobs: int | None = None, steps: Steps = silent) -> PairScores:
        pairs, against = self.related(source, n_jobs, steps)
        return OrderedScores(pairs, lambda k, relevance, joined: against(relevance, joined / k))


class MRMRSet(RelevanceRedundancy):
    """The mean relevance of the subset's columns against the mean redundancy of its pairs: of k columns
    Σ I(x; y) / k − Σ I(x; x′) / (k (k − 1) / 2), the relevance of a single column.

    It scores a subset as a whole, so that it goes with every search; ``MRMR`` is the published rule, which adds
    column after column. Arguments as in ``MRMR``.

    References: Peng, Long and Ding (2005), equation 6, where columns are pairs with themselves too.
    """

    def describe(self) -> ScoreDescription:
        return self._described(
            ScoreDescription(
                "mean relevance − redundancy",
                "the mean bits its columns tell about the target, each by itself, minus the mean bits that two of them "
                "tell about each other; it may be negative",
                "bits",
                counts=True,
            )
        )

    def prepare(self, source: Source, *, n_jobs: int | None = None, steps: Steps = silent) -> PairScores:
        pairs, against = self.related(source, n_jobs, steps)
        return SetScores(pairs, lambda k, R, P: R if k == 1 else against(R / k, P / (k * (k - 1) / 2)))


class JointInformation(Pairwise):
    """JMI: the mean over the pairs of the subset of I(x, x′; y) in bits, what two columns tell together; I(x; y) of a
    single column.

    Two columns that tell something only together, and two that repeat each other, are told apart, which relevance
    and redundancy cannot. Of subsets of one size the forward search takes those of the classical rule
    argmax_x Σ_{x′} I(x, x′; y); give ``n_features``. Arguments as in ``InformationGain``.

    References: Yang and Moody (1999); Brown et al. (2012).
    """

    def describe(self) -> ScoreDescription:
        return ScoreDescription(
            "joint information",
            "the mean bits that two of its columns tell about the target together",
            "bits",
            counts=True,
        )

    def prepare(self, source: Source, *, n_jobs: int | None = None, steps: Steps = silent) -> PairScores:
        association = JointInformations(self.coded(source, n_jobs, steps), n_jobs)
        return SetScores(PairCache(association), lambda k, R, P: R if k == 1 else P / (k * (k - 1) / 2))


class CMIM(Pairwise):
    """Conditional mutual information: a column counts what it still tells beside the chosen one that leaves it least,
    min_{x′} I(x; y | x′) in bits; the score is the sum over the columns in their order.

    For forward searches and rankings only. Arguments as in ``InformationGain``.

    References: Fleuret (2004).
    """

    incremental = True

    def describe(self) -> ScoreDescription:
        return ScoreDescription(
            "conditional information",
            "the sum of the bits that each column tells about the target beside the one before it that leaves it least",
            "bits",
            counts=True,
        )

    def prepare(self, source: Source, *, n_jobs: int | None = None, steps: Steps = silent) -> PairScores:
        association = JointInformations(self.coded(source, n_jobs, steps), n_jobs, given=True)
        return OrderedScores(PairCache(association, join=np.minimum), lambda k, relevance, joined: joined)


class CFS(Pairwise):
    """The merit of a subset whose columns go with the target and not with each other: k r̄_y / √(k + k (k − 1) r̄_x).

    r̄_y is the mean correlation of the k columns with the target, r̄_x that of their pairs. ``by="information"``
    takes symmetric uncertainties for correlations, ``by="correlation"`` takes |Pearson's| (with classes √(between /
    total sum of squares)). Other arguments as in ``InformationGain``.

    References: Hall (2000).
    """

    def __init__(self, by: str = "information", *, n_bins: int = 10, task: str = "auto", bins: str = "auto") -> None:
        super().__init__(n_bins, task, bins)
        self.by = by

    def describe(self) -> ScoreDescription:
        merit = (
            "high where its columns go with the target and not with each other: k r / √(k + k (k − 1) s) of k columns, "
            "r their mean correlation with the target and s that of their pairs"
        )
        if self.by == "correlation":
            return ScoreDescription("merit", merit, numbers=True)
        return ScoreDescription("merit", f"{merit}, taken as symmetric uncertainties", counts=True)

    def prepare(self, source: Source, *, n_jobs: int | None = None, steps: Steps = silent) -> PairScores:
        by = check_choice("by", self.by, ("information", "correlation"))
        association: Association
        if by == "information":
            association = SymmetricUncertainties(self.coded(source, n_jobs, steps), n_jobs)
        else:
            association = Correlations(
                source, correlation_ratio, self.task, f"{type(self).__name__} by correlation", n_jobs, steps
            )
        return SetScores(PairCache(association), lambda k, R, P: R / np.sqrt(k + 2 * P))
